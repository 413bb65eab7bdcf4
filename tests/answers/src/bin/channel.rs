// Situation: std threads; one producer decodes and sends through a channel, the consumers wait for it.
// usage: channel producer|consumers
use std::sync::{mpsc, Mutex};

fn work(x: u64, rounds: u32) -> u64 {
    (0..rounds).fold(x | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let producer = std::env::args().nth(1).is_none_or(|s| s == "producer");
    let (sender, receiver) = mpsc::sync_channel::<u64>(64);
    let receiver = Mutex::new(receiver);
    let next = || receiver.lock().unwrap().recv();
    let (decode, index) = (50_000, 12_000);
    let sum: u64 = std::thread::scope(|s| {
        let consumers: Vec<_> = (0..2)
            .map(|_| {
                s.spawn(|| {
                    let mut sum = 0;
                    while let Ok(x) = next() {
                        let x = if producer { x } else { work(x, decode) };
                        sum ^= work(x, index);
                    }
                    sum
                })
            })
            .collect();
        for record in 0..10_000 {
            let record = if producer { work(record, decode) } else { record }; //@ here
            sender.send(record).unwrap();
        }
        drop(sender);
        consumers.into_iter().map(|c| c.join().unwrap()).fold(0, |a, b| a ^ b)
    });
    println!("{sum}");
}
