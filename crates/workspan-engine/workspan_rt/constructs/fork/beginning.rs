//! How a fork begins: in a stretch, across nodes of one, or with a reading of the clock.

use super::{Boundary, Folded, Fork, Framed, Stage};
use crate::clock::Clock;
use crate::path::beginning::Beginning;
use crate::path::frame::{Frame, Own, Position};
use crate::thread::{self, with, Thread, BOUNDARY, UNREAD};
use crate::tree::call::{Call, Kind};
use crate::tree::kinds::{End, Kind as Strand};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::AtomicPtr;

impl Fork {
    /// Begins a fork in the open stretch without a reading of the clock, if that is possible.
    #[inline(always)]
    pub(super) fn begin_in_stretch(place: &mut MaybeUninit<Self>, key: u64) -> bool {
        let thread = thread::current();
        // SAFETY: null, or the calling thread's data, which are never freed.
        let Some(thread) = (unsafe { thread.as_ref() }) else {
            return false;
        };
        if !thread.stretch.has_room(key) {
            return false;
        }
        let place = place.as_mut_ptr();
        let at = thread.at();
        let kind = Strand::of(End::Fork, at & BOUNDARY != 0);
        // SAFETY: `place` is a `MaybeUninit` that nobody else has, and is written field by field,
        // so that nothing is copied. `node` and `from` are neighbours (`repr(C)`), so one write
        // fills both.
        unsafe {
            ptr::addr_of_mut!((*place).parent).write(thread.present());
            ptr::addr_of_mut!((*place).thread).write(thread);
            ptr::addr_of_mut!((*place).base).write(at & !BOUNDARY);
            ptr::addr_of_mut!((*place).stage).write(Cell::new(Stage::InStretch));
            ptr::addr_of_mut!((*place).is_folded).write(true);
            ptr::addr_of_mut!((*place).top).write(false);
            ptr::addr_of_mut!((*place).in_stretch).write(true);
            // Both nodes at once.
            ptr::addr_of_mut!((*place).node)
                .cast::<u64>()
                .write_unaligned(thread.stretch.node_twice());
            ptr::addr_of_mut!((*place).keeps_own).write(false);
            let strand = thread.stretch.take_strand(kind);
            Self::fold(place, thread.stretch.begin_fork(strand));
        }
        thread.set_at(place as usize | UNREAD | Boundary::Begin as usize);
        true
    }

    /// Begins a fork in the open timed stretch, if that is possible.
    #[inline(always)]
    pub(super) fn begin_timed(place: &mut MaybeUninit<Self>, key: u64) -> bool {
        // SAFETY: null, or the calling thread's data, which are never freed.
        let thread = unsafe { thread::current().as_ref() };
        let timed = thread.filter(|thread| thread.stretch.times(key));
        timed.is_some_and(|thread| Self::begin_timed_on(place, thread))
    }

    #[inline(never)]
    fn begin_timed_on(place: &mut MaybeUninit<Self>, thread: &Thread) -> bool {
        let stretch = &thread.stretch;
        let Some(strand) = thread.end_timed_strand() else {
            return false;
        };
        let place = place.as_mut_ptr();
        let node = stretch.node();
        // SAFETY: `place` is a `MaybeUninit` that nobody else has, and is written field by field.
        unsafe {
            Self::fill(place, thread, thread.base(), Stage::InStretch, true);
            ptr::addr_of_mut!((*place).top).write(false);
            ptr::addr_of_mut!((*place).node).write(node);
            ptr::addr_of_mut!((*place).from).write(node);
            ptr::addr_of_mut!((*place).keeps_own).write(true);
            Self::fold(place, stretch.begin_fork(strand));
            let own = stretch.own();
            Self::keep_own(place, own);
            stretch.set_own(own.of_branch());
        }
        thread.set_at(place as usize | Boundary::Begin as usize);
        true
    }

    /// Writes what a folded fork keeps of its parent's frame.
    ///
    /// # Safety
    /// `place` points at memory for a fork that may be written, and that nobody else uses
    /// meanwhile.
    #[inline(always)]
    unsafe fn fold(place: *mut Self, at: Position) {
        // SAFETY: `place` may be written and is nobody else's (`# Safety`); what a folded fork
        // keeps lies at the beginning of the union.
        unsafe {
            let folded = ptr::addr_of_mut!((*place).branches).cast::<Folded>();
            ptr::addr_of_mut!((*folded).at).write(at);
            ptr::addr_of_mut!((*folded).left_frame).write(ptr::null_mut());
            ptr::addr_of_mut!((*folded).apart).write(AtomicPtr::new(ptr::null_mut()));
        }
    }

    /// Writes what a folded fork keeps of own strands.
    ///
    /// # Safety
    /// As [`Fork::fold`].
    #[inline(always)]
    unsafe fn keep_own(place: *mut Self, own: Own) {
        // SAFETY: `place` may be written and is nobody else's (`# Safety`); what a folded fork
        // keeps lies at the beginning of the union.
        unsafe {
            let folded = ptr::addr_of_mut!((*place).branches).cast::<Folded>();
            ptr::addr_of_mut!((*folded).own_at).write(MaybeUninit::new(own));
        }
    }

    /// Begins a fork with a reading of the clock.
    #[inline(never)]
    pub(super) fn begin_outside<F>(
        place: &mut MaybeUninit<Self>,
        location: &'static Location<'static>,
    ) -> bool {
        let call = Call::new::<F>(Kind::Join, location);
        Self::begin_guarded(place, &call)
    }

    #[inline(never)]
    fn begin_guarded(place: &mut MaybeUninit<Self>, call: &Call) -> bool {
        let begun = with(|thread| {
            Self::begin_across(place, thread, call)
                || (thread.begins_here() && Self::begin(place, thread, call))
        });
        begun == Some(true)
    }

    /// As [`Fork::begin_in_stretch`], for a call that is not known to stay at the node.
    fn begin_across(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) -> bool {
        let stretch = &thread.stretch;
        if !stretch.has_room_across() {
            return false;
        }
        let from = stretch.node();
        let Some(edge) = thread.known_edge(from, call) else {
            return false;
        };
        if edge.node == from {
            stretch.learn_alike(call.key);
            return Self::begin_in_stretch(place, call.key);
        }
        let kind = thread.kind(End::Fork);
        let each = || thread.taken_strands(edge.node);
        let Some(at) = stretch.begin_fork_across(edge.node, each, kind) else {
            return false;
        };
        let place = place.as_mut_ptr();
        // SAFETY: `place` is a `MaybeUninit` that nobody else has. The present frame is alive, and
        // nobody writes it while the stretch is open.
        unsafe {
            let base = thread.at() & !BOUNDARY;
            Self::fill(place, thread, base, Stage::Across, true);
            ptr::addr_of_mut!((*place).top).write(edge.top);
            ptr::addr_of_mut!((*place).node).write(edge.node);
            ptr::addr_of_mut!((*place).from).write(from);
            ptr::addr_of_mut!((*place).keeps_own).write(false);
            ptr::addr_of_mut!((*place).begun).write(stretch.taken());
            // Only this thread writes it, and not while a stretch is open.
            ptr::addr_of_mut!((*place).work).write((*thread.present()).executed.work);
            Self::fold(place, at);
        }
        thread.set_at(place as usize | UNREAD | Boundary::Begin as usize);
        true
    }

    /// Writes what is common to all forks that do not begin on the fastest path.
    ///
    /// # Safety
    /// As [`Fork::fold`].
    unsafe fn fill(place: *mut Self, thread: &Thread, base: usize, stage: Stage, is_folded: bool) {
        // SAFETY: `place` may be written and is nobody else's (`# Safety`).
        unsafe {
            ptr::addr_of_mut!((*place).parent).write(thread.present());
            ptr::addr_of_mut!((*place).thread).write(thread);
            ptr::addr_of_mut!((*place).base).write(base);
            ptr::addr_of_mut!((*place).stage).write(Cell::new(stage));
            ptr::addr_of_mut!((*place).is_folded).write(is_folded);
            ptr::addr_of_mut!((*place).in_stretch).write(stage.is_in_stretch());
        }
    }

    fn begin(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) -> bool {
        let stretch = &thread.stretch;
        let begins_branch =
            !stretch.is_open() && stretch.opener() != 0 && stretch.opener() == thread.at();
        let before = thread.end_strand_of_branch(End::Fork);
        let grain = thread.settings.get().grain;
        let parent = thread.frame();
        // SAFETY: the present frame is alive, and only this thread, which runs its strands, writes
        // it.
        let frame = unsafe { &mut *parent };
        let edge = thread.enter(frame.node, call);
        let may_fold = !frame.owns();
        let stays = edge.node == frame.node;
        let taken = (may_fold && begins_branch && before < grain / 4)
            .then(|| thread.known_edge(frame.node, call))
            .flatten()
            .and_then(|_| thread.taken_strands(edge.node));
        let opens = taken.is_some();
        let is_folded = may_fold && (stays || opens);
        let is_timed = grain == 0
            && is_folded
            // In a stretch nothing is recorded, and bookkeeping is not kept apart from the program.
            && !thread.records()
            && thread.settings.get().clock != Clock::Emulated
            && thread.known_edge(frame.node, call).is_some();
        let stage = match stays {
            true if opens || is_timed => Stage::InStretch,
            false if opens => Stage::Across,
            _ => Stage::Begun,
        };
        if !opens {
            thread.cell(edge.node).count.add(1);
            frame.executed.add_forks(1);
        }
        let place = place.as_mut_ptr();
        let here = place as usize;
        let at = here | Boundary::Begin as usize;
        // SAFETY: `place` is a `MaybeUninit` that nobody else has; only fields of it are written.
        unsafe {
            Self::fill(place, thread, thread.base(), stage, is_folded);
            ptr::addr_of_mut!((*place).top).write(edge.top);
            ptr::addr_of_mut!((*place).node).write(edge.node);
            ptr::addr_of_mut!((*place).from).write(frame.node);
            ptr::addr_of_mut!((*place).keeps_own).write(!opens);
            ptr::addr_of_mut!((*place).begun).write(if opens { 0 } else { thread.last.get() });
            ptr::addr_of_mut!((*place).work).write(frame.executed.work);
            ptr::addr_of_mut!((*place).open).write(Cell::new(frame.open.get()));
        }
        if thread.records() && !opens {
            let begin = Beginning::before_fork(thread, frame, edge.node);
            // SAFETY: `place` is a `MaybeUninit` that nobody else has; only fields of it are
            // written.
            unsafe {
                ptr::addr_of_mut!((*place).recorded).write(begin);
                ptr::addr_of_mut!((*place).left_lane).write(Cell::new(0));
                ptr::addr_of_mut!((*place).right_lane).write(Cell::new(0));
            }
        }
        if is_folded {
            let fork = frame.position();
            let left = Position {
                count: fork.count + 1,
                ..fork
            };
            // SAFETY: `place` is a `MaybeUninit` that nobody else has; only fields of it are
            // written.
            unsafe {
                Self::fold(place, fork);
                Self::keep_own(place, frame.own());
            }
            thread.set_at(at);
            if let Some(to) = taken {
                let from = (!stays).then(|| thread.taken_strands(frame.node)).flatten();
                let from = from.unwrap_or(to);
                stretch.open(call.key, [(frame.node, from), (edge.node, to)], left);
                thread.set_at(at | UNREAD);
                // In the stretch, no boundary looks whether a strand is running.
                thread.continue_strand();
                return true;
            }
            let own = frame.own().of_branch();
            if is_timed {
                stretch.open_timed(call.key, edge.node, left, own);
                return true;
            }
            frame.set_position(left);
            frame.set_own(own);
        } else {
            // SAFETY: the parent is blocked until both branches have ended (`end`), so it outlives
            // their frames; these are written to `place`, a `MaybeUninit` that nobody else has.
            unsafe {
                let framed = ptr::addr_of_mut!((*place).branches).cast::<Framed>();
                let left = ptr::addr_of_mut!((*framed).left);
                left.write(Frame::after(parent, edge.node, 0));
                ptr::addr_of_mut!((*framed).right).write(Frame::after(
                    parent,
                    edge.node,
                    thread.settings.get().burden,
                ));
                thread.adopt(left, at);
            }
        }
        let kinds = &thread.cell(edge.node).kinds;
        stretch.consider(
            at,
            stretch.expected_of_left(),
            &thread.settings.get(),
            kinds,
        );
        true
    }
}
