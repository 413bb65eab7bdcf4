//! Which sites a table shows, in which order, and which of their figures.

use workspan_model::{Location, MeasureKind, On, SiteRow};

use crate::place::{kind_and_name, place};
use crate::site_column::{MeasuredColumn, SiteColumn, Value};

/// What the table of sites shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteTable {
    /// The columns; if empty, the usual ones.
    pub columns: Vec<SiteColumn>,
    /// The column by which the sites are sorted.
    pub sort: SiteColumn,
    /// Show only sites whose location, function, name or kind contains this, in upper or lower
    /// case.
    pub filter: Option<String>,
    /// The measure of columns that name none. Without it, counts are those of all instances; works,
    /// spans and parallelisms are those of the top-call-site ones.
    pub measure: Option<MeasureKind>,
    /// Whether columns that do not say are on the work or on the span; without it, on the work.
    pub on: Option<On>,
    /// At most how many sites to show; `None` for all.
    pub most: Option<usize>,
}

impl Default for SiteTable {
    /// The 25 sites with the largest share of the span.
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            sort: SiteColumn::Share,
            filter: None,
            measure: None,
            on: None,
            most: Some(25),
        }
    }
}

/// The columns of a table that names none.
const USUAL: [SiteColumn; 8] = [
    SiteColumn::Location,
    SiteColumn::Kind,
    SiteColumn::COUNT,
    SiteColumn::WORK,
    SiteColumn::SPAN,
    SiteColumn::PARALLELISM,
    SiteColumn::Share,
    SiteColumn::Overhead,
];

/// If there is room, these follow the usual ones.
const MORE: [SiteColumn; 3] = [SiteColumn::Spawns, SiteColumn::Stolen, SiteColumn::Blocked];

/// Tables of at least this width name the functions around the sites.
const WIDTH_WITH_FUNCTIONS: usize = 110;

/// Tables of at least this width have [`MORE`] columns.
const WIDTH_WITH_MORE: usize = 160;

impl SiteTable {
    /// The columns; of the usual ones, as many as the width leaves room for.
    pub(crate) fn shown_columns(&self, width: usize) -> Vec<SiteColumn> {
        if !self.columns.is_empty() {
            return self.columns.clone();
        }
        let mut columns = USUAL.to_vec();
        if width >= WIDTH_WITH_FUNCTIONS {
            columns.insert(1, SiteColumn::Function);
        }
        if width >= WIDTH_WITH_MORE {
            columns.extend(MORE);
        }
        columns
    }

    /// What `column` holds of `row`.
    pub(crate) fn value(&self, column: SiteColumn, row: &SiteRow) -> Value {
        match column {
            SiteColumn::Location => Value::Text(place(row)),
            SiteColumn::Kind => Value::Text(row.kind.name().to_owned()),
            SiteColumn::Name => Value::Text(row.name.clone().unwrap_or_default()),
            SiteColumn::Function => Value::Text(row.function.clone().unwrap_or_default()),
            SiteColumn::Share => Value::Share(row.on_span.share),
            SiteColumn::Overhead => Value::Amount(row.on_work.tasking_overhead.time),
            SiteColumn::Blocked => Value::Time(row.on_work.blocked),
            SiteColumn::Stolen => Value::Count(row.on_work.stolen),
            SiteColumn::Spawns => Value::Count(row.on_work.spawns),
            SiteColumn::Syncs => Value::Count(row.on_work.syncs),
            SiteColumn::Measured(measured) => self.with_defaults(measured).value(row),
        }
    }

    /// `measured`, with the table's defaults for what it does not say.
    fn with_defaults(&self, measured: MeasuredColumn) -> MeasuredColumn {
        MeasuredColumn {
            kind: measured.kind.or(self.measure),
            on: measured.on.or(self.on),
            ..measured
        }
    }

    /// The rows to show if there is room for all: those that pass the filter, sorted, each with its
    /// index.
    pub(crate) fn selected<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a SiteRow>,
    ) -> Vec<(usize, &'a SiteRow)> {
        let rows = rows.into_iter().enumerate();
        let mut selected: Vec<(usize, &SiteRow)> =
            rows.filter(|(_, row)| self.passes(row)).collect();
        if self.sort != SiteColumn::Share {
            selected.sort_by(|(_, one), (_, other)| {
                let [one, other] = [one, other].map(|row| self.value(self.sort, row));
                one.cmp(&other)
            });
        }
        selected
    }

    fn passes(&self, row: &SiteRow) -> bool {
        let Some(filter) = self.filter.as_deref().map(str::to_lowercase) else {
            return true;
        };
        let location = |location: &Option<Location>| location.as_ref().map(ToString::to_string);
        let words = [
            Some(place(row)),
            location(&row.location),
            location(&row.callee),
            row.name.clone(),
            row.function.clone(),
            row.detail.clone(),
            Some(row.kind.name().to_owned()),
            Some(kind_and_name(row)),
        ];
        let mut words = words.into_iter().flatten();
        words.any(|text| text.to_lowercase().contains(&filter))
    }

    /// The order and the measure of the table: `by share of the span`, `by work; top-caller, on the
    /// span`.
    pub(crate) fn in_words(&self) -> String {
        let on = self.on.map(|on| format!("on the {}", on.name()));
        let kind = self.measure.map(|kind| kind.name().to_owned());
        let measured: Vec<String> = kind.into_iter().chain(on).collect();
        let by = format!("by {}", self.sort.in_words());
        if measured.is_empty() {
            by
        } else {
            format!("{by}; {}", measured.join(", "))
        }
    }
}
