//! Samples of a strand that has not ended yet.
//!
//! Only a thread's signal handler adds to its buffer, while the thread is not in the engine's
//! bookkeeping; and only the thread's own bookkeeping empties it, or the writer of the profile
//! after the handlers have been shut out: see the [sampler](crate::sampler). So no two of them are
//! ever in here at once, and relaxed atomics suffice.
//!
//! A strand may be longer than any buffer. When there is no room left, every two neighbouring
//! samples become one: either of the two at random, with the weight of both; and from then on as
//! many signals at a time become one sample. So a long strand keeps a thousand samples or more,
//! evenly from its whole length, and every function keeps its share among them, in expectation.

use super::line_use::LineUse;
use crate::stack;
use std::alloc::{alloc_zeroed, Layout};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Size of a buffer, in words of 8 bytes. A thread touches only as much of it as its strands need.
/// Miri looks at all of it each time.
const WORDS: usize = if cfg!(miri) { 1 << 11 } else { 1 << 17 };
/// Words of a sample before its stack: node, length of the stack and use of a cache line, and the
/// two of its weight.
const HEAD: usize = 3;
/// Where the use of a cache line is in the first word, above the length.
const LINE: u32 = 62;
/// The most words of one sample.
const LONGEST: usize = HEAD + stack::LONGEST;

type Buffer = [AtomicU64; WORDS];

/// One thread's buffer.
#[derive(Default)]
pub(crate) struct Pending {
    /// Words in use.
    used: AtomicUsize,
    /// Made at the first use, and never freed, just as the thread's other data.
    buffer: AtomicPtr<Buffer>,
    /// How many signals a complete sample stands for.
    group: AtomicU64,
    /// Where the last sample begins, and how many signals it stands for.
    last: AtomicUsize,
    in_last: AtomicU64,
    /// State of a generator of random numbers.
    random: AtomicU64,
    /// Signals that were merged into a sample with others.
    merged: AtomicU64,
}

/// Elapsed time, and weights on a path, are counted in this fraction of an expiration, since logs
/// hold whole numbers.
pub(crate) const PARTS: f64 = (1_u64 << 16) as f64;

/// What a sample stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Expirations of the timer, which are processor time.
    pub(crate) periods: u64,
    /// The elapsed time meanwhile, in [`PARTS`] of a period: it is divided evenly among the strands
    /// that run.
    pub(crate) elapsed: u64,
}

impl Weight {
    /// Of `periods` in which as many strands ran as `working`, or this one alone if that is 0.
    pub(crate) fn of(periods: u64, working: usize) -> Self {
        let elapsed = periods * PARTS as u64 / working.max(1) as u64;
        Self { periods, elapsed }
    }

    fn read(words: &Buffer, start: usize) -> Self {
        let [periods, elapsed] = [1, 2].map(|at| words[start + at].load(Ordering::Relaxed));
        Self { periods, elapsed }
    }

    fn write(self, words: &Buffer, start: usize) {
        words[start + 1].store(self.periods, Ordering::Relaxed);
        words[start + 2].store(self.elapsed, Ordering::Relaxed);
    }
}

impl std::ops::Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            periods: self.periods + other.periods,
            elapsed: self.elapsed + other.elapsed,
        }
    }
}

/// A sample that was pending.
pub(crate) struct Sample<'a> {
    /// Node of the strand.
    pub(crate) node: u32,
    pub(crate) line: LineUse,
    pub(crate) weight: Weight,
    /// A [copy](stack::copy) of the stack.
    pub(crate) stack: &'a [u64],
}

impl Pending {
    /// Is anything pending?
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.used.load(Ordering::Relaxed) != 0
    }

    /// Makes room, outside of any handler.
    pub(crate) fn prepare(&self) {
        if self.buffer.load(Ordering::Relaxed).is_null() {
            // Memory that the allocator knows to be zeroes: what is not used is never touched.
            // SAFETY: the layout is not empty; zeroes are valid atomics, and where there is no
            // memory, the null pointer is valid in `buffer`.
            let buffer = unsafe { alloc_zeroed(Layout::new::<Buffer>()) };
            self.buffer.store(buffer.cast(), Ordering::Relaxed);
        }
    }

    fn words(&self) -> Option<&Buffer> {
        // SAFETY: null, or a buffer from `prepare`, which is never freed and has nothing but
        // atomics.
        unsafe { self.buffer.load(Ordering::Relaxed).as_ref() }
    }

    /// Adds a sample; `copy` writes its stack and returns the stack's length. Bounded, allocates
    /// nothing, takes no lock. False if the thread has no buffer.
    pub(crate) fn add(
        &self,
        node: u32,
        line: LineUse,
        weight: Weight,
        copy: impl FnOnce(&[AtomicU64]) -> usize,
    ) -> bool {
        let Some(words) = self.words() else {
            return false;
        };
        let in_last = self.in_last.load(Ordering::Relaxed);
        if in_last < self.group.load(Ordering::Relaxed) {
            let last = self.last.load(Ordering::Relaxed);
            let weight = weight + Weight::read(words, last);
            weight.write(words, last);
            self.in_last.store(in_last + 1, Ordering::Relaxed);
            self.count_merged(1);
            // Each of the signals is equally likely to be the one kept.
            if self.random_below(in_last + 1) == 0 {
                self.put(words, last, (node, line), weight, copy);
            }
            return true;
        }
        if self.used.load(Ordering::Relaxed) + LONGEST > WORDS {
            self.halve(words);
            return self.add(node, line, weight, copy);
        }
        let start = self.used.load(Ordering::Relaxed);
        self.last.store(start, Ordering::Relaxed);
        self.in_last.store(1, Ordering::Relaxed);
        self.put(words, start, (node, line), weight, copy);
        true
    }

    /// Writes the last sample, which begins at `start`.
    fn put(
        &self,
        words: &Buffer,
        start: usize,
        (node, line): (u32, LineUse),
        weight: Weight,
        copy: impl FnOnce(&[AtomicU64]) -> usize,
    ) {
        let length = copy(&words[start + HEAD..start + LONGEST]);
        let end = start + HEAD + length;
        let head = u64::from(node) | (length as u64) << 32 | line.bits() << LINE;
        words[start].store(head, Ordering::Relaxed);
        weight.write(words, start);
        self.used.store(end, Ordering::Relaxed);
    }

    /// Where the sample at `start` ends.
    fn end_of(words: &Buffer, start: usize) -> usize {
        let head = words[start].load(Ordering::Relaxed);
        start + HEAD + (head >> 32 & ((1 << (LINE - 32)) - 1)) as usize
    }

    /// Merges the samples in pairs. All of them are complete.
    #[cold]
    fn halve(&self, words: &Buffer) {
        let used = self.used.load(Ordering::Relaxed);
        let group = self.group.load(Ordering::Relaxed).max(1);
        let (mut from, mut to) = (0, 0);
        while from < used {
            let first = from;
            let second = Self::end_of(words, first);
            let is_alone = second >= used;
            from = if is_alone {
                second
            } else {
                Self::end_of(words, second)
            };
            let mut chosen = first;
            let mut weight = Weight::read(words, first);
            if !is_alone {
                weight = weight + Weight::read(words, second);
                if self.random_below(2) == 0 {
                    chosen = second;
                }
                self.count_merged(1);
            }
            let end = Self::end_of(words, chosen);
            weight.write(words, chosen);
            self.last.store(to, Ordering::Relaxed);
            self.in_last
                .store(if is_alone { group } else { 2 * group }, Ordering::Relaxed);
            // Towards the front, from the front on: nothing still to be moved is overwritten.
            for at in chosen..end {
                let word = words[at].load(Ordering::Relaxed);
                words[to].store(word, Ordering::Relaxed);
                to += 1;
            }
        }
        self.used.store(to, Ordering::Relaxed);
        self.group.store(2 * group, Ordering::Relaxed);
    }

    fn count_merged(&self, more: u64) {
        let merged = self.merged.load(Ordering::Relaxed);
        self.merged.store(merged + more, Ordering::Relaxed);
    }

    /// A number below `limit`, by Knuth's 64-bit linear congruential generator, whose upper bits
    /// are the best.
    fn random_below(&self, limit: u64) -> u64 {
        let next = self
            .random
            .load(Ordering::Relaxed)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random.store(next, Ordering::Relaxed);
        ((next >> 32) * (limit & 0xFFFF_FFFF)) >> 32
    }

    /// Calls `visit` with every sample, then forgets them.
    pub(crate) fn drain(&self, mut visit: impl FnMut(Sample)) {
        let used = self.used.load(Ordering::Relaxed);
        if let Some(words) = self.words() {
            let mut stack = [0; LONGEST];
            let mut start = 0;
            while start < used {
                let end = Self::end_of(words, start);
                let length = end - start - HEAD;
                for (to, from) in stack.iter_mut().zip(&words[start + HEAD..end]) {
                    *to = from.load(Ordering::Relaxed);
                }
                let head = words[start].load(Ordering::Relaxed);
                visit(Sample {
                    node: head as u32,
                    line: LineUse::of_bits(head >> LINE),
                    weight: Weight::read(words, start),
                    stack: &stack[..length],
                });
                start = end;
            }
        }
        self.empty();
    }

    fn empty(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.group.store(0, Ordering::Relaxed);
        self.in_last.store(0, Ordering::Relaxed);
    }

    /// Signals that were merged into a sample with others.
    pub(crate) fn merged(&self) -> i64 {
        self.merged.load(Ordering::Relaxed) as i64
    }

    /// Forgets everything, for a new session.
    pub(crate) fn clear(&self) {
        self.empty();
        self.merged.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(pending: &Pending, node: u32, stack: &[u64]) {
        let copy = |to: &[AtomicU64]| {
            for (to, word) in to.iter().zip(stack) {
                to.store(*word, Ordering::Relaxed);
            }
            stack.len().min(to.len())
        };
        assert!(pending.add(node, line_of(node), Weight::of(4, 2), copy));
    }

    fn line_of(node: u32) -> LineUse {
        match node {
            2 => LineUse::Apart,
            _ => LineUse::Own,
        }
    }

    #[test]
    fn what_is_added_comes_out_once() {
        let pending = Pending::default();
        assert!(!pending.add(1, LineUse::Unknown, Weight::of(1, 1), |_| 0));
        pending.prepare();
        assert!(!pending.any());
        add(&pending, 3, &[10, 11, 12]);
        add(&pending, 9, &[20]);
        assert!(pending.any());
        let mut seen = Vec::new();
        pending.drain(|sample| {
            assert_eq!(sample.weight, Weight::of(4, 2));
            seen.push((sample.node, sample.stack.to_vec()));
        });
        assert_eq!(seen, [(3, vec![10, 11, 12]), (9, vec![20])]);
        assert!(!pending.any());
    }

    #[test]
    fn a_sample_has_a_longest_length() {
        let pending = Pending::default();
        pending.prepare();
        add(&pending, 0, &(0..1_000).collect::<Vec<_>>());
        pending.drain(|sample| assert_eq!(sample.stack.len(), stack::LONGEST));
    }

    #[test]
    fn a_long_strand_keeps_its_weight_and_the_shares_of_its_functions() {
        let pending = Pending::default();
        pending.prepare();
        // Stacks of unequal lengths, in a ratio of 3 to 1.
        let rounds = if cfg!(miri) { 2_000 } else { 200_000 };
        for round in 0..rounds {
            if round % 4 == 0 {
                add(&pending, 1, &[1; 30]);
            } else {
                add(&pending, 2, &[2; 3]);
            }
        }
        let (mut weights, mut count, mut heaviest) = ([0; 3], 0, 0);
        pending.drain(|sample| {
            // All were taken while two strands ran.
            assert_eq!(sample.weight, Weight::of(sample.weight.periods, 2));
            assert_eq!(sample.line, line_of(sample.node));
            weights[sample.node as usize] += sample.weight.periods;
            heaviest = heaviest.max(sample.weight.periods);
            count += 1;
        });
        let all = 4 * rounds as u64;
        assert_eq!(weights[1] + weights[2], all);
        // About three standard deviations of a share of 3/4 among the samples that are left.
        let (share, off) = (
            weights[2] as f64 / all as f64,
            3.0 * (3.0 / 16.0 / count as f64).sqrt(),
        );
        assert!((share - 0.75).abs() < off, "{share}");
        assert!(
            count > WORDS as i64 / 64 && heaviest <= 2 * all / count as u64,
            "{count}, {heaviest}"
        );
        assert_eq!(pending.merged(), rounds as i64 - count);
    }
}
