//! The flame graph of the logical call tree.

use serde::Serialize;
use workspan_model::{Analysis, Dag, Profile, flame};

use super::against::{Against, DifferenceView, compare};
use super::frame::{FrameWords, WeightView, weight};
use super::site_ids::SiteIds;
use crate::object::object;

/// A page holds at most this many frames, the largest.
const MOST_FRAMES: usize = 1_500;

#[derive(Serialize)]
struct FrameView {
    /// The frame that it stands on, as an index.
    parent: Option<usize>,
    /// The site, if the frame is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    label: String,
    /// The full name of a function, if it is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    place: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    recursive: bool,
    weight: WeightView,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceView>,
}

pub(super) fn flame_graph(
    profile: &Profile,
    analysis: &Analysis,
    dag: Option<&Dag>,
    earlier: Option<&Against<'_>>,
    ids: &SiteIds,
) -> impl Serialize {
    let mut flame = flame(profile, &analysis.sites, dag, usize::MAX);
    let difference = earlier.map(|earlier| compare(earlier, &mut flame, &analysis.sites));
    let flame = flame.largest(MOST_FRAMES);
    let whole = flame.frames[0].clone();
    let frames = flame.frames.into_iter().map(|frame| {
        let words = FrameWords::new(&frame.code, &analysis.sites);
        FrameView {
            parent: frame.parent,
            site: words.row.map(|row| ids.of_row(row).to_owned()),
            label: words.label,
            name: words.name,
            place: words.place,
            recursive: words.is_recursive,
            weight: weight(&frame.weight),
            difference: DifferenceView::new(&frame, &whole),
        }
    });
    object! {
        frames: frames.collect::<Vec<_>>(),
        left_out: flame.left_out,
        has_burdened: flame.has_burdened,
        has_samples: flame.has_samples,
        // The profile that it is compared with.
        against: difference,
    }
}
