//! Regions that the program names.
//!
//! A region is a serial instance that the program itself begins and ends, on one thread. Regions
//! may overlap: when one ends before another that was begun in it, the inner one is interrupted,
//! and goes on as part of what is around the outer one.

use crate::constructs::serial;
use crate::path::frame::{Frame, Role};
use crate::thread::regions::{Instance, Open, Regions, Standing};
use crate::thread::{with, Thread};
use crate::tree::call::Kind;
use crate::tree::{Place, Site};
use crate::{clock, stack};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;

/// Begins the region `name` of the running strand, named at a `place`: file, line and column.
/// Returns what [`end`] needs; 0 with the engine off.
pub fn begin(name: &str, place: (&str, u32, u32)) -> u64 {
    let begun = with(|thread| {
        if !thread.begins_here() {
            return 0;
        }
        thread.end_ordinary_strand();
        let mut hasher = DefaultHasher::new();
        (name, place).hash(&mut hasher);
        let mut regions = thread.regions.take();
        let token = regions.next_token();
        let (file, line, column) = place;
        let place = Place {
            file: file.to_owned().into(),
            line,
            column,
        };
        let open = Open {
            token,
            key: hasher.finish(),
            place: (name.to_owned(), place),
            frame: ptr::null_mut(),
            start: moment(thread),
            begun: Standing::default(),
            before: Standing::default(),
            top_before: Standing::default(),
        };
        regions.open.push(open.entered(thread, false));
        thread.regions.set(regions);
        thread.begin_strand_here();
        thread.continue_strand();
        token
    });
    begun.unwrap_or(0)
}

impl Open {
    /// Enters the region's node from where the path is; `again` if it was interrupted.
    fn entered(mut self, thread: &Thread, again: bool) -> Self {
        // SAFETY: the present frame of this thread is alive, and `node` never changes.
        let node = unsafe { (*thread.frame()).node };
        let (name, place) = &self.place;
        let edge = thread.enter_serial(node, self.key, || Site {
            name: Some(name.clone()),
            place: Some(place.clone()),
            stack: stack::here(thread.base()),
            ..Site::of(Kind::Region)
        });
        self.frame = if again {
            serial::enter_again(thread, edge)
        } else {
            serial::enter(thread, edge)
        };
        // SAFETY: `serial` has just put the frame into a place of its own, and nobody else refers
        // to it.
        let frame = unsafe { &mut *self.frame };
        frame.role = Role::Region;
        self.begun = Standing::of(frame);
        self
    }

    /// `before` and `top_before` with what has come since in `frame`, the region's.
    fn now(&self, frame: &Frame) -> (Standing, Standing) {
        let since = |before: Standing| before.and(self.begun, Standing::of(frame));
        let top = if frame.top {
            since(self.top_before)
        } else {
            self.top_before
        };
        (since(self.before), top)
    }
}

/// Ends the region for which [`begin`] returned `token`, on the same thread. 0 is ignored. A region
/// that has ended is reported on standard error, and nothing ends. One that a branch or task in it
/// ends is only forgotten: it ends with what is around it.
pub fn end(token: u64) {
    if token == 0 {
        return;
    }
    with(|thread| {
        let mut regions = thread.regions.take();
        let at = regions.open.iter().rposition(|open| open.token == token);
        if let Some(at) = at {
            let inner = regions.open.split_off(at + 1);
            let outer = regions.open.remove(at);
            if thread.is_running() && serial::is_running(thread, outer.frame) {
                thread.end_ordinary_strand();
                // Frames of forks whose stretch was broken off may stand on top.
                thread.come_back_to(inner.last().map_or(outer.frame, |open| open.frame));
                end_running(thread, &mut regions, outer, inner);
                thread.begin_strand_here();
                thread.continue_strand();
            } else {
                regions.open.extend(inner);
            }
        } else {
            regions.report(token);
        }
        thread.regions.set(regions);
    });
}

/// Ends the function of `frame`, which is running; regions begun in it go on.
#[cold]
pub(crate) fn leave_around(thread: &Thread, frame: *mut Frame) {
    let mut regions = thread.regions.take();
    let mut running = Vec::new();
    let mut here = thread.present();
    while !std::ptr::eq(here, frame) {
        running.push(here);
        // SAFETY: the present frame of a thread and its parents are alive, `frame` is one of them,
        // and `parent` never changes.
        here = unsafe { (*here).parent }.cast_mut();
    }
    let (inner, outer) = std::mem::take(&mut regions.open)
        .into_iter()
        .partition(|open| running.contains(&open.frame));
    regions.open = outer;
    let mut inner: Vec<Open> = inner;
    interrupt(thread, &mut inner);
    serial::leave(thread, frame);
    for open in inner {
        regions.open.push(open.entered(thread, true));
    }
    thread.regions.set(regions);
}

/// The time of the boundary that `thread` is at: in ticks of the session's clock, or in nanoseconds
/// of the monotonic one where those do not say when something was. No strand is running, so the
/// reading is part of none.
fn moment(thread: &Thread) -> i64 {
    match clock::chosen().tells_when() {
        true => thread.last.get(),
        false => clock::monotonic_nanos(),
    }
}

/// Interrupts regions, each of which contains the next.
fn interrupt(thread: &Thread, regions: &mut [Open]) {
    for open in regions.iter_mut().rev() {
        // Other instances begun in it end here.
        thread.come_back_to(open.frame);
        // SAFETY: the region is running, so its frame is alive, and only this thread, whose
        // instance it is, writes it.
        let frame = unsafe { &mut *open.frame };
        (open.before, open.top_before) = open.now(frame);
        frame.interrupted = true;
        serial::leave(thread, open.frame);
    }
}

/// Ends `outer`. `inner`, the regions begun in it that have not ended, go on.
fn end_running(thread: &Thread, regions: &mut Regions, outer: Open, mut inner: Vec<Open>) {
    interrupt(thread, &mut inner);
    thread.come_back_to(outer.frame);
    // SAFETY: the region is running, so its frame is alive, and only this thread, whose instance it
    // is, writes it.
    let frame = unsafe { &*outer.frame };
    let (whole, top) = outer.now(frame);
    let instance = Instance {
        node: frame.node,
        start: outer.start,
        end: moment(thread),
        span: whole.depth,
        burdened: whole.burdened,
        open: whole.open,
        executed: whole.executed,
    };
    serial::leave(thread, outer.frame);
    regions.keep(instance, top, thread.settings.get().instances);
    for open in inner {
        regions.open.push(open.entered(thread, true));
    }
}

/// As [`begin`], for the crate `workspan`, which calls it if the program is profiled.
///
/// # Safety
/// `name` and `file` must not be null, must be readable for their lengths during the call, and hold
/// UTF-8.
#[no_mangle]
pub unsafe extern "C" fn workspan_region_begin(
    name: *const u8,
    name_length: usize,
    file: *const u8,
    file_length: usize,
    line: u32,
    column: u32,
) -> u64 {
    // SAFETY: `start` is not null, may be read for `length` bytes during this call, and holds UTF-8
    // (`# Safety`).
    let text = |start, length| unsafe {
        std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, length))
    };
    begin(
        text(name, name_length),
        (text(file, file_length), line, column),
    )
}

/// As [`end`].
#[no_mangle]
pub extern "C" fn workspan_region_end(token: u64) {
    end(token);
}
