// Situation: Monte Carlo with one random number generator behind a Mutex.
// usage: rng shared|local|init     local: thread_local RefCell (fine); init: map_init (fine)
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Mutex;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

thread_local!(static LOCAL: RefCell<Rng> = const { RefCell::new(Rng(77)) });

fn inside(mut random: impl FnMut() -> f64) -> u64 {
    let (x, y) = (random(), random());
    u64::from(x * x + y * y < 1.0)
}

fn main() {
    let variant = std::env::args().nth(1).unwrap_or("shared".into());
    let shared = Mutex::new(Rng(88));
    let points = (0..if variant == "shared" { 20_000_000u64 } else { 120_000_000 }).into_par_iter();
    let hits: u64 = match variant.as_str() {
        "shared" => points.map(|_| inside(|| shared.lock().unwrap().next())).sum(), //@ here
        "local" => points.map(|_| inside(|| LOCAL.with_borrow_mut(Rng::next))).sum(),
        _ => points.map_init(|| Rng(99), |rng, _| inside(|| rng.next())).sum(),
    };
    println!("{hits}");
}
