// Situation: a std thread is spawned for each item of ten microseconds, two at a time.
// usage: spawn_each each|pieces
use std::thread;

fn work(x: u64) -> u64 {
    (0..6_000).fold(x | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let each = std::env::args().nth(1).is_none_or(|s| s == "each");
    let mut sum = 0;
    if each {
        for pair in 0..15_000 {
            let a = thread::spawn(move || work(2 * pair)); //@ here
            let b = thread::spawn(move || work(2 * pair + 1)); //@ here
            sum ^= a.join().unwrap() ^ b.join().unwrap();
        }
    } else {
        let pieces = [0..30_000, 30_000..60_000];
        let threads = pieces.map(|piece| thread::spawn(move || piece.map(work).fold(0, |a, b| a ^ b)));
        sum = threads.into_iter().map(|t| t.join().unwrap()).fold(0, |a, b| a ^ b);
    }
    println!("{sum}");
}
