//! Renders a profile as text, JSON, CSV and HTML, and in the formats of other tools.
//!
//! Renderers print what [`workspan_model::analyse`] computes, and compute nothing themselves. The
//! same profile always gives the same bytes.
//!
//! ```
//! use workspan_report::{Renderer, Screen, Text};
//!
//! let profile = workspan_model::example::quicksort();
//! let analysis = workspan_model::analyse(&profile);
//! let screen = Screen::default().with_width(120);
//! let mut report = Vec::new();
//! Text { screen, ..Text::default() }.render(&profile, &analysis, &mut report).unwrap();
//! assert!(String::from_utf8(report).unwrap().contains("Parallelism"));
//! ```
#![forbid(unsafe_code)]

mod code_view;
mod csv;
mod dot;
mod explanation;
pub mod export;
mod figures;
mod html;
mod json;
mod object;
mod place;
mod plot;
mod program;
mod readable;
mod scaling_report;
mod screen;
mod sentences;
mod site_table;
mod text;
mod totals;

pub use crate::code_view::CodeView;
pub use crate::csv::{Csv, RegionsCsv, comparison_csv};
pub use crate::dot::dag_dot;
pub use crate::explanation::{diagnoses, explanation};
pub use crate::html::{Against, HTML_DATA_VERSION, Page, PageDag};
pub use crate::json::{
    INFLATION_SCHEMA_VERSION, Json, SCHEMA_VERSION, SWEEP_SCHEMA_VERSION, advice_json, check_json,
    comparison_json, dag_json, what_if_json,
};
pub use crate::plot::Plot;
pub use crate::readable::{readable_lines, readable_on_screen};
pub use crate::scaling_report::ScalingReport;
pub use crate::screen::Screen;
pub use crate::sentences::comparison::mismatch as mismatch_sentence;
pub use crate::sentences::scaling::condition_sentence;
pub use crate::sentences::verdict as verdict_sentence;
pub use crate::site_table::SiteTable;
pub use crate::text::{
    AdviceText, Annotate, CheckText, Compared, ComparisonText, DagText, FirstScreen, KeptProfile,
    Text, WhatIfText, in_charset, kept_profiles, machine_costs, metrics,
};
pub use scaling_report::{InflationReport, Predictions};
pub use screen::{Charset, Renderer};
pub use site_table::{Figure, MeasuredColumn, SiteColumn, UnknownColumn};
