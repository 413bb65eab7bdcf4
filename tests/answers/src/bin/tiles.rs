// Situation: the picture is cut into four pieces, since the author's laptop had four cores.
// usage: tiles four|many
use rayon::prelude::*;

fn filter(pixels: &mut [f32]) {
    for p in pixels {
        for _ in 0..300 {
            *p = (*p * 0.99 + 0.5).sqrt();
        }
    }
}

fn main() {
    let four = std::env::args().nth(1).is_none_or(|s| s == "four");
    let mut picture = vec![1.0f32; 1_000_000];
    let size = if four { picture.len() / 4 } else { 1000 };
    picture.par_chunks_mut(size).for_each(filter); //@ here
    println!("{}", picture.iter().sum::<f32>());
}
