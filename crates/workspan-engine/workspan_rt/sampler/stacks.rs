//! The distinct stacks that samples were taken of, and how often each was seen on the work.

use crate::stack;
use crate::stack::code::Code;
use crate::thread::samples::line_use::LineUse;
use crate::thread::samples::pending::{Sample, Weight, PARTS};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many stacks are kept whole, and how many words these may have in all, 16 MiB. Of later ones
/// only the interrupted instruction is kept.
const WHOLE: usize = 1 << 16;
const WHOLE_WORDS: usize = 1 << 21;
/// How many stacks are kept at all.
const MOST: usize = 1 << 17;

/// Where the use of a cache line is in the first word of a key, above the node.
const LINE: u32 = 32;

/// The stacks seen, each with a number.
#[derive(Default)]
pub(crate) struct Stacks {
    /// By node and use of a cache line, and copy of the stack.
    numbers: HashMap<Box<[u64]>, u32>,
    /// The weight of each stack on the work.
    on_work: Vec<Weight>,
    /// How many words the copies have.
    words: usize,
    /// Samples for whose stacks there was no room.
    pub(crate) dropped: i64,
    /// Samples whose stacks were longer than what is kept.
    pub(crate) cut: i64,
    key: Vec<u64>,
}

static STACKS: Mutex<Option<Stacks>> = Mutex::new(None);

/// The stacks of the session, locked. For the end of a strand in which a sample fell, and for the
/// writer of the profile: never for a signal handler.
pub(crate) fn lock() -> StacksGuard {
    let mut guard = STACKS.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(Stacks::default);
    StacksGuard(guard)
}

/// Access to the session's stacks.
pub(crate) struct StacksGuard(MutexGuard<'static, Option<Stacks>>);

impl std::ops::Deref for StacksGuard {
    type Target = Stacks;
    fn deref(&self) -> &Stacks {
        self.0.as_ref().expect("made by `lock`")
    }
}

impl std::ops::DerefMut for StacksGuard {
    fn deref_mut(&mut self) -> &mut Stacks {
        self.0.as_mut().expect("made by `lock`")
    }
}

impl Stacks {
    /// Forgets everything.
    pub(crate) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Counts a sample on the work. Returns the number of its stack; `None` if there is no room for
    /// another.
    pub(crate) fn count(&mut self, sample: &Sample) -> Option<u32> {
        let instruction = sample.stack.first().map_or(0, |word| *word as usize);
        if !Code::of_process().contains(instruction) {
            // That code was loaded after the last look; later samples will know it.
            Code::look();
        }
        self.cut += i64::from(stack::is_cut(sample.stack));
        self.key.clear();
        self.key
            .push(u64::from(sample.node) | sample.line.bits() << LINE);
        self.key.extend(sample.stack);
        let number = self.number();
        match number {
            Some(number) => {
                let weight = &mut self.on_work[number as usize];
                *weight = *weight + sample.weight;
            }
            None => self.dropped += 1,
        }
        number
    }

    fn number(&mut self) -> Option<u32> {
        if let Some(number) = self.numbers.get(&self.key[..]) {
            return Some(*number);
        }
        if self.on_work.len() >= WHOLE || self.words + self.key.len() > WHOLE_WORDS {
            let kept = stack::keep_instruction(&mut self.key[1..]).len();
            self.key.truncate(1 + kept);
            if let Some(number) = self.numbers.get(&self.key[..]) {
                return Some(*number);
            }
        }
        if self.on_work.len() >= MOST {
            return None;
        }
        self.words += self.key.len();
        let number = self.on_work.len() as u32;
        self.numbers.insert(self.key.as_slice().into(), number);
        self.on_work.push(Weight::of(0, 1));
        Some(number)
    }

    /// Writes the records of all stacks. `on_span`: the weight of each stack on the span, in
    /// [`PARTS`], by the stack's number.
    pub(crate) fn write(&self, text: &mut String, on_span: &HashMap<u32, u64>) {
        for (key, number) in self.in_order() {
            let on_span = on_span.get(&number).map_or(0.0, |n| *n as f64 / PARTS);
            let weight = self.on_work[number as usize];
            let (on_work, elapsed) = (weight.periods, weight.elapsed as f64 / PARTS);
            let (node, line) = (key[0] as u32, LineUse::of_bits(key[0] >> LINE).name());
            let copy = stack::text(&key[1..]);
            let _ = writeln!(
                text,
                "stack {node} {on_work} {on_span} {elapsed} {line} {copy}"
            );
        }
    }

    /// Writes the records of stacks that were seen outside of strands.
    pub(crate) fn write_outside(&self, text: &mut String) {
        for (key, number) in self.in_order() {
            let weight = self.on_work[number as usize].periods;
            let _ = writeln!(text, "outside {weight} {}", stack::text(&key[1..]));
        }
    }

    fn in_order(&self) -> Vec<(&[u64], u32)> {
        let numbers = self.numbers.iter();
        let mut keys: Vec<(&[u64], u32)> = numbers.map(|(key, number)| (&**key, *number)).collect();
        keys.sort_unstable_by_key(|(_, number)| *number);
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(stack: &[u64]) -> Sample<'_> {
        Sample {
            node: 1,
            line: LineUse::Unknown,
            weight: Weight::of(4, 2),
            stack,
        }
    }

    #[test]
    fn equal_stacks_have_one_number() {
        let mut stacks = Stacks::default();
        let entry = 1 << 48 | 120;
        assert_eq!(stacks.count(&sample(&[110, 9, 0, entry])), Some(0));
        assert_eq!(stacks.count(&sample(&[110, 9, 0, entry + 1])), Some(1));
        assert_eq!(stacks.count(&sample(&[110, 9, 0, entry])), Some(0));
        assert_eq!(stacks.count(&sample(&[110, 9, 7, entry])), Some(2));
        let stack = [110, 9, 7, entry];
        let mut shared = sample(&stack);
        shared.line = LineUse::Shared;
        assert_eq!(stacks.count(&shared), Some(3));
        let mut text = String::new();
        stacks.write(&mut text, &HashMap::from([(1, (2.5 * PARTS) as u64)]));
        assert_eq!(
            text,
            "stack 1 8 0 4 - 6e 9 - - 1:78\nstack 1 4 2.5 2 - 6e 9 - - 1:79\nstack 1 4 0 2 - 6e 9 - 7 1:78\n\
             stack 1 4 0 2 shared 6e 9 - 7 1:78\n"
        );
    }

    #[test]
    fn stacks_that_are_cut_are_counted() {
        let mut stacks = Stacks::default();
        stacks.count(&sample(&[110, 1 << 63 | 9, 0]));
        stacks.count(&sample(&[110, 9, 0]));
        assert_eq!(stacks.cut, 1);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn a_full_table_keeps_instructions_and_then_nothing_new() {
        let mut stacks = Stacks::default();
        for n in 0..WHOLE as u64 {
            assert_eq!(stacks.count(&sample(&[n, 1, 0, 5])), Some(n as u32));
        }
        let first = stacks.count(&sample(&[7, 1, 0, 6]));
        assert_eq!(first, Some(WHOLE as u32));
        assert_eq!(stacks.count(&sample(&[7, 2, 0, 6, 9])), first);
        assert_eq!(stacks.count(&sample(&[7, 1, 0, 5])), Some(7));
        for n in 8..8 + (MOST - WHOLE) as u64 {
            stacks.count(&sample(&[n, 1, 0, 6]));
        }
        assert_eq!(stacks.count(&sample(&[u64::MAX, 1, 0, 6])), None);
        assert_eq!(stacks.dropped, 2);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn long_stacks_fill_the_table_sooner() {
        let mut stacks = Stacks::default();
        let mut long = [0; 1_023];
        let kept = WHOLE_WORDS / (long.len() + 1);
        for n in 0..=kept as u64 {
            long[0] = n;
            stacks.count(&sample(&long));
        }
        let lengths = stacks.numbers.keys().map(|key| key.len());
        assert_eq!(lengths.filter(|length| *length > 4).count(), kept);
        assert_eq!(stacks.on_work.len(), kept + 1);
    }
}
