//! How the flame graph differs from that of another profile.

use serde::Serialize;
use workspan_model::{Dag, Flame, FlameFrame, Profile, SiteRow, flame};

use super::frame::{FrameWords, WeightView, weight};
use super::number::rounded;
use crate::object::object;
use crate::readable::readable;

/// At most this many frames that are gone are listed.
const MOST_GONE: usize = 30;

/// An earlier profile to compare the flame graph with.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its [`site_rows`](workspan_model::site_rows).
    pub rows: &'a [SiteRow],
    /// Its task dag, if there is one.
    pub dag: Option<&'a Dag>,
    /// Its file.
    pub file: &'a str,
}

/// What a frame was before, and by how much it has grown since: in nanoseconds and samples, and in
/// shares of the whole.
#[derive(Serialize)]
pub(super) struct DifferenceView {
    before: WeightView,
    time: (i64, i64, i64, f64),
    share: [f64; 4],
}

/// Compares `graph`, whose rows are `rows`.
pub(super) fn compare(
    against: &Against<'_>,
    graph: &mut Flame,
    rows: &[SiteRow],
) -> impl Serialize + use<> {
    let old = flame(against.profile, against.rows, against.dag, usize::MAX);
    let gone = graph.compare(rows, &old, against.rows);
    let listed = gone.iter().take(MOST_GONE).map(|&index| {
        let frame = &old.frames[index];
        let words = FrameWords::new(&frame.code, against.rows);
        object! {
            label: words.name.unwrap_or(words.label),
            place: words.place,
            weight: weight(&frame.weight),
        }
    });
    object! {
        file: readable(against.file),
        has_burdened: old.has_burdened,
        has_samples: old.has_samples,
        // The largest frames that are gone.
        gone: listed.collect::<Vec<_>>(),
        gone_left_out: gone.len().saturating_sub(MOST_GONE),
    }
}

impl DifferenceView {
    /// `None` in a graph that is compared with none; `whole` is its first frame.
    pub(super) fn new(frame: &FlameFrame, whole: &FlameFrame) -> Option<Self> {
        let growth = frame.growth(whole)?;
        Some(Self {
            before: weight(&frame.before.unwrap_or_default()),
            time: (
                growth.work.as_nanos(),
                growth.span.as_nanos(),
                growth.burdened_span.as_nanos(),
                rounded(growth.samples),
            ),
            share: growth.shares.map(rounded),
        })
    }
}
