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
//!
//! # Where things stand
//!
//! A module uses only those above it:
//!
//! | module | what it holds |
//! |---|---|
//! | `notation` | how figures, places and names are written |
//! | `screen` | what a text is laid out for |
//! | `object` | objects of JSON, whose keys stand once |
//! | `code_view` | pieces of code, in words and as source |
//! | `site_table`, `totals` | the columns of the table of sites, the list of totals |
//! | `sentences` | what the answers, findings and remarks say |
//! | `plot` | curves as SVG, for gnuplot and in the terminal |
//! | `scaling_report` | the reports that are not of one profile |
//! | `text` | for people: the first screen, the full report and pages |
//! | `json`, `csv` | for programs |
//! | `html` | the page for a browser |
//! | `export` | files that other tools open |
#![forbid(unsafe_code)]

mod alerts;
mod code_view;
mod csv;
pub mod export;
mod html;
mod json;
mod notation;
mod object;
mod plot;
mod scaling_report;
mod screen;
mod sentences;
mod site_table;
mod text;
mod totals;

pub use crate::alerts::{
    Alert, Rule, Severity, annotations, check_alerts, comparison_alerts, finding_alerts, sarif,
};
pub use crate::code_view::CodeView;
pub use crate::csv::{Csv, RegionsCsv, comparison_csv};
pub use crate::export::dot::dag_dot;
pub use crate::html::{Against, HTML_DATA_VERSION, Page, PageDag};
pub use crate::json::{
    INFLATION_SCHEMA_VERSION, Json, SCHEMA_VERSION, SWEEP_SCHEMA_VERSION, advice_json, check_json,
    comparison_json, dag_json, kept_json, what_if_json,
};
pub use crate::notation::readable::{readable_lines, readable_on_screen};
pub use crate::plot::Plot;
pub use crate::scaling_report::ScalingReport;
pub use crate::screen::Screen;
pub use crate::sentences::comparison::mismatch as mismatch_sentence;
pub use crate::sentences::explanation::{diagnoses, explanation};
pub use crate::sentences::scaling::condition_sentence;
pub use crate::sentences::verdict as verdict_sentence;
pub use crate::site_table::SiteTable;
pub use crate::text::{
    AdviceText, Annotate, CheckText, Compared, ComparisonText, DagText, FirstScreen, KeptProfile,
    MeasuredProgram, Text, WhatIfText, in_charset, kept_profiles, machine_costs, measured_programs,
    metrics,
};
pub use scaling_report::{InflationReport, Predictions};
pub use screen::{Charset, Renderer};
pub use site_table::{Figure, MeasuredColumn, SiteColumn, UnknownColumn};
