//! The columns that the table of sites can have, and the names that options take for them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use workspan_model::{MeasureKind, Nanos, On, SiteRow};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownColumn(String);

impl fmt::Display for UnknownColumn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "there is no column `{}`; there are {}, and as in `top-caller-work-on-span` each of count, work, span \
             and parallelism with a measure before it and with on-work or on-span after it",
            self.0,
            SiteColumn::PLAIN
                .map(|column| column.to_string())
                .join(", "),
        )
    }
}

impl std::error::Error for UnknownColumn {}

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
    Count(u64),
    /// An amount of the profile's metric.
    Amount(Nanos),
    /// Time, whatever the metric is.
    Time(Nanos),
    Ratio(f64),
    Share(f64),
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

    fn number(&self) -> Option<f64> {
        match *self {
            Self::Count(count) => Some(count as f64),
            Self::Amount(time) | Self::Time(time) => Some(time.as_nanos() as f64),
            Self::Ratio(number) | Self::Share(number) => Some(number),
            Self::Text(_) | Self::Unknown => None,
        }
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
            Figure::Count => measure.count.map(Value::Count),
            Figure::Work => measure.work.map(|work| Value::Amount(work.time())),
            Figure::Span => measure.span.map(|span| Value::Amount(span.time())),
            Figure::Parallelism => measure.parallelism.map(Value::Ratio),
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
        let time = |nanos| Value::Time(Nanos::from_nanos(nanos));
        let mut values = [Value::Unknown, time(-3), time(7), time(0)];
        values.sort_by(Value::cmp);
        assert_eq!(values, [time(7), time(0), time(-3), Value::Unknown]);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(text("a").cmp(&text("b")), Ordering::Less);
        assert_eq!(text("a").cmp(&text("")), Ordering::Less);
    }
}
