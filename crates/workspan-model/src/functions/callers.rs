//! The callers of functions.

use std::collections::{HashMap, HashSet};

use crate::Location;

use super::{Identities, OnBoth, Place, Weight, Whole};

/// A place from which a function was called.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The calling function.
    pub function: Option<String>,
    /// The place of the call.
    pub location: Option<Location>,
    /// The part of the function that was called from there.
    pub share: OnBoth,
}

/// The weight of each caller, by called function.
#[derive(Default)]
pub(super) struct Callers<'a> {
    by_callee: HashMap<usize, HashMap<(usize, Option<&'a Location>), Weight>>,
}

impl<'a> Callers<'a> {
    /// Counts, for each function on a stack, its outermost call: recursion is folded.
    pub(super) fn add(&mut self, stack: &[Place<'a>], weight: Weight) {
        let mut seen = HashSet::new();
        for (callee, caller) in stack.iter().zip(stack.iter().skip(1)).rev() {
            // The caller of the outermost function is not known.
            if seen.is_empty() {
                seen.insert(caller.function);
            }
            if seen.insert(callee.function) {
                let callers = self.by_callee.entry(callee.function).or_default();
                let key = (caller.function, caller.location);
                callers.entry(key).or_default().add(weight);
            }
        }
    }

    pub(super) fn callers_of(
        &self,
        function: usize,
        identities: &Identities<'a>,
        whole: &Whole,
    ) -> Vec<Caller> {
        let Some(callers) = self.by_callee.get(&function) else {
            return Vec::new();
        };
        let mut callers: Vec<_> = callers.iter().collect();
        callers.sort_by(|(one, one_weight), (other, other_weight)| {
            let key = |weight: &Weight| (weight.on_span.nanos, weight.on_work.nanos);
            let by_weight = key(other_weight).partial_cmp(&key(one_weight));
            by_weight
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| identities.name(one.0).cmp(&identities.name(other.0)))
                .then_with(|| one.1.cmp(&other.1))
        });
        let caller =
            |(&(function, location), &weight): (&(usize, Option<&Location>), &Weight)| Caller {
                function: identities.name(function).map(str::to_owned),
                location: location.cloned(),
                share: whole.share(weight),
            };
        callers.into_iter().map(caller).collect()
    }
}
