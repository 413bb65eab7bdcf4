//! The frame of the present strand.

use super::{own_stack_end, Saved, Thread};
use crate::call::{Call, Kind};
use crate::clock::{self, Clock};
use crate::frame::{Frame, Role};
use crate::log::{Log, Others, Part};
use crate::processor::processor_time;
use crate::record::Item;
use crate::segment::Chain;
use crate::{serial, session, tree};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::Ordering;

impl Thread {
    /// Does the running strand belong to the program, so that a construct can begin here? On a thread of the
    /// runtime, what runs outside tasks (handlers, destructors) has no account: its frame, if any, is that of a
    /// branch which may be running elsewhere.
    #[inline(always)]
    pub(crate) fn begins_here(&self) -> bool {
        self.running.load(Ordering::Relaxed) || self.begins_anew()
    }

    #[cold]
    #[inline(never)]
    fn begins_anew(&self) -> bool {
        !self.is_worker.get() && !self.is_away.get() && self.frame.load(Ordering::Relaxed).is_null()
    }

    /// The frame of the present strand. A thread that has none was started by the program itself: it is a
    /// task of the root from here on.
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
        // What the thread did before it first called is its processor time so far. Where the root was when it
        // started the thread is not known; now, less that time, is the latest that it can have been.
        let ran = match clock::chosen() {
            Clock::Emulated | Clock::Counter => clock::now(),
            _ => session::nanos_to_ticks(processor_time()),
        };
        let depth = (session::elapsed() - ran).max(0);
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
        // SAFETY: just made.
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
        // SAFETY: made by `begin_own_frame`, taken out of `own` above, and no longer the present frame.
        let frame = unsafe { *Box::from_raw(frame) };
        session::offer_to_end(frame);
    }

    /// The frame of the present strand, of a thread that has one.
    #[inline(always)]
    pub(crate) fn present(&self) -> *mut Frame {
        self.frame.load(Ordering::Relaxed)
    }

    /// Makes `frame` the present one; gives back what [`Thread::restore`] needs.
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

    /// Makes the path of `frame`, which is this thread's, go on at `node`: in the frame itself if that is its node.
    pub(crate) fn stand_at(&self, frame: *mut Frame, node: u32) {
        // SAFETY: the caller's frame is alive, and stays in place and blocked until `come_back_to` has freed this one.
        let present = unsafe {
            if (*frame).node == node {
                frame
            } else {
                self.spare_frames.place(Frame::continuing(frame, node))
            }
        };
        self.frame.store(present, Ordering::Relaxed);
    }

    /// Makes `frame` the present one, in which the path goes on that frames made by [`Thread::stand_at`] continued, and
    /// those of serial instances that nobody ended.
    pub(crate) fn come_back_to(&self, frame: *mut Frame) {
        loop {
            let present = self.present();
            if present == frame || present.is_null() {
                return;
            }
            // SAFETY: a thread's present frame is alive.
            let role = unsafe { (*present).role };
            if role == Role::Branch {
                return;
            }
            // SAFETY: as above.
            let ended = unsafe { &mut *present };
            let parent = ended.parent.cast_mut();
            self.frame.store(parent, Ordering::Relaxed);
            // SAFETY: the parent was blocked for the frame that continued it, and is this thread's.
            let parent = unsafe { &mut *parent };
            match role {
                Role::Serial | Role::Region => serial::close(self, parent, ended),
                _ => parent.take_over(ended),
            }
            // SAFETY: put there by `stand_at` or `serial::enter`, and no longer the present one.
            unsafe { self.spare_frames.give_back(present) };
        }
    }
}
