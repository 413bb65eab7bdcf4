//! How much more work a program does in parallel.

use std::io;

use workspan_model::{
    Compared, Extent, Inflation, Judgement, LEAST_SHARE, MetricInflation, Nanos, SiteKind, SiteRow,
};

use super::findings;
use super::measurement::machine_words;
use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{counted, duration, estimated, narrow, percent, ratio, short_count};
use crate::notation::place::{SERIAL_CODE_SHORT, kind_and_name, place};
use crate::notation::program::program;
use crate::sentences::{filled, inflation as sentences, said, words};
use crate::{InflationReport, Screen};

impl InflationReport<'_> {
    /// Writes it as text.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, screen);
        for metric in &self.inflation.metrics {
            page.heading(&format!("Inflation of {}", metric.metric))?;
            whole_program(&mut page, self, metric)?;
            page.gap()?;
            rows(&mut page, self.inflation, metric)?;
            for warning in sentences::warnings(metric) {
                page.item("!", &warning)?;
            }
        }
        print_findings(&mut page, self)?;
        measurement(&mut page, self)
    }
}

fn whole_program(
    page: &mut Page<'_>,
    report: &InflationReport<'_>,
    metric: &MetricInflation,
) -> io::Result<()> {
    let found = &metric.program;
    let threads = report.differential.threads;
    let amount = |amount| amount_of(metric, amount);
    page.field(
        "Work",
        &format!(
            "{} times: {} by one worker, {} on {threads} threads",
            estimated(found.work.ratio, ratio),
            amount(found.oracle_work.time()),
            amount(found.parallel_work.time()),
        ),
    )?;
    if let Some(path) = &found.path_by_site {
        let by_strand = found.path_by_strand.as_ref();
        let by_strand = by_strand.map_or_else(String::new, |path| {
            format!("; {}", sentences::by_strand(path))
        });
        page.field(
            "Path",
            &format!(
                "the parallel runs' critical path, in the runs by one worker: {} times, site by site{by_strand}",
                estimated(path.ratio, ratio)
            ),
        )?;
    }
    let speedup =
        found.oracle_elapsed.as_nanos() as f64 / found.parallel_elapsed.as_nanos().max(1) as f64;
    page.field(
        "Time",
        &format!(
            "{} by one worker, {} on {threads} threads: {} times as fast, with the profiler",
            duration(found.oracle_elapsed),
            duration(found.parallel_elapsed),
            ratio(speedup),
        ),
    )
}

/// An amount of a metric: a duration, or a count without its unit.
fn amount_of(metric: &MetricInflation, amount: Nanos) -> String {
    match metric.metric.as_str() {
        "time" => duration(amount),
        _ => short_count(amount.shown()),
    }
}

fn rows(page: &mut Page<'_>, inflation: &Inflation, metric: &MetricInflation) -> io::Result<()> {
    let has_paths = metric.rows.iter().any(|row| row.path.is_some());
    let (small, shown): (Vec<&Compared>, Vec<&Compared>) = metric
        .rows
        .iter()
        .partition(|row| row.judgement == Judgement::Small);
    page.table(
        TableOf::new(shown)
            .sparse("inflation", |row| Some(ratio(row.work?.ratio.value)))
            .left("", |row| {
                row.work.map(|work| narrow(work.ratio)).unwrap_or_default()
            })
            .when(has_paths, |table| {
                table.sparse("on path", |row| Some(ratio(row.path?.ratio.value)))
            })
            .left("", |row| sentences::judgement(row.judgement))
            .right("work", |row| percent(row.work_share))
            .right("span", |row| percent(row.span_share))
            .flexible("of", |row| {
                row_words(&inflation.sites[row.site], row.extent)
            }),
    )?;
    let small = Some(small.len()).filter(|&count| count > 0);
    let rows = words("remark", "inflated_rows");
    page.remark(&filled(rows, &|place| match place {
        "small" => small.map(|count| count.to_string()),
        _ => Some(percent(LEAST_SHARE)),
    }))
}

/// What a row is about. Where there is little room, the end stays.
fn row_words(site: &SiteRow, extent: Extent) -> String {
    match (site.kind, extent) {
        (SiteKind::Root, _) => SERIAL_CODE_SHORT.to_owned(),
        (SiteKind::Region, Extent::Whole) => kind_and_name(site),
        (SiteKind::Region, Extent::Own) => format!("{}, own code", kind_and_name(site)),
        _ => format!("{} {}", place(site), kind_and_name(site)),
    }
}

fn print_findings(page: &mut Page<'_>, report: &InflationReport<'_>) -> io::Result<()> {
    page.heading("Findings")?;
    let inflation = report.inflation;
    if inflation.findings.is_empty() {
        let has_time = inflation.metrics.iter().any(MetricInflation::is_time);
        return page.sentence(if has_time {
            "No findings: no inflation that the runs are sure of costs a tenth of the expected time."
        } else {
            "No findings: they are told of time, and no metric here is one (--metric time,…)."
        });
    }
    findings::list(page, &inflation.findings, |found| {
        sentences::finding(found, inflation, report.differential.runtime)
    })
}

/// How the figures were measured.
fn measurement(page: &mut Page<'_>, report: &InflationReport<'_>) -> io::Result<()> {
    let differential = report.differential;
    page.heading("Measurement")?;
    page.field("Program", &program(&differential.command))?;
    let machine = &differential.machine;
    let cores = counted(machine.cores.into(), "core", "cores");
    page.field("Machine", &machine_words(machine, &cores))?;
    let rounds = report.inflation.metrics.iter();
    let rounds = rounds
        .map(|metric| metric.program.rounds)
        .min()
        .unwrap_or(0);
    page.remark(&said!(
        "remark",
        "inflation",
        rounds = counted(rounds.into(), "round", "rounds"),
        threads = differential.threads,
        least = ratio(differential.least),
    ))
}
