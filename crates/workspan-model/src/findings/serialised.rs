//! WS006: `par_bridge`, a lock or another wait has tasks run one after another.

use super::Diagnosed;
use super::evidence::{Evidence, Serialisation};
use super::gain::Expectation;
use super::subject::Subject;
use crate::verdict::mostly_waits;
use crate::{SiteKind, Work};

/// Tasks that wait for this share of their time hold cores that could work. Less is what I/O and a lock now and then
/// cost.
const LONG_WAIT_SHARE: f64 = 0.1;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    if subject.row.kind == SiteKind::ParBridge {
        bridge(subject)
    } else {
        waits(subject)
    }
}

/// One loop a thread: only as many items run at once as there are threads, whatever number is assumed.
fn bridge(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.is_short_of_parallelism() {
        return None;
    }
    let evidence = Evidence::Serialised(Serialisation::Bridge {
        span_share: subject.span_share(),
    });
    Some((
        evidence,
        subject.with_span_cut_to(1.0 / f64::from(program.cores)),
    ))
}

/// Waits of many tasks, or of what the critical path is made of.
fn waits(subject: &Subject<'_>) -> Option<Diagnosed> {
    let construct = subject.construct;
    let (work, blocked) = (construct.work.time(), construct.blocked);
    let share = blocked.share_of(work);
    let in_tasks = subject.row.kind.is_parallel() && share >= LONG_WAIT_SHARE;
    let on_path = subject.program.is_short_of_parallelism()
        && mostly_waits(construct.span, construct.work, blocked);
    if !in_tasks && !on_path {
        return None;
    }
    let evidence = Evidence::Serialised(Serialisation::Waits { blocked, share });
    let after = subject.with_span_cut_to(1.0 - share);
    let after = Expectation {
        work: Work::from(after.work.time() - blocked),
        ..after
    };
    Some((evidence, after))
}
