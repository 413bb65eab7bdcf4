//! The profile of one run, with the figures of each run if there were several.

pub(crate) mod engine;
pub(crate) mod repetition;
pub(crate) mod sample_weight;
pub(crate) mod site_row;
pub(crate) mod task_costs;
pub(crate) mod tasking;
pub(crate) mod threads;
pub(crate) mod totals;

use serde::{Deserialize, Serialize};

use crate::{
    Calibration, EngineCount, FrameId, Lock, LockUse, Machine, Node, NodeId, RegionInstance,
    Repetition, Run, RuntimeKind, SampledStack, Samples, Site, SiteId, SiteKind, Span, ThreadShare,
    Timeline, Timing, Waits, Work,
};

/// The measurements of one run of a program.
///
/// [`Profile::check`] reports whether the parts fit together; everything in this crate that takes a
/// profile relies on that and may panic otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// How the program was run and how it ended.
    pub run: Run,
    /// Where it ran.
    pub machine: Machine,
    /// The cost of the operations of rayon and of the profiler there.
    pub calibration: Calibration,
    /// The spawn sites; the root first.
    pub sites: Vec<Site>,
    /// The call tree; the root first, every node after its parent.
    pub tree: Vec<Node>,
    /// Span of the program.
    pub span: Span,
    /// Span with the burden added on every edge that can be stolen.
    pub burdened_span: Span,
    /// How closely the strands were timed. Profiles from before there was a choice were timed
    /// exactly.
    #[serde(default)]
    pub timing: Timing,
    /// The engine's counts of its own operations, in the order in which it reported them.
    #[serde(default)]
    pub engine: Vec<EngineCount>,
    /// The figures of all runs, if there were several; the rest of the profile is from one of them.
    #[serde(default)]
    pub repetition: Option<Repetition>,
    /// The samples; present if sampling was on, or could not be.
    #[serde(default)]
    pub samples: Option<Samples>,
    /// What ran at which time, by samples of all threads; `None` if they were not sampled all the
    /// time.
    #[serde(default)]
    pub timeline: Option<Timeline>,
    /// What strands waited for, as calls of the kernel showed it; empty if nothing did, or none was
    /// seen.
    #[serde(default)]
    pub waits: Waits,
    /// For how long each thread ran strands, by the construct around them; empty if not known.
    #[serde(default)]
    pub shares: Vec<ThreadShare>,
    /// Single instances of regions, in the order in which they ended; only the first ones of each
    /// region.
    #[serde(default)]
    pub instances: Vec<RegionInstance>,
    /// Locks that the program acquired; if there were very many, those held longest.
    #[serde(default)]
    pub locks: Vec<Lock>,
    /// What was done under the other locks, by site, all locks together.
    #[serde(default)]
    pub other_locks: Vec<LockUse>,
}

/// The greatest nesting depth of call sites in the call tree: what lies deeper counts at the
/// innermost of these. The engine keeps the same limit.
pub const MOST_NESTED_SITES: usize = 500;

/// The greatest number of cores or threads that a profile may have.
pub const MOST_CORES: u32 = 1 << 16;

/// In which way the parts of a profile do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidProfile {
    /// The first site is missing or is not the root, or another site is a root too.
    #[error("the profile has to start with its one root site")]
    RootSite,
    /// The first node is missing, has a parent, or does not belong to the root site.
    #[error("the call tree has to start with its one root node")]
    RootNode,
    /// A node's parent does not precede it.
    #[error("node {} of the call tree has no parent before it", .0.0)]
    Parent(NodeId),
    /// A node is nested in more than [`MOST_NESTED_SITES`] others.
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
    /// A sampled stack, by its index, refers to a node or a frame that does not exist.
    #[error("stack {0} of the samples names a node or a frame that does not exist")]
    Stack(usize),
    /// A stack of the waits refers to a node or a frame that does not exist.
    #[error("a stack of the waits names a node or a frame that does not exist")]
    Waits,
    /// There are more stacks around sites than sites, or one has a frame that does not exist.
    #[error("the stacks around the sites name a site or a frame that does not exist")]
    AroundSites,
    /// An instance, by its index, belongs to a node that does not exist.
    #[error("instance {0} of the regions is of a node that does not exist")]
    Instance(usize),
    /// A thread's share, by its index, is of a node that does not exist.
    #[error("share {0} of the threads is of a node that does not exist")]
    Share(usize),
    /// A lock was acquired at a site that does not exist or does not acquire locks.
    #[error("a lock was acquired at site {}, which is none that acquires one", .0.0)]
    Lock(SiteId),
    /// The run that the profile shows is not one of those repeated.
    #[error("run {0} of the repetition does not exist")]
    Repetition(usize),
}

impl Profile {
    /// Whether threads ran of which nothing was measured, or may have: no runtime was there, but
    /// threads were ([`Run::threads`]), or could not be measured.
    pub fn has_unseen_threads(&self) -> bool {
        let run = &self.run;
        run.runtimes.is_empty() && (run.threads > 1 || run.threads_unmeasured.is_some())
    }

    /// Whether the parts fit together.
    ///
    /// # Errors
    /// The first part that does not.
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
            let outside = samples.outside.iter().map(|stack| &stack.frames);
            let all_known = around.iter().chain(outside).all(|frames| known(frames));
            if around.len() > self.sites.len() || !all_known {
                return Err(InvalidProfile::AroundSites);
            }
        }
        let frames = self.waits.frames.len();
        let mut waits = self.waits.places();
        if !waits.all(|wait| exists(wait.node) && wait.frames.iter().all(|id| id.index() < frames))
        {
            return Err(InvalidProfile::Waits);
        }
        let has_no_node = |instance: &RegionInstance| !exists(instance.node);
        if let Some(instance) = self.instances.iter().position(has_no_node) {
            return Err(InvalidProfile::Instance(instance));
        }
        if let Some(share) = self.shares.iter().position(|share| !exists(share.node)) {
            return Err(InvalidProfile::Share(share));
        }
        for &LockUse { site, .. } in self.lock_uses() {
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

    /// Whether the nodes have their own paths, and with them the figures that version 3 of the file
    /// added: local span on the work, and what instances on the critical path did. The root always
    /// has a path, so a profile without any comes from an older engine.
    pub fn has_paths(&self) -> bool {
        self.tree.iter().any(|node| !node.path.is_empty())
    }

    /// T₁: the work of all nodes.
    pub(crate) fn work(&self) -> Work {
        self.tree.iter().map(|node| node.on_work.local_work).sum()
    }

    /// For how long the lock was held that was held longest ([`Lock::held`]).
    pub(crate) fn held_longest(&self) -> Work {
        self.locks
            .iter()
            .map(Lock::held)
            .fold(Work::ZERO, Work::max)
    }

    /// The node and those above it, up to the root.
    pub(crate) fn with_above(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), move |node| self.tree[node.index()].parent)
    }

    /// What ran while locks were held, by lock and site.
    pub(crate) fn lock_uses(&self) -> impl Iterator<Item = &LockUse> {
        let uses = self.locks.iter().flat_map(|lock| &lock.uses);
        uses.chain(&self.other_locks)
    }

    /// The site of a node.
    ///
    /// # Panics
    /// If the profile is not valid.
    pub fn site_of(&self, node: &Node) -> &Site {
        &self.sites[node.site.index()]
    }

    /// The runtime whose constructs the program consists of: the first that reported itself, unless
    /// that is the C interface and another one did too; otherwise the one that the kinds of sites
    /// point to. `None` if neither shows one.
    pub fn runtime(&self) -> Option<RuntimeKind> {
        let kinds = || self.run.runtimes.iter().map(|runtime| runtime.kind);
        let reported = kinds()
            .find(|kind| *kind != RuntimeKind::C)
            .or_else(|| kinds().next());
        let by_sites = || {
            let mut sites = self.sites.iter().map(|site| site.kind);
            sites.find_map(|kind| match kind {
                SiteKind::Parallel => Some(RuntimeKind::OpenMp),
                kind if kind.is_of_rayon() => Some(RuntimeKind::Rayon),
                kind if kind.is_parallel() => Some(RuntimeKind::C),
                _ => None,
            })
        };
        reported.or_else(by_sites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Runtime, example};

    type Change = fn(&mut Profile);

    fn checked(change: impl FnOnce(&mut Profile)) -> Result<(), InvalidProfile> {
        let mut profile = example::quicksort();
        change(&mut profile);
        profile.check()
    }

    #[test]
    fn parts_have_to_fit_together() {
        use InvalidProfile::{Cores, Depth, Parent, RootNode, RootSite, Site};
        let (one, two) = (NodeId(1), SiteId(2));
        let changes: [(Change, InvalidProfile); 9] = [
            (|profile| profile.sites.clear(), RootSite),
            (|profile| profile.sites.reverse(), RootSite),
            (|profile| profile.tree.clear(), RootNode),
            (|profile| profile.tree.reverse(), RootNode),
            (
                |profile| profile.tree[1].parent = Some(NodeId(1)),
                Parent(one),
            ),
            (|profile| profile.tree[1].parent = None, Parent(one)),
            (
                |profile| profile.run.assumed_cores = u32::MAX,
                Cores(u32::MAX),
            ),
            (|profile| profile.tree[1].site = SiteId(2), Site(one, two)),
            (
                |profile| {
                    let (runs, shown) = (Vec::new(), 0);
                    profile.repetition = Some(Repetition { runs, shown });
                },
                InvalidProfile::Repetition(0),
            ),
        ];
        assert_eq!(checked(|_| ()), Ok(()));
        for (change, error) in changes {
            assert_eq!(checked(change), Err(error));
        }
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
        assert_eq!(nested(MOST_NESTED_SITES + 1), Err(Depth(deepest)));
    }

    #[test]
    fn the_runtime_is_the_one_behind_the_c_interface() {
        let mut profile = example::quicksort();
        assert_eq!(profile.runtime(), Some(RuntimeKind::Rayon));
        let reported = [RuntimeKind::C, RuntimeKind::OpenMp];
        profile.run.runtimes = reported
            .map(|kind| Runtime {
                kind,
                version: None,
            })
            .to_vec();
        assert_eq!(profile.runtime(), Some(RuntimeKind::OpenMp));
        profile.run.runtimes.pop();
        assert_eq!(profile.runtime(), Some(RuntimeKind::C));
        profile.run.runtimes.clear();
        assert_eq!(profile.runtime(), Some(RuntimeKind::Rayon));
        profile.sites[1].kind = SiteKind::Parallel;
        assert_eq!(profile.runtime(), Some(RuntimeKind::OpenMp));
        profile.sites.truncate(1);
        assert_eq!(profile.runtime(), None);
    }
}
