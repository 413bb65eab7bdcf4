//! Statistics over several runs of one program.

use std::collections::HashMap;

use crate::site_row::{RowKey, row_key};
use crate::{
    Measure, MeasureKind, Nanos, On, Repetition, RowOnSpan, RowOnWork, RunFigures, SiteRow, Span,
    Spread, TaskingOverhead, Work,
};

/// Statistics over several runs of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The figures of every run, in the order in which they ran.
    pub runs: Vec<RunFigures>,
    /// The index of the run that the analysis shows.
    pub shown: usize,
    /// The totals.
    pub totals: TotalsSpread,
    /// The sites: first those of the run shown, in its order.
    pub sites: Vec<SiteSpread>,
}

/// The totals of several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TotalsSpread {
    /// Work T₁.
    pub work: Spread<Work>,
    /// Span T∞.
    pub span: Spread<Span>,
    /// Burdened span T̂∞.
    pub burdened_span: Spread<Span>,
    /// T₁/T∞.
    pub parallelism: Spread<f64>,
    /// T₁/T̂∞.
    pub burdened_parallelism: Spread<f64>,
    /// Tasks created.
    pub spawns: Spread<u64>,
    /// Waits for tasks.
    pub syncs: Spread<u64>,
    /// Work per maximal strand.
    pub average_strand: Spread<Nanos>,
    /// Cost of creating and scheduling tasks.
    pub tasking_overhead: Spread<Nanos>,
    /// `tasking_overhead` as a share of the work.
    pub tasking_overhead_share: Spread<f64>,
    /// Time that strands spent in voluntary waits.
    pub blocked: Spread<Nanos>,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: Spread<u64>,
    /// From the start of the process to the writing of the profile.
    pub elapsed: Spread<Nanos>,
}

/// A site in several runs: rows with the same kind, location and name or, without a known location,
/// with the same kind, name, function and detail.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteSpread {
    /// The site, with the median of each of its figures.
    pub medians: SiteRow,
    /// In how many runs it was reached; the figures cover only these.
    pub runs: usize,
    /// Instances.
    pub count: Spread<u64>,
    /// Instances with no outer instance of the site.
    pub top_count: Spread<u64>,
    /// Work of the top instances.
    pub work: Spread<Work>,
    /// Sum of the spans of the top instances.
    pub span: Spread<Span>,
    /// Work of the site's own strands.
    pub local_work: Spread<Work>,
    /// `work / span`, over the runs in which a top instance ended.
    pub parallelism: Option<Spread<f64>>,
    /// Voluntary waits in the site's own strands.
    pub blocked: Spread<Nanos>,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: Spread<u64>,
    /// Tasks created.
    pub spawns: Spread<u64>,
    /// Waits for tasks.
    pub syncs: Spread<u64>,
    /// Cost of creating and scheduling the site's tasks.
    pub tasking_overhead: Spread<Nanos>,
    /// `tasking_overhead` as a share of the site's work.
    pub tasking_overhead_share: Spread<f64>,
    /// Instances whose start lies on the critical path.
    pub count_on_span: Spread<u64>,
    /// Time of the site's own strands on the critical path.
    pub local_span: Spread<Span>,
    /// `local_span` as a share of the program's span.
    pub share_of_span: Spread<f64>,
}

/// Statistics over the runs of `repetition`; `None` if there are none.
pub fn runs(repetition: &Repetition) -> Option<Runs> {
    let Repetition { runs, shown } = repetition;
    Some(Runs {
        totals: totals_spread(runs)?,
        sites: site_spreads(runs, *shown),
        runs: runs.clone(),
        shown: *shown,
    })
}

/// The spread of one figure over `items`.
fn spread<I, T: Copy + PartialOrd>(items: &[I], figure: fn(&I) -> T) -> Option<Spread<T>> {
    Spread::new(items.iter().map(figure))
}

fn totals_spread(runs: &[RunFigures]) -> Option<TotalsSpread> {
    Some(TotalsSpread {
        work: spread(runs, |run| run.totals.work)?,
        span: spread(runs, |run| run.totals.span)?,
        burdened_span: spread(runs, |run| run.totals.burdened_span)?,
        parallelism: spread(runs, |run| run.totals.parallelism)?,
        burdened_parallelism: spread(runs, |run| run.totals.burdened_parallelism)?,
        spawns: spread(runs, |run| run.totals.spawns)?,
        syncs: spread(runs, |run| run.totals.syncs)?,
        average_strand: spread(runs, |run| run.totals.average_strand)?,
        tasking_overhead: spread(runs, |run| run.totals.tasking_overhead.time)?,
        tasking_overhead_share: spread(runs, |run| run.totals.tasking_overhead.share)?,
        blocked: spread(runs, |run| run.totals.blocked)?,
        stolen: spread(runs, |run| run.totals.stolen)?,
        elapsed: spread(runs, |run| run.totals.elapsed)?,
    })
}

fn site_spreads(runs: &[RunFigures], shown: usize) -> Vec<SiteSpread> {
    let others = runs.iter().enumerate().filter(|&(run, _)| run != shown);
    let in_order = runs
        .get(shown)
        .into_iter()
        .chain(others.map(|(_, run)| run));
    let mut index_of_key: HashMap<RowKey<'_>, usize> = HashMap::new();
    let mut rows_of_site: Vec<Vec<&SiteRow>> = Vec::new();
    for row in in_order.flat_map(|run| &run.sites) {
        let index = *index_of_key
            .entry(row_key(row))
            .or_insert(rows_of_site.len());
        if index == rows_of_site.len() {
            rows_of_site.push(Vec::new());
        }
        rows_of_site[index].push(row);
    }
    let spreads = rows_of_site.iter().map(|rows| site_spread(rows));
    spreads.collect::<Option<_>>().unwrap_or_default()
}

/// The spread of the rows of one site: one row for each run that reached it.
fn site_spread(rows: &[&SiteRow]) -> Option<SiteSpread> {
    let mut site = SiteSpread {
        medians: (*rows.first()?).clone(),
        runs: rows.len(),
        count: spread(rows, |row| row.on_work.count)?,
        top_count: spread(rows, |row| row.on_work.top_count)?,
        work: spread(rows, |row| row.on_work.work)?,
        span: spread(rows, |row| row.on_work.span)?,
        local_work: spread(rows, |row| row.on_work.local_work)?,
        parallelism: Spread::new(rows.iter().filter_map(|row| row.on_work.parallelism)),
        blocked: spread(rows, |row| row.on_work.blocked)?,
        stolen: spread(rows, |row| row.on_work.stolen)?,
        spawns: spread(rows, |row| row.on_work.spawns)?,
        syncs: spread(rows, |row| row.on_work.syncs)?,
        tasking_overhead: spread(rows, |row| row.on_work.tasking_overhead.time)?,
        tasking_overhead_share: spread(rows, |row| row.on_work.tasking_overhead.share)?,
        count_on_span: spread(rows, |row| row.on_span.count)?,
        local_span: spread(rows, |row| row.on_span.local_span)?,
        share_of_span: spread(rows, |row| row.on_span.share)?,
    };
    let measure = |on, kind| Measure {
        count: known(rows, |row| row.measure(on, kind).count),
        work: known(rows, |row| row.measure(on, kind).work),
        span: known(rows, |row| row.measure(on, kind).span),
        parallelism: known(rows, |row| row.measure(on, kind).parallelism),
    };
    site.medians.on_work = RowOnWork {
        count: site.count.median,
        top_count: site.top_count.median,
        work: site.work.median,
        span: site.span.median,
        local_work: site.local_work.median,
        local_span: known(rows, |row| row.on_work.local_span),
        parallelism: site.parallelism.map(|spread| spread.median),
        top_caller: measure(On::Work, MeasureKind::TopCaller),
        blocked: site.blocked.median,
        stolen: site.stolen.median,
        spawns: site.spawns.median,
        syncs: site.syncs.median,
        tasking_overhead: TaskingOverhead {
            time: site.tasking_overhead.median,
            share: site.tasking_overhead_share.median,
        },
    };
    site.medians.on_span = RowOnSpan {
        count: site.count_on_span.median,
        local_span: site.local_span.median,
        local_work: known(rows, |row| row.on_span.local_work),
        top_call_site: measure(On::Span, MeasureKind::TopCallSite),
        top_caller: measure(On::Span, MeasureKind::TopCaller),
        share: site.share_of_span.median,
    };
    Some(site)
}

/// The median of a figure that only some of the rows have.
fn known<T: Copy + PartialOrd>(
    rows: &[&SiteRow],
    figure: impl Fn(&SiteRow) -> Option<T>,
) -> Option<T> {
    Some(Spread::new(rows.iter().filter_map(|row| figure(row)))?.median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Work, analyse, example, repeated};

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
        assert_eq!(nanos(runs.totals.work.median), 800);
        assert_eq!(nanos(runs.totals.work.least), 700);
        assert_eq!(nanos(runs.totals.work.most), 900);
        assert_eq!(runs.totals.spawns.median, 587_213);
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
            .map(|site| (line(site), site.runs, site.local_work.most))
            .collect();
        let expected = [
            (None, 3, Work::from_nanos(21_400_000)),
            (Some(31), 2, Work::from_nanos(800)),
            (Some(77), 1, Work::from_nanos(900)),
        ];
        assert_eq!(found, expected);
        assert_eq!(runs.sites[1].local_span.least, Span::from_nanos(10));
        let medians = &runs.sites[0].medians;
        assert_eq!(medians.on_work.work, runs.sites[0].work.median);
        let local = medians.measure(On::Span, MeasureKind::Local);
        assert_eq!(local.span, Some(runs.sites[0].local_span.median));
        assert_eq!(local.work, Some(Work::from_nanos(21_400_000)));
    }

    #[test]
    fn one_run_has_no_spread() {
        assert_eq!(analyse(&example::quicksort()).runs, None);
    }
}
