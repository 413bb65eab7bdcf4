//! What one thread has counted towards the work, by node of the call tree.

use crate::system::tally::Tally;
use crate::tree::kinds::Kinds;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The counts of one node.
#[derive(Default)]
pub(crate) struct Cell {
    /// Ticks of strands run at the node.
    pub(crate) local: Tally,
    /// Ticks of those in which the thread waited voluntarily.
    pub(crate) blocked: Tally,
    /// Instances begun.
    pub(crate) count: Tally,
    /// Top instances ended, and the sum of their spans in ticks.
    pub(crate) top_count: Tally,
    pub(crate) top_span: Tally,
    /// Ticks of own strands that were off the longest paths of their instances
    /// ([`crate::path::frame`]).
    pub(crate) beside: Tally,
    /// Tasks that ran on a thread other than the one that created them.
    pub(crate) stolen: Tally,
    /// Tasks of broadcasts, the only construct with a number of tasks other than that of its
    /// instances.
    pub(crate) broadcast_tasks: Tally,
    /// Waits for tasks in its strands that are not constructs of their own.
    pub(crate) syncs: Tally,
    /// What is known of the node's strands.
    pub(crate) kinds: Kinds,
}

const TALLIES: usize = 9;

impl Cell {
    fn tallies(&self) -> [&Tally; TALLIES] {
        let Self {
            local,
            blocked,
            count,
            top_count,
            top_span,
            beside,
            stolen,
            broadcast_tasks,
            syncs,
            kinds: _,
        } = self;
        [
            local,
            blocked,
            count,
            top_count,
            top_span,
            beside,
            stolen,
            broadcast_tasks,
            syncs,
        ]
    }

    /// The values of all tallies, for [`Cell::set_values`].
    pub(crate) fn values(&self) -> [i64; TALLIES] {
        self.tallies().map(Tally::get)
    }

    /// Sets all tallies. Only for the table's thread, or while that thread is idle.
    pub(crate) fn set_values(&self, values: [i64; TALLIES]) {
        self.tallies()
            .into_iter()
            .zip(values)
            .for_each(|(tally, value)| tally.set(value));
    }
}

const CHUNK: usize = 512;
const CHUNKS: usize = 1024;

/// The most nodes that a table has room for.
pub(crate) const NODES: usize = CHUNK * CHUNKS;

/// Cells by node. The table grows by whole chunks that never move, so readers need no lock.
pub(crate) struct Table {
    chunks: [AtomicPtr<[Cell; CHUNK]>; CHUNKS],
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS],
        }
    }

    /// The cell of `node`. Only for the table's own thread.
    #[inline(always)]
    pub(crate) fn cell(&self, node: u32) -> &Cell {
        let slot = &self.chunks[node as usize / CHUNK % CHUNKS];
        let mut chunk = slot.load(Ordering::Relaxed);
        if chunk.is_null() {
            chunk = Self::grow(slot);
        }
        // SAFETY: `grow` made the chunk of a box. It never moves and is freed only with the table,
        // which `self` keeps alive.
        unsafe { &(*chunk)[node as usize % CHUNK] }
    }

    #[cold]
    #[inline(never)]
    fn grow(slot: &AtomicPtr<[Cell; CHUNK]>) -> *mut [Cell; CHUNK] {
        // Made on the heap: the stack is the program's, and may have no room for it.
        let cells: Vec<Cell> = (0..CHUNK).map(|_| Cell::default()).collect();
        let Ok(chunk) = <Box<[Cell; CHUNK]>>::try_from(cells) else {
            unreachable!("there are as many cells as a chunk has");
        };
        let chunk = Box::into_raw(chunk);
        // Release: a reader that sees the pointer sees the zeroes behind it.
        slot.store(chunk, Ordering::Release);
        chunk
    }

    /// Calls `visit` with every node below `nodes` that the thread has touched. May be called on
    /// any thread.
    pub(crate) fn for_each(&self, nodes: usize, mut visit: impl FnMut(usize, &Cell)) {
        for (index, slot) in self.chunks.iter().enumerate() {
            let chunk = slot.load(Ordering::Acquire);
            if !chunk.is_null() {
                // SAFETY: `grow` made the chunk of a box, which is freed only with the table;
                // Acquire pairs with the Release there, so that its cells are seen.
                let cells = unsafe { &*chunk };
                for (offset, cell) in cells
                    .iter()
                    .enumerate()
                    .take_while(|(o, _)| index * CHUNK + o < nodes)
                {
                    visit(index * CHUNK + offset, cell);
                }
            }
        }
    }

    /// Sets every cell to zero. Only for the table's thread, or while that thread is idle.
    pub(crate) fn clear(&self) {
        self.for_each(NODES, |_, cell| {
            cell.set_values([0; TALLIES]);
            cell.kinds.set(&Kinds::default());
        });
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for slot in &mut self.chunks {
            if !slot.get_mut().is_null() {
                // SAFETY: `grow` made it of a box, and nobody else has the table any more.
                drop(unsafe { Box::from_raw(*slot.get_mut()) });
            }
        }
    }
}
