//! Logical stacks: where a task's stack ends, it continues at the task's spawn site.

use std::collections::HashSet;

use crate::{FrameId, Location, NodeId, Profile, Samples, SiteId};

use super::Identities;
use super::identity::around_closure;

/// The logical stacks of all samples, with the user's functions only.
pub(crate) struct Logical<'a> {
    samples: &'a Samples,
    /// For each frame, its place if it is the user's code.
    places: Vec<Option<Place<'a>>>,
    /// For each site, what is around it in the same task, innermost first.
    around_sites: Vec<Vec<Place<'a>>>,
    /// For each node of the call tree, what is outside of its tasks, innermost first.
    outside: Vec<Vec<Place<'a>>>,
    /// For each function, whether it, or something that it calls, contains a spawn site.
    parallel: Vec<bool>,
}

/// A function on a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place<'a> {
    pub(crate) function: usize,
    /// The line that runs, or from which the next inner function was called.
    pub(crate) location: Option<&'a Location>,
}

impl<'a> Logical<'a> {
    pub(crate) fn new(
        profile: &'a Profile,
        samples: &'a Samples,
        identities: &Identities<'a>,
    ) -> Self {
        let frames = samples.frames.iter().enumerate();
        let places = frames.map(|(id, frame)| {
            frame.user_code.then(|| Place {
                function: identities.of_frame(id),
                location: frame.location.as_ref(),
            })
        });
        let mut logical = Self {
            samples,
            places: places.collect(),
            around_sites: Vec::new(),
            outside: Vec::new(),
            parallel: Vec::new(),
        };
        let around_sites: Vec<Vec<Place<'a>>> = (0..)
            .map(SiteId)
            .take(profile.sites.len())
            .map(|site| logical.around(profile, site, identities))
            .collect();
        for node in &profile.tree {
            let mut outside = around_sites[node.site.index()].clone();
            if let Some(parent) = node.parent {
                outside.extend_from_slice(&logical.outside[parent.index()]);
            }
            logical.outside.push(outside);
        }
        logical.parallel = logical.parallel_functions(profile, &around_sites, identities);
        logical.around_sites = around_sites;
        logical
    }

    /// The functions from a site out to the beginning of the task around it, innermost first.
    pub(crate) fn around_site(&self, site: SiteId) -> &[Place<'a>] {
        &self.around_sites[site.index()]
    }

    /// What is outside of a node's tasks, innermost first.
    pub(super) fn outside_of(&self, node: NodeId) -> &[Place<'a>] {
        &self.outside[node.index()]
    }

    /// The stack on which a site was first reached, or at least the function around it.
    fn around(
        &self,
        profile: &'a Profile,
        site: SiteId,
        identities: &Identities<'a>,
    ) -> Vec<Place<'a>> {
        let frames = self.samples.around_sites.get(site.index());
        let places: Vec<Place<'a>> = self.users(frames.map_or(&[], Vec::as_slice)).collect();
        if !places.is_empty() {
            return places;
        }
        let site = &profile.sites[site.index()];
        let function = site.function.as_deref();
        function
            .and_then(|name| identities.with_name(name))
            .map(|function| Place {
                function,
                location: site.location.as_ref(),
            })
            .into_iter()
            .collect()
    }

    fn users(&self, frames: &[FrameId]) -> impl Iterator<Item = Place<'a>> {
        frames.iter().filter_map(|id| self.places[id.index()])
    }

    /// The user's functions on the stack of a sample, innermost first.
    pub(crate) fn stack(&self, index: usize) -> impl Iterator<Item = Place<'a>> {
        let stack = &self.samples.stacks[index];
        let outside = self.outside[stack.node.index()].iter().copied();
        self.users(&stack.frames).chain(outside)
    }

    /// The user's functions from the innermost one to the one in which the task began.
    pub(crate) fn within_task(&self, index: usize) -> impl Iterator<Item = Place<'a>> {
        self.users(&self.samples.stacks[index].frames)
    }

    pub(crate) fn is_parallel(&self, function: usize) -> bool {
        self.parallel[function]
    }

    /// The outermost place of a stack in a function that is serial, as is everything that it calls.
    pub(crate) fn outermost_serial<'p>(&self, places: &'p [Place<'a>]) -> Option<&'p Place<'a>> {
        let mut from_outside = places.iter().rev();
        from_outside.find(|place| !self.parallel[place.function])
    }

    /// The parallel functions: those that contain a spawn site, those outside of such a function on
    /// a stack, and the closures in both.
    fn parallel_functions(
        &self,
        profile: &Profile,
        around_sites: &[Vec<Place<'a>>],
        identities: &Identities<'a>,
    ) -> Vec<bool> {
        let name = |function: usize| identities.name(function).map(around_closure);
        let spawning = profile
            .sites
            .iter()
            .zip(around_sites)
            .filter(|(site, _)| !site.kind.is_serial());
        let mut parallel: HashSet<&str> = HashSet::new();
        for (site, around) in spawning {
            parallel.extend(site.function.as_deref().map(around_closure));
            parallel.extend(around.iter().filter_map(|place| name(place.function)));
        }
        // A function that calls one that turns out to be parallel is parallel too.
        loop {
            let before = parallel.len();
            for index in 0..self.samples.stacks.len() {
                let mut names = self
                    .within_task(index)
                    .filter_map(|place| name(place.function));
                if names.any(|name| parallel.contains(name)) {
                    parallel.extend(names);
                }
            }
            if parallel.len() == before {
                break;
            }
        }
        (0..identities.len())
            .map(|function| name(function).is_some_and(|name| parallel.contains(name)))
            .collect()
    }
}
