//! How the time of a node divides among sampled functions.

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
    pub(super) fn new(profile: &Profile, samples: &Samples) -> Self {
        let mut nodes = vec![SampledNode::default(); profile.tree.len()];
        for stack in &samples.stacks {
            let node = &mut nodes[stack.node.index()];
            node.on_work.all += stack.on_work;
            node.on_span.all += stack.on_span;
        }
        Self { nodes }
    }

    /// The part of the node's `own` weight that the samples of one stack stand for. To be called
    /// once for each stack.
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
            work: part_of(own.work.time(), of_work).into(),
            span: part_of(own.span.time(), of_span).into(),
            burdened_span: part_of(own.burdened_span.time(), of_span).into(),
            samples: on_work,
        }
    }
}

/// The samples of a node, some of which have had their part.
#[derive(Clone, Copy, Default)]
struct Share {
    all: f64,
    used: f64,
}

impl Share {
    /// Where the next `samples` are among all, as shares: from and to.
    fn next(&mut self, samples: f64) -> [f64; 2] {
        let from = self.used;
        self.used += samples;
        [from, self.used].map(|samples| {
            if self.all > 0.0 {
                (samples / self.all).min(1.0)
            } else {
                0.0
            }
        })
    }
}

/// The part of `whole` between two shares of it. Consecutive parts add up to the whole exactly.
fn part_of(whole: Nanos, [from, to]: [f64; 2]) -> Nanos {
    let until = |share: f64| Nanos::from_nanos_f64(whole.as_nanos() as f64 * share);
    until(to) - until(from)
}
