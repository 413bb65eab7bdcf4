//! The records that appear once in a raw profile.

use std::collections::HashMap;
use std::str::FromStr;

use super::fields::{Fields, Problem};
use super::parse::RawError;

const NAMES: [&str; 25] = [
    "metric_problem",
    "metric",
    "clock",
    "clock_note",
    "ticks_per_second",
    "elapsed_ticks",
    "threads",
    "assumed_cores",
    "machine_cores",
    "burden_ticks",
    "pid",
    "ended",
    "started_at",
    "unfinished_tasks",
    "off_processor_ticks",
    "own_cost_ticks",
    "span_ticks",
    "burdened_span_ticks",
    "truncated_tree",
    "timing",
    "span_open_ticks",
    "burdened_span_open_ticks",
    "shared_ticks",
    "sampling",
    "sampling_note",
];

/// The records that appear once: their lines and fields.
#[derive(Default)]
pub(super) struct Settings<'a> {
    records: HashMap<&'static str, (usize, Fields<'a>)>,
}

impl<'a> Settings<'a> {
    pub(super) fn add(
        &mut self,
        name: &str,
        line: usize,
        fields: Fields<'a>,
    ) -> Result<(), Problem> {
        let known = NAMES.into_iter().find(|&known| known == name);
        let known = known.ok_or_else(|| format!("the record `{name}` is not known"))?;
        match self.records.insert(known, (line, fields)) {
            None => Ok(()),
            Some((first, _)) => Err(format!("`{name}` stands on line {first} already")),
        }
    }

    /// What `read` makes of all fields of the record `name`.
    pub(super) fn get<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> Result<T, Problem>,
    ) -> Result<T, RawError> {
        let (line, fields) = self.records.get(name).ok_or(RawError::Missing(name))?;
        let mut fields = fields.clone();
        let value = read(&mut fields).and_then(|value| fields.finish().map(|()| value));
        value.map_err(|problem| RawError::Malformed {
            line: *line,
            problem,
        })
    }

    pub(super) fn number<N: FromStr>(&self, name: &'static str) -> Result<N, RawError> {
        self.get(name, |fields| fields.number(name))
    }

    /// The same of a record that may be absent.
    pub(super) fn get_or_default<T: Default>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> Result<T, Problem>,
    ) -> Result<T, RawError> {
        if self.records.contains_key(name) {
            self.get(name, read)
        } else {
            Ok(T::default())
        }
    }

    pub(super) fn number_or_zero<N: FromStr + Default>(
        &self,
        name: &'static str,
    ) -> Result<N, RawError> {
        self.get_or_default(name, |fields| fields.number(name))
    }

    pub(super) fn text(&self, name: &'static str) -> Result<String, RawError> {
        self.get(name, |fields| fields.text(name).map(str::to_owned))
    }

    pub(super) fn optional_text(&self, name: &'static str) -> Result<Option<String>, RawError> {
        self.records
            .contains_key(name)
            .then(|| self.text(name))
            .transpose()
    }
}
