// Situation: a function that is called often builds a thread pool of its own each time.
// usage: pool_each each|once
use rayon::prelude::*;

fn smooth(pixels: &mut [f32]) {
    pixels.par_chunks_mut(256).for_each(|row| {
        for _ in 0..20 {
            row.iter_mut().for_each(|p| *p = (*p * 0.99 + 0.5).sqrt());
        }
    });
}

fn smooth_in_own_pool(pixels: &mut [f32]) {
    let pool = rayon::ThreadPoolBuilder::new().build().unwrap(); //@ here
    pool.install(|| smooth(pixels)); //@ here
}

fn main() {
    let each = std::env::args().nth(1).is_none_or(|s| s == "each");
    let mut pixels = vec![1.0f32; 4096];
    for _image in 0..if each { 6_000 } else { 40_000 } {
        if each {
            smooth_in_own_pool(&mut pixels); //@ here
        } else {
            smooth(&mut pixels);
        }
    }
    println!("{}", pixels.iter().sum::<f32>());
}
