//! The report on a sweep, as text.

use std::io;

use workspan_model::{
    Bandwidth, Estimate, Factored, FactoredCurve, Nanos, Scaling, ScalingPoint, TimeEstimate,
};

use super::page::Page;
use super::table::TableOf;
use crate::figures::{
    bracketed, duration, ends, estimated, narrow, percent, ratio, signed_percent,
};
use crate::plot::Plot;
use crate::sentences::scaling as sentences;
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
    page.remark(
        "Intervals are of 95%: of medians by order statistics, of means and their ratios by a bootstrap, which is too narrow \
         for few runs (of 5 it is rather one of 84%, of 10 of 90%).",
    )
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
            .right("time", |it| duration(it.time.median.value))
            .left("", |it| bracketed(it.time.median, duration))
            .right("slow-down", |it| ratio(it.slowdown.value))
            .left("", |it| bracketed(it.slowdown, ratio))
            .right("together", |it| ratio(it.throughput.value)),
    )?;
    page.remark(
        "time: of a copy, of those that ran at once, on one worker each; together: how many times the work of one alone they do in the same time",
    )?;
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
            .right("T_P", |it| duration(it.time.median.value))
            .left("", |it| bracketed(it.time.median, duration))
            .right("mean", |it| duration(it.time.mean.value))
            .right("processor time", |it| duration(it.processor)),
    )?;
    few_runs(page, "T_P", scaling.points.iter().map(|point| &point.time))
}

fn speedups(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    let has_bounds = scaling.points.iter().any(|point| point.bounds.is_some());
    let or_empty = Option::<String>::unwrap_or_default;
    let predicted = |it: &ScalingPoint| it.predicted.map(|it| ratio(it.speedup.value));
    page.table(
        TableOf::new(&scaling.points)
            .right("threads", |it| it.threads)
            .right("speedup", |it| {
                or_empty(it.speedup.map(|speedup| ratio(speedup.value)))
            })
            .left("", |it| {
                or_empty(it.speedup.map(|speedup| bracketed(speedup, ratio)))
            })
            .right("efficiency", |it| {
                or_empty(it.efficiency.map(|it| percent(it.value)))
            })
            .when(has_bounds, |table| {
                table
                    .right("lower", |it| {
                        or_empty(it.bounds.map(|bounds| ratio(bounds.lower)))
                    })
                    .right("predicted", |it| or_empty(predicted(it)))
                    .right("upper", |it| {
                        or_empty(it.bounds.map(|bounds| ratio(bounds.upper)))
                    })
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
    page.remark(
        "over the baseline; maximal: without idle time and inflation; idle-time-specific: without inflation; \
         inflation-specific: without idle time",
    )?;
    page.gap()?;
    page.drawing(
        &Plot::factored(&report.program(), factored).lines(page.columns(), page.screen().charset),
    )?;
    page.heading("Where the cores' time goes")?;
    where_time_goes(page, factored)?;
    gaps(page, factored)?;
    words(page, factored)
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
        let values = (
            point,
            (|speedup| ratio(speedup.value)) as fn(Estimate<f64>) -> String,
        );
        let intervals = (point, narrow as fn(Estimate<f64>) -> String);
        std::iter::once((true, values)).chain(has_intervals.then_some((false, intervals)))
    });
    let table = TableOf::new(lines).right("threads", |(is_first, (point, _))| match is_first {
        true => point.threads.to_string(),
        false => String::new(),
    });
    page.table(shown.iter().fold(table, |table, &curve| {
        let heading = curve.name().replace("-specific", "-\nspecific");
        table.right(&heading, |(_, (point, cell))| {
            point.speedup(curve).map(cell).unwrap_or_default()
        })
    }))
}

/// Prints the times that the curves follow from.
fn where_time_goes(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    page.field(
        "T_s",
        &format!(
            "{}, {}",
            estimated(factored.baseline.median, duration),
            match (factored.is_baseline_one, &factored.elision) {
                (true, None) => {
                    "that of the program on one thread, since there is no baseline: overheads are not seen"
                }
                (true, Some(_)) => {
                    "that of the program on one thread, since there is no baseline: algorithmic overhead is not seen"
                }
                (false, _) => "the baseline's time",
            },
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
    let value = |time: Option<Estimate<Nanos>>| time.map(|time| sentences::signed(time.value));
    let interval = |time: Option<Estimate<Nanos>>| {
        time.map(|time| bracketed(time, sentences::signed))
            .unwrap_or_default()
    };
    page.table(
        TableOf::new(&factored.points)
            .right("threads", |it| it.threads)
            .when(factored.is_one_per_threads, |table| {
                table.right("T_1^P", |it| duration(it.one.median.value))
            })
            .right("T_P", |it| duration(it.time.median.value))
            .right("I_P", |it| value(it.idle).unwrap_or_default())
            .left("", |it| interval(it.idle))
            .right("F_P", |it| value(it.inflation).unwrap_or_default())
            .left("", |it| interval(it.inflation)),
    )?;
    page.remark(
        "I_P: idle time of all cores; F_P = P · T_P − I_P − (T_1 − I_1): work inflation. Of I_P and F_P means, else medians",
    )
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
            .right("time", |gap| sentences::signed(gap.time.value))
            .left("", |gap| bracketed(gap.time, sentences::signed))
            .right("share", |gap| signed_percent(gap.share))
            .right("speedup", |gap| ratio(gap.speedup.value)),
    )?;
    let rest = if factored.is_baseline_one && factored.elision.is_some() {
        "T_elision"
    } else {
        "T_s"
    };
    page.remark(&format!(
        "time: of all cores; idle time: I_P − I_1, as T_1 contains I_1; share: of P · T_P, the rest of which is {rest}; \
         speedup: how far the two curves are apart. A to D are the gaps of Acar et al. §2.4"
    ))
}

fn words(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    page.gap()?;
    match sentences::largest_gap(factored) {
        Some(sentence) => page.sentence(&sentence)?,
        None => page.sentence("Nothing is lost that the runs are sure of.")?,
    }
    for &curvature in &factored.curvature {
        page.sentence(sentences::curvature(curvature))?;
    }
    if factored.is_baseline_slow {
        page.item(
            "!",
            "The baseline is slower than the parallel program on one thread: it is not the best sequential program to compare \
             with, and the speedups over it flatter.",
        )?;
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
