//! What a path or a whole program consists of, and the time that each of these takes.

/// Kinds of what is counted: iterations of the kernel, calls of it, `rayon::join`s, splits of a
/// parallel iterator, calls of `spawn` without the running of the task, and spawned tasks without
/// their iterations.
pub(crate) const KINDS: usize = 6;
pub(crate) const ITERATION: usize = 0;
pub(crate) const CALL: usize = 1;
pub(crate) const JOIN: usize = 2;
pub(crate) const SPLIT: usize = 3;
pub(crate) const SPAWN: usize = 4;
pub(crate) const TASK: usize = 5;

/// The number of each kind.
pub(crate) type Counts = [u64; KINDS];

/// How long each kind takes, in nanoseconds of processor time, if rayon has one thread.
pub(crate) type Costs = [f64; KINDS];

/// A call of the kernel.
pub(crate) fn leaf(iterations: u64) -> Counts {
    of(&[(ITERATION, iterations), (CALL, 1)])
}

/// So many of each of these kinds.
pub(crate) fn of(kinds: &[(usize, u64)]) -> Counts {
    let mut counts = Counts::default();
    kinds
        .iter()
        .for_each(|&(kind, count)| counts[kind] += count);
    counts
}

/// Both together.
pub(crate) fn sum(a: Counts, b: Counts) -> Counts {
    std::array::from_fn(|kind| a[kind] + b[kind])
}

/// The time that all of it takes, in nanoseconds.
pub(crate) fn nanoseconds(counts: Counts, costs: Costs) -> f64 {
    counts
        .iter()
        .zip(costs)
        .map(|(&count, cost)| count as f64 * cost)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_by_hand() {
        let counts = [100, 2, 3, 5, 7, 11];
        let costs = [2.5, 10.0, 20.0, 30.0, 40.0, 50.0];
        let by_hand = 250.0 + 20.0 + 60.0 + 150.0 + 280.0 + 550.0;
        assert_eq!(nanoseconds(counts, costs), by_hand);
        assert_eq!(nanoseconds(sum(counts, counts), costs), 2.0 * by_hand);
    }
}
