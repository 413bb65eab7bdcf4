//! The report on a sweep, as text.

use std::io;

use workspan_model::{Bandwidth, Factored, FactoredCurve, Nanos, Scaling, TimeEstimate};

use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{duration, ends, estimated, narrow, percent, ratio, signed_percent};
use crate::plot::Plot;
use crate::sentences::{said, scaling as sentences, words};
use crate::{ScalingReport, Screen};

impl ScalingReport<'_> {
    /// Writes it as text.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, screen);
        if let Some(scaling) = self.scaling {
            print_measured(&mut page, self, scaling)?;
        }
        if let Some(factored) = self.factored {
            print_factored(&mut page, self, factored)?;
            print_workers(&mut page, self)?;
        }
        if let Some(bandwidth) = self.bandwidth {
            print_copies(&mut page, bandwidth)?;
        }
        measurement(&mut page, self)
    }
}

/// How the figures were measured.
fn measurement(page: &mut Page<'_>, report: &ScalingReport<'_>) -> io::Result<()> {
    let sweep = report.sweep;
    let machine = &sweep.machine;
    page.heading("Measurement")?;
    page.field("Program", &sweep.command.join(" "))?;
    if let Some(baseline) = &sweep.baseline {
        page.field("Baseline", &baseline.join(" "))?;
    }
    if let Some(stand_in) = &sweep.stand_in {
        page.field(
            "OpenMP",
            &format!("{stand_in} in the place of the program's own runtime"),
        )?;
    }
    if let Some(launcher) = &sweep.launcher {
        page.field("Launcher", launcher)?;
    }
    let physical = match machine.physical_cores {
        Some(physical) if physical != machine.cores => {
            format!("{} logical on {physical} physical", machine.cores)
        }
        _ => machine.cores.to_string(),
    };
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let sockets = match machine.sockets {
        Some(sockets) if sockets > 1 => format!(" on {sockets} sockets"),
        _ => String::new(),
    };
    page.field(
        "Machine",
        &format!(
            "{}, {physical} {cores}{sockets}, {} {}",
            machine.processor.as_deref().unwrap_or("unknown processor"),
            machine.os,
            machine.architecture,
        ),
    )?;
    page.field(
        "Threads",
        &format!(
            "{}; {}",
            sentences::threads_setting(sweep),
            sentences::pinning(sweep.pinning)
        ),
    )?;
    for condition in &machine.conditions {
        page.item("!", &sentences::condition_sentence(condition))?;
    }
    page.remark(words("remark", "intervals"))
}

/// `on 4 threads`.
fn on(threads: u32) -> String {
    format!("on {}", sentences::threads(threads))
}

/// Says how little is known of `figure` if one of its times has too few runs.
fn few_runs<'a>(
    page: &mut Page<'_>,
    figure: &str,
    times: impl Iterator<Item = &'a TimeEstimate>,
) -> io::Result<()> {
    let fewest = times.min_by_key(|time| time.runs);
    match fewest.filter(|time| time.half_width().is_none()) {
        Some(time) => page.remark(&sentences::few_runs(
            figure,
            time.runs,
            time.median_confidence,
        )),
        None => Ok(()),
    }
}

/// The shortest of these times, if it is too short to mean anything.
fn too_short<'a>(times: impl Iterator<Item = &'a TimeEstimate>) -> Option<Nanos> {
    let short = times.filter(|time| time.is_too_short());
    short.map(|time| time.median.value).min()
}

/// The widest that the timeline gets.
const MOST_COLUMNS: usize = 120;

/// At most this many workers are shown.
const MOST_WORKERS: usize = 32;

/// From busy to idle.
const SHADES: [char; 5] = ['█', '▓', '▒', '░', '·'];

/// Prints what each worker did in the run with the median time on the most threads.
fn print_workers(page: &mut Page<'_>, report: &ScalingReport<'_>) -> io::Result<()> {
    let columns = (page.screen().width / 2).min(MOST_COLUMNS);
    let Some(timeline) = report.sweep.idle_timeline(columns) else {
        return Ok(());
    };
    page.heading(&format!(
        "Workers of a run on {}, {}",
        sentences::threads(timeline.threads),
        duration(timeline.elapsed)
    ))?;
    let workers = timeline.workers.iter().enumerate().take(MOST_WORKERS);
    let phases = |shares: &[f64]| shares.iter().copied().map(shade).collect::<String>();
    page.table(
        TableOf::new(workers)
            .right("worker", |(index, _)| *index)
            .right("work", |(_, worker)| percent(worker.work_share))
            .right("scheduling", |(_, worker)| percent(worker.scheduling_share))
            .right("idle", |(_, worker)| percent(worker.idle_share))
            .left("", |(_, worker)| phases(&worker.idle_shares)),
    )?;
    let more = timeline.workers.len().saturating_sub(MOST_WORKERS);
    if more > 0 {
        page.remark(&format!("and {more} more"))?;
    }
    page.remark("shares of the worker's time; from left to right: █ busy … · idle")
}

fn shade(idle_share: f64) -> char {
    let last = SHADES.len() - 1;
    SHADES[((idle_share * last as f64).round() as usize).min(last)]
}

/// Prints how much slower copies get that run at once, and what follows from it.
fn print_copies(page: &mut Page<'_>, bandwidth: &Bandwidth) -> io::Result<()> {
    page.heading("Memory bandwidth")?;
    let shared = |shares_cores| if shares_cores { "*" } else { "" };
    page.table(
        TableOf::new(&bandwidth.points)
            .right("copies", |it| {
                format!("{}{}", it.copies, shared(it.shares_cores))
            })
            .right("runs", |it| it.time.runs)
            .estimate("time", |it| Some(it.time.median), duration)
            .estimate("slow-down", |it| Some(it.slowdown), ratio)
            .right("together", |it| ratio(it.throughput.value)),
    )?;
    page.remark(words("remark", "copies"))?;
    few_runs(
        page,
        "the time",
        bandwidth.points.iter().map(|point| &point.time),
    )?;
    if bandwidth.points.iter().any(|point| point.shares_cores) {
        page.remark("* copies share physical cores, and are slower for that alone")?;
    }
    page.sentence(&sentences::bandwidth(bandwidth))?;
    let lacked = bandwidth.points.iter();
    let lacked = lacked.map(|point| {
        let copies = match point.copies {
            1 => "by one alone".to_owned(),
            copies => format!("by each of {copies}"),
        };
        (copies, point.lacked)
    });
    if let Some(sentence) = sentences::lacked("the copies", lacked) {
        page.item("!", &sentence)?;
    }
    match too_short(bandwidth.points.iter().map(|point| &point.time)) {
        Some(shortest) => page.item("!", &sentences::too_short(shortest)),
        None => Ok(()),
    }
}

/// Prints the times, the speedups, their plot, and remarks on them.
fn print_measured(
    page: &mut Page<'_>,
    report: &ScalingReport<'_>,
    scaling: &Scaling,
) -> io::Result<()> {
    page.heading("Measured times")?;
    times(page, scaling)?;
    page.heading("Speedup")?;
    speedups(page, scaling)?;
    if let Some(plot) = Plot::speedup(&report.program(), scaling) {
        page.gap()?;
        page.drawing(&plot.lines(page.columns(), page.screen().charset))?;
    }
    remarks(page, report, scaling)
}

fn times(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    page.table(
        TableOf::new(&scaling.points)
            .right("threads", |it| it.threads)
            .right("runs", |it| it.time.runs)
            .estimate("T_P", |it| Some(it.time.median), duration)
            .right("mean", |it| duration(it.time.mean.value))
            .right("processor time", |it| duration(it.processor)),
    )?;
    few_runs(page, "T_P", scaling.points.iter().map(|point| &point.time))
}

fn speedups(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    let has_bounds = scaling.points.iter().any(|point| point.bounds.is_some());
    page.table(
        TableOf::new(&scaling.points)
            .right("threads", |it| it.threads)
            .estimate("speedup", |it| it.speedup, ratio)
            .sparse("efficiency", |it| Some(percent(it.efficiency?.value)))
            .when(has_bounds, |table| {
                table
                    .sparse("lower", |it| Some(ratio(it.bounds?.lower)))
                    .sparse("predicted", |it| Some(ratio(it.predicted?.speedup.value)))
                    .sparse("upper", |it| Some(ratio(it.bounds?.upper)))
                    .left("", |it| if it.is_below_lower { "below" } else { "" })
            }),
    )?;
    if scaling.points.iter().all(|point| point.speedup.is_none()) {
        return page.remark("There is no speedup without a run on one thread that ended well.");
    }
    page.remark("T_1 over T_P, of means; efficiency: the speedup over the threads")
}

fn remarks(page: &mut Page<'_>, report: &ScalingReport<'_>, scaling: &Scaling) -> io::Result<()> {
    let below = scaling.below_lower(report.factored, report.bandwidth);
    for (point, causes) in &below {
        page.item("!", &sentences::below_lower(point, causes))?;
    }
    if below.iter().any(|(_, causes)| causes.len() > 1) {
        let to_try = sentences::to_try(report.factored.is_some(), report.bandwidth.is_some());
        if let Some(to_try) = to_try {
            page.remark(to_try)?;
        }
    }
    let lacked = scaling.points.iter();
    let lacked = lacked.map(|point| (on(point.threads), point.lacked));
    if let Some(sentence) = sentences::lacked("the runs", lacked) {
        page.item("!", &sentence)?;
    }
    if let Some(shortest) = too_short(scaling.points.iter().map(|point| &point.time)) {
        page.item("!", &sentences::too_short(shortest))?;
    }
    if scaling.is_serial() {
        page.item("!", &sentences::serial(report.sweep))?;
    }
    for failed in &scaling.failures {
        page.item("!", &sentences::failed(failed))?;
    }
    if scaling.other_outputs > 0 {
        page.item("!", &sentences::other_outputs(scaling.other_outputs))?;
    }
    Ok(())
}

/// Prints the curves, their plot, the gaps between them, and their shapes in words.
fn print_factored(
    page: &mut Page<'_>,
    report: &ScalingReport<'_>,
    factored: &Factored,
) -> io::Result<()> {
    page.heading("Factored speedups")?;
    curves(page, factored)?;
    page.remark(words("remark", "curves"))?;
    page.gap()?;
    page.drawing(
        &Plot::factored(&report.program(), factored).lines(page.columns(), page.screen().charset),
    )?;
    page.heading("Where the cores' time goes")?;
    where_time_goes(page, factored)?;
    gaps(page, factored)?;
    shapes(page, factored)
}

/// Prints a row for each number of threads, and below it the intervals.
fn curves(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let shown = FactoredCurve::ALL.into_iter().filter(|&curve| {
        let mut points = factored.points.iter();
        points.any(|point| point.speedup(curve).is_some())
    });
    let shown: Vec<FactoredCurve> = shown.collect();
    // Below the speedups of a number of threads come their intervals.
    let lines = factored.points.iter().flat_map(|point| {
        let mut speedups = shown.iter().filter_map(|&curve| point.speedup(curve));
        let has_intervals = speedups.any(|speedup| ends(speedup, ratio).is_some());
        std::iter::once((point, false)).chain(has_intervals.then_some((point, true)))
    });
    let table = TableOf::new(lines).sparse("threads", |&(point, is_interval)| {
        (!is_interval).then(|| point.threads.to_string())
    });
    page.table(shown.iter().fold(table, |table, &curve| {
        let heading = curve.name().replace("-specific", "-\nspecific");
        table.sparse(&heading, |&(point, is_interval)| {
            let speedup = point.speedup(curve)?;
            Some(match is_interval {
                false => ratio(speedup.value),
                true => narrow(speedup),
            })
        })
    }))
}

/// Prints the times that the curves follow from.
fn where_time_goes(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let baseline = match (factored.is_baseline_one, &factored.elision) {
        (true, None) => "none",
        (true, Some(_)) => "elision",
        (false, _) => "measured",
    };
    page.field(
        "T_s",
        &format!(
            "{}, {}",
            estimated(factored.baseline.median, duration),
            words("baseline", baseline),
        ),
    )?;
    if let Some(elision) = &factored.elision {
        page.field(
            "T_elision",
            &format!(
                "{}, with all tasks run in place",
                estimated(elision.median, duration)
            ),
        )?;
    }
    let one = factored.points.first().map(|point| &point.one);
    if let Some(one) = one.filter(|_| !factored.is_one_per_threads) {
        page.field(
            "T_1",
            &format!("{}, on one thread", estimated(one.median, duration)),
        )?;
    }
    page.table(
        TableOf::new(&factored.points)
            .right("threads", |it| it.threads)
            .when(factored.is_one_per_threads, |table| {
                table.right("T_1^P", |it| duration(it.one.median.value))
            })
            .right("T_P", |it| duration(it.time.median.value))
            .estimate("I_P", |it| it.idle, sentences::signed)
            .estimate("F_P", |it| it.inflation, sentences::signed),
    )?;
    page.remark(words("remark", "where_time_goes"))
}

fn gaps(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let gaps = &factored.gaps;
    let Some(first) = gaps.first() else {
        return Ok(());
    };
    page.gap()?;
    page.table(
        TableOf::new(gaps)
            .left(
                &format!("lost on {} to", sentences::threads(first.threads)),
                |gap| sentences::gap(gap.lost_to),
            )
            .estimate("time", |gap| Some(gap.time), sentences::signed)
            .right("share", |gap| signed_percent(gap.share))
            .right("speedup", |gap| ratio(gap.speedup.value)),
    )?;
    let rest = if factored.is_baseline_one && factored.elision.is_some() {
        "T_elision"
    } else {
        "T_s"
    };
    page.remark(&said!("remark", "gaps", rest = rest))
}

fn shapes(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    page.gap()?;
    match sentences::largest_gap(factored) {
        Some(sentence) => page.sentence(&sentence)?,
        None => page.sentence("Nothing is lost that the runs are sure of.")?,
    }
    for &curvature in &factored.curvature {
        page.sentence(sentences::curvature(curvature))?;
    }
    if factored.is_baseline_slow {
        page.item("!", words("baseline", "slow"))?;
    }
    if let Some(sentence) = sentences::blocked(factored) {
        page.item("!", &sentence)?;
    }
    let lacked = factored.points.iter();
    let lacked = lacked.map(|point| (on(point.threads), point.lacked));
    if let Some(sentence) = sentences::lacked("these runs", lacked) {
        page.item("!", &sentence)?;
    }
    let by_threads = factored
        .imbalances
        .chunk_by(|one, other| one.threads == other.threads);
    for imbalances in by_threads {
        page.item("!", &sentences::imbalance(imbalances))?;
    }
    if let Some(measuring) = factored.most_of_measuring() {
        page.remark(&sentences::measuring(
            measuring.low,
            measuring.high,
            measuring.value,
        ))?;
    }
    Ok(())
}
