//! What a path went through: for each node of the call tree, the instances that began on the path
//! and the ticks of the strands on it. The samples that fell on the path ([`crate::sampler`]) are
//! entries like those of nodes.

use std::cell::RefCell;

/// What a path has of one node.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Instances that began on the path.
    pub(crate) count: u64,
    /// Ticks of strands on the path.
    pub(crate) local: i64,
    /// Ticks of own strands off the path ([`crate::path::frame`]), of instances that ended on it.
    pub(crate) beside: i64,
    /// Top instances that ended on the path, and their whole work.
    pub(crate) top_count: u64,
    pub(crate) top_work: i64,
}

impl std::ops::AddAssign for Part {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.local += other.local;
        self.beside += other.beside;
        self.top_count += other.top_count;
        self.top_work += other.top_work;
    }
}

/// Set in place of a node: the entry is of samples, and the other bits are the number of their
/// stack. The entry's count is their weight.
const SAMPLES: u32 = 1 << 31;

/// The stack that an entry of a log belongs to; `None` if the entry is that of a node.
pub(crate) fn stack_of(node: u32) -> Option<u32> {
    (node & SAMPLES != 0).then_some(node & !SAMPLES)
}

/// Ticks and instances of one path, at its owner's node and at others. Nearly everything concerns
/// the owner's node, so that is kept outside the table of the others: a recursion over one site
/// needs no table at all.
#[derive(Default)]
pub(crate) struct Log {
    /// The owner's node.
    own: Part,
    others: Others,
}

impl Log {
    pub(crate) fn new(own: Part, others: Others) -> Self {
        Self { own, others }
    }

    /// Appends `other`, the log of a path at `other_node`, to this log of `node`; `other` is left
    /// without a table.
    pub(crate) fn append(&mut self, node: u32, other_node: u32, other: &mut Log) {
        if node == other_node {
            self.own += other.own;
        } else {
            self.others.add(other_node, other.own);
        }
        self.others.append(&mut other.others);
    }

    /// Calls `visit(node, part)` for every entry of the log, whose owner's node is `node`; see
    /// [`stack_of`]. In a mutual recursion a node may come up twice, once as the owner's and once
    /// from the table; the parts add up.
    pub(crate) fn for_each(&self, node: u32, mut visit: impl FnMut(u32, Part)) {
        visit(node, self.own);
        self.others.for_each(visit);
    }
}

/// The entries of a path at nodes other than its owner's. Allocates only if there are any.
#[derive(Clone, Default)]
pub(crate) struct Others(Option<Box<Tally>>);

impl Drop for Others {
    #[inline]
    fn drop(&mut self) {
        if let Some(tally) = self.0.take() {
            Tally::put_back(tally);
        }
    }
}

impl Others {
    #[inline(always)]
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |tally| tally.entries.len())
    }

    /// The sum of all ticks.
    #[inline]
    pub(crate) fn ticks(&self) -> i64 {
        self.0.as_ref().map_or(0, |tally| tally.ticks)
    }

    #[inline(never)]
    pub(crate) fn add(&mut self, node: u32, part: Part) {
        self.0
            .get_or_insert_with(Tally::fresh)
            .add(Entry { node, part });
    }

    /// Calls `visit(node, part)` for every entry.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32, Part)) {
        for entry in self.0.iter().flat_map(|tally| &tally.entries) {
            visit(entry.node, entry.part);
        }
    }

    /// Adds samples of `stack` with a total weight of `weight`.
    pub(crate) fn add_samples(&mut self, stack: u32, weight: u64) {
        let part = Part {
            count: weight,
            ..Part::default()
        };
        self.add(SAMPLES | stack, part);
    }

    /// Moves everything in `other` here, at amortised constant cost an entry: the smaller table is
    /// poured into the larger.
    #[inline(never)]
    pub(crate) fn append(&mut self, other: &mut Others) {
        let Some(mut theirs) = other.0.take() else {
            return;
        };
        match &mut self.0 {
            None => self.0 = Some(theirs),
            Some(ours) => {
                if ours.entries.len() < theirs.entries.len() {
                    std::mem::swap(ours, &mut theirs);
                }
                for entry in &theirs.entries {
                    ours.add(*entry);
                }
                Tally::put_back(theirs);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Entry {
    node: u32,
    part: Part,
}

/// Entries by node: while they are few, searched in order; beyond that, through a hash index.
#[derive(Clone, Default)]
struct Tally {
    /// Sum of all `local`.
    ticks: i64,
    entries: Vec<Entry>,
    /// Position in `entries` plus one, by hash of the node; 0 is free. Empty while the entries are
    /// few.
    index: Vec<u32>,
}

const FEW: usize = 12;
const SPARES: usize = 64;

thread_local! {
    /// Small tables not in use: in a mutual recursion one is filled and emptied at every fork.
    #[allow(clippy::vec_box)] // The boxes are what is spared.
    static SPARE: RefCell<Vec<Box<Tally>>> = const { RefCell::new(Vec::new()) };
}

impl Tally {
    fn fresh() -> Box<Self> {
        SPARE
            .try_with(|spare| spare.borrow_mut().pop())
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    /// Empties a table and keeps it for reuse, if there is room.
    fn put_back(mut tally: Box<Self>) {
        if !tally.index.is_empty() {
            return;
        }
        tally.entries.clear();
        tally.ticks = 0;
        // A thread that is ending has nowhere to keep it.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < SPARES {
                spare.push(tally);
            }
        });
    }

    fn add(&mut self, new: Entry) {
        self.ticks += new.part.local;
        match self.position(new.node) {
            Some(at) => self.entries[at].part += new.part,
            None => {
                self.entries.push(new);
                if self.entries.len() > FEW {
                    if self.entries.len() * 2 > self.index.len() {
                        self.reindex();
                    } else {
                        self.insert_index(self.entries.len() - 1);
                    }
                }
            }
        }
    }

    fn position(&self, node: u32) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|e| e.node == node);
        }
        let mut slot = self.slot(node);
        loop {
            match self.index[slot] {
                0 => return None,
                at if self.entries[at as usize - 1].node == node => return Some(at as usize - 1),
                _ => slot = (slot + 1) & (self.index.len() - 1),
            }
        }
    }

    fn slot(&self, node: u32) -> usize {
        (node.wrapping_mul(0x9E37_79B9) >> 7) as usize & (self.index.len() - 1)
    }

    fn insert_index(&mut self, at: usize) {
        let mut slot = self.slot(self.entries[at].node);
        while self.index[slot] != 0 {
            slot = (slot + 1) & (self.index.len() - 1);
        }
        self.index[slot] = at as u32 + 1;
    }

    fn reindex(&mut self) {
        self.index.clear();
        self.index
            .resize((self.entries.len() * 4).next_power_of_two(), 0);
        for at in 0..self.entries.len() {
            self.insert_index(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(log: &Log, node: u32) -> BTreeMap<u32, (u64, i64)> {
        let mut all = BTreeMap::new();
        log.for_each(node, |n, part| {
            let sum: &mut (u64, i64) = all.entry(n).or_default();
            *sum = (sum.0 + part.count, sum.1 + part.local);
        });
        all
    }

    #[test]
    fn appending_adds_node_by_node_however_large_the_tables() {
        let mut expected: BTreeMap<u32, (u64, i64)> = BTreeMap::new();
        let mut log = Log::default();
        let mut state = 1_u32;
        for round in 0..2_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let node = (state >> 16) % 100;
            let once = |local| Part {
                count: 1,
                local,
                ..Part::default()
            };
            let mut child = Log::new(once(i64::from(round)), Others::default());
            child.append(node, 3, &mut Log::new(once(7), Others::default()));
            for (n, count, local) in [(node, 1, i64::from(round)), (3, 1, 7)] {
                let sum = expected.entry(n).or_default();
                *sum = (sum.0 + count, sum.1 + local);
            }
            log.append(3, node, &mut child);
        }
        assert_eq!(read(&log, 3), expected);
    }
}
