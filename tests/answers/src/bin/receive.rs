//! Spawns the work, and receives the results through a channel, as an optimiser of images does.
//! usage: receive four|join     join: a parallel loop over a thousand pieces (fine)
use rayon::prelude::*;
use std::sync::mpsc::channel;

fn work(rounds: u64) -> u64 {
    let mut x = rounds | 1;
    for i in 0..rounds {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x = x.wrapping_add(i);
    }
    x
}

fn main() {
    if std::env::args().nth(1).is_some_and(|s| s == "join") {
        let pieces = (0..1000).into_par_iter().map(|i| work(800_000 + i));
        return println!("{}", pieces.reduce(|| 0, |all, one| all ^ one));
    }
    let (sender, receiver) = channel();
    for i in 0..4 {
        let sender = sender.clone();
        rayon::spawn(move || sender.send(work(200_000_000 + i)).unwrap());
    }
    drop(sender);
    println!("{}", receiver.iter().fold(0, |all, one| all ^ one)); //@ here
}
