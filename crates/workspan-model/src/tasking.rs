//! Tasking overhead: what creating and scheduling tasks costs.

use serde::{Deserialize, Serialize};

use crate::{Calibration, Nanos, Node, SiteKind, Work};

/// Estimated time spent creating and scheduling tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskingOverhead {
    /// The time.
    pub time: Nanos,
    /// It, as a share of the work: 0.25 is a quarter of it.
    pub share: f64,
}

impl TaskingOverhead {
    /// An overhead of `time` against `work`.
    pub fn against(time: Nanos, work: Work) -> Self {
        Self {
            time,
            share: time.share_of(work.time()),
        }
    }
}

/// Tasking overhead of one node whose site is of `kind`: the operations of rayon counted there times
/// their calibrated costs (TaskProf §3.4 measures the same quantity directly).
///
/// A thread of the program's own is no construct of rayon and costs nothing here.
pub fn tasking_overhead(node: &Node, kind: SiteKind, calibration: &Calibration) -> Nanos {
    let on_work = &node.on_work;
    match kind {
        SiteKind::Root | SiteKind::Thread | SiteKind::Function | SiteKind::Region => Nanos::ZERO,
        SiteKind::Join | SiteKind::ParIter | SiteKind::ParBridge | SiteKind::ParSort => {
            calibration.join.times(on_work.count)
        }
        SiteKind::Spawn => calibration.spawn.times(on_work.count),
        SiteKind::Scope => calibration.scope.times(on_work.count),
        SiteKind::Broadcast => {
            calibration.spawn.times(on_work.spawns) + calibration.scope.times(on_work.count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, NodeId, OnSpan, OnWork, SiteId};

    #[test]
    fn each_kind_pays_for_its_operations() {
        let calibration = Calibration {
            join: Cost::from_nanos(17.0),
            spawn: Cost::from_nanos(50.5),
            scope: Cost::from_nanos(100.0),
            ..Calibration::default()
        };
        let node = Node {
            parent: Some(NodeId::ROOT),
            site: SiteId(1),
            recursive: false,
            on_work: OnWork {
                count: 3,
                spawns: 8,
                syncs: 3,
                ..OnWork::default()
            },
            path: Vec::new(),
            on_span: OnSpan::default(),
        };
        let overhead = |kind| tasking_overhead(&node, kind, &calibration).as_nanos();
        assert_eq!(overhead(SiteKind::Join), 51);
        assert_eq!(overhead(SiteKind::ParIter), 51);
        assert_eq!(overhead(SiteKind::Spawn), 152);
        assert_eq!(overhead(SiteKind::Scope), 300);
        assert_eq!(overhead(SiteKind::Broadcast), 8 * 50 + 4 + 300);
        assert_eq!(overhead(SiteKind::Thread), 0);
    }
}
