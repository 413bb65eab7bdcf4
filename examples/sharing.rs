//! Two tasks that write to one cache line, and two that do not: false sharing.
//!
//! Each task counts in its own word. If both words are in one cache line, every write takes the
//! line away from the other core, though no data is shared.
//!
//! What workspan should show:
//! - a parallelism of nearly 2 in both profiles: the tasks do not wait for each other;
//! - `workspan scale --factored`: shared, a work inflation that grows with the second core, and no
//!   idle time; padded, neither.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use workspan_examples::Arguments;

const USAGE: &str = "usage: sharing shared|padded [COUNT]
  shared  both words in one line of the cache
  padded  each word in lines of its own
  COUNT   how far each task counts, 1 to 100000000000 [default: 100000000]";

/// A word that shares neither a cache line nor the next one, which processors also fetch.
#[derive(Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

/// Two words side by side, at the beginning of a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Shared([AtomicU64; 2]);

#[derive(Clone, Copy, Debug)]
enum Layout {
    Shared,
    Padded,
}

fn count_twice(layout: Layout, count: u64) -> [u64; 2] {
    let shared = Shared::default();
    let padded = [Padded::default(), Padded::default()];
    let [a, b] = match layout {
        Layout::Shared => shared.0.each_ref(),
        Layout::Padded => padded.each_ref().map(|word| &word.0),
    };
    rayon::join(|| count_in(a, count), || count_in(b, count));
    [a, b].map(|word| word.load(Ordering::Relaxed))
}

fn count_in(word: &AtomicU64, count: u64) {
    for _ in 0..count {
        word.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() {
    let (layout, count) = Arguments::read_from_process(USAGE, |arguments| {
        let layouts = [("shared", Layout::Shared), ("padded", Layout::Padded)];
        Ok((
            arguments.choice("LAYOUT", &layouts)?,
            arguments.number("COUNT", 100_000_000, 1..=100_000_000_000)? as u64,
        ))
    });
    let started = Instant::now();
    let counted = count_twice(layout, count);
    let elapsed = started.elapsed();
    assert_eq!(counted, [count, count], "a count is wrong");
    println!(
        "sharing {layout:?}: twice {count} counted in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_count() {
        for layout in [Layout::Shared, Layout::Padded] {
            assert_eq!(count_twice(layout, 1_000), [1_000, 1_000]);
        }
    }

    #[test]
    fn layouts_are_what_they_are_called() {
        let line = |word: &AtomicU64| std::ptr::from_ref(word).addr() / 64;
        let shared = Shared::default();
        assert_eq!(line(&shared.0[0]), line(&shared.0[1]));
        let padded = [Padded::default(), Padded::default()];
        assert!(line(&padded[0].0) + 2 <= line(&padded[1].0));
    }
}
