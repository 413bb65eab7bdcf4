//! A profile as one page for a browser, which needs nothing else.
//!
//! The page is a shell (`document`) around the styles and scripts of `assets/html` and the data,
//! for which each view has a function. The scripts lay out the data and compute no figure but a
//! frame's share of the flame graph: even what another choice on the page would give was computed
//! before, by the model.

mod code;
mod dag;
mod document;
mod flame;
mod number;
mod overview;
mod page;
mod sites;
mod what_if;
mod workers;

pub use document::HTML_DATA_VERSION;
pub use flame::Against;
pub use page::{Page, PageDag};
