// Situation: results are pushed to a Mutex<Vec>, and the temporary guard lives while the argument is computed.
// usage: push inside|outside
use rayon::prelude::*;
use std::sync::Mutex;

fn hash(block: u64) -> u64 {
    let mut x = block | 1;
    for _ in 0..20_000 {
        x = x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55;
    }
    x
}

fn main() {
    let inside = std::env::args().nth(1).is_none_or(|s| s == "inside");
    let hashes = Mutex::new(Vec::new());
    let blocks = if inside { 20_000 } else { 40_000 };
    (0..blocks).into_par_iter().for_each(|block| {
        if inside {
            hashes.lock().unwrap().push(hash(block)); //@ here
        } else {
            let found = hash(block);
            hashes.lock().unwrap().push(found);
        }
    });
    println!("{}", hashes.into_inner().unwrap().iter().fold(0, |a, b| a ^ b));
}
