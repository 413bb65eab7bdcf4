//! Regions that the program names.
//!
//! A region is a serial instance that the program itself begins and ends, on one thread. Regions may
//! overlap: when one ends before another that was begun in it, the inner one is interrupted, and goes on as a part of
//! what is around the outer one.

use crate::call::Kind;
use crate::clock;
use crate::effort::Effort;
use crate::frame::{Frame, Role};
use crate::thread::{with, Thread};
use crate::tree::{Place, Site};
use crate::{message, serial, stack};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::AddAssign;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a thread has of regions.
#[derive(Default)]
pub(crate) struct Regions {
    /// Those that are running, in the order of their beginnings. So their frames are alive.
    open: Vec<Open>,
    /// Those that have ended, in the order of their ends; not all, if there were too many of a node.
    ended: Vec<Instance>,
    /// What has ended of each node.
    sums: HashMap<u32, Sum>,
    /// Those of the last regions that ended with what was around them, and their names and places.
    cut: VecDeque<(u64, String)>,
    last_token: u64,
}

/// How many regions that ended with what was around them are remembered.
const CUT: usize = 16;

/// The first of a thread's tokens, and how many it has.
static FIRST_TOKEN: AtomicU64 = AtomicU64::new(0);
const TOKENS: u64 = 1 << 40;

/// A region that is running.
struct Open {
    token: u64,
    key: u64,
    place: (String, Place),
    frame: *mut Frame,
    start: i64,
    begun: Standing,
    /// What it was before it was last interrupted, and that part of it which no outer instance of the region contained.
    before: Standing,
    top_before: Standing,
}

/// Lengths of a path in ticks, and what was done.
#[derive(Clone, Copy, Default)]
struct Standing {
    depth: i64,
    burdened: i64,
    open: i64,
    effort: Effort,
}

impl Standing {
    fn of(frame: &Frame) -> Self {
        Self {
            depth: frame.depth,
            burdened: frame.burdened(),
            open: frame.open.get(),
            effort: frame.effort,
        }
    }

    /// This, and from `begin` to `end` besides.
    fn and(self, begin: Self, end: Self) -> Self {
        let mut effort = end.effort - begin.effort;
        effort += self.effort;
        Self {
            depth: self.depth + end.depth - begin.depth,
            burdened: self.burdened + end.burdened - begin.burdened,
            open: self.open + end.open - begin.open,
            effort,
        }
    }
}

/// An instance that has ended. Ticks, and from when to when it was: see [`moment`].
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub(crate) node: u32,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) span: i64,
    pub(crate) burdened: i64,
    pub(crate) open: i64,
    pub(crate) effort: Effort,
}

/// All instances of a node that have ended.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    count: u64,
    /// Where no outer instance of the region contained them: ticks of their burdened paths, and how far these are open.
    pub(crate) top_burdened: i64,
    pub(crate) top_open: i64,
    /// What was done there.
    pub(crate) top_effort: Effort,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.top_burdened += other.top_burdened;
        self.top_open += other.top_open;
        self.top_effort += other.top_effort;
    }
}

impl Regions {
    pub(crate) fn sums(&self) -> &HashMap<u32, Sum> {
        &self.sums
    }

    pub(crate) fn ended(&self) -> &[Instance] {
        &self.ended
    }

    /// A number that no other region of the process has.
    fn next_token(&mut self) -> u64 {
        if self.last_token % TOKENS == 0 {
            // Relaxed: nothing but the number passes.
            self.last_token = FIRST_TOKEN.fetch_add(TOKENS, Ordering::Relaxed);
        }
        self.last_token += 1;
        self.last_token
    }

    /// The region of `token`, which is to end, is not open here.
    #[cold]
    fn report(&self, token: u64) {
        match self.cut.iter().find(|(cut, _)| *cut == token) {
            Some((_, region)) => message::say(format_args!(
                "the region {region} ends after what was around it: it has ended with that"
            )),
            None => message::say(format_args!(
                "a region ends on a thread that has not begun it, or ends again: nothing ends"
            )),
        }
    }

    fn keep(&mut self, instance: Instance, top: Standing, most: u64) {
        let sum = self.sums.entry(instance.node).or_default();
        if sum.count < most {
            self.ended.push(instance);
        }
        *sum += Sum {
            count: 1,
            top_burdened: top.burdened,
            top_open: top.open,
            top_effort: top.effort,
        };
    }
}

/// Begins the region `name` of the running strand, named at a `place`: file, line and column. Gives back what [`end`]
/// needs, 0 with the engine off.
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
    /// Enters the region's node from where the path is, again if it was interrupted.
    fn entered(mut self, thread: &Thread, again: bool) -> Self {
        // SAFETY: the present frame of this thread.
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
        // SAFETY: just made.
        let frame = unsafe { &mut *self.frame };
        frame.role = Role::Region;
        self.begun = Standing::of(frame);
        self
    }

    /// What `before` and `top_before` are with what is since in `frame`, the region's.
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

/// Forgets the region of `frame`, which ends with what is around it, or in [`end`].
pub(crate) fn forget(thread: &Thread, frame: *const Frame) {
    let mut regions = thread.regions.take();
    let at = (regions.open.iter()).rposition(|open| ptr::eq(open.frame, frame));
    if let Some(at) = at {
        let Open { token, place, .. } = regions.open.remove(at);
        let (name, Place { file, line, .. }) = place;
        regions.cut.truncate(CUT - 1);
        regions
            .cut
            .push_front((token, format!("`{name}` of {file}:{line}")));
    }
    thread.regions.set(regions);
}

/// Ends the region that [`begin`] has given `token` for, on the same thread. 0 and regions that have ended are let alone.
/// One that a branch or task in it ends is forgotten: it ends with what is around it.
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
                // Forks whose stretch was broken off may stand on top.
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

/// Ends the function of `frame`, which is running; regions that were begun in it go on.
#[cold]
pub(crate) fn leave_around(thread: &Thread, frame: *mut Frame) {
    let mut regions = thread.regions.take();
    let mut running = Vec::new();
    let mut here = thread.present();
    while !std::ptr::eq(here, frame) {
        running.push(here);
        // SAFETY: the present frame of a thread and its parents are alive, and `frame` is one of them.
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

/// When the boundary was that `thread` is at: in ticks of the session's clock, or in nanoseconds of the monotonic one where those do
/// not tell. No strand is running, so that reading it is part of none.
fn moment(thread: &Thread) -> i64 {
    match clock::chosen().tells_when() {
        true => thread.last.get(),
        false => clock::monotonic_nanos(),
    }
}

/// Interrupts regions, each of which contains the next.
fn interrupt(thread: &Thread, regions: &mut [Open]) {
    for open in regions.iter_mut().rev() {
        // Other instances that were begun in it end here.
        thread.come_back_to(open.frame);
        // SAFETY: the region is running, so its frame is alive, and this thread's.
        let frame = unsafe { &mut *open.frame };
        (open.before, open.top_before) = open.now(frame);
        frame.interrupted = true;
        serial::leave(thread, open.frame);
    }
}

/// Ends `outer`; `inner`, which were begun in it and have not ended, go on.
fn end_running(thread: &Thread, regions: &mut Regions, outer: Open, mut inner: Vec<Open>) {
    interrupt(thread, &mut inner);
    thread.come_back_to(outer.frame);
    // SAFETY: the region is running, so its frame is alive, and this thread's.
    let frame = unsafe { &*outer.frame };
    let (whole, top) = outer.now(frame);
    let instance = Instance {
        node: frame.node,
        start: outer.start,
        end: moment(thread),
        span: whole.depth,
        burdened: whole.burdened,
        open: whole.open,
        effort: whole.effort,
    };
    serial::leave(thread, outer.frame);
    regions.keep(instance, top, thread.settings.get().instances);
    for open in inner {
        regions.open.push(open.entered(thread, true));
    }
}

/// As [`begin`]: what the crate `workspan` calls, if the program is profiled.
///
/// # Safety
/// `name` and `file` must be readable for their lengths, and hold UTF-8.
#[no_mangle]
pub unsafe extern "C" fn workspan_region_begin(
    name: *const u8,
    name_length: usize,
    file: *const u8,
    file_length: usize,
    line: u32,
    column: u32,
) -> u64 {
    // SAFETY: the caller's promise.
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
