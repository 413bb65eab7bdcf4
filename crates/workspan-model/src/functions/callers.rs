//! From where functions are called.

use std::collections::{HashMap, HashSet};

use crate::Location;

use super::{Caller, Identities, Place, Weight, Whole};

/// What was called from where: of a function, its callers.
#[derive(Default)]
pub(super) struct Callers<'a> {
    of: HashMap<usize, HashMap<(usize, Option<&'a Location>), Weight>>,
}

impl<'a> Callers<'a> {
    /// Counts the call that each function on a stack began with. Recursion is folded: that is its outermost one.
    pub(super) fn add(&mut self, stack: &[Place<'a>], weight: Weight) {
        let mut seen = HashSet::new();
        for (callee, caller) in stack.iter().zip(stack.iter().skip(1)).rev() {
            // Of the outermost function itself no caller is known.
            if seen.is_empty() {
                seen.insert(caller.function);
            }
            if seen.insert(callee.function) {
                let callers = self.of.entry(callee.function).or_default();
                let key = (caller.function, caller.location);
                callers.entry(key).or_default().add(weight);
            }
        }
    }

    pub(super) fn of(
        &self,
        function: usize,
        identities: &Identities<'a>,
        whole: &Whole,
    ) -> Vec<Caller> {
        let Some(callers) = self.of.get(&function) else {
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
