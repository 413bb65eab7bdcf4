//! The text that `workspan compare` prints.

use std::io;

use workspan_model::{
    Basis, ChangeKind, Comparison, FigureChange, Profile, Quantity, Run, SiteChange, SpeedupBounds,
};

use super::markdown;
use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{counted, ratio};
use crate::notation::place::{kind_and_name, place};
use crate::notation::program::program;
use crate::sentences::comparison::{self as sentences, amount, figure, noun};
use crate::sentences::{capitalised, words};
use crate::{Plot, Screen};

/// A profile to compare, and its file.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The file, as the user named it.
    pub file: &'a str,
}

/// A page on what has changed between two profiles.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonText<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The profiles of before and after.
    pub profiles: [Compared<'a>; 2],
    /// The most sites that each list shows.
    pub limit: usize,
}

impl<'a> ComparisonText<'a> {
    /// The run that says what amounts count, which is the same before and after.
    fn run(&self) -> &'a Run {
        &self.profiles[1].profile.run
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(&self, comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        page.rule("workspan")?;
        page.verdict(&sentences::verdict(comparison))?;
        for (name, compared) in self.named() {
            page.field(name, &compared)?;
        }
        for mismatch in &comparison.mismatches {
            page.item("!", &sentences::mismatch(mismatch))?;
        }
        page.heading("What has changed")?;
        page.table(totals(comparison, self.run()))?;
        if let Some(unit) = unit(self.run()) {
            page.remark(&unit)?;
        }
        page.remark(&sentences::basis(comparison))?;
        page.heading("Speedup to expect")?;
        self.speedup(&mut page, comparison)?;
        self.sites(&mut page, comparison)
    }

    /// Writes the verdict, the totals and the sites that changed most as Markdown.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn summary(&self, comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
        markdown::heading(output, &sentences::verdict(comparison))?;
        let named = self.named().into_iter();
        let named = named.map(|(name, compared)| format!("{name}: {compared}"));
        let mismatches = comparison.mismatches.iter().map(sentences::mismatch);
        markdown::items(output, named.chain(mismatches).chain(unit(self.run())))?;
        markdown::table(output, &totals(comparison, self.run()))?;
        let sites = comparison.sites.iter().filter(|site| site.weight > 0.0);
        markdown::table(output, &self.changes(sites.take(self.limit)))
    }

    /// What is compared: program, file and number of runs.
    fn named(&self) -> [(&'static str, String); 2] {
        let [before, after] = self.profiles.map(|compared| {
            let runs = compared.profile.repetition.as_ref();
            let runs = runs.map_or(1, |repetition| repetition.runs.len());
            let runs = counted(runs as u64, "run", "runs");
            let program = program(&compared.profile.run.command);
            format!("{program} ({}, {runs})", compared.file)
        });
        [("Before", before), ("After", after)]
    }

    fn speedup(&self, page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
        let range =
            |bounds: &SpeedupBounds| format!("{} … {}", ratio(bounds.lower), ratio(bounds.upper));
        page.table(
            TableOf::new(&comparison.speedup)
                .right("cores", |(before, _)| before.cores)
                .right("before", |(before, _)| range(before))
                .right("after", |(_, after)| range(after)),
        )?;
        page.remark("Lower and upper bound, each against its own work on one core.")?;
        page.gap()?;
        let plot = Plot::compared("", comparison);
        let lines = plot.lines(page.columns(), self.screen.charset);
        page.drawing(&lines)
    }

    fn sites(&self, page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
        let title = |site: &SiteChange| match (&site.before, &site.after) {
            (Some(_), Some(_)) if site.weight > 0.0 => "Sites that changed most",
            (Some(_), Some(_)) => "",
            (None, _) => "Sites gained",
            (_, None) => "Sites lost",
        };
        for list in ["Sites that changed most", "Sites gained", "Sites lost"] {
            let sites = comparison.sites.iter().filter(|site| title(site) == list);
            let sites: Vec<&SiteChange> = sites.collect();
            if !sites.is_empty() {
                page.heading(list)?;
                self.list(page, &sites)?;
            }
        }
        page.remark(words("remark", "changed_sites"))
    }

    fn changes<'c>(&self, sites: impl Iterator<Item = &'c SiteChange>) -> TableOf<&'c SiteChange> {
        let run = self.run();
        TableOf::new(sites)
            .flexible("\nlocation", |site| place(site.row()))
            .left("\nkind", |site| kind_and_name(site.row()))
            .right("on span\nbefore", |site| amount(site.on_span.before, run))
            .right("\nafter", |site| amount(site.on_span.after, run))
            .right("\nchange", |site| marked(&site.on_span))
            .right("own work\nbefore", |site| amount(site.own_work.before, run))
            .right("\nafter", |site| amount(site.own_work.after, run))
            .right("\nchange", |site| marked(&site.own_work))
    }

    fn list(&self, page: &mut Page<'_>, sites: &[&SiteChange]) -> io::Result<()> {
        page.table(self.changes(sites.iter().copied().take(self.limit)))?;
        for site in sites.iter().take(self.limit).filter(|site| site.is_moved) {
            if let Some(before) = &site.before {
                let (now, before) = (place(site.row()), place(before));
                page.remark(&format!("{now} has moved: it stood at {before}."))?;
            }
        }
        match sites.len().saturating_sub(self.limit) {
            0 => Ok(()),
            left => page.remark(&format!(
                "{} more; `--limit all` shows them.",
                counted(left as u64, "site", "sites")
            )),
        }
    }
}

/// What amounts are in, unless it is time.
pub(super) fn unit(run: &Run) -> Option<String> {
    let unit = || format!("Work and spans are in {}.", run.metric.unit);
    (!run.is_of_time()).then(unit)
}

/// The totals before and after.
fn totals<'c>(comparison: &'c Comparison, run: &Run) -> TableOf<&'c (Quantity, FigureChange)> {
    TableOf::new(&comparison.totals)
        .left("", |(quantity, _)| capitalised(noun(*quantity)))
        .right("before", |(quantity, change)| {
            figure(*quantity, change.before, run)
        })
        .right("after", |(quantity, change)| {
            figure(*quantity, change.after, run)
        })
        .right("change", |(_, change)| {
            sentences::growth(change.growth.value)
        })
        .right("99% interval", |(_, change)| match comparison.basis {
            Basis::Exact => "exact".to_owned(),
            _ => sentences::growth_interval(change),
        })
        .left("", |(_, change)| match change.kind {
            ChangeKind::Grown => "more",
            ChangeKind::Shrunk => "less",
            ChangeKind::Same => "the same",
            ChangeKind::Inconclusive => "not certain",
            ChangeKind::Unknown => "not known",
        })
}

/// The growth, in brackets where it is not certain.
fn marked(change: &FigureChange) -> String {
    let growth = sentences::growth(change.growth.value);
    match change.kind {
        ChangeKind::Grown | ChangeKind::Shrunk | ChangeKind::Same => growth,
        ChangeKind::Inconclusive | ChangeKind::Unknown => format!("({growth})"),
    }
}
