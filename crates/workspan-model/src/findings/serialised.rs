//! WS006: `par_bridge`, a lock or another wait makes tasks run one after another.

use super::evidence::{Evidence, Serialisation};
use super::finding::Diagnosed;
use super::gain::Expectation;
use super::subject::Subject;
use crate::verdict::mostly_waits;
use crate::{SiteKind, Work};

/// Tasks that wait for this share of their time occupy cores that could work. Anything less is the
/// usual cost of I/O and an occasional lock.
const LONG_WAIT_SHARE: f64 = 0.1;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    if subject.row.kind == SiteKind::ParBridge {
        bridge(subject)
    } else {
        waits(subject)
    }
}

/// One loop per thread: only as many items run at once as there are actual threads, whatever number
/// is assumed.
fn bridge(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.lacks_parallelism() {
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

/// Waits of many tasks, or of the code that makes up the critical path.
fn waits(subject: &Subject<'_>) -> Option<Diagnosed> {
    let construct = subject.construct;
    let (work, blocked) = (construct.work.time(), construct.blocked);
    let share = blocked.share_of(work);
    let in_tasks = subject.row.kind.is_parallel() && share >= LONG_WAIT_SHARE;
    let on_path = subject.program.lacks_parallelism()
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
