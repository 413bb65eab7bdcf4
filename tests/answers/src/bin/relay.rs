// Situation: eight scoped threads, each of which joins the one before, then does its own part.
// usage: relay before|after     after: each does its part first, then joins (fine)
use std::thread;

fn part(number: u64) -> u64 {
    (0..150_000_000).fold(number | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let before = std::env::args().nth(1).is_none_or(|s| s == "before");
    let sum = thread::scope(|scope| {
        let mut last = scope.spawn(|| 0);
        for number in 0..8 {
            let previous = last;
            last = scope.spawn(move || { //@ here
                if before {
                    let sum = previous.join().unwrap(); //@ here
                    return sum ^ part(number); //@ here
                }
                part(number) ^ previous.join().unwrap()
            });
        }
        last.join().unwrap()
    });
    println!("{sum}");
}
