//! The flame graph of the logical call tree.

use serde::Serialize;
use workspan_model::{Analysis, Dag, FlameCode, FlameWeight, Profile, SiteKind, SiteRow, flame};

use super::against::{Against, AgainstView, DifferenceView};
use super::number::{nanos, rounded};
use super::site_ids::SiteIds;
use super::site_words::{label, place_of};
use crate::place::short_name;
use crate::readable::readable;

/// So many frames a page holds, the largest ones.
const MOST_FRAMES: usize = 1_500;

#[derive(Serialize)]
pub(super) struct FlameView {
    frames: Vec<FrameView>,
    left_out: usize,
    has_burdened: bool,
    has_samples: bool,
    /// What it is compared with.
    against: Option<AgainstView>,
}

#[derive(Serialize)]
struct FrameView {
    /// The frame that it stands on, as an index.
    parent: Option<usize>,
    /// Of a frame that is a site.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    label: String,
    /// The whole name of a function, where that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    place: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    recursive: bool,
    weight: WeightView,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceView>,
}

/// Nanoseconds of work, of span, of burdened span; samples.
pub(super) type WeightView = (u64, u64, u64, f64);

/// What a frame is, in words.
pub(super) struct FrameWords {
    /// The row of one that is a site.
    pub(super) row: Option<usize>,
    pub(super) label: String,
    pub(super) name: Option<String>,
    pub(super) place: String,
    pub(super) is_recursive: bool,
}

impl FlameView {
    pub(super) fn of(
        profile: &Profile,
        analysis: &Analysis,
        dag: Option<&Dag>,
        against: Option<&Against<'_>>,
        ids: &SiteIds,
    ) -> Self {
        let mut flame = flame(profile, &analysis.sites, dag, usize::MAX);
        let against = against.map(|against| AgainstView::of(against, &mut flame, &analysis.sites));
        let flame = flame.largest(MOST_FRAMES);
        let whole = flame.frames[0].clone();
        let frames = flame.frames.into_iter().map(|frame| {
            let words = FrameWords::of(&frame.code, &analysis.sites);
            FrameView {
                parent: frame.parent,
                site: words.row.map(|row| ids.of_row(row).to_owned()),
                label: words.label,
                name: words.name,
                place: words.place,
                recursive: words.is_recursive,
                weight: weight(&frame.weight),
                difference: DifferenceView::of(&frame, &whole),
            }
        });
        Self {
            frames: frames.collect(),
            left_out: flame.left_out,
            has_burdened: flame.has_burdened,
            has_samples: flame.has_samples,
            against,
        }
    }
}

impl FrameWords {
    pub(super) fn of(code: &FlameCode, rows: &[SiteRow]) -> Self {
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
        nanos(weight.work.time()),
        nanos(weight.span.time()),
        nanos(weight.burdened_span.time()),
        rounded(weight.samples),
    )
}
