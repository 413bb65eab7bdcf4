//! Statistics over several runs of one program.

use indexmap::IndexMap;

use crate::profile::site_row::{RowKey, row_key};
use crate::quantity::estimate::median_index;
use crate::{
    Estimate, Measure, MeasureKind, On, Profile, Repetition, RowOnSpan, RowOnWork, RunFigures,
    SiteRow, TaskingOverhead, Totals, site_rows, totals,
};

/// Statistics over several runs of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The figures of every run, in the order in which they ran; there is at least one.
    pub runs: Vec<RunFigures>,
    /// The index of the run that the analysis shows.
    pub shown: usize,
    /// The sites: first those of the run shown, in its order.
    pub sites: Vec<SiteSpread>,
}

/// A site in several runs: rows with the same kind, location and name or, without a known location,
/// with the same kind, name, function and detail.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteSpread {
    /// The site, with the median of each of its figures.
    pub medians: SiteRow,
    /// Its rows in the runs that reached it, of which there is at least one.
    pub rows: Vec<SiteRow>,
}

impl Runs {
    /// How far a figure of the totals varies.
    pub fn spread<T: Copy + PartialOrd>(&self, figure: impl Fn(&Totals) -> T) -> Estimate<T> {
        let spread = Estimate::over_runs(self.runs.iter().map(|run| figure(&run.totals)));
        spread.expect("there is a run")
    }
}

impl SiteSpread {
    fn new(rows: &[&SiteRow]) -> Self {
        let mut site = Self {
            medians: rows[0].clone(),
            rows: rows.iter().copied().cloned().collect(),
        };
        let measure = |on, kind| Measure {
            count: site.known_median(|row| row.measure(on, kind).count),
            work: site.known_median(|row| row.measure(on, kind).work),
            span: site.known_median(|row| row.measure(on, kind).span),
            parallelism: site.known_median(|row| row.measure(on, kind).parallelism),
        };
        let on_work = RowOnWork {
            count: site.median(|row| row.on_work.count),
            top_count: site.median(|row| row.on_work.top_count),
            work: site.median(|row| row.on_work.work),
            span: site.median(|row| row.on_work.span),
            local_work: site.median(|row| row.on_work.local_work),
            local_span: site.known_median(|row| row.on_work.local_span),
            parallelism: site.known_median(|row| row.on_work.parallelism),
            top_caller: measure(On::Work, MeasureKind::TopCaller),
            blocked: site.median(|row| row.on_work.blocked),
            stolen: site.median(|row| row.on_work.stolen),
            spawns: site.median(|row| row.on_work.spawns),
            syncs: site.median(|row| row.on_work.syncs),
            tasking_overhead: TaskingOverhead {
                time: site.median(|row| row.on_work.tasking_overhead.time),
                share: site.median(|row| row.on_work.tasking_overhead.share),
            },
        };
        let on_span = RowOnSpan {
            count: site.median(|row| row.on_span.count),
            local_span: site.median(|row| row.on_span.local_span),
            local_work: site.known_median(|row| row.on_span.local_work),
            top_call_site: measure(On::Span, MeasureKind::TopCallSite),
            top_caller: measure(On::Span, MeasureKind::TopCaller),
            share: site.median(|row| row.on_span.share),
        };
        (site.medians.on_work, site.medians.on_span) = (on_work, on_span);
        site
    }

    /// How far a figure varies over the runs that reached the site.
    pub fn spread<T: Copy + PartialOrd>(&self, figure: impl Fn(&SiteRow) -> T) -> Estimate<T> {
        let spread = Estimate::over_runs(self.rows.iter().map(figure));
        spread.expect("a run reached it")
    }

    /// How far a figure varies over the runs that know it; `None` if none does.
    pub fn known_spread<T: Copy + PartialOrd>(
        &self,
        figure: impl Fn(&SiteRow) -> Option<T>,
    ) -> Option<Estimate<T>> {
        Estimate::over_runs(self.rows.iter().filter_map(figure))
    }

    fn median<T: Copy + PartialOrd>(&self, figure: impl Fn(&SiteRow) -> T) -> T {
        self.spread(figure).value
    }

    fn known_median<T: Copy + PartialOrd>(
        &self,
        figure: impl Fn(&SiteRow) -> Option<T>,
    ) -> Option<T> {
        Some(self.known_spread(figure)?.value)
    }
}

/// The statistics of several runs; `None` if there are none.
pub fn runs(repetition: &Repetition) -> Option<Runs> {
    let Repetition { runs, shown } = repetition;
    (!runs.is_empty()).then(|| Runs {
        sites: site_spreads(runs, *shown),
        runs: runs.clone(),
        shown: *shown,
    })
}

fn site_spreads(runs: &[RunFigures], shown: usize) -> Vec<SiteSpread> {
    let others = runs.iter().enumerate().filter(|&(run, _)| run != shown);
    let in_order = runs
        .get(shown)
        .into_iter()
        .chain(others.map(|(_, run)| run));
    let mut rows_of_site: IndexMap<RowKey<'_>, Vec<&SiteRow>> = IndexMap::new();
    for row in in_order.flat_map(|run| &run.sites) {
        rows_of_site.entry(row_key(row)).or_default().push(row);
    }
    let rows = rows_of_site.values();
    rows.map(|rows| SiteSpread::new(rows)).collect()
}

impl RunFigures {
    /// The figures of `profile`.
    pub(crate) fn new(profile: &Profile) -> Self {
        let mut sites = site_rows(profile);
        for row in &mut sites {
            // Ids of sites are only valid in the profile of that run, which is not kept.
            row.sites.clear();
        }
        Self {
            started_at: profile.run.started_at,
            totals: totals(profile),
            sites,
        }
    }
}

/// The profile of several runs of one program: that of the run with the median span, together with
/// the figures of all. A single profile is returned as it is. `None` if there are none.
///
/// # Panics
/// If a profile is not valid.
pub fn repeated(mut profiles: Vec<Profile>) -> Option<Profile> {
    if profiles.len() < 2 {
        return profiles.pop();
    }
    let mut by_span: Vec<usize> = (0..profiles.len()).collect();
    by_span.sort_by_key(|&run| profiles[run].span);
    let shown = by_span[median_index(by_span.len())];
    let runs = profiles.iter().map(RunFigures::new).collect();
    let mut profile = profiles.swap_remove(shown);
    profile.repetition = Some(Repetition { runs, shown });
    Some(profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Span, Work, analyse, example, repeated};

    /// The quicksort with this work and span in its join, and with its joins at `line`.
    fn run(join_work: i64, span: i64, line: u32) -> Profile {
        let mut profile = example::quicksort();
        profile.tree[1].on_work.local_work = Work::from_nanos(join_work);
        profile.tree[1].on_span.local_span = Span::from_nanos(span);
        profile.span = Span::from_nanos(span + 21_400_000);
        profile.sites[1].location.as_mut().unwrap().line = line;
        profile
    }

    fn runs_of(profiles: Vec<Profile>) -> Runs {
        analyse(&repeated(profiles).unwrap()).runs.unwrap()
    }

    #[test]
    fn each_total_has_its_own_spread() {
        let runs = runs_of(vec![run(900, 30, 31), run(700, 10, 31), run(800, 20, 31)]);
        assert_eq!(runs.shown, 2);
        let nanos = |work: Work| work.time().as_nanos() - 21_400_000;
        assert_eq!(nanos(runs.spread(|totals| totals.work).value), 800);
        assert_eq!(nanos(runs.spread(|totals| totals.work).low), 700);
        assert_eq!(nanos(runs.spread(|totals| totals.work).high), 900);
        assert_eq!(runs.spread(|totals| totals.spawns).value, 587_213);
        assert_eq!(runs.runs.len(), 3);
    }

    #[test]
    fn sites_are_matched_by_kind_and_place() {
        // The second run has the median span, so it is the one shown.
        let runs = runs_of(vec![run(900, 30, 77), run(800, 20, 31), run(700, 10, 31)]);
        assert_eq!(runs.shown, 1);
        let line = |site: &SiteSpread| site.medians.location.as_ref().map(|place| place.line);
        let found: Vec<_> = runs
            .sites
            .iter()
            .map(|site| {
                (
                    line(site),
                    site.rows.len(),
                    site.spread(|row| row.on_work.local_work).high,
                )
            })
            .collect();
        let expected = [
            (None, 3, Work::from_nanos(21_400_000)),
            (Some(31), 2, Work::from_nanos(800)),
            (Some(77), 1, Work::from_nanos(900)),
        ];
        assert_eq!(found, expected);
        assert_eq!(
            runs.sites[1].spread(|row| row.on_span.local_span).low,
            Span::from_nanos(10)
        );
        let medians = &runs.sites[0].medians;
        assert_eq!(
            medians.on_work.work,
            runs.sites[0].spread(|row| row.on_work.work).value
        );
        let local = medians.measure(On::Span, MeasureKind::Local);
        assert_eq!(
            local.span,
            Some(runs.sites[0].spread(|row| row.on_span.local_span).value)
        );
        assert_eq!(local.work, Some(Work::from_nanos(21_400_000)));
    }

    #[test]
    fn one_run_has_no_spread() {
        assert_eq!(analyse(&example::quicksort()).runs, None);
    }
}

#[cfg(test)]
mod repeated_tests {
    use super::*;
    use crate::{Span, example};

    fn with_span(nanos: i64) -> Profile {
        let mut profile = example::quicksort();
        profile.span = Span::from_nanos(nanos);
        profile
    }

    #[test]
    fn the_run_with_the_median_span_stands_for_all() {
        let profile = repeated([97, 99, 95, 98].map(with_span).into()).unwrap();
        assert_eq!(profile.span, Span::from_nanos(97));
        let repetition = profile.repetition.as_ref().unwrap();
        assert_eq!(repetition.shown, 0);
        let spans = repetition.runs.iter().map(|run| run.totals.span.value);
        assert_eq!(
            spans.collect::<Vec<_>>(),
            [97, 99, 95, 98].map(Span::from_nanos)
        );
        assert_eq!(profile.check(), Ok(()));
    }

    #[test]
    fn one_run_is_no_repetition() {
        assert_eq!(repeated(vec![with_span(7)]), Some(with_span(7)));
        assert_eq!(repeated(Vec::new()), None);
    }
}
