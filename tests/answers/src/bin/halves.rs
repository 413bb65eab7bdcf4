// Parallel merge sort whose recursion stops at 2 million numbers, of 8 million.
const CUTOFF: usize = 2_000_000;

fn merge_sort(numbers: &mut [u64], scratch: &mut [u64]) {
    if numbers.len() <= CUTOFF {
        //@ here
        numbers.sort();
        return;
    }
    let middle = numbers.len() / 2;
    let (left, right) = numbers.split_at_mut(middle);
    let (a, b) = scratch.split_at_mut(middle);
    rayon::join(|| merge_sort(left, a), || merge_sort(right, b)); //@ here
    let (mut i, mut j) = (0, 0);
    for slot in scratch.iter_mut() {
        *slot = if j == right.len() || i < left.len() && left[i] <= right[j] {
            i += 1;
            left[i - 1]
        } else {
            j += 1;
            right[j - 1]
        };
    }
    numbers.copy_from_slice(scratch);
}

fn main() {
    let mut state = 1u64;
    let mut numbers: Vec<u64> = (0..8_000_000) //@ here
        .map(|_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state ^ state >> 33
        })
        .collect();
    let mut scratch = numbers.clone();
    merge_sort(&mut numbers, &mut scratch);
    println!("{}", numbers[1000]);
}
