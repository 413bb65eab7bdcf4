//! usage: progress bad|good [ITEMS]
//! Hash many short items in parallel; a progress bar is updated for each item, or
//! once per block.
use rayon::prelude::*;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Instant;

struct State {
    pos: u64,
    len: u64,
    start: Instant,
    ring: [f64; 16],
    line: String,
}

struct Bar(Mutex<State>);

impl Bar {
    fn new(len: u64) -> Bar {
        Bar(Mutex::new(State { pos: 0, len, start: Instant::now(), ring: [0.0; 16], line: String::new() }))
    }
    fn inc(&self, n: u64) {
        let mut s = self.0.lock().unwrap();  //@ here
        s.pos += n;
        let t = s.start.elapsed().as_secs_f64();
        let k = (s.pos % 16) as usize;
        s.ring[k] = t;
        let oldest = s.ring.iter().cloned().fold(f64::MAX, f64::min);
        let eta = (t - oldest) / 16.0 * (s.len - s.pos) as f64;
        if s.pos % 16 == 0 {
            let (pos, len) = (s.pos, s.len);
            s.line.clear();
            write!(s.line, "[{:>8}/{:<8}] {:5.1}s eta {:6.1}s", pos, len, t, eta).unwrap();
        }
    }
}

fn work(i: u64) -> u64 {
    let mut h = i.wrapping_mul(0x9E3779B97F4A7C15) | 1;
    for _ in 0..400 {
        h ^= h >> 29;
        h = h.wrapping_mul(0xBF58476D1CE4E5B9);
    }
    h
}

fn main() {
    let good = std::env::args().nth(1).is_some_and(|variant| variant == "good");
    let n: u64 = std::env::args().nth(2).map_or(1_000_000, |a| a.parse().unwrap());
    let bar = Bar::new(n);
    let sum = if good {
        const BLOCK: u64 = 1000;
        (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|b| {
                let (lo, hi) = (b * BLOCK, n.min((b + 1) * BLOCK));
                let h = (lo..hi).fold(0, |a, i| a ^ (work(i) >> 40));
                bar.inc(hi - lo);
                h
            })
            .reduce(|| 0, |a, b| a ^ b)
    } else {
        (0..n)
            .into_par_iter()
            .map(|i| {
                let h = work(i);
                bar.inc(1);  //@ here
                h >> 40
            })
            .reduce(|| 0, |a, b| a ^ b)
    };
    println!("{} {}", sum, bar.0.lock().unwrap().line);
}
