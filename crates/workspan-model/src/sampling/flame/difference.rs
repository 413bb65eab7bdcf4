//! How a program's flame graph differs from an earlier one.

use super::{Flame, FlameCode, FlameFrame, FlameWeight};
use crate::sites::matching::Matcher;
use crate::{Location, Nanos, SiteKind, SiteRow};

/// By how much a frame has grown; negative if it has shrunk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlameGrowth {
    /// Growth of the work.
    pub work: Nanos,
    /// Growth of the time on the critical path.
    pub span: Nanos,
    /// Growth of the time on the longest burdened path.
    pub burdened_span: Nanos,
    /// Growth of the samples on the work, in periods.
    pub samples: f64,
    /// Growth of its shares of these four in the whole.
    pub shares: [f64; 4],
}

impl FlameFrame {
    /// By how much it has grown since the profile that it was compared with; `whole` is the first
    /// frame of its graph. `None` if it was not compared.
    pub fn growth(&self, whole: &Self) -> Option<FlameGrowth> {
        let (now, before) = (self.weight, self.before?);
        let shares_now = now.shares_of(&whole.weight);
        let shares_before = before.shares_of(&whole.before.unwrap_or_default());
        Some(FlameGrowth {
            work: now.work.time() - before.work.time(),
            span: now.span.time() - before.span.time(),
            burdened_span: now.burdened_span.time() - before.burdened_span.time(),
            samples: now.samples - before.samples,
            shares: [0, 1, 2, 3].map(|at| shares_now[at] - shares_before[at]),
        })
    }
}

/// A frame that may match one of the other graph.
struct Candidate<'a> {
    index: usize,
    /// What it is called, wherever its lines have moved: the kind of its site and whether that is
    /// recursive, its name and the function around it.
    name: (Option<SiteKind>, bool, Option<&'a str>, Option<&'a str>),
    place: Option<&'a Location>,
}

impl Flame {
    /// Sets the [`before`](FlameFrame::before) of each frame to its weight in `old`, the graph of
    /// another profile with the rows `old_rows`; to zero if the frame is new. Returns the indices
    /// of the frames of `old` that are gone, the largest first, without those that stand on a gone
    /// one.
    ///
    /// Frames match if they have the same name and stand on frames that match. Sites of one kind in
    /// one function match at the same place, and otherwise in their order.
    ///
    /// # Panics
    /// If the rows are not those of the graphs.
    pub fn compare(&mut self, rows: &[SiteRow], old: &Flame, old_rows: &[SiteRow]) -> Vec<usize> {
        let mut before: Vec<Option<usize>> = vec![None; self.frames.len()];
        let mut gone = Vec::new();
        if let (Some(first), false) = (before.first_mut(), old.frames.is_empty()) {
            *first = Some(0);
        }
        let (above, old_above) = (standing_on(&self.frames), standing_on(&old.frames));
        for frame in 0..self.frames.len() {
            let Some(old_frame) = before[frame] else {
                continue;
            };
            let new = candidates(&above[frame], &self.frames, rows);
            let previous = candidates(&old_above[old_frame], &old.frames, old_rows);
            let mut matcher = Matcher::new(&previous, &new, |candidate| candidate.place);
            matcher.pair(false, |candidate| Some((candidate.name, candidate.place)));
            matcher.pair(false, |candidate| Some(candidate.name));
            let matching = matcher.finish();
            for pair in matching.pairs {
                before[new[pair.after].index] = Some(previous[pair.before].index);
            }
            gone.extend(matching.lost.iter().map(|&lost| previous[lost].index));
        }
        for (frame, before) in self.frames.iter_mut().zip(before) {
            let weight = before.map(|index| old.frames[index].weight);
            frame.before = Some(weight.unwrap_or_default());
        }
        let whole = old
            .frames
            .first()
            .map_or(FlameWeight::default(), |first| first.weight);
        let share = |index: &usize| old.frames[*index].weight.largest_share_of(&whole);
        gone.sort_by(|one, other| share(other).total_cmp(&share(one)).then(one.cmp(other)));
        gone
    }
}

/// For each frame, those that stand on it.
fn standing_on(frames: &[FlameFrame]) -> Vec<Vec<usize>> {
    let mut above = vec![Vec::new(); frames.len()];
    for (index, frame) in frames.iter().enumerate() {
        if let Some(parent) = frame.parent {
            above[parent].push(index);
        }
    }
    above
}

fn candidates<'a>(
    indices: &[usize],
    frames: &'a [FlameFrame],
    rows: &'a [SiteRow],
) -> Vec<Candidate<'a>> {
    let candidate = |&index: &usize| {
        let (name, place) = match &frames[index].code {
            FlameCode::Site { row, is_recursive } => {
                let row = &rows[*row];
                let (name, function) = (row.name.as_deref(), row.function.as_deref());
                let name = (Some(row.kind), *is_recursive, name, function);
                (name, row.location.as_ref())
            }
            FlameCode::Function { name, definition } => {
                let name = (None, false, Some(name.as_str()), None);
                (name, definition.as_ref())
            }
        };
        Candidate { index, name, place }
    };
    indices.iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Profile, SiteKind, Work, example, flame, site_rows};

    /// The quicksort with additional joins in one function, at these lines and of these works.
    fn with_joins(joins: &[(u32, i64)]) -> Profile {
        let mut profile = example::quicksort();
        for &(line, work) in joins {
            let mut site = profile.sites[1].clone();
            let place = site.location.as_mut().unwrap();
            (place.line, place.column) = (line, 5);
            site.function = Some("quicksort::merge".to_owned());
            let mut node = profile.tree[1].clone();
            node.site = crate::SiteId(profile.sites.len() as u32);
            node.on_work.local_work = Work::from_nanos(work);
            node.on_span = crate::OnSpan::default();
            profile.sites.push(site);
            profile.tree.push(node);
        }
        profile
    }

    /// Work of each join in `merge`, now and before, and of the frames that are gone.
    fn compared(new: &Profile, old: &Profile) -> (Vec<(i64, i64)>, Vec<i64>) {
        let (rows, old_rows) = (site_rows(new), site_rows(old));
        let mut graph = flame(new, &rows, None, usize::MAX);
        let old_graph = flame(old, &old_rows, None, usize::MAX);
        let gone = graph.compare(&rows, &old_graph, &old_rows);
        let nanos = |work: Work| work.time().as_nanos();
        let joins = graph.frames.iter().filter(|frame| {
            matches!(frame.code, super::FlameCode::Site { row, .. } if rows[row].kind == SiteKind::Join
                && rows[row].function.as_deref() == Some("quicksort::merge"))
        });
        let joins =
            joins.map(|frame| (nanos(frame.weight.work), nanos(frame.before.unwrap().work)));
        let gone = gone
            .iter()
            .map(|&index| nanos(old_graph.frames[index].weight.work));
        (joins.collect(), gone.collect())
    }

    #[test]
    fn frames_match_at_the_same_place_and_otherwise_in_their_order() {
        let old = with_joins(&[(50, 5_000), (60, 6_000)]);
        let moved = with_joins(&[(51, 5_100), (61, 6_100)]);
        assert_eq!(
            compared(&moved, &old),
            (vec![(5_100, 5_000), (6_100, 6_000)], vec![])
        );
        let one_more = with_joins(&[(50, 5_200), (55, 1), (60, 6_200)]);
        let (joins, gone) = compared(&one_more, &old);
        assert_eq!(joins, [(5_200, 5_000), (1, 0), (6_200, 6_000)]);
        assert!(gone.is_empty());
        let (joins, gone) = compared(&old, &one_more);
        assert_eq!(joins, [(5_000, 5_200), (6_000, 6_200)]);
        assert_eq!(gone, [1]);
    }

    #[test]
    fn growth_is_of_times_and_of_shares() {
        let (new, old) = (
            with_joins(&[(50, 40_000_000)]),
            with_joins(&[(50, 140_000_000)]),
        );
        let (rows, old_rows) = (site_rows(&new), site_rows(&old));
        let mut graph = flame(&new, &rows, None, usize::MAX);
        graph.compare(&rows, &flame(&old, &old_rows, None, usize::MAX), &old_rows);
        let whole = &graph.frames[0];
        let is_join =
            |frame: &&super::FlameFrame| frame.weight.work == Work::from_nanos(40_000_000);
        let join = graph.frames.iter().find(is_join).unwrap();
        let growth = join.growth(whole).unwrap();
        assert_eq!(growth.work.as_nanos(), -100_000_000);
        // 40 of 1,100 ms, before 140 of 1,200 ms.
        assert!((growth.shares[0] - (40.0 / 1_100.0 - 140.0 / 1_200.0)).abs() < 1e-12);
        assert_eq!(whole.growth(whole).unwrap().shares[0], 0.0);
    }

    #[test]
    fn a_graph_is_no_different_from_itself() {
        let profile = with_joins(&[(50, 5_000)]);
        let rows = site_rows(&profile);
        let mut graph = flame(&profile, &rows, None, usize::MAX);
        let old = graph.clone();
        assert!(graph.compare(&rows, &old, &rows).is_empty());
        for frame in &graph.frames {
            assert_eq!(frame.before, Some(frame.weight));
        }
    }

    #[test]
    fn new_frames_were_nothing_and_frames_that_shrank_stay() {
        let (new, old) = (with_joins(&[(50, 5_000)]), example::quicksort());
        let (joins, gone) = compared(&new, &old);
        assert_eq!((joins, gone), (vec![(5_000, 0)], vec![]));
        let shrunk = with_joins(&[(50, 1), (60, 2)]);
        let grown = with_joins(&[(50, 500_000_000), (60, 2)]);
        let (rows, old_rows) = (site_rows(&shrunk), site_rows(&grown));
        let mut graph = flame(&shrunk, &rows, None, usize::MAX);
        graph.compare(
            &rows,
            &flame(&grown, &old_rows, None, usize::MAX),
            &old_rows,
        );
        let kept = graph.largest(5);
        assert!(
            kept.frames
                .iter()
                .any(|frame| frame.weight.work == Work::from_nanos(1))
        );
    }
}
