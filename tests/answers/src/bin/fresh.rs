// Each item takes a fresh buffer of 40 MB, writes it once and throws it away.
use rayon::prelude::*;

fn render(item: u64) -> u64 {
    let mut buffer = vec![0u64; 5 << 20]; //@ here
    for (at, cell) in buffer.iter_mut().enumerate() {
        *cell = item ^ at as u64;
    }
    buffer[(item as usize * 7919) % buffer.len()]
}

fn main() {
    let sum: u64 = (0..60u64).into_par_iter().map(render).sum();
    println!("{sum}");
}
