//! The mergesort of the Cilk-5 distribution, whose merge is also parallel.

/// Sorts `numbers`; `room` is as long. Fewer numbers than `cutoff`, which is at least 4, are sorted
/// by `sort_serially` and merged without tasks.
pub fn cilksort(
    numbers: &mut [u64],
    room: &mut [u64],
    cutoff: usize,
    sort_serially: impl Fn(&mut [u64]) + Copy + Sync,
) {
    if numbers.len() < cutoff {
        return sort_serially(numbers);
    }
    let half = numbers.len() / 2;
    let quarter = half / 2;
    {
        let (left, right) = numbers.split_at_mut(half);
        let (a, b) = left.split_at_mut(quarter);
        let (c, d) = right.split_at_mut(quarter);
        let (room_left, room_right) = room.split_at_mut(half);
        let (room_a, room_b) = room_left.split_at_mut(quarter);
        let (room_c, room_d) = room_right.split_at_mut(quarter);
        let sort = |numbers: &mut [u64], room: &mut [u64]| {
            cilksort(numbers, room, cutoff, sort_serially);
        };
        rayon::join(
            || rayon::join(|| sort(a, room_a), || sort(b, room_b)),
            || rayon::join(|| sort(c, room_c), || sort(d, room_d)),
        );
        rayon::join(
            || merge(a, b, room_left, cutoff),
            || merge(c, d, room_right, cutoff),
        );
    }
    let (left, right) = room.split_at(half);
    merge(left, right, numbers, cutoff);
}

/// Merges two sorted slices into a third, which is as long as both.
fn merge(a: &[u64], b: &[u64], merged: &mut [u64], cutoff: usize) {
    if merged.len() < cutoff {
        return merge_serially(a, b, merged);
    }
    let (longer, shorter) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let middle = longer.len() / 2;
    let cut = shorter.partition_point(|&number| number < longer[middle]);
    let (low, high) = merged.split_at_mut(middle + cut);
    rayon::join(
        || merge(&longer[..middle], &shorter[..cut], low, cutoff),
        || merge(&longer[middle..], &shorter[cut..], high, cutoff),
    );
}

fn merge_serially<'a>(mut a: &'a [u64], mut b: &'a [u64], merged: &mut [u64]) {
    for place in merged {
        let from_a = b.is_empty() || (!a.is_empty() && a[0] <= b[0]);
        let source = if from_a { &mut a } else { &mut b };
        *place = source[0];
        *source = &source[1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_numbers;

    #[test]
    fn sorts_with_any_cutoff() {
        for count in [0, 1, 3, 4, 5, 1_000, 20_001] {
            for cutoff in [4, 20, 2_048, 1_000_000] {
                let mut numbers = random_numbers(count, 9);
                let mut expected = numbers.clone();
                expected.sort_unstable();
                let mut room = vec![0; count];
                cilksort(&mut numbers, &mut room, cutoff, <[u64]>::sort_unstable);
                assert!(numbers == expected, "{count} {cutoff}");
            }
        }
    }

    #[test]
    fn equal_numbers_are_no_trouble() {
        let mut numbers = [7; 500];
        cilksort(&mut numbers, &mut [0; 500], 4, <[u64]>::sort_unstable);
        assert_eq!(numbers, [7; 500]);
    }
}
