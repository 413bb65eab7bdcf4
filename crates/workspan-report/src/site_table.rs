//! Which sites a table shows, in which order, and which of their figures.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use workspan_model::{Location, MeasureKind, Nanos, On, SiteRow};

use crate::notation::figures::Unit;
use crate::notation::place::{kind_and_name, place};

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
            SiteColumn::Share => Value::Figure(Unit::Share, row.on_span.share),
            SiteColumn::Overhead => Value::time(Unit::Amount, row.on_work.tasking_overhead.time),
            SiteColumn::Blocked => Value::time(Unit::Time, row.on_work.blocked),
            SiteColumn::Stolen => Value::count(row.on_work.stolen),
            SiteColumn::Spawns => Value::count(row.on_work.spawns),
            SiteColumn::Syncs => Value::count(row.on_work.syncs),
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

/// A column of the table of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SiteColumn {
    /// Where the site is.
    Location,
    /// What it does.
    Kind,
    /// The function called, or the region.
    Name,
    /// The function around it.
    Function,
    /// Own strands on the critical path, as a share of the program's span.
    Share,
    /// Cost of creating and scheduling tasks.
    Overhead,
    /// Voluntary waits.
    Blocked,
    /// Tasks that ran on a different thread than their spawner.
    Stolen,
    /// Tasks created.
    Spawns,
    /// Waits for tasks.
    Syncs,
    /// A figure of a measure.
    Measured(MeasuredColumn),
}

/// A figure of a measure. For what is `None`, the table has a default
/// ([`SiteTable`](crate::SiteTable)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredColumn {
    /// Which executions count.
    pub kind: Option<MeasureKind>,
    /// The figure.
    pub figure: Figure,
    /// Whether on the work or on the span.
    pub on: Option<On>,
}

/// A figure that every measure has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Executions.
    Count,
    /// Their work.
    Work,
    /// Their span.
    Span,
    /// Work / span.
    Parallelism,
}

impl Figure {
    /// Every figure, in the order of Cilkprof's tool.
    pub const ALL: [Self; 4] = [Self::Work, Self::Span, Self::Parallelism, Self::Count];

    /// The name that options take.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Work => "work",
            Self::Span => "span",
            Self::Parallelism => "parallelism",
        }
    }
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no column `{0}`; there are {columns}, and as in `top-caller-work-on-span` each of count, work, span \
     and parallelism with a measure before it and with on-work or on-span after it",
    columns = SiteColumn::PLAIN.map(|column| column.to_string()).join(", ")
)]
pub struct UnknownColumn(String);

const fn figure(figure: Figure) -> SiteColumn {
    SiteColumn::Measured(MeasuredColumn {
        kind: None,
        figure,
        on: None,
    })
}

impl SiteColumn {
    /// Instances: those of the table's measure, or all.
    pub const COUNT: Self = figure(Figure::Count);
    /// Work of the table's measure, or of the top instances.
    pub const WORK: Self = figure(Figure::Work);
    /// Span of the table's measure, or of the top instances.
    pub const SPAN: Self = figure(Figure::Span);
    /// Parallelism of the table's measure, or of the top instances.
    pub const PARALLELISM: Self = figure(Figure::Parallelism);

    /// Every column; those that a measure can qualify, without one.
    pub const PLAIN: [Self; 14] = [
        Self::Location,
        Self::Kind,
        Self::Name,
        Self::Function,
        Self::COUNT,
        Self::WORK,
        Self::SPAN,
        Self::PARALLELISM,
        Self::Share,
        Self::Overhead,
        Self::Blocked,
        Self::Stolen,
        Self::Spawns,
        Self::Syncs,
    ];

    const fn plain_name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Kind => "kind",
            Self::Name => "name",
            Self::Function => "function",
            Self::Share => "share",
            Self::Overhead => "overhead",
            Self::Blocked => "blocked",
            Self::Stolen => "stolen",
            Self::Spawns => "spawns",
            Self::Syncs => "syncs",
            Self::Measured(measured) => measured.figure.name(),
        }
    }

    /// Whether the column holds words, not figures.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Location | Self::Kind | Self::Name | Self::Function
        )
    }

    /// The column in a sentence: `share of the span`, `top-caller work on the span`.
    pub(crate) fn in_words(self) -> String {
        match self {
            Self::Share => "share of the span".to_owned(),
            Self::Overhead => "tasking overhead".to_owned(),
            Self::Stolen => "stolen tasks".to_owned(),
            Self::Measured(MeasuredColumn { kind, figure, on }) => {
                let kind = kind.map(|kind| format!("{kind} ")).unwrap_or_default();
                let on = on.map(|on| format!(" on the {}", on.name()));
                format!("{kind}{}{}", figure.name(), on.unwrap_or_default())
            }
            plain => plain.plain_name().to_owned(),
        }
    }

    /// The column's heading, in lines.
    pub(crate) fn heading(self) -> String {
        match self {
            Self::Share => "share\nof span".to_owned(),
            Self::Overhead => "tasking\noverhead".to_owned(),
            Self::Measured(MeasuredColumn { kind, figure, on }) => {
                let kind = kind.map(|kind| format!("{kind}\n")).unwrap_or_default();
                let on = on.map(|on| format!("\non {}", on.name()));
                let figure = match figure {
                    Figure::Parallelism if kind.is_empty() => "paral\u{ad}\nlelism",
                    figure => figure.name(),
                };
                format!("{kind}{figure}{}", on.unwrap_or_default())
            }
            plain => plain.plain_name().to_owned(),
        }
    }
}

impl fmt::Display for SiteColumn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Measured(MeasuredColumn {
            kind: Some(kind), ..
        }) = self
        {
            write!(formatter, "{kind}-")?;
        }
        formatter.write_str(self.plain_name())?;
        match self {
            Self::Measured(MeasuredColumn { on: Some(on), .. }) => {
                write!(formatter, "-on-{}", on.name())
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for SiteColumn {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Self, UnknownColumn> {
        let mut plain = Self::PLAIN.into_iter();
        if let Some(column) = plain.find(|column| column.plain_name() == name) {
            return Ok(column);
        }
        let is_dashed = |rest: &str| rest.starts_with('-');
        let mut kinds = MeasureKind::ALL.into_iter();
        let kind = kinds.find(|kind| name.strip_prefix(kind.name()).is_some_and(is_dashed));
        let rest = kind.map_or(name, |kind| &name[kind.name().len() + 1..]);
        let (rest, on) = match (rest.strip_suffix("-on-work"), rest.strip_suffix("-on-span")) {
            (Some(rest), _) => (rest, Some(On::Work)),
            (_, Some(rest)) => (rest, Some(On::Span)),
            _ => (rest, None),
        };
        let figure = Figure::ALL.into_iter().find(|figure| figure.name() == rest);
        let unknown = || UnknownColumn(name.to_owned());
        let figure = figure.ok_or_else(unknown)?;
        Ok(Self::Measured(MeasuredColumn { kind, figure, on }))
    }
}

impl TryFrom<String> for SiteColumn {
    type Error = UnknownColumn;

    fn try_from(name: String) -> Result<Self, UnknownColumn> {
        name.parse()
    }
}

impl From<SiteColumn> for String {
    fn from(column: SiteColumn) -> Self {
        column.to_string()
    }
}

/// What a column holds of a site.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Figure(Unit, f64),
    Unknown,
}

impl Value {
    /// The order in which a table shows values: words as in a dictionary, figures from the most to
    /// the least; missing ones come last.
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => {
                (one.is_empty(), one).cmp(&(other.is_empty(), other))
            }
            _ => {
                let (one, other) = (self.number(), other.number());
                other.partial_cmp(&one).unwrap_or(Ordering::Equal)
            }
        }
    }

    const fn number(&self) -> Option<f64> {
        match *self {
            Self::Figure(_, number) => Some(number),
            Self::Text(_) | Self::Unknown => None,
        }
    }

    const fn count(count: u64) -> Self {
        Self::Figure(Unit::Count, count as f64)
    }

    const fn time(unit: Unit, time: Nanos) -> Self {
        Self::Figure(unit, time.as_nanos() as f64)
    }
}

impl MeasuredColumn {
    /// The column's value. By default it is on the work, of all instances for counts and of the top
    /// ones for other figures.
    pub(crate) fn value(self, row: &SiteRow) -> Value {
        let kind = self.kind.unwrap_or(match self.figure {
            Figure::Count => MeasureKind::Local,
            _ => MeasureKind::TopCallSite,
        });
        let measure = row.measure(self.on.unwrap_or(On::Work), kind);
        let value = match self.figure {
            Figure::Count => measure.count.map(Value::count),
            Figure::Work => measure
                .work
                .map(|work| Value::time(Unit::Amount, work.time())),
            Figure::Span => measure
                .span
                .map(|span| Value::time(Unit::Amount, span.time())),
            Figure::Parallelism => measure
                .parallelism
                .map(|ratio| Value::Figure(Unit::Ratio, ratio)),
        };
        value.unwrap_or(Value::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_as_its_column() {
        let on = [None, Some(On::Work), Some(On::Span)];
        let kinds = MeasureKind::ALL.map(Some).into_iter().chain([None]);
        let measured = kinds.flat_map(|kind| {
            on.into_iter().flat_map(move |on| {
                Figure::ALL.map(|figure| SiteColumn::Measured(MeasuredColumn { kind, figure, on }))
            })
        });
        let columns: Vec<SiteColumn> = measured.chain(SiteColumn::PLAIN).collect();
        for &column in &columns {
            assert_eq!(column.to_string().parse(), Ok(column));
        }
        let names = columns.iter().map(ToString::to_string);
        let names: std::collections::BTreeSet<String> = names.collect();
        assert_eq!(names.len(), 48 + 10);
        assert!(names.contains("top-caller-work-on-span"));
    }

    #[test]
    fn unknown_names_are_refused_with_a_list_of_names() {
        for name in [
            "",
            "wrok",
            "local",
            "local-",
            "localwork",
            "local-kind",
            "share-on-span",
            "work-on-",
        ] {
            let error = name.parse::<SiteColumn>().unwrap_err().to_string();
            assert!(error.contains("parallelism, share, overhead"), "{error}");
        }
    }

    #[test]
    fn figures_go_down_and_words_up() {
        let time = |nanos| Value::time(Unit::Time, Nanos::from_nanos(nanos));
        let mut values = [Value::Unknown, time(-3), time(7), time(0)];
        values.sort_by(Value::cmp);
        assert_eq!(values, [time(7), time(0), time(-3), Value::Unknown]);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(text("a").cmp(&text("b")), Ordering::Less);
        assert_eq!(text("a").cmp(&text("")), Ordering::Less);
    }
}
