//! How the flame graph differs from that of another profile.

use serde::Serialize;
use workspan_model::{Dag, Flame, FlameFrame, Nanos, Profile, SiteRow, flame};

use super::flame::{FrameWords, WeightView, weight};
use super::number::rounded;
use crate::readable::readable;

/// So many frames are told that are not there any more.
const MOST_GONE: usize = 30;

/// An earlier profile, which the flame graph is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its [`site_rows`](workspan_model::site_rows).
    pub rows: &'a [SiteRow],
    /// Its task dag, where there is one.
    pub dag: Option<&'a Dag>,
    /// Its file.
    pub file: &'a str,
}

#[derive(Serialize)]
pub(super) struct AgainstView {
    file: String,
    has_burdened: bool,
    has_samples: bool,
    /// The largest frames that are not there any more.
    gone: Vec<GoneView>,
    gone_left_out: usize,
}

#[derive(Serialize)]
struct GoneView {
    label: String,
    place: String,
    weight: WeightView,
}

/// What a frame was before, and by how much it has grown since: in nanoseconds and samples, and in shares of the whole.
#[derive(Serialize)]
pub(super) struct DifferenceView {
    before: WeightView,
    time: (i64, i64, i64, f64),
    share: [f64; 4],
}

impl AgainstView {
    /// Compares `graph`, whose rows are `rows`.
    pub(super) fn of(against: &Against<'_>, graph: &mut Flame, rows: &[SiteRow]) -> Self {
        let old = flame(against.profile, against.rows, against.dag, usize::MAX);
        let gone = graph.compare(rows, &old, against.rows);
        let told = gone.iter().take(MOST_GONE).map(|&index| {
            let frame = &old.frames[index];
            let words = FrameWords::of(&frame.code, against.rows);
            GoneView {
                label: words.name.unwrap_or(words.label),
                place: words.place,
                weight: weight(&frame.weight),
            }
        });
        Self {
            file: readable(against.file),
            has_burdened: old.has_burdened,
            has_samples: old.has_samples,
            gone: told.collect(),
            gone_left_out: gone.len().saturating_sub(MOST_GONE),
        }
    }
}

impl DifferenceView {
    /// `None` of a graph that is compared with none; `whole` is its first frame.
    pub(super) fn of(frame: &FlameFrame, whole: &FlameFrame) -> Option<Self> {
        let growth = frame.growth(whole)?;
        let nanos = |time: Nanos| time.as_nanos();
        Some(Self {
            before: weight(&frame.before.unwrap_or_default()),
            time: (
                nanos(growth.work),
                nanos(growth.span),
                nanos(growth.burdened_span),
                rounded(growth.samples),
            ),
            share: growth.shares.map(rounded),
        })
    }
}
