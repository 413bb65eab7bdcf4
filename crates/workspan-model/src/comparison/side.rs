//! One of the two profiles of a comparison, as the figures of its runs.

use std::collections::HashMap;

use crate::site_row::{RowKey, row_key};
use crate::{Estimate, Profile, RunFigures, SiteRow, Totals, runs, site_rows};

/// One of the two profiles of a comparison, as the figures of its runs.
pub(super) struct Side<'a> {
    pub(super) profile: &'a Profile,
    /// At least one.
    pub(super) runs: Vec<RunFigures>,
}

impl<'a> Side<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        let runs = match &profile.repetition {
            Some(repetition) => repetition.runs.clone(),
            None => vec![RunFigures::new(profile)],
        };
        Self { profile, runs }
    }

    /// The totals of the run that the profile shows.
    pub(super) fn shown(&self) -> Totals {
        let shown = self.profile.repetition.as_ref();
        self.runs[shown.map_or(0, |repetition| repetition.shown)].totals
    }

    pub(super) fn totals(&self, figure: impl Fn(&Totals) -> Reading) -> Vec<Reading> {
        self.runs.iter().map(|run| figure(&run.totals)).collect()
    }

    /// The site rows, with the medians of several runs.
    pub(super) fn rows(&self) -> Vec<SiteRow> {
        match self.profile.repetition.as_ref().and_then(runs) {
            Some(runs) => runs.sites.into_iter().map(|site| site.medians).collect(),
            None => site_rows(self.profile),
        }
    }

    /// For each run, its rows by their keys.
    pub(super) fn rows_by_key(&self) -> Vec<HashMap<RowKey<'_>, &SiteRow>> {
        let mut keyed = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            keyed.push(run.sites.iter().map(|row| (row_key(row), row)).collect());
        }
        keyed
    }
}

/// A figure of one run, and the interval in which it lies.
pub(super) type Reading = Estimate<f64>;
