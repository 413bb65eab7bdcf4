//! What several programs of one command measured.

use std::io;

use workspan_model::Analysis;

use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::notation::figures::{amount, counted, ratio};
use crate::sentences::answer::command;
use crate::sentences::answers::enough_parallelism;
use crate::sentences::questions::Tone;
use crate::sentences::words;

/// A test program or a benchmark that was measured.
#[derive(Clone, Debug)]
pub struct MeasuredProgram {
    /// Its name.
    pub name: String,
    /// What follows from its profile.
    pub analysis: Analysis,
    /// The file of the profile, as a shell takes it.
    pub file: String,
}

impl MeasuredProgram {
    /// Whether it made tasks.
    pub fn made_tasks(&self) -> bool {
        self.analysis.totals.spawns > 0
    }
}

/// Writes a table of `programs`, one per line, the least burdened parallelism first, and those that
/// made no task last.
///
/// # Errors
/// Any error from writing to `output`.
pub fn measured_programs<'p>(
    programs: impl IntoIterator<Item = &'p MeasuredProgram>,
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let parallelism =
        |program: &MeasuredProgram| program.analysis.totals.burdened_parallelism.value;
    let mut programs: Vec<&MeasuredProgram> = programs.into_iter().collect();
    programs.sort_by(|one, other| {
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
    let figure = |it: &MeasuredProgram, figure| amount(figure, &it.analysis.metric);
    page.table(
        TableOf::new(programs)
            .beginning("program", |it| it.name.clone())
            .right("work", |it| figure(it, it.analysis.totals.work.time()))
            .right("span", |it| {
                figure(it, it.analysis.totals.span.value.time())
            })
            .right("burdened\nparallelism", |it| ratio(parallelism(it)))
            .words("", |it| match it.made_tasks() {
                true => enough_parallelism(&it.analysis).short.headline(),
                false => words("programs", "without_tasks").to_owned(),
            }),
    )?;
    page.gap()?;
    let more = format!("{} report {}", command(&worst.analysis), worst.file);
    page.paragraph(&format!("More of {}:", worst.name), Tone::Neutral, &more)
}
