//! What one thread has seen on the work, by node of the call tree.

use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering};

/// A number that one thread writes and others may read at any time: a plain load, add and store.
#[derive(Default)]
pub(crate) struct Counter(AtomicI64);

impl Counter {
    pub(crate) fn new(n: i64) -> Self {
        Self(AtomicI64::new(n))
    }

    /// Adds `n`. Only for the one thread that writes this counter.
    #[inline(always)]
    pub(crate) fn add(&self, n: i64) {
        // Relaxed, and not an atomic addition: there is one writer, and a reader takes any recent value.
        self.0
            .store(self.0.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set(&self, n: i64) {
        self.0.store(n, Ordering::Relaxed);
    }
}

/// The counts of one node.
#[derive(Default)]
pub(crate) struct Cell {
    /// Ticks of strands run at the node.
    pub(crate) local: Counter,
    /// Ticks of those in which the thread waited of its own will.
    pub(crate) blocked: Counter,
    /// Instances begun.
    pub(crate) count: Counter,
    /// Top instances ended, and the sum of their spans in ticks.
    pub(crate) top_count: Counter,
    pub(crate) top_span: Counter,
    /// Ticks of own strands that were not on the longest paths of their instances.
    pub(crate) beside: Counter,
    /// Tasks that ran on another thread than the one that created them.
    pub(crate) stolen: Counter,
    /// Tasks of broadcasts: the only construct whose number of tasks is not that of its instances.
    pub(crate) broadcast_tasks: Counter,
    /// Waits of its strands for tasks that are no construct of their own.
    pub(crate) syncs: Counter,
}

const COUNTERS: usize = 9;

impl Cell {
    fn counters(&self) -> [&Counter; COUNTERS] {
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

    /// What all counters stand at, for [`Cell::set_values`].
    pub(crate) fn values(&self) -> [i64; COUNTERS] {
        self.counters().map(Counter::get)
    }

    /// Sets all counters; only for the table's thread, or while that is idle.
    pub(crate) fn set_values(&self, values: [i64; COUNTERS]) {
        self.counters()
            .into_iter()
            .zip(values)
            .for_each(|(counter, value)| counter.set(value));
    }
}

const CHUNK: usize = 512;
const CHUNKS: usize = 1024;

/// Largest number of nodes that a table has room for.
pub(crate) const NODES: usize = CHUNK * CHUNKS;

/// Cells by node. Grows by whole chunks that never move, so that readers need no lock.
pub(crate) struct Table {
    chunks: [AtomicPtr<[Cell; CHUNK]>; CHUNKS],
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS],
        }
    }

    /// The cell of `node`, which only the table's own thread may ask for.
    #[inline(always)]
    pub(crate) fn cell(&self, node: u32) -> &Cell {
        let slot = &self.chunks[node as usize / CHUNK % CHUNKS];
        let mut chunk = slot.load(Ordering::Relaxed);
        if chunk.is_null() {
            chunk = Self::grow(slot);
        }
        // SAFETY: a chunk is allocated once and freed only with the table.
        unsafe { &(*chunk)[node as usize % CHUNK] }
    }

    #[cold]
    #[inline(never)]
    fn grow(slot: &AtomicPtr<[Cell; CHUNK]>) -> *mut [Cell; CHUNK] {
        let chunk = Box::into_raw(Box::new(std::array::from_fn(|_| Cell::default())));
        // Release: a reader that sees the pointer sees the zeroes behind it.
        slot.store(chunk, Ordering::Release);
        chunk
    }

    /// Calls `visit` with every node below `nodes` that the thread has touched, from any thread.
    pub(crate) fn for_each(&self, nodes: usize, mut visit: impl FnMut(usize, &Cell)) {
        for (index, slot) in self.chunks.iter().enumerate() {
            let chunk = slot.load(Ordering::Acquire);
            if !chunk.is_null() {
                // SAFETY: as in `cell`; Acquire pairs with the Release of `grow`.
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

    /// Sets every cell to zero, from the table's thread or while that is idle.
    pub(crate) fn clear(&self) {
        self.for_each(NODES, |_, cell| cell.set_values([0; COUNTERS]));
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for slot in &mut self.chunks {
            if !slot.get_mut().is_null() {
                // SAFETY: made by `Box::into_raw` in `grow`, and nobody else has the table any more.
                drop(unsafe { Box::from_raw(*slot.get_mut()) });
            }
        }
    }
}
