//! What a frame of the flame graph is, and what it weighs.

use workspan_model::{FlameCode, FlameWeight, SiteKind, SiteRow};

use super::number::rounded;
use super::site_words::{label, place_of};
use crate::place::short_name;
use crate::readable::readable;

/// Nanoseconds of work, span and burdened span; samples.
pub(super) type WeightView = (u64, u64, u64, f64);

/// What a frame is, in words.
pub(super) struct FrameWords {
    /// The row of the site, if the frame is one.
    pub(super) row: Option<usize>,
    pub(super) label: String,
    pub(super) name: Option<String>,
    pub(super) place: String,
    pub(super) is_recursive: bool,
}

impl FrameWords {
    pub(super) fn new(code: &FlameCode, rows: &[SiteRow]) -> Self {
        match code {
            &FlameCode::Site { row, is_recursive } => {
                let site = &rows[row];
                Self {
                    row: Some(row),
                    label: match site.kind {
                        SiteKind::Root => "the program".to_owned(),
                        _ => label(site),
                    },
                    name: None,
                    place: place_of(site),
                    is_recursive,
                }
            }
            FlameCode::Function { name, definition } => {
                let definition = definition.as_ref();
                let place =
                    definition.map(|place| readable(&format!("{}:{}", place.file, place.line)));
                let short = readable(short_name(name).as_str());
                let name = readable(name);
                Self {
                    row: None,
                    name: (name != short).then_some(name),
                    label: short,
                    place: place.unwrap_or_default(),
                    is_recursive: false,
                }
            }
        }
    }
}

pub(super) fn weight(weight: &FlameWeight) -> WeightView {
    (
        weight.work.time().shown(),
        weight.span.time().shown(),
        weight.burdened_span.time().shown(),
        rounded(weight.samples),
    )
}
