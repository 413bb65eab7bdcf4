// Each item clones one shared Arc<Config>, uses one number of it, drops it.
// usage: arc each|borrow     borrow: a reference does (fine)
use rayon::prelude::*;
use std::{ops::Deref, sync::Arc};

struct Config {
    weights: Vec<f64>,
}

fn score(config: impl Deref<Target = Config>, sample: u64) -> f64 {
    //@ here
    let at = (sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
    config.weights[at] * (sample & 255) as f64
}

fn main() {
    let weights = (0..1024).map(|i| 1.0 / (1 + i) as f64).collect();
    let config = Arc::new(Config { weights });
    let mut total = 0.0;
    if std::env::args().nth(1).is_some_and(|s| s == "borrow") {
        for _ in 0..200 {
            total += (0..4_000_000u64).into_par_iter().map(|sample| score(&*config, sample)).sum::<f64>();
        }
        return println!("{total:.3}");
    }
    let samples: Vec<u64> = (0..4_000_000).collect();
    for _ in 0..15 {
        total += samples
            .par_iter()
            .map(|&sample| score(Arc::clone(&config), sample)) //@ here
            .sum::<f64>();
    }
    println!("{total:.3}");
}
