//! WS008: a parallel iterator is split much finer than the cores need, at a price.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::fine_tasks::{is_costly, without_tasks};
use super::skewed_children::PIECES_PER_CORE;
use super::subject::Subject;
use crate::SiteKind;

/// By itself, rayon never makes this many times the pieces that the cores need.
const MANY: f64 = 4.0;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    if subject.row.kind != SiteKind::ParIter || !is_costly(subject) {
        return None;
    }
    let (tasks, enough) = (subject.tasks(), enough(subject));
    let inside = subject.loop_around();
    if tasks < MANY * enough && inside.is_none() {
        return None;
    }
    let evidence = Evidence::OverSplitting {
        tasks,
        enough,
        task: subject.task(),
        inside,
        overhead: subject.overhead(),
    };
    Some((evidence, without_tasks(subject)))
}

/// The pieces that rayon makes of a loop by itself: some per core, and as many again for each part
/// that is stolen.
fn enough(subject: &Subject<'_>) -> f64 {
    let on_work = &subject.row.on_work;
    let stolen = on_work.stolen as f64 / on_work.top_count.max(1) as f64;
    PIECES_PER_CORE * f64::from(subject.program.cores) * (1.0 + stolen)
}
