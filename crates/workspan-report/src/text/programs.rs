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

/// Writes a table of `programs`, one a line, that with the least burdened parallelism
/// first, and those that made no task last.
///
/// # Errors
/// Any error from writing to `output`.
pub fn measured_programs(
    programs: &[MeasuredProgram],
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let parallelism =
        |program: &MeasuredProgram| program.analysis.totals.burdened_parallelism.value;
    let made_tasks = |program: &MeasuredProgram| program.analysis.totals.spawns > 0;
    let mut programs: Vec<&MeasuredProgram> = programs.iter().collect();
    programs.sort_by(|one, other| {
        let tasks_first = made_tasks(other).cmp(&made_tasks(one));
        tasks_first.then(parallelism(one).total_cmp(&parallelism(other)))
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
            .words("", |it| enough_parallelism(&it.analysis).short.headline()),
    )?;
    page.gap()?;
    let words = [command(&worst.analysis), "report", &worst.file];
    let words = words.into_iter().filter(|word| !word.is_empty());
    let more = words.collect::<Vec<_>>().join(" ");
    page.paragraph(&format!("More of {}:", worst.name), Tone::Neutral, &more)
}
