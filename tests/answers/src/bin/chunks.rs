// std threads, one a core, equal chunks of rows; but a row costs as much as its number.
use std::thread;

fn row(number: usize) -> f64 {
    let mut sum = 0.0f64;
    for column in 0..=number {
        sum += ((number * 31 + column * 17) as f64).sqrt().sin();
    }
    sum
}

fn main() {
    let rows: Vec<usize> = (0..12_000).collect();
    let threads = thread::available_parallelism().unwrap().get();
    let threads = std::env::args()
        .nth(1)
        .map_or(threads, |n| n.parse().unwrap());
    let size = rows.len().div_ceil(threads);
    let total: f64 = thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(size)
            .map(|chunk| scope.spawn(move || chunk.iter().map(|&r| row(r)).sum::<f64>())) //@ here
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).sum()
    });
    println!("{total:.6}");
}
