//! WS003: code that runs alone makes up the span.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::subject::Subject;
use crate::SiteKind;

/// Code runs alone if more than this share of its time lies on the critical path: of two equal
/// tasks that run in parallel, half of the time does.
const ALONE_SHARE: f64 = 0.6;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    // One piece of a loop that is longer than the others is uneven, not serial.
    let is_divided = subject.row.kind == SiteKind::Loop || subject.row.may_divide_by_code();
    if is_divided && subject.tasks() >= 2.0 {
        return None;
    }
    if !program.lacks_parallelism() || !runs_alone(subject) || subject.is_library_work() {
        return None;
    }
    let (span, work) = (subject.construct.span.time(), program.totals.work.time());
    let evidence = Evidence::SerialCode {
        time: span,
        span_share: subject.span_share(),
        work_share: span.share_of(work),
    };
    let after = subject.with_span_cut_to(1.0 / f64::from(program.cores));
    Some((evidence, after))
}

/// Whether, most of the time, nothing of the construct's own code runs in parallel with it.
pub(super) fn runs_alone(subject: &Subject<'_>) -> bool {
    let (span, work) = (subject.construct.span, subject.construct.work);
    span.time().share_of(work.time()) > ALONE_SHARE
}
