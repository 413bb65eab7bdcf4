//! Which frames belong to the same function.

use std::collections::HashMap;

use crate::{Location, Profile, SampledStack, Samples, StackFrame};

/// The functions of all frames, numbered.
pub(crate) struct Identities<'a> {
    functions: Vec<(Option<&'a str>, Option<&'a Location>)>,
    of_frame: Vec<usize>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Identities<'a> {
    /// Stands for everything that no function of the user called.
    pub(crate) const NOBODY: usize = 0;

    pub(crate) fn new(profile: &'a Profile, samples: &'a Samples) -> Self {
        let mut identities = Self {
            functions: vec![(None, None)],
            of_frame: vec![Self::NOBODY; samples.frames.len()],
            by_name: HashMap::new(),
        };
        let mut by_place = HashMap::new();
        let placed = |frame: &&StackFrame| frame.definition.is_some();
        for frame in samples.frames.iter().filter(placed) {
            if let Some(name) = frame.function.as_deref() {
                let key = (name, frame.definition.as_ref());
                let next = identities.functions.len();
                if *by_place.entry(key).or_insert(next) == next {
                    identities.functions.push((Some(name), key.1));
                    identities.by_name.entry(name).or_insert(next);
                }
            }
        }
        // A frame without a definition belongs to the first function of its name.
        for (id, frame) in samples.frames.iter().enumerate() {
            if let Some(name) = frame.function.as_deref() {
                let key = (name, frame.definition.as_ref());
                identities.of_frame[id] = match by_place.get(&key) {
                    Some(function) => *function,
                    None => identities.named(name),
                };
            }
        }
        for site in &profile.sites {
            if let Some(name) = site.function.as_deref() {
                identities.named(name);
            }
        }
        identities
    }

    fn named(&mut self, name: &'a str) -> usize {
        let next = self.functions.len();
        let function = *self.by_name.entry(name).or_insert(next);
        if function == next {
            self.functions.push((Some(name), None));
        }
        function
    }

    pub(crate) fn len(&self) -> usize {
        self.functions.len()
    }

    pub(crate) fn of_frame(&self, frame: usize) -> usize {
        self.of_frame[frame]
    }

    pub(crate) fn with_name(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn name(&self, function: usize) -> Option<&'a str> {
        self.functions[function].0
    }

    pub(crate) fn definition(&self, function: usize) -> Option<&'a Location> {
        self.functions[function].1
    }

    /// The user's functions whose machine code is on a stack, innermost first.
    pub(super) fn physical(&self, samples: &Samples, stack: &SampledStack) -> Vec<usize> {
        let ids = stack.frames.iter().map(|id| id.index());
        ids.filter(|&id| samples.frames[id].user_code && !samples.frames[id].inlined)
            .map(|id| self.of_frame[id])
            .collect()
    }
}

/// The name of the function around a closure; for any other function, its own name.
pub(crate) fn around_closure(name: &str) -> &str {
    name.split_once("::{closure}")
        .map_or(name, |(around, _)| around)
}
