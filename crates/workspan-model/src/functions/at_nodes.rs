//! Which functions run at nodes of the call tree, by samples.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Identities, Logical};
use crate::{Location, NodeId, Profile};

/// A function's part in the samples at a group of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct HotFunction {
    /// Its readable name.
    pub function: String,
    /// Where it is defined.
    pub definition: Option<Location>,
    /// Its share of the samples there; only those on the critical path count, if there are any.
    pub share: f64,
    /// The number of samples at the nodes.
    pub samples: f64,
}

/// The user's functions that run at the nodes of each of `groups`, the largest shares first, at
/// most `most` per group. Time in the standard library and rayon counts for the function that
/// called them.
///
/// # Panics
/// If the profile is not valid.
pub fn hot_functions(
    profile: &Profile,
    groups: &[Vec<NodeId>],
    most: usize,
) -> Vec<Vec<HotFunction>> {
    let Some(samples) = &profile.samples else {
        return vec![Vec::new(); groups.len()];
    };
    let identities = Identities::new(profile, samples);
    let logical = Logical::new(profile, samples, &identities);
    let periods_per_sample = samples.periods_per_sample();
    let at = |nodes: &Vec<NodeId>| {
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut all = (0.0, 0.0);
        let stacks = samples.stacks.iter().enumerate();
        for (index, stack) in stacks.filter(|(_, stack)| nodes.contains(&stack.node)) {
            all = (all.0 + stack.on_span, all.1 + stack.on_work);
            let own = logical.stack(index).next();
            if let Some(place) = own {
                let sum = sums.entry(place.function).or_default();
                *sum = (sum.0 + stack.on_span, sum.1 + stack.on_work);
            }
        }
        let on_span = all.0 > 0.0;
        let pick = |(span, work): (f64, f64)| if on_span { span } else { work };
        let total = pick(all);
        let found = sums.into_iter().filter(|(_, sum)| pick(*sum) > 0.0);
        let mut hot: Vec<HotFunction> = found
            .filter_map(|(function, sum)| {
                Some(HotFunction {
                    function: identities.name(function)?.to_owned(),
                    definition: identities.definition(function).cloned(),
                    share: pick(sum) / total,
                    samples: total / periods_per_sample,
                })
            })
            .collect();
        hot.sort_by_key(|hot| Reverse((hot.share * 1e9) as u64));
        hot.truncate(most);
        hot
    };
    groups.iter().map(at).collect()
}
