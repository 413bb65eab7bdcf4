//! A page of predicted speedups.

use std::io;

use workspan_model::{Metric, Prediction, RuntimeKind, SpeedupCurve, totals_with_dag};

use super::code::remark_on_interval;
use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::notation::figures::{
    amount, amount_in_words, average, counted, grouped, percent, ratio,
};
use crate::scaling_report::Predictions;
use crate::sentences::{filled, said, scheduler, words};

/// Width of the table without bars.
const FIGURES_WIDTH: usize = 80;

/// Shorter bars show nothing.
const SHORTEST_BAR: usize = 24;

const LONGEST_BAR: usize = 60;

impl Predictions<'_> {
    /// Writes them as text.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        let metric = &self.profile.run.metric;
        let mut page = Page::new(output, screen);
        page.heading("Predicted speedup")?;
        table(&mut page, self.curve, metric)?;
        page.remark(words("remark", "predictions"))?;
        let span = totals_with_dag(self.profile, Some(self.dag)).span;
        remark_on_interval(&mut page, self.profile, span)?;
        page.heading("What it rests on")?;
        rests_on(&mut page, self)
    }
}

fn table(page: &mut Page<'_>, curve: &SpeedupCurve, metric: &Metric) -> io::Result<()> {
    let room = page.columns().saturating_sub(FIGURES_WIDTH);
    let room = room.min(LONGEST_BAR);
    let has_bars = room >= SHORTEST_BAR;
    let uppers = curve.predictions.iter();
    let uppers = uppers.map(|prediction| prediction.bounds.upper);
    let most = uppers.fold(1.0, f64::max);
    page.table(
        TableOf::new(&curve.predictions)
            .right("cores", |it| it.cores)
            .right("lower", |it| ratio(it.bounds.lower))
            .estimate("predicted", |it| Some(it.speedup), ratio)
            .right("upper", |it| ratio(it.bounds.upper))
            .right("used", |it| percent(it.median.utilisation))
            .right("idle", |it| amount(it.median.idle, metric))
            .right("steals", |it| grouped(it.median.steals))
            .when(has_bars, |table| table.left("", |it| bar(it, most, room))),
    )
}

/// A bar as long as the upper bound, filled up to the prediction; a bound of `most` takes all the
/// `room`.
fn bar(prediction: &Prediction, most: f64, room: usize) -> String {
    let length = |speedup: f64| (speedup / most * room as f64).round() as usize;
    let filled = length(prediction.speedup.value);
    let all = length(prediction.bounds.upper).max(filled);
    "█".repeat(filled) + &"░".repeat(all - filled)
}

fn rests_on(page: &mut Page<'_>, predictions: &Predictions<'_>) -> io::Result<()> {
    let Predictions {
        profile,
        dag,
        curve,
    } = predictions;
    let (runtime, metric) = (profile.runtime(), &profile.run.metric);
    page.field("Program", &profile.run.command.join(" "))?;
    let folded = match dag.grain {
        0 => "every strand by itself".to_owned(),
        grain => {
            let least = amount_in_words(dag.time_of(grain), metric);
            let less = if metric.is_time() { "shorter" } else { "less" };
            format!("what is {less} than {least} folded")
        }
    };
    page.field(
        "Tasks",
        &format!(
            "as recorded, {}, {folded}",
            counted(dag.vertices.len() as u64, "vertex", "vertices")
        ),
    )?;
    let seeds = curve.predictions.iter().map(|prediction| prediction.seeds);
    let runs = counted(seeds.max().unwrap_or(1).into(), "run", "runs");
    page.field(
        "Scheduler",
        &format!(
            "one {}; {runs} for each number of cores, with victims chosen at random",
            scheduler(curve.scheduler, runtime)
        ),
    )?;
    page.field("Costs", &costs(curve, metric))?;
    if dag.is_truncated {
        page.item("!", words("prediction", "truncated"))?;
    }
    let variable = runtime.unwrap_or(RuntimeKind::Rayon).threads_variable();
    let sentence = words(
        "prediction",
        if metric.is_time() { "time" } else { "counts" },
    );
    page.remark(&filled(sentence, &|place| match place {
        "unit" => Some(metric.unit.clone()),
        _ => variable.map(str::to_owned),
    }))
}

fn costs(curve: &SpeedupCurve, metric: &Metric) -> String {
    let costs = &curve.costs;
    said!(
        "costs",
        "all",
        steal = average(costs.steal, metric),
        failed = average(costs.failed_attempt, metric),
        hand_back = average(costs.hand_back, metric),
        wake_up = average(costs.wake_up, metric),
        spawn = average(costs.spawn, metric),
        source = words("costs", curve.costs_source.name()),
    )
}
