//! Options for what the report shows.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use workspan_model::{MeasureKind, On};
use workspan_report::{SiteColumn, SiteTable, Text};

/// Heading in `--help` of the options for the table of sites.
const TABLE: &str = "Table of sites (reports everything)";

/// Heading in `--help` of the options for other views.
const VIEWS: &str = "Instead of the report";

/// The smallest share of the work or of the span that `--tree` shows by default.
const DEFAULT_THRESHOLD: f64 = 0.01;

const COLUMNS_HELP: &str = "\
Columns of the table, separated by commas

  location     where the call or the construct stands
  kind         what it is: join, par_iter, loop, task, region…
  name         the function called, or the region
  function     the function around it
  count        how often it was executed
  work         time of all that it runs, on all cores together
  span         the longest chain of dependent work in it
  parallelism  work / span: the most cores that it could keep busy
  share        share of the program's span that is its own code: where to look first
  overhead     cost of creating and scheduling its tasks
  blocked      time in which its own code waited: sleep, I/O, locks
  stolen       tasks that another thread took
  spawns       tasks created
  syncs        waits for tasks

Count, work, span and parallelism follow --measure and --on, unless the column says so itself: \
`local-span-on-span`, `top-caller-work`, `count-on-span`.";

const MEASURE_HELP: &str = "\
Which executions of a site count, so that recursion counts nothing twice

  top-call-site  those within no other of the same site: is the site parallel by itself?
  top-caller     of these, those from the outermost execution of the function around the
                 site: which site of the function matters most?
  local          all, each without what it calls: where does the time go?

[default: top-call-site, but the count is of all]";

/// What the report shows.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
pub(crate) struct ReportOptions {
    /// Report everything, not one screen
    #[arg(long)]
    full: bool,
    /// Report everything, and what workspan's own engine cost
    #[arg(long = "self")]
    engine: bool,
    /// Report everything, and single instances of the regions that the program names
    #[arg(long)]
    instances: bool,
    /// Sort by this column (see --columns): figures from the most, words from A [default: share]
    #[arg(long, value_name = "COLUMN", help_heading = TABLE)]
    sort: Option<SiteColumn>,
    /// Columns of the table, separated by commas: location, kind, work… (--help lists them)
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = TABLE, long_help = COLUMNS_HELP)]
    columns: Vec<SiteColumn>,
    /// Only sites that have this in their location, function, name or kind
    #[arg(long, id = "site-filter", value_name = "TEXT", help_heading = TABLE)]
    filter: Option<String>,
    /// Over which executions: all (on the work), or those on the critical path (on the span) [default: work]
    #[arg(long, value_parser = name_parser(On::ALL, On::name), help_heading = TABLE)]
    on: Option<On>,
    /// Which executions count: those within no other of the same site, of these those from the outermost caller, or
    /// all without what they call
    #[arg(long, value_parser = name_parser(MeasureKind::ALL, MeasureKind::name), help_heading = TABLE, long_help = MEASURE_HELP)]
    measure: Option<MeasureKind>,
    /// The most sites, regions, and instances of a region to show [default: 25]
    #[arg(long, value_name = "N|all", help_heading = TABLE)]
    limit: Option<Limit>,
    /// Show the call tree: which site runs what, with work and span of each
    #[arg(
        long,
        conflicts_with_all = ["sort", "columns", "site-filter", "on", "measure", "limit", "instances"],
        help_heading = VIEWS
    )]
    tree: bool,
    /// Fold what has less than this part of the work and of the span [default: 1%]
    #[arg(long, value_name = "PERCENT", requires = "tree", value_parser = parse_threshold,
          help_heading = VIEWS)]
    threshold: Option<f64>,
}

impl ReportOptions {
    /// Whether more than the first screen is wanted: options of the report's parts say so, too.
    pub(crate) fn are_of_full_report(&self) -> bool {
        *self != Self::default()
    }

    /// `text` with these options.
    pub(crate) fn applied_to(&self, text: Text) -> Text {
        let defaults = SiteTable::default();
        Text {
            engine: self.engine,
            instances: self.instances,
            sites: SiteTable {
                columns: self.columns.clone(),
                sort: self.sort.unwrap_or(defaults.sort),
                filter: self.filter.clone(),
                measure: self.measure,
                on: self.on,
                most: match self.limit {
                    Some(Limit::All) => None,
                    Some(Limit::Most(most)) => Some(most),
                    None => defaults.most,
                },
            },
            tree: self
                .tree
                .then(|| self.threshold.unwrap_or(DEFAULT_THRESHOLD)),
            ..text
        }
    }
}

/// Parses the name of one of `all`.
pub(crate) fn name_parser<T, const N: usize>(
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(name_of)).try_map(move |name| {
        all.into_iter()
            .find(|&value| name_of(value) == name)
            .ok_or_else(|| format!("`{name}` is not known"))
    })
}

/// The most sites to show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Limit {
    All,
    Most(usize),
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("all", _) => Ok(Self::All),
            (_, Ok(most)) => Ok(Self::Most(most)),
            _ => Err("a number, or `all`, is expected".to_owned()),
        }
    }
}

/// A share, from 0 to 1, which the user gives in percent.
pub(crate) fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent: f64 = number.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

fn parse_threshold(text: &str) -> Result<f64, &'static str> {
    share(text).ok_or("a percentage such as 1% is expected")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_given_in_percent() {
        assert_eq!(share("1%"), Some(0.01));
        assert_eq!(share("0.5"), Some(0.005));
        assert_eq!(share("100 %"), Some(1.0));
        for wrong in ["", "%", "-1%", "101", "101%", "two", "NaN", "1%%", "inf"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn options_change_the_text_and_survive_serialization() {
        let options = ReportOptions {
            limit: "all".parse().ok(),
            sort: "local-span-on-span".parse().ok(),
            measure: Some(MeasureKind::TopCaller),
            tree: true,
            ..ReportOptions::default()
        };
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(
            serde_json::from_str::<ReportOptions>(&json).unwrap(),
            options
        );
        let text = options.applied_to(Text::default());
        assert_eq!((text.sites.most, text.tree), (None, Some(0.01)));
        assert_eq!(text.sites.sort.to_string(), "local-span-on-span");
        let text = ReportOptions::default().applied_to(Text::default());
        assert_eq!(text.sites, SiteTable::default());
        assert_eq!(text.tree, None);
    }
}
