// Healthy: std threads take the next of many uneven jobs from an atomic counter.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn job(number: usize) -> f64 {
    let mut sum = 0.0f64;
    for step in 0..(number * 7919 % 1000) * 100 {
        sum += ((number + step) as f64).sqrt().sin();
    }
    sum
}

fn main() {
    let threads = thread::available_parallelism().unwrap().get();
    let threads = std::env::args()
        .nth(1)
        .map_or(threads, |n| n.parse().unwrap());
    let next = AtomicUsize::new(0);
    let total: f64 = thread::scope(|scope| {
        let work = || {
            let mut sum = 0.0;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= 1500 {
                    return sum;
                }
                sum += job(number);
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|w| w.join().unwrap()).sum()
    });
    println!("{total:.6}");
}
