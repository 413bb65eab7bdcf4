//! What a thread has recorded and not yet written.

use super::item::Item;
use super::window::Window;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a thread has recorded but not yet written.
pub(crate) struct Recorder {
    pub(crate) window: RefCell<Window>,
    /// Encoded entries that have left the window but are not yet written.
    pub(crate) bytes: RefCell<Vec<u8>>,
    /// The thread's number in the stream; `None` before its first entry.
    pub(crate) number: Cell<Option<u32>>,
    /// Names for lanes and constructs that this thread may still hand out: next and end.
    names: Cell<(u64, u64)>,
    /// Stretches that were broken off: the stack address of the boundary at which each began, and
    /// its mark.
    marks: RefCell<Vec<(usize, u64)>>,
    /// How many forks are open here.
    pub(crate) forks: Cell<usize>,
    /// When the window was last written.
    pub(crate) written: Cell<i64>,
    /// Position from which on nothing is kept; 0 while everything is.
    pub(crate) aside: Cell<u64>,
}

static NAMES: AtomicU64 = AtomicU64::new(1);

/// How many names a thread reserves at once.
const NAMES_AT_ONCE: u64 = 1 << 12;

impl Recorder {
    pub(crate) const fn new() -> Self {
        Self {
            window: RefCell::new(Window::new()),
            bytes: RefCell::new(Vec::new()),
            number: Cell::new(None),
            names: Cell::new((0, 0)),
            marks: RefCell::new(Vec::new()),
            forks: Cell::new(0),
            written: Cell::new(0),
            aside: Cell::new(0),
        }
    }

    /// Forgets everything, for a new session.
    pub(crate) fn clear(&self) {
        self.window.borrow_mut().clear();
        self.bytes.borrow_mut().clear();
        self.marks.borrow_mut().clear();
        self.number.set(None);
        self.forks.set(0);
        self.aside.set(0);
        self.written.set(0);
    }

    /// A new name for a lane or a construct, unique in the process.
    pub(crate) fn new_name(&self) -> u64 {
        let (mut next, mut end) = self.names.get();
        if next == end {
            // Relaxed: only the number itself is exchanged.
            next = NAMES.fetch_add(NAMES_AT_ONCE, Ordering::Relaxed);
            end = next + NAMES_AT_ONCE;
        }
        self.names.set((next + 1, end));
        next
    }

    /// Puts an obstacle after what has been recorded so far ([`window`](super::window)).
    pub(crate) fn obstruct(&self, from: u64) {
        self.window.borrow_mut().obstruct(from);
    }

    /// Leaves a mark for the forks that began in the stretch being broken off, deeper in the stack
    /// than `opener`.
    pub(crate) fn leave_mark(&self, opener: usize) -> Item {
        let mut marks = self.marks.borrow_mut();
        while marks.last().is_some_and(|(address, _)| *address <= opener) {
            marks.pop();
        }
        let mark = self.new_name();
        marks.push((opener, mark));
        Item::Mark { mark }
    }

    /// The mark of the stretch in which the fork at `address` began.
    pub(crate) fn mark_of(&self, address: usize) -> u64 {
        let mut marks = self.marks.borrow_mut();
        while marks.last().is_some_and(|(opener, _)| *opener <= address) {
            marks.pop();
        }
        marks.last().map_or(0, |(_, mark)| *mark)
    }
}
