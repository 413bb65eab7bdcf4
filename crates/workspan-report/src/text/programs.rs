//! What several programs of one command measured.

use std::io;

use workspan_model::{Analysis, Estimate};

use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::notation::figures::{amount, counted, ratio_within, span_within};
use crate::sentences::answer::command;
use crate::sentences::answers::enough_parallelism;
use crate::sentences::questions::Tone;
use crate::sentences::words;

/// A test program or a benchmark that was measured.
#[derive(Clone, Debug)]
pub struct MeasuredProgram {
    name: String,
    file: String,
    /// The executable that goes on from here.
    command: &'static str,
    work: String,
    span: String,
    burdened_parallelism: Estimate<f64>,
    /// The answer; `None` if it made no task.
    answer: Option<String>,
}

impl MeasuredProgram {
    /// What the table has of an analysis; `file` is that of the profile, as a shell takes it.
    pub fn new(name: String, file: String, analysis: &Analysis) -> Self {
        let Analysis { totals, metric, .. } = analysis;
        let answer = || enough_parallelism(analysis).short.headline();
        Self {
            name,
            file,
            command: command(analysis),
            work: amount(totals.work.time(), metric),
            span: span_within(totals.span, metric),
            burdened_parallelism: totals.burdened_parallelism,
            answer: (totals.spawns > 0).then(answer),
        }
    }

    /// Whether it made tasks.
    pub fn made_tasks(&self) -> bool {
        self.answer.is_some()
    }
}

/// Writes a table of `programs`, one per line, the least burdened parallelism first, and those that
/// made no task last.
///
/// # Errors
/// Any error from writing to `output`.
pub fn measured_programs(
    programs: &[MeasuredProgram],
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut programs: Vec<&MeasuredProgram> = programs.iter().collect();
    programs.sort_by(|one, other| {
        let parallelism = |it: &MeasuredProgram| it.burdened_parallelism.value;
        let tasks_first = other.made_tasks().cmp(&one.made_tasks());
        let worst_first = tasks_first.then(parallelism(one).total_cmp(&parallelism(other)));
        worst_first.then_with(|| one.name.cmp(&other.name))
    });
    let Some(worst) = programs.first().copied() else {
        return Ok(());
    };
    let mut page = Page::new(output, screen);
    let count = counted(programs.len() as u64, "program", "programs");
    page.rule(&format!("workspan · {count}, worst first"))?;
    page.table(
        TableOf::new(programs)
            .beginning("program", |it| it.name.clone())
            .right("work", |it| it.work.clone())
            .right("span", |it| it.span.clone())
            .right("burdened\nparallelism", |it| {
                ratio_within(it.burdened_parallelism)
            })
            .words("", |it| {
                let answer = it.answer.as_deref();
                answer
                    .unwrap_or(words("programs", "without_tasks"))
                    .to_owned()
            }),
    )?;
    page.gap()?;
    let more = format!("{} report {}", worst.command, worst.file);
    page.paragraph(&format!("More of {}:", worst.name), Tone::Neutral, &more)
}
