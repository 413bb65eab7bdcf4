//! The profile of one run.

use serde::{Deserialize, Serialize};

use crate::{
    Calibration, EngineCount, FrameId, Lock, LockUse, Machine, Node, NodeId, RegionInstance,
    Repetition, Run, SampledStack, Samples, Site, SiteId, SiteKind, Span, Timing,
};

/// What was measured in one run of a program.
///
/// [`Profile::check`] tells whether the parts fit together; everything in this crate that takes a
/// profile relies on that and may panic otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// How the program was run and how it ended.
    pub run: Run,
    /// Where it ran.
    pub machine: Machine,
    /// What the operations of rayon and of the profiler cost there.
    pub calibration: Calibration,
    /// The spawn sites; the root first.
    pub sites: Vec<Site>,
    /// The call tree; the root first, every node after its parent.
    pub tree: Vec<Node>,
    /// Span of the program.
    pub span: Span,
    /// Span with the burden added on every edge that can be stolen.
    pub burdened_span: Span,
    /// How closely the strands were timed. Profiles of before there was a choice were timed exactly.
    #[serde(default)]
    pub timing: Timing,
    /// What the engine counted of itself, in its order.
    #[serde(default)]
    pub engine: Vec<EngineCount>,
    /// The figures of all runs, when there were several; the rest of the profile is of one of them.
    #[serde(default)]
    pub repetition: Option<Repetition>,
    /// What sampling saw, if it was on or could not be.
    #[serde(default)]
    pub samples: Option<Samples>,
    /// Single instances of regions, in the order of their ends; the first of each region.
    #[serde(default)]
    pub instances: Vec<RegionInstance>,
    /// Locks that the program acquired; of very many the ones that were held longest.
    #[serde(default)]
    pub locks: Vec<Lock>,
    /// What was done under others, which are not told apart, by site.
    #[serde(default)]
    pub other_locks: Vec<LockUse>,
}

/// The most call sites that lie in one another, as far as the call tree tells them: what lies deeper counts at the innermost of these.
/// The engine keeps the same limit.
pub const MOST_NESTED_SITES: usize = 500;

/// The most cores or threads that a profile is of.
pub const MOST_CORES: u32 = 1 << 16;

/// How the parts of a profile do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidProfile {
    /// The first site is missing or is another one, or the root appears again.
    #[error("the profile has to start with its one root site")]
    RootSite,
    /// The first node is missing, has a parent, or is not of the root site.
    #[error("the call tree has to start with its one root node")]
    RootNode,
    /// A node's parent does not stand before it.
    #[error("node {} of the call tree has no parent before it", .0.0)]
    Parent(NodeId),
    /// A node lies in more than [`MOST_NESTED_SITES`] others.
    #[error("node {} of the call tree lies in more than {MOST_NESTED_SITES} others", .0.0)]
    Depth(NodeId),
    /// More cores or threads than [`MOST_CORES`].
    #[error("{0} cores or threads, of which there are at most {MOST_CORES}")]
    Cores(u32),
    /// A node's site does not exist.
    #[error("node {} of the call tree names site {}, which does not exist", .0.0, .1.0)]
    Site(NodeId, SiteId),
    /// A node's paths go through a node that does not exist.
    #[error("the paths of node {} of the call tree go through node {}, which does not exist", .0.0, .1.0)]
    Path(NodeId, NodeId),
    /// A sampled stack, by its place in the list, is of a node or has a frame that does not exist.
    #[error("stack {0} of the samples names a node or a frame that does not exist")]
    Stack(usize),
    /// The stacks around the sites are more than there are sites, or have a frame that does not exist.
    #[error("the stacks around the sites name a site or a frame that does not exist")]
    AroundSites,
    /// An instance, by its place in the list, is of a node that does not exist.
    #[error("instance {0} of the regions is of a node that does not exist")]
    Instance(usize),
    /// A lock was acquired at a site that does not exist, or is no such site.
    #[error("a lock was acquired at site {}, which is none that acquires one", .0.0)]
    Lock(SiteId),
    /// The run that the profile is of is none of those repeated.
    #[error("run {0} of the repetition does not exist")]
    Repetition(usize),
}

impl Profile {
    /// Whether the parts fit together.
    ///
    /// # Errors
    /// Names the first part that does not.
    pub fn check(&self) -> Result<(), InvalidProfile> {
        let mut sites = self.sites.iter().map(|site| site.kind);
        if sites.next() != Some(SiteKind::Root) || sites.any(|kind| kind == SiteKind::Root) {
            return Err(InvalidProfile::RootSite);
        }
        let cores = [self.run.threads, self.run.assumed_cores];
        if let Some(cores) = cores.into_iter().find(|cores| *cores > MOST_CORES) {
            return Err(InvalidProfile::Cores(cores));
        }
        let root = self.tree.first().ok_or(InvalidProfile::RootNode)?;
        if root.parent.is_some() || root.site != SiteId::ROOT || root.recursive {
            return Err(InvalidProfile::RootNode);
        }
        let mut depths = vec![0; self.tree.len()];
        for (id, node) in (0..).map(NodeId).zip(&self.tree).skip(1) {
            let Some(parent) = node.parent.filter(|parent| *parent < id) else {
                return Err(InvalidProfile::Parent(id));
            };
            let depth = depths[parent.index()] + 1;
            if depth > MOST_NESTED_SITES {
                return Err(InvalidProfile::Depth(id));
            }
            depths[id.index()] = depth;
            if node.site == SiteId::ROOT || node.site.index() >= self.sites.len() {
                return Err(InvalidProfile::Site(id, node.site));
            }
        }
        let exists = |node: NodeId| node.index() < self.tree.len();
        for (id, node) in (0..).map(NodeId).zip(&self.tree) {
            if let Some(part) = node.path.iter().find(|part| !exists(part.node)) {
                return Err(InvalidProfile::Path(id, part.node));
            }
        }
        if let Some(samples) = &self.samples {
            let known = |frames: &[FrameId]| {
                let mut frames = frames.iter();
                frames.all(|frame| frame.index() < samples.frames.len())
            };
            let fits = |stack: &SampledStack| exists(stack.node) && known(&stack.frames);
            if let Some(stack) = samples.stacks.iter().position(|stack| !fits(stack)) {
                return Err(InvalidProfile::Stack(stack));
            }
            let around = &samples.around_sites;
            let all_known = around.iter().all(|frames| known(frames));
            if around.len() > self.sites.len() || !all_known {
                return Err(InvalidProfile::AroundSites);
            }
        }
        let of_nothing = |instance: &RegionInstance| !exists(instance.node);
        if let Some(instance) = self.instances.iter().position(of_nothing) {
            return Err(InvalidProfile::Instance(instance));
        }
        let uses = self.locks.iter().flat_map(|lock| &lock.uses);
        for &LockUse { site, .. } in uses.chain(&self.other_locks) {
            let known = self.sites.get(site.index());
            if !known.is_some_and(|site| site.kind.is_lock()) {
                return Err(InvalidProfile::Lock(site));
            }
        }
        match &self.repetition {
            Some(repetition) if repetition.shown >= repetition.runs.len() => {
                Err(InvalidProfile::Repetition(repetition.shown))
            }
            _ => Ok(()),
        }
    }

    /// Whether the nodes tell their own paths, and with them what version 3 of the file added to them: local span on
    /// the work, and what instances on the critical path did. The root has a path at least, so a profile without
    /// any is of an older engine.
    pub fn has_paths(&self) -> bool {
        self.tree.iter().any(|node| !node.path.is_empty())
    }

    /// The site of a node.
    ///
    /// # Panics
    /// When the profile is not valid.
    pub fn site_of(&self, node: &Node) -> &Site {
        &self.sites[node.site.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn checked(change: impl FnOnce(&mut Profile)) -> Result<(), InvalidProfile> {
        let mut profile = example::quicksort();
        change(&mut profile);
        profile.check()
    }

    #[test]
    fn parts_have_to_fit_together() {
        let (one, two) = (NodeId(1), SiteId(2));
        assert_eq!(checked(|_| ()), Ok(()));
        assert_eq!(
            checked(|profile| profile.sites.clear()),
            Err(InvalidProfile::RootSite)
        );
        assert_eq!(
            checked(|profile| profile.sites.reverse()),
            Err(InvalidProfile::RootSite)
        );
        assert_eq!(
            checked(|profile| profile.tree.clear()),
            Err(InvalidProfile::RootNode)
        );
        assert_eq!(
            checked(|profile| profile.tree.reverse()),
            Err(InvalidProfile::RootNode)
        );
        assert_eq!(
            checked(|profile| profile.tree[1].parent = Some(one)),
            Err(InvalidProfile::Parent(one))
        );
        assert_eq!(
            checked(|profile| profile.tree[1].parent = None),
            Err(InvalidProfile::Parent(one))
        );
        assert_eq!(
            checked(|profile| profile.run.assumed_cores = u32::MAX),
            Err(InvalidProfile::Cores(u32::MAX))
        );
        let nested = |depth: usize| {
            checked(|profile| {
                for parent in 1..depth as u32 {
                    let node = profile.tree[1].clone();
                    profile.tree.push(Node {
                        parent: Some(NodeId(parent)),
                        ..node
                    });
                }
            })
        };
        assert_eq!(nested(MOST_NESTED_SITES), Ok(()));
        let deepest = NodeId(MOST_NESTED_SITES as u32 + 1);
        assert_eq!(
            nested(MOST_NESTED_SITES + 1),
            Err(InvalidProfile::Depth(deepest))
        );
        assert_eq!(
            checked(|profile| profile.tree[1].site = two),
            Err(InvalidProfile::Site(one, two))
        );
        let (runs, shown) = (Vec::new(), 0);
        assert_eq!(
            checked(|profile| profile.repetition = Some(Repetition { runs, shown })),
            Err(InvalidProfile::Repetition(0))
        );
    }
}
