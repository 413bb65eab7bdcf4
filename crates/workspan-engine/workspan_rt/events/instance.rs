//! An instance of a construct whose parts are parallel to one another: the members of a parallel
//! region, the pieces of a loop.

use super::block::Block;
use super::hub::{self, Hub};
use super::point::Point;
use super::recorded::Recorded;
use super::region::{self, Parts};
use super::scope::{Awaiter, Scope};
use super::start::Start;
use crate::path::executed::Executed;
use crate::path::frame::Frame;
use crate::path::log::Part;
use crate::path::longest::Longest;
use crate::thread::Thread;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The account of such an instance.
pub(super) struct Instance {
    pub(super) node: u32,
    top: bool,
    /// Where its parts begin.
    pub(super) start: Point,
    /// What awaits tasks that the parts leave behind; `None` once the instance has ended, since
    /// handles to it may outlive it.
    around: Mutex<Option<Awaiter>>,
    /// Does it await tasks that its parts did not wait for, as a barrier does?
    pub(super) awaits_tasks: bool,
    /// Keeps no path, only sums of what was done.
    done: Longest,
    pub(super) phases: Mutex<Phases>,
    /// What several members have done of each worksharing construct since the last barrier, by the
    /// construct's number.
    shared: Mutex<BTreeMap<usize, Arc<Shared>>>,
    /// In the record: the hub after which its parts begin, and the block that is the whole
    /// instance.
    hub: u64,
    construct: Block,
    recorded: Mutex<region::Phases>,
    /// How many parts another thread could have taken.
    stealable: AtomicU32,
}

/// The phases into which barriers divide the parts, except those that all parts have left.
#[derive(Default)]
pub(super) struct Phases {
    pub(super) first: usize,
    pub(super) all: VecDeque<Arc<Phase>>,
}

/// What a barrier awaits.
pub(super) struct Phase {
    longest: Longest<Box<Frame>>,
    /// Of the parts that have reached it.
    scopes: Mutex<Vec<Arc<Scope>>>,
    /// In the record: the hub that all of these lead to, and parts held back from the record.
    hub: Hub,
    pub(super) parts: Mutex<Parts>,
    after: OnceLock<After>,
}

/// Where all paths continue after a barrier.
pub(super) struct After {
    pub(super) point: Point,
    /// The instance's own strands on that path.
    pub(super) own: i64,
    /// In the record: the hub after which they continue; 0 if nothing led there.
    pub(super) hub: u64,
}

/// A worksharing construct: the shares that a team's members have of it, combined.
pub(super) struct Shared {
    pub(super) node: u32,
    top: bool,
    done: Longest,
    longest: Mutex<Option<Share>>,
}

/// The longest share.
struct Share {
    ticks: i64,
    start: Point,
    own: i64,
    path: Frame,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instance {
    pub(super) fn new(
        (node, top): (u32, bool),
        start: Point,
        around: Awaiter,
        awaits_tasks: bool,
        (hub, construct): (u64, Block),
    ) -> Arc<Self> {
        Arc::new(Self {
            recorded: Mutex::new(region::Phases::new(hub, &start)),
            node,
            top,
            start,
            around: Mutex::new(Some(around)),
            awaits_tasks,
            done: Longest::new(),
            phases: Mutex::default(),
            shared: Mutex::default(),
            hub,
            construct,
            stealable: AtomicU32::new(0),
        })
    }

    /// What the record is to hold of a part, which another thread can take or not.
    pub(super) fn recorded_part(&self, is_stealable: bool) -> Recorded {
        let start = Start::at_hub(self.hub, is_stealable);
        // Relaxed: a number that is read only after the instance has ended.
        (self.stealable).fetch_add(is_stealable.into(), Ordering::Relaxed);
        let (elsewhere, from) = self.construct.around();
        if self.awaits_tasks {
            Recorded::of_part(start, from)
        } else {
            Recorded::new(start, Some((elsewhere, from)))
        }
    }

    /// Folds the instance, which has ended in the task of `recorded`, into one entry if that is
    /// possible; the path continues in `frame`. Otherwise records what was held back. Returns
    /// whether it was folded.
    pub(super) fn is_folded(&self, thread: &Thread, recorded: &Recorded, frame: &Frame) -> bool {
        let more = self.stealable.load(Ordering::Relaxed);
        let is_folded = recorded.fold_construct(thread, frame, &self.construct, more);
        if !is_folded {
            lock(&self.recorded).tell(thread, &self.construct);
        }
        is_folded
    }

    /// The hub that awaits the parts at the end of `phase`.
    pub(super) fn hub_of(&self, thread: &Thread, phase: usize) -> u64 {
        self.phase(phase).hub.name(thread)
    }

    fn awaiter(&self) -> Option<Awaiter> {
        lock(&self.around).clone()
    }

    /// The scope for the tasks of a part. Tasks that a loop's piece does not wait for become those
    /// of the loop's own task.
    pub(super) fn scope_of_part(&self) -> Arc<Scope> {
        match self.awaits_tasks {
            true => Scope::new(self.awaiter()),
            false => Scope::of_piece(self.awaiter()),
        }
    }

    /// The program ends in one of the parts: leaves what the others have done to the end of the
    /// program. The world is stopped.
    pub(super) fn leave_outwards(&self) {
        let Some(around) = self.awaiter() else { return };
        hub::record_from_anywhere(|thread| self.tell_all(thread));
        for phase in &lock(&self.phases).all {
            let (path, burdened, open) = phase.longest.take();
            around.scope.descendants.offer_lengths(burdened, open);
            if let Some(path) = path {
                around.scope.descendants.offer(path);
            }
            for scope in lock(&phase.scopes).iter() {
                scope.leave();
            }
        }
        around.scope.leave_outwards();
    }

    /// Adds what a part did: ticks of the instance's own strands, and everything together.
    pub(super) fn add(&self, own: i64, executed: Executed) {
        self.done.add_own(own);
        self.done.add(executed);
    }

    pub(super) fn phase(&self, number: usize) -> Arc<Phase> {
        let mut phases = lock(&self.phases);
        // A part behind all others has reported too late: what it says counts nowhere.
        let index = number.saturating_sub(phases.first);
        while phases.all.len() <= index {
            phases.all.push_back(Arc::new(Phase {
                longest: Longest::new(),
                scopes: Mutex::default(),
                hub: Hub::new(),
                parts: Mutex::default(),
                after: OnceLock::new(),
            }));
        }
        phases.all[index].clone()
    }

    /// A part's `path` has reached the end of a phase. `scopes` hold the tasks that it has not
    /// waited for.
    pub(super) fn offer(
        &self,
        thread: &Thread,
        path: Box<Frame>,
        phase: usize,
        mut scopes: Vec<Arc<Scope>>,
    ) {
        let phase = self.phase(phase);
        thread.spare_frames.take_back(phase.longest.offer(path));
        if self.awaits_tasks {
            if !scopes.is_empty() {
                lock(&phase.scopes).extend(scopes);
            }
        } else {
            // Groups still open lie within the first scope: dropping theirs leaves their tasks to
            // it.
            drop(scopes.drain(1.min(scopes.len())..));
            scopes.iter().for_each(|scope| scope.end_piece());
        }
    }

    /// Where paths continue after `phase`, whose parts and their tasks have ended.
    pub(super) fn settle<'a>(&self, thread: &Thread, phase: &'a Phase) -> &'a After {
        phase.after.get_or_init(|| {
            let (longest, burdened, open) = phase.longest.take();
            let mut path = longest.unwrap_or_else(|| Box::new(self.start.frame(self.node)));
            let mut burdened = path.burdened().max(burdened);
            let mut open = path.open.get().max(open);
            let mut own = path.own().branch;
            for scope in lock(&phase.scopes).drain(..) {
                for hub in scope.take_hubs() {
                    hub::lead(thread, hub, &phase.hub);
                }
                for tasks in [&scope.children, &scope.descendants] {
                    let (executed, _) = tasks.take_executed();
                    self.done.add(executed);
                    let (longest, their_burdened, their_open) = tasks.take();
                    burdened = burdened.max(their_burdened);
                    open = open.max(their_open);
                    if let Some(mut task) = longest.filter(|task| task.depth > path.depth) {
                        own = task.awaited_own;
                        let ended = task.ended();
                        path.continue_after(&mut task, ended);
                    }
                }
            }
            for shared in std::mem::take(&mut *lock(&self.shared)).into_values() {
                shared.conclude(thread, &mut path);
            }
            path.set_burdened(burdened);
            path.open.set(open);
            let point = Point::of(&mut path);
            let hub = self.conclude(thread, phase, &point);
            After { point, own, hub }
        })
    }

    /// Records everything held back, because the program ends.
    fn tell_all(&self, thread: &Thread) {
        if !thread.records() {
            return;
        }
        let mut recorded = lock(&self.recorded);
        recorded.tell(thread, &self.construct);
        for phase in &lock(&self.phases).all {
            let parts = std::mem::take(&mut *lock(&phase.parts));
            recorded.tell_parts(thread, &self.construct, &parts, phase.hub.name(thread));
        }
    }

    /// All of `phase` has ended, and paths continue at `end`. Returns the hub after which they
    /// continue in the record, 0 if there is none.
    fn conclude(&self, thread: &Thread, phase: &Phase, end: &Point) -> u64 {
        let mut parts = std::mem::take(&mut *lock(&phase.parts));
        if !self.awaits_tasks || !thread.records() {
            return phase.hub.take();
        }
        if phase.hub.known() != 0 {
            parts.add(None);
        }
        if parts.is_empty() {
            return 0;
        }
        let hub = phase.hub.name(thread);
        phase.hub.take();
        lock(&self.recorded).add(thread, &self.construct, &parts, (end, hub));
        hub
    }

    /// The instance has ended: `parent`, blocked since its beginning, continues after its longest
    /// path. Returns that path's hub in the record, 0 if there is none.
    pub(super) fn finish(&self, thread: &Thread, parent: &mut Frame) -> u64 {
        let (mut longest, hub, _, executed, beside) = self.finished(thread);
        parent.executed += executed;
        parent.executed.syncs += 1;
        let burdened = longest.burdened();
        parent.open.set(parent.open.get().max(longest.open.get()));
        if self.top {
            let ticks = longest.depth - self.start.depth;
            thread.record_top(self.node, ticks, &mut longest, self.start.chain.head());
        }
        thread.cell(self.node).beside.add(beside);
        let ended = Part {
            beside,
            top_count: u64::from(self.top),
            top_work: if self.top { executed.work } else { 0 },
            ..Part::default()
        };
        parent.continue_after(&mut longest, ended);
        parent.set_burdened(burdened);
        hub
    }

    /// [`Instance::finish`] for a share of `shared`, which is accounted for as a whole once all
    /// shares have ended.
    pub(super) fn finish_share(&self, thread: &Thread, parent: &mut Frame, shared: &Shared) -> u64 {
        let (mut longest, hub, own, executed, beside) = self.finished(thread);
        parent.executed += executed;
        parent.executed.syncs += 1;
        let burdened = longest.burdened();
        parent.open.set(parent.open.get().max(longest.open.get()));
        shared.done.add(executed);
        shared.done.add_own(own + beside);
        let ticks = longest.depth - self.start.depth;
        let mut kept = lock(&shared.longest);
        if kept.as_ref().map_or(true, |kept| kept.ticks < ticks) {
            let mut path = Point::of(&mut longest).frame(self.node);
            path.begin_again();
            *kept = Some(Share {
                ticks,
                start: self.start.clone(),
                own,
                path,
            });
        }
        drop(kept);
        parent.continue_after(&mut longest, Part::default());
        parent.set_burdened(burdened);
        hub
    }

    /// The longest path, its hub in the record, the instance's own strands on it, everything that
    /// was done, and the instance's own strands off that path.
    fn finished(&self, thread: &Thread) -> (Frame, u64, i64, Executed, i64) {
        lock(&self.around).take();
        let last = lock(&self.phases).all.back().cloned();
        let (point, hub, own) = match &last {
            Some(phase) => {
                let after = self.settle(thread, phase);
                (after.point.clone(), after.hub, after.own)
            }
            None => (self.start.clone(), 0, 0),
        };
        let (executed, all_own) = self.done.take_executed();
        let mut longest = point.frame(self.node);
        longest.begin_again();
        (longest, hub, own, executed, all_own - own)
    }

    /// The members' worksharing construct `number`, at the node that `edge` leads to, and whether
    /// it is new.
    pub(super) fn shared(&self, number: usize, edge: (u32, bool)) -> (Arc<Shared>, bool) {
        let mut is_new = false;
        let mut all = lock(&self.shared);
        let shared = all.entry(number).or_insert_with(|| {
            is_new = true;
            Shared::new(edge)
        });
        (shared.clone(), is_new)
    }
}

impl Shared {
    fn new((node, top): (u32, bool)) -> Arc<Self> {
        Arc::new(Self {
            node,
            top,
            done: Longest::new(),
            longest: Mutex::default(),
        })
    }

    /// Accounts for the construct, all of whose shares have ended. `path` is the longest up to the
    /// barrier after them.
    fn conclude(&self, thread: &Thread, path: &mut Frame) {
        let (executed, all_own) = self.done.take_executed();
        let Some(mut share) = lock(&self.longest).take() else {
            return;
        };
        let beside = all_own - share.own;
        thread.cell(self.node).beside.add(beside);
        path.add_beside(self.node, beside);
        if self.top {
            let origin = share.start.chain.head();
            thread.record_top(self.node, share.ticks, &mut share.path, origin);
            path.add_top(self.node, executed.work);
        }
    }
}
