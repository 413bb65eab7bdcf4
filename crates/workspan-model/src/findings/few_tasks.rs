//! WS007: there are fewer tasks than cores.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::serial_code::runs_alone;
use super::skewed_children::{diagnose_pieces, one_piece_is_most};
use super::subject::Subject;
use crate::SiteKind;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.lacks_parallelism() || !creates_tasks(subject.row.kind) {
        return None;
    }
    // The two branches of a join may be different code: a long one next to a short one is serial
    // code.
    let is_serial = subject.row.kind == SiteKind::Join && runs_alone(subject);
    let tasks = subject.tasks_at_a_time();
    let cores = f64::from(program.cores);
    let is_uneven = || one_piece_is_most(subject) && diagnose_pieces(subject).is_some();
    if tasks >= cores || is_serial || is_uneven() {
        return None;
    }
    let evidence = Evidence::FewTasks {
        tasks,
        span_share: subject.span_share(),
    };
    Some((evidence, subject.with_span_cut_to(tasks / cores)))
}

const fn creates_tasks(kind: SiteKind) -> bool {
    matches!(
        kind,
        SiteKind::Join
            | SiteKind::ParIter
            | SiteKind::ParSort
            | SiteKind::Spawn
            | SiteKind::Task
            | SiteKind::Loop
            | SiteKind::Sections
    )
}
