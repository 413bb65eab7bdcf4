//! How the time of a node divides into sampled functions.

use super::FlameWeight;
use crate::{Nanos, NodeId, Profile, Samples};

/// The samples at each node.
pub(super) struct Sampled {
    nodes: Vec<SampledNode>,
}

#[derive(Clone, Copy, Default)]
struct SampledNode {
    on_work: Share,
    on_span: Share,
}

impl Sampled {
    pub(super) fn of(profile: &Profile, samples: &Samples) -> Self {
        let mut nodes = vec![SampledNode::default(); profile.tree.len()];
        for stack in &samples.stacks {
            let node = &mut nodes[stack.node.index()];
            node.on_work.all += stack.on_work;
            node.on_span.all += stack.on_span;
        }
        Self { nodes }
    }

    /// What samples of `node` stand for, of what is the node's own. To be asked once for each stack.
    pub(super) fn part_of(
        &mut self,
        node: NodeId,
        on_work: f64,
        on_span: f64,
        own: FlameWeight,
    ) -> FlameWeight {
        let node = &mut self.nodes[node.index()];
        let of_work = node.on_work.next(on_work);
        let of_span = node.on_span.next(on_span);
        FlameWeight {
            work: of_work.of(own.work.time()).into(),
            span: of_span.of(own.span.time()).into(),
            burdened_span: of_span.of(own.burdened_span.time()).into(),
            samples: on_work,
        }
    }
}

/// Samples, of which some have had their part.
#[derive(Clone, Copy, Default)]
struct Share {
    all: f64,
    told: f64,
}

impl Share {
    /// Where the next `samples` lie among all, as shares: from and to.
    fn next(&mut self, samples: f64) -> Stretch {
        let from = self.told;
        self.told += samples;
        let share = |samples: f64| match self.all > 0.0 {
            true => (samples / self.all).min(1.0),
            false => 0.0,
        };
        Stretch {
            from: share(from),
            to: share(self.told),
        }
    }
}

/// A part of a whole that is divided without a rest.
#[derive(Clone, Copy)]
struct Stretch {
    from: f64,
    to: f64,
}

impl Stretch {
    fn of(self, whole: Nanos) -> Nanos {
        let until = |share: f64| Nanos::from_nanos_f64(whole.as_nanos() as f64 * share);
        until(self.to) - until(self.from)
    }
}
