//! The frame of the present strand.

use super::{Saved, Thread};
use crate::clock::{self, Clock};
use crate::path::frame::{Frame, Role};
use crate::path::log::{Log, Others, Part};
use crate::path::segment::Chain;
use crate::path::to_end;
use crate::record::Item;
use crate::stack::own_stack::own_stack_end;
use crate::state::under_way;
use crate::tree;
use crate::tree::call::{Call, Kind};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::Ordering;

impl Thread {
    /// Whether the running strand belongs to the program, so that a construct can begin here. On a
    /// thread of the runtime, what runs outside tasks (handlers, destructors) has no account: its
    /// frame, if any, is that of a branch which may be running elsewhere.
    #[inline(always)]
    pub(crate) fn begins_here(&self) -> bool {
        self.running.load(Ordering::Relaxed) || self.begins_anew()
    }

    #[cold]
    #[inline(never)]
    fn begins_anew(&self) -> bool {
        !self.is_worker.get() && !self.is_away.get() && self.frame.load(Ordering::Relaxed).is_null()
    }

    /// The frame of the present strand. A thread that has none was started by the program itself:
    /// from here on it is a task of the root.
    #[inline(always)]
    pub(crate) fn frame(&self) -> *mut Frame {
        let frame = self.frame.load(Ordering::Relaxed);
        if frame.is_null() {
            return self.begin_own_frame();
        }
        frame
    }

    #[cold]
    #[inline(never)]
    fn begin_own_frame(&self) -> *mut Frame {
        let call = Call::new::<Thread>(Kind::Thread, Location::caller());
        let edge = self.enter(tree::ROOT, &call);
        self.cell(edge.node).count.add(1);
        // What the thread did before its first call is its processor time so far. Where the root
        // was when it started the thread is unknown; now, less that time, is the latest it can have
        // been.
        let ran = match clock::chosen() {
            Clock::Emulated | Clock::Counter => clock::now(),
            _ => clock::nanos_to_ticks(clock::processor_time()),
        };
        let depth = (under_way::elapsed() - ran).max(0);
        let part = Part {
            local: depth,
            ..Part::default()
        };
        let head = Some(Chain::default().extended(tree::ROOT, Log::new(part, Others::default())));
        let chain = Chain { head };
        let mut frame = Frame::at(depth, depth, 0, edge.node, chain);
        frame.serial = self.spare_frames.serial();
        let frame = Box::into_raw(Box::new(frame));
        self.own.set(frame);
        self.set_at(own_stack_end());
        self.frame.store(frame, Ordering::Relaxed);
        // SAFETY: the frame has just been boxed, and no reference to it has been made yet.
        unsafe { (*frame).add_strand(ran) };
        self.cell(edge.node).local.add(ran);
        if self.records() {
            self.record(Item::Own {
                ticks: depth,
                node: edge.node,
            });
            self.record_strand(edge.node, ran, 0);
        }
        self.start_strand_after_wait();
        frame
    }

    pub(super) fn end_own_frame(&self) {
        let frame = self.own.replace(ptr::null_mut());
        if frame.is_null() {
            return;
        }
        self.end_strand_if_any(0);
        self.end_task();
        if self.records() {
            self.record_lane_end(0);
        }
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: `begin_own_frame` made it of a box, nobody else can take it out of `own`, which
        // is null now, and it is the present frame no longer.
        let frame = unsafe { *Box::from_raw(frame) };
        to_end::offer_to_end(frame);
    }

    /// The frame of the present strand, for a thread that has one.
    #[inline(always)]
    pub(crate) fn present(&self) -> *mut Frame {
        self.frame.load(Ordering::Relaxed)
    }

    /// Makes `frame` the present one. Returns what [`Thread::restore`] needs.
    #[inline(always)]
    pub(crate) fn adopt(&self, frame: *mut Frame, base: usize) -> Saved {
        let saved = (self.present(), self.base());
        self.frame.store(frame, Ordering::Relaxed);
        self.set_at(base);
        saved
    }

    #[inline(always)]
    pub(crate) fn restore(&self, (frame, base): Saved) {
        self.frame.store(frame, Ordering::Relaxed);
        self.set_at(base);
    }

    /// Continues the path of `frame`, a frame of this thread, at `node`: in the frame itself if
    /// that is its node, else in a new one.
    pub(crate) fn stand_at(&self, frame: *mut Frame, node: u32) {
        // SAFETY: callers pass a frame of this thread, alive and in place, that is blocked for the
        // new one until `come_back_to` frees that.
        let present = unsafe {
            if (*frame).node == node {
                frame
            } else {
                self.spare_frames.place(Frame::continuing(frame, node))
            }
        };
        self.frame.store(present, Ordering::Relaxed);
    }

    /// Makes `frame` the present one again. Ends the frames by which [`Thread::stand_at`] continued
    /// its path, and those of serial instances that nobody ended.
    pub(crate) fn come_back_to(&self, frame: *mut Frame) {
        loop {
            let present = self.present();
            if present == frame || present.is_null() {
                return;
            }
            // SAFETY: the present frame of a thread is alive, and `role` does not change any more.
            let role = unsafe { (*present).role };
            if role == Role::Branch {
                return;
            }
            // SAFETY: the present frame is alive, and only the thread that runs its strands, this
            // one, writes it.
            let ended = unsafe { &mut *present };
            let parent = ended.parent.cast_mut();
            self.frame.store(parent, Ordering::Relaxed);
            // SAFETY: the parent was blocked for the frame that continued it, which has ended, so
            // it is alive and this thread's; it is another frame than `ended`.
            let parent = unsafe { &mut *parent };
            match role {
                Role::Serial | Role::Region => self.close_serial(parent, ended),
                _ => parent.take_over(ended),
            }
            // SAFETY: `stand_at` or `serial::enter` put it there by `Spares::place`. It is the
            // present frame no longer, and the references to it are not used any more.
            unsafe { self.spare_frames.give_back(present) };
        }
    }
}
