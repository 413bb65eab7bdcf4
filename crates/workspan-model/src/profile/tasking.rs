//! Tasking overhead: what creating and scheduling tasks costs.

use serde::{Deserialize, Serialize};

use crate::{Calibration, Cost, Nanos, Node, SiteKind, Work};

/// Estimated time spent creating and scheduling tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskingOverhead {
    /// The time.
    pub time: Nanos,
    /// `time` as a share of the work: 0.25 is a quarter of it.
    pub share: f64,
}

impl TaskingOverhead {
    /// From this share of the work on, it counts.
    const COSTLY: f64 = 0.1;

    /// Whether one thread that makes no tasks may take much less time.
    pub fn is_costly(self) -> bool {
        self.share >= Self::COSTLY
    }

    /// An overhead of `time` relative to `work`.
    pub fn against(time: Nanos, work: Work) -> Self {
        Self {
            time,
            share: time.share_of(work.time()),
        }
    }
}

/// Tasking overhead of one node whose site is of `kind`: the number of runtime operations there
/// times their calibrated costs (TaskProf §3.4 measures the same quantity directly).
///
/// A thread of the program's own is not a construct of a runtime and costs nothing here.
pub fn tasking_overhead(node: &Node, kind: SiteKind, calibration: &Calibration) -> Nanos {
    let on_work = &node.on_work;
    match kind {
        SiteKind::Root
        | SiteKind::Thread
        | SiteKind::Function
        | SiteKind::Region
        | SiteKind::Critical
        | SiteKind::Atomic
        | SiteKind::Ordered
        | SiteKind::Lock => Nanos::ZERO,
        SiteKind::Join | SiteKind::ParIter | SiteKind::ParBridge | SiteKind::ParSort => {
            calibration.join.times(on_work.count)
        }
        SiteKind::Spawn | SiteKind::Task => calibration.spawn.times(on_work.count),
        SiteKind::Scope | SiteKind::Taskgroup => calibration.scope.times(on_work.count),
        SiteKind::Broadcast | SiteKind::Parallel | SiteKind::Loop | SiteKind::Sections => {
            calibration.spawn.times(on_work.spawns) + calibration.scope.times(on_work.count)
        }
    }
}

/// The cost of one task of a site of this kind if it is not stolen.
pub fn task_cost(kind: SiteKind, calibration: &Calibration) -> Cost {
    match kind {
        SiteKind::Join => calibration.join,
        kind if kind.is_iterator() => calibration.join,
        _ => calibration.spawn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, NodeId, OnWork, SiteId};

    #[test]
    fn each_kind_pays_for_its_operations() {
        let calibration = Calibration {
            join: Cost::from_nanos(17.0),
            spawn: Cost::from_nanos(50.5),
            scope: Cost::from_nanos(100.0),
            ..Calibration::default()
        };
        let node = Node {
            on_work: OnWork {
                count: 3,
                spawns: 8,
                syncs: 3,
                ..OnWork::default()
            },
            ..Node::new(Some(NodeId::ROOT), SiteId(1))
        };
        let overhead = |kind| tasking_overhead(&node, kind, &calibration).as_nanos();
        assert_eq!(overhead(SiteKind::Join), 51);
        assert_eq!(overhead(SiteKind::ParIter), 51);
        assert_eq!(overhead(SiteKind::Spawn), 152);
        assert_eq!(overhead(SiteKind::Scope), 300);
        assert_eq!(overhead(SiteKind::Broadcast), 8 * 50 + 4 + 300);
        assert_eq!(overhead(SiteKind::Thread), 0);
        assert_eq!(overhead(SiteKind::Task), 152);
        assert_eq!(overhead(SiteKind::Taskgroup), 300);
        for kind in [SiteKind::Parallel, SiteKind::Loop, SiteKind::Sections] {
            assert_eq!(overhead(kind), 8 * 50 + 4 + 300);
        }
    }
}
