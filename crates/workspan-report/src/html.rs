//! A profile as one page for a browser, which needs nothing else.
//!
//! The page is a shell (`document`) around the styles and scripts of `assets/html` and the data,
//! for which each view has a function. The scripts lay out the data and compute no figure but a
//! frame's share of the flame graph: even what another choice on the page would give was computed
//! before, by the model.
#![allow(
    non_camel_case_types,
    reason = "the types of objects are named after the keys"
)]

mod against;
mod answers;
mod assets;
mod code;
mod dag;
mod dag_lanes;
mod document;
mod embedded;
mod findings;
mod flame;
mod frame;
mod glossary;
mod locks;
mod number;
mod overview;
mod page;
mod program;
mod regions;
mod site_ids;
mod site_spread;
mod site_words;
mod sites;
mod speedup;
mod what_if;
mod workers;

pub use against::Against;
pub use document::HTML_DATA_VERSION;
pub use page::{Page, PageDag};
