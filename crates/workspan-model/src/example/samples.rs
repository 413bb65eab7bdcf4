//! Samples of the example's functions.

use crate::{FrameId, LineUse, NodeId, SampledStack, Samples, StackFrame};

/// Samples with a frame for each of these functions of the user, and with stacks of a node, its
/// frames, and its samples on the work and on the span.
pub fn samples(functions: &[&str], stacks: &[(u32, &[u32], f64, f64)]) -> Samples {
    let frames = functions.iter().map(|function| StackFrame {
        function: Some((*function).to_owned()),
        user_code: true,
        ..StackFrame::default()
    });
    let stacks = stacks
        .iter()
        .map(|&(node, frames, on_work, on_span)| SampledStack {
            node: NodeId(node),
            frames: frames.iter().copied().map(FrameId).collect(),
            on_work,
            on_span,
            elapsed: on_span.max(on_work / 2.0),
            line: LineUse::Unknown,
        });
    Samples {
        rate: 1_000,
        frames: frames.collect(),
        stacks: stacks.collect(),
        ..Samples::default()
    }
}
