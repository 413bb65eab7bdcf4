//! The own part of each node of the call tree.

use super::FlameWeight;
use crate::{Dag, Nanos, Profile, Span, Work};

/// The own part of each node. The parts add up to the work and to the span of the program, and to
/// the longest burdened path of `dag`.
///
/// The profiler's cost is subtracted in mean values, so that the sum over many short strands may be
/// negative. The node above takes over such a debt. What is left of the span when the parts are
/// rounded to nanoseconds goes to the root.
pub(super) fn own_parts(profile: &Profile, dag: Option<&Dag>) -> Vec<FlameWeight> {
    let burdened = dag.map(|dag| dag.burdened_path_by_node(profile.tree.len()));
    let parts = profile.tree.iter().enumerate().map(|(index, node)| {
        let burdened = burdened.as_ref();
        FlameWeight {
            work: node.on_work.local_work,
            span: node.on_span.local_span,
            burdened_span: burdened.map_or(Span::ZERO, |spans| spans[index]),
            samples: 0.0,
        }
    });
    let mut parts: Vec<FlameWeight> = parts.collect();
    let sum = |quantity: fn(&FlameWeight) -> Span| -> Nanos {
        let sum: Span = parts.iter().map(quantity).sum();
        sum.time()
    };
    let rest = profile.span.time() - sum(|part| part.span);
    let burdened_rest = dag.map_or(Nanos::ZERO, |dag| {
        dag.time_of(dag.totals().burdened_span) - sum(|part| part.burdened_span)
    });
    parts[0].span += rest.into();
    parts[0].burdened_span += burdened_rest.into();
    for (index, node) in profile.tree.iter().enumerate().rev() {
        let debt = take_debt(&mut parts[index]);
        if let Some(parent) = node.parent {
            parts[parent.index()] += debt;
        }
    }
    parts
}

/// Removes the negative quantities from `part` and returns them.
fn take_debt(part: &mut FlameWeight) -> FlameWeight {
    let debt = FlameWeight {
        work: part.work.min(Work::ZERO),
        span: part.span.min(Span::ZERO),
        burdened_span: part.burdened_span.min(Span::ZERO),
        samples: 0.0,
    };
    part.work = part.work.max(Work::ZERO);
    part.span = part.span.max(Span::ZERO);
    part.burdened_span = part.burdened_span.max(Span::ZERO);
    debt
}
