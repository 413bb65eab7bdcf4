//! WS003: code that runs alone makes up the span.

use super::Diagnosed;
use super::evidence::Evidence;
use super::subject::Subject;

/// Code runs alone if more than this of its time lies on the critical path: two equal tasks beside one another have
/// half of it there.
const ALONE_SHARE: f64 = 0.6;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.is_short_of_parallelism() || !runs_alone(subject) {
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

/// Whether the construct's own code has nothing of its own kind beside it, most of the time.
pub(super) fn runs_alone(subject: &Subject<'_>) -> bool {
    let (span, work) = (subject.construct.span, subject.construct.work);
    span.time().share_of(work.time()) > ALONE_SHARE
}
