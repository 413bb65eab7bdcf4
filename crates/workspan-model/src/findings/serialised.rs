//! WS006: `par_bridge`, a lock or another wait makes tasks run one after another.

use super::evidence::{Evidence, Serialisation};
use super::finding::Diagnosed;
use super::gain::Expectation;
use super::subject::Subject;
use crate::sampling::library::bridge_lock_share;
use crate::verdict::mostly_waits;
use crate::{Nanos, NodeId, SiteKind, Span, Work};

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
    let after = subject.with_span_cut_to(1.0 / f64::from(program.cores));
    // The items still come out of the serial iterator one after the other: the lock around it is
    // held for at least what threads waited for it, and for what samples found under it.
    let others = f64::from(program.profile.run.threads.saturating_sub(1).max(1));
    let waited = subject.construct.blocked.shown() as f64 / others;
    let bridge = |node: NodeId| program.row_of_node[node.index()] == subject.index;
    let work = subject.construct.work.time().shown() as f64;
    let sampled = work * bridge_lock_share(program.profile, bridge);
    let locked = Span::from(Nanos::from_nanos_f64(waited.max(sampled)));
    let after = Expectation {
        locked: after.locked.max(locked),
        ..after
    };
    Some((evidence, after))
}

/// Waits of many tasks, or of the code that makes up the critical path.
fn waits(subject: &Subject<'_>) -> Option<Diagnosed> {
    let (program, construct) = (subject.program, subject.construct);
    let waits_most = program.waits_most == Some(subject.index);
    let blocked = match waits_most {
        true => (construct.blocked - program.for_children).max(Nanos::ZERO),
        false if subject.row.kind == SiteKind::Root => {
            (construct.blocked - program.for_serial_children).max(Nanos::ZERO)
        }
        false => construct.blocked,
    };
    let work = construct.work.time();
    let share = blocked.share_of(work);
    let in_tasks = subject.row.kind.is_parallel() && share >= LONG_WAIT_SHARE;
    let on_path =
        program.lacks_parallelism() && mostly_waits(construct.span, construct.work, blocked);
    if !in_tasks && !on_path {
        return None;
    }
    let evidence = Evidence::Serialised(Serialisation::Waits { blocked, share });
    let after = subject.with_span_cut_to(1.0 - share);
    let after = Expectation {
        work: Work::from(after.work.time() - blocked),
        locked: match waits_most {
            // The lock that tasks waited for is what it does away with.
            true => Span::from(program.totals.locked.time()),
            false => after.locked,
        },
        ..after
    };
    Some((evidence, after))
}
