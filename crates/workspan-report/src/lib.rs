//! A profile as text, JSON and CSV.
//!
//! Renderers print what [`workspan_model::analyse`] computes, and compute nothing themselves. The same
//! profile always gives the same bytes.
//!
//! ```
//! use workspan_report::{Renderer, Text};
//!
//! let profile = workspan_model::example::quicksort();
//! let analysis = workspan_model::analyse(&profile);
//! let mut report = Vec::new();
//! Text { width: 80, colour: false, ..Text::default() }.render(&profile, &analysis, &mut report).unwrap();
//! assert!(String::from_utf8(report).unwrap().contains("Parallelism"));
//! ```
#![forbid(unsafe_code)]

mod code_view;
mod csv;
mod dot;
mod explanation;
mod figures;
mod json;
mod place;
mod predictions;
mod renderer;
mod sentences;
mod site_column;
mod site_table;
mod text;

pub use crate::code_view::CodeView;
pub use crate::csv::{Csv, RegionsCsv};
pub use crate::dot::dag_dot;
pub use crate::explanation::{diagnoses, explanation};
pub use crate::json::{Json, SCHEMA_VERSION, advice_json, dag_json, what_if_json};
pub use crate::predictions::Predictions;
pub use crate::renderer::Renderer;
pub use crate::site_column::{Figure, MeasuredColumn, SiteColumn, UnknownColumn};
pub use crate::site_table::SiteTable;
pub use crate::text::{AdviceText, Annotate, DagText, Text, WhatIfText, machine_costs};
