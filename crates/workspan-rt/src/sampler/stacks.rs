//! The distinct stacks that samples were taken of, and how often each was seen on the work.

use super::code::Code;
use super::pending::Sample;
use super::top;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stacks that are kept whole; of what comes after these, the interrupted instruction is.
const WHOLE: usize = 1 << 16;
/// Stacks that are kept at all.
const MOST: usize = 1 << 17;

/// Weights on a path are whole numbers of this part of an expiration, since logs count in whole numbers.
pub(crate) const PARTS: f64 = (1_u64 << 16) as f64;

/// What was seen: a number for each stack.
#[derive(Default)]
pub(crate) struct Stacks {
    /// By node, possible caller and addresses.
    numbers: HashMap<Box<[u64]>, u32>,
    /// Weight of each on the work.
    on_work: Vec<u64>,
    /// Samples for whose stacks there was no room.
    pub(crate) dropped: i64,
    code: Code,
    key: Vec<u64>,
}

static STACKS: Mutex<Option<Stacks>> = Mutex::new(None);

/// The stacks of the session, locked. At the end of a strand in which a sample fell, and for the writer of the profile:
/// never in a signal handler.
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
    /// Forgets everything; `code` tells code addresses from other words.
    pub(crate) fn begin(&mut self, code: Code) {
        *self = Self {
            code,
            ..Self::default()
        };
    }

    /// Counts a sample on the work. Gives back the number of its stack; `None` if there is no room for another.
    pub(crate) fn count(&mut self, sample: &Sample) -> Option<u32> {
        let (addresses, _) = top::split(sample.addresses);
        let strange = addresses.iter().find(|a| !self.code.contains(**a));
        if let Some(address) = strange {
            self.code.refresh_for(*address);
        }
        self.make_key(sample);
        let number = self.number();
        match number {
            Some(number) => self.on_work[number as usize] += sample.weight,
            None => self.dropped += 1,
        }
        number
    }

    /// What was seen of a sample, without what cannot be code: a function without a frame pointer leaves anything there.
    fn make_key(&mut self, sample: &Sample) {
        let (addresses, top) = top::split(sample.addresses);
        let Some((instruction, returns)) = addresses.split_first() else {
            self.key.clear();
            self.key.extend([u64::from(sample.node), 0]);
            return;
        };
        let is_code = |address: &u64| self.code.contains(*address);
        // A caller that the frames tell too is no news.
        let caller = Some(sample.caller)
            .filter(|caller| *caller != 0 && returns.first() != Some(caller) && is_code(caller));
        let real = returns
            .iter()
            .take_while(|address| is_code(address))
            .count();
        self.key.clear();
        self.key
            .extend([u64::from(sample.node), caller.unwrap_or(0), *instruction]);
        self.key.extend(&returns[..real]);
        if let Some(top) = top {
            top.add_to(&mut self.key, &self.code);
        }
    }

    fn number(&mut self) -> Option<u32> {
        if let Some(number) = self.numbers.get(&self.key[..]) {
            return Some(*number);
        }
        if self.on_work.len() >= WHOLE {
            self.key.truncate(3);
            self.key[1] = 0;
            if let Some(number) = self.numbers.get(&self.key[..]) {
                return Some(*number);
            }
        }
        if self.on_work.len() >= MOST {
            return None;
        }
        let number = self.on_work.len() as u32;
        self.numbers.insert(self.key.as_slice().into(), number);
        self.on_work.push(0);
        Some(number)
    }

    /// Writes the records of all stacks. `on_span` tells, by the number of a stack, its weight on the span in [`PARTS`].
    pub(crate) fn write(&self, text: &mut String, on_span: &HashMap<u32, u64>) {
        let mut keys: Vec<(&[u64], u32)> = self
            .numbers
            .iter()
            .map(|(key, number)| (&**key, *number))
            .collect();
        keys.sort_unstable_by_key(|(_, number)| *number);
        for (key, number) in keys {
            let (key, top) = top::split_key(key);
            let _ = write!(text, "stack {number} {}", key[0]);
            for address in &key[2..] {
                let _ = write!(text, " {address:x}");
            }
            text.push('\n');
            if key[1] != 0 {
                let _ = writeln!(text, "stackcaller {number} {:x}", key[1]);
            }
            if let Some(top) = top {
                let _ = writeln!(text, "stacktop {number} {}", top::text(top));
            }
            let on_span = on_span.get(&number).map_or(0.0, |n| *n as f64 / PARTS);
            let on_work = self.on_work[number as usize];
            let _ = writeln!(text, "samples {number} {on_work} {on_span}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(caller: u64, addresses: &[u64]) -> Sample<'_> {
        Sample {
            node: 1,
            weight: 4,
            caller,
            addresses,
        }
    }

    fn stacks() -> Stacks {
        let mut stacks = Stacks::default();
        stacks.begin(Code::of(vec![(100, 200), (300, 400)]));
        stacks
    }

    #[test]
    fn equal_stacks_have_one_number() {
        let mut stacks = stacks();
        assert_eq!(stacks.count(&sample(0, &[110, 120])), Some(0));
        assert_eq!(stacks.count(&sample(0, &[110, 121])), Some(1));
        assert_eq!(stacks.count(&sample(0, &[110, 120])), Some(0));
        assert_eq!(stacks.count(&sample(150, &[110, 120])), Some(2));
        let mut text = String::new();
        stacks.write(&mut text, &HashMap::from([(1, (2.5 * PARTS) as u64)]));
        assert_eq!(
            text,
            "stack 0 1 6e 78\nsamples 0 8 0\nstack 1 1 6e 79\nsamples 1 4 2.5\n\
             stack 2 1 6e 78\nstackcaller 2 96\nsamples 2 4 0\n"
        );
    }

    #[test]
    fn words_that_are_no_code_end_a_stack() {
        let mut stacks = stacks();
        let whole = stacks.count(&sample(0, &[110, 320]));
        // 250 lies between two pieces of code, and what comes after it is not looked at.
        assert_eq!(stacks.count(&sample(250, &[110, 320, 250, 330])), whole);
        // The frames tell this caller too.
        assert_eq!(stacks.count(&sample(320, &[110, 320])), whole);
        // The instruction stays, whatever it is.
        assert_ne!(stacks.count(&sample(0, &[250, 320])), whole);
        assert_eq!(stacks.count(&sample(0, &[])), Some(2));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn a_full_table_keeps_instructions_and_then_nothing_new() {
        let mut stacks = stacks();
        let code = 100..200;
        for n in 0..WHOLE as u64 {
            assert_eq!(stacks.count(&sample(0, &[n, code.start])), Some(n as u32));
        }
        let first = stacks.count(&sample(0, &[7, code.start + 1]));
        assert_eq!(first, Some(WHOLE as u32));
        assert_eq!(stacks.count(&sample(0, &[7, code.start + 2])), first);
        assert_eq!(stacks.count(&sample(0, &[7, code.start])), Some(7));
        for n in 8..8 + (MOST - WHOLE) as u64 {
            stacks.count(&sample(0, &[n, code.start + 3]));
        }
        assert_eq!(stacks.count(&sample(0, &[u64::MAX, 0])), None);
        assert_eq!(stacks.dropped, 2);
    }
}
