// Situation: parallel quicksort takes the first number as pivot, and the input is sorted already.
// usage: pivot first|middle
use rayon::prelude::*;

fn partition(numbers: &mut [u32], pivot: usize) -> usize {
    numbers.swap(0, pivot);
    let mut end = 0;
    for i in 1..numbers.len() {
        if numbers[i] < numbers[0] { //@ here
            end += 1;
            numbers.swap(i, end);
        }
    }
    numbers.swap(0, end);
    end
}

fn sort(numbers: &mut [u32], first: bool) {
    if numbers.len() < if first { 32 } else { 5_000 } {
        return numbers.sort_unstable();
    }
    let middle = partition(numbers, if first { 0 } else { numbers.len() / 2 }); //@ here
    let (low, high) = numbers.split_at_mut(middle);
    rayon::join(|| sort(low, first), || sort(&mut high[1..], first)); //@ here
}

fn main() {
    let first = std::env::args().nth(1).is_none_or(|s| s == "first");
    let count = if first { 50_000 } else { 50_000_000 };
    let mut numbers: Vec<u32> = (0..count).into_par_iter().collect();
    let pool = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build().unwrap();
    pool.install(|| sort(&mut numbers, first));
    println!("{}", numbers[numbers.len() / 3]);
}
