//! The flame graph of the logical call tree.

use serde::Serialize;
use workspan_model::{
    Analysis, Dag, Flame, FlameCode, FlameFrame, FlameWeight, Nanos, Profile, SiteKind, SiteRow,
    flame,
};

use super::number::rounded;
use super::sites::{SiteIds, label, place_of};
use crate::notation::place::short_name;
use crate::notation::readable::readable;
use crate::object::object;

/// A page holds at most this many frames, the largest.
const MOST_FRAMES: usize = 1_500;

pub(super) fn flame_graph(
    profile: &Profile,
    analysis: &Analysis,
    dag: Option<&Dag>,
    earlier: Option<&Against<'_>>,
    ids: &SiteIds,
) -> impl Serialize {
    let mut flame = flame(profile, &analysis.sites, dag, usize::MAX);
    let compared = earlier.map(|earlier| compare(earlier, &mut flame, &analysis.sites));
    let flame = flame.largest(MOST_FRAMES);
    let whole = flame.frames[0].clone();
    let frames = flame.frames.into_iter().map(|frame| {
        let grown = difference(&frame, &whole);
        object! {
            // The frame that it stands on, as an index.
            parent: frame.parent,
            #[serde(flatten)]
            words: FrameWords::new(&frame.code, &analysis.sites, Some(ids)),
            weight: weight(&frame.weight),
            #[serde(flatten)]
            difference: grown.map(|grown| object! { difference: grown }),
        }
    });
    object! {
        frames: frames.collect::<Vec<_>>(),
        left_out: flame.left_out,
        has_burdened: flame.has_burdened,
        has_samples: flame.has_samples,
        // The profile that it is compared with.
        against: compared,
    }
}

/// At most this many frames that are gone are listed.
const MOST_GONE: usize = 30;

/// An earlier profile to compare the flame graph with.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its [`site_rows`](workspan_model::site_rows).
    pub rows: &'a [SiteRow],
    /// Its task dag, if there is one.
    pub dag: Option<&'a Dag>,
    /// Its file.
    pub file: &'a str,
}

/// Compares `graph`, whose rows are `rows`.
pub(super) fn compare(
    against: &Against<'_>,
    graph: &mut Flame,
    rows: &[SiteRow],
) -> impl Serialize + use<> {
    let old = flame(against.profile, against.rows, against.dag, usize::MAX);
    let gone = graph.compare(rows, &old, against.rows);
    let listed = gone.iter().take(MOST_GONE).map(|&index| {
        let frame = &old.frames[index];
        let words = FrameWords::new(&frame.code, against.rows, None);
        object! {
            label: words.name.unwrap_or(words.label),
            place: words.place,
            weight: weight(&frame.weight),
        }
    });
    object! {
        file: readable(against.file),
        has_burdened: old.has_burdened,
        has_samples: old.has_samples,
        // The largest frames that are gone.
        gone: listed.collect::<Vec<_>>(),
        gone_left_out: gone.len().saturating_sub(MOST_GONE),
    }
}

/// What a frame was before, and by how much it has grown since: in nanoseconds and samples, and in
/// shares of the whole. `None` in a graph that is compared with none; `whole` is its first frame.
fn difference(frame: &FlameFrame, whole: &FlameFrame) -> Option<impl Serialize + use<>> {
    let growth = frame.growth(whole)?;
    let time = [growth.work, growth.span, growth.burdened_span].map(Nanos::as_nanos);
    Some(object! {
        before: weight(&frame.before.unwrap_or_default()),
        time: (time[0], time[1], time[2], rounded(growth.samples)),
        share: growth.shares.map(rounded),
    })
}

/// Nanoseconds of work, span and burdened span; samples.
pub(super) type WeightView = (u64, u64, u64, f64);

/// What a frame is, in words.
#[derive(Default, Serialize)]
struct FrameWords {
    /// The site, if the frame is one and sites have identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    label: String,
    /// The full name of a function, if it is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    place: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    recursive: bool,
}

impl FrameWords {
    fn new(code: &FlameCode, rows: &[SiteRow], ids: Option<&SiteIds>) -> Self {
        match code {
            &FlameCode::Site { row, is_recursive } => {
                let site = &rows[row];
                Self {
                    site: ids.map(|ids| ids.of_row(row).to_owned()),
                    label: match site.kind {
                        SiteKind::Root => "the program".to_owned(),
                        _ => label(site),
                    },
                    name: None,
                    place: place_of(site),
                    recursive: is_recursive,
                }
            }
            FlameCode::Function { name, definition } => {
                let definition = definition.as_ref();
                let place =
                    definition.map(|place| readable(&format!("{}:{}", place.file, place.line)));
                let short = readable(short_name(name).as_str());
                let name = readable(name);
                Self {
                    name: (name != short).then_some(name),
                    label: short,
                    place: place.unwrap_or_default(),
                    ..Self::default()
                }
            }
        }
    }
}

pub(super) fn weight(weight: &FlameWeight) -> WeightView {
    (
        weight.work.time().shown(),
        weight.span.time().shown(),
        weight.burdened_span.time().shown(),
        rounded(weight.samples),
    )
}
