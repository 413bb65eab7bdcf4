//! The text that `workspan dag` prints.

use std::io;

use workspan_model::{DagFigures, DagShape, Estimate, Metric, Nanos, Span, Totals};

use super::code;
use super::page::{Figure, Page, figures};
use super::table::{TableOf, or_none};
use crate::notation::figures::{amount, counted, grouped, ratio, span_within};
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
        page.figures(self.counts(view.metric()))?;
        self.comparison(&mut page, view.metric())?;
        code::path(&mut page, "Critical path", self.figures, view)
    }

    fn counts(&self, metric: &Metric) -> Vec<Figure> {
        let shape = self.shape;
        let grain = (self.grain > Nanos::ZERO).then(|| amount(self.grain, metric));
        figures! {
            "Strands" => grouped(shape.strands), "that neither make tasks nor wait";
            "Forks" => grouped(shape.forks), "strands that end in a join or a broadcast";
            "Spawns" => grouped(shape.spawns), "strands that end in a spawn";
            "Syncs" => grouped(shape.syncs), "strands that begin when others have ended";
            "Folded" => grouped(shape.folded), "subtrees without their structure";
            "Stealable" => grouped(shape.stealable), "edges that another worker could take";
            "Steals" => grouped(shape.steals), "of these, taken in this run";
            "Tasks" => grouped(self.figures.tasks), "with those in folded subtrees";
            "Depth" => grouped(shape.depth), "most tasks and branches in one another";
            "Workers" => grouped(shape.workers), "threads that ran any of it";
            "Grain" => or_none(grain), "subtrees of less work are folded (--grain of the run, --fold here)";
            "Bytes" => grouped(self.bytes), "that it takes in the file";
        }
    }

    /// Prints the dag's own figures next to those that the engine computed during the run.
    fn comparison(&self, page: &mut Page<'_>, metric: &Metric) -> io::Result<()> {
        page.heading("Figures")?;
        let figures = code::figures(self.figures, metric).into_iter();
        let figures = figures.filter(|figure| figure.name != "Tasks");
        let Some(measured) = self.measured else {
            let table = TableOf::new(figures).left("", |figure| figure.name.clone());
            return page.table(table.right("dag", |figure| figure.figure.clone()));
        };
        let within = |span: Estimate<Span>| {
            let interval = span.is_wide().then(|| span_within(span, metric));
            interval.map(|interval| format!("the profile's within {interval}"))
        };
        let span = |span: Estimate<Span>| (amount(span.value.time(), metric), Some(span));
        let profile = [
            (amount(measured.work.time(), metric), None),
            span(measured.span),
            span(measured.burdened_span),
            (ratio(measured.parallelism.value), None),
            (ratio(measured.burdened_parallelism.value), None),
        ];
        page.table(
            TableOf::new(figures.zip(profile))
                .left("", |(figure, _)| figure.name.clone())
                .right("dag", |(figure, _)| figure.figure.clone())
                .right("profile", |(_, (measured, _))| measured.clone())
                .words("", |(_, (_, span))| {
                    span.and_then(within).unwrap_or_default()
                }),
        )
    }
}
