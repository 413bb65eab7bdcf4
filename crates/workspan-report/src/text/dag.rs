//! The text that `workspan dag` prints.

use std::io;

use workspan_model::{DagFigures, DagShape, Metric, Nanos, SpanInterval, Totals};

use super::code;
use super::page::Page;
use super::table::{Column, Table};
use super::totals::interval;
use crate::figures::{amount, counted, grouped, ratio};
use crate::{CodeView, Screen};

/// A page on how large a task dag is, and what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct DagText<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The counts of the dag.
    pub shape: &'a DagShape,
    /// The figures that follow from it.
    pub figures: &'a DagFigures,
    /// What the engine computed while the program ran; `None` for a run that was killed.
    pub measured: Option<&'a Totals>,
    /// Subtrees of less work are folded; with zero, none are.
    pub grain: Nanos,
    /// What the dag takes in the file.
    pub bytes: u64,
}

impl DagText<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(&self, view: &CodeView<'_>, output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        let shape = self.shape;
        page.verdict(&format!(
            "{} and {} of the task dag of {}",
            counted(shape.vertices, "vertex", "vertices"),
            counted(shape.edges, "edge", "edges"),
            view.profile.run.command.join(" ")
        ))?;
        code::remark_on_truncation(&mut page, view)?;
        page.heading("Size and shape")?;
        let mut table = Table::new([Column::left(""), Column::right(""), Column::words("")]);
        for (name, count, meaning) in self.rows(view.metric()) {
            table.row([name.to_owned(), count, meaning]);
        }
        page.table(&table)?;
        self.comparison(&mut page, view.metric())?;
        code::path(&mut page, "Critical path", self.figures, view)
    }

    fn rows(&self, metric: &Metric) -> [(&'static str, String, String); 12] {
        let shape = self.shape;
        let grain = if self.grain > Nanos::ZERO {
            amount(self.grain, metric)
        } else {
            "–".to_owned()
        };
        let row = |name, count, meaning: &str| (name, grouped(count), meaning.to_owned());
        [
            row("Strands", shape.strands, "that neither make tasks nor wait"),
            row(
                "Forks",
                shape.forks,
                "strands that end in a join or a broadcast",
            ),
            row("Spawns", shape.spawns, "strands that end in a spawn"),
            row(
                "Syncs",
                shape.syncs,
                "strands that begin when others have ended",
            ),
            row("Folded", shape.folded, "subtrees without their structure"),
            row(
                "Stealable",
                shape.stealable,
                "edges that another worker could take",
            ),
            row("Steals", shape.steals, "of these, taken in this run"),
            row("Tasks", self.figures.tasks, "with those in folded subtrees"),
            row(
                "Depth",
                shape.depth,
                "most tasks and branches in one another",
            ),
            row("Workers", shape.workers, "threads that ran any of it"),
            (
                "Grain",
                grain,
                "subtrees of less work are folded (--grain of the run, --fold here)".to_owned(),
            ),
            row("Bytes", self.bytes, "that it takes in the file"),
        ]
    }

    /// Prints the dag's own figures next to those that the engine computed during the run.
    fn comparison(&self, page: &mut Page<'_>, metric: &Metric) -> io::Result<()> {
        page.heading("Figures")?;
        let own = self.figures;
        let own = [
            amount(own.work.time(), metric),
            amount(own.span.time(), metric),
            amount(own.burdened_span.time(), metric),
            ratio(own.parallelism),
            ratio(own.burdened_parallelism),
        ];
        const NAMES: [&str; 5] = [
            "Work",
            "Span",
            "Burdened span",
            "Parallelism",
            "Burdened parallelism",
        ];
        let Some(measured) = self.measured else {
            let mut table = Table::new([Column::left(""), Column::right("dag")]);
            for (name, own) in NAMES.into_iter().zip(own) {
                table.row([name.to_owned(), own]);
            }
            return page.table(&table);
        };
        let within = |span: SpanInterval| {
            if span.is_wide {
                format!("the profile's within {}", interval(span, metric))
            } else {
                String::new()
            }
        };
        let profile = [
            (amount(measured.work.time(), metric), String::new()),
            (
                amount(measured.span.time(), metric),
                within(measured.span_interval),
            ),
            (
                amount(measured.burdened_span.time(), metric),
                within(measured.burdened_span_interval),
            ),
            (ratio(measured.parallelism), String::new()),
            (ratio(measured.burdened_parallelism), String::new()),
        ];
        let mut table = Table::new([
            Column::left(""),
            Column::right("dag"),
            Column::right("profile"),
            Column::words(""),
        ]);
        for ((name, own), (measured, remark)) in NAMES.into_iter().zip(own).zip(profile) {
            table.row([name.to_owned(), own, measured, remark]);
        }
        page.table(&table)
    }
}
