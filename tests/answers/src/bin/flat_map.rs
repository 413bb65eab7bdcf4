// Situation: flat_map with a parallel iterator of a dozen cheap items inside, where flat_map_iter was meant.
// usage: flat_map nested|iter
use rayon::prelude::*;

fn neighbour(cell: u64, side: u64) -> u64 {
    (cell ^ side).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 3
}

fn main() {
    let nested = std::env::args().nth(1).is_none_or(|s| s == "nested");
    let found: u64 = if nested {
        let cells = (0..6_000_000u64).into_par_iter();
        cells.flat_map(|cell| (0..12u64).into_par_iter().map(move |side| neighbour(cell, side))).max().unwrap() //@ here
    } else {
        let cells = (0..200_000_000u64).into_par_iter();
        cells.flat_map_iter(|cell| (0..12u64).map(move |side| neighbour(cell, side))).max().unwrap()
    };
    println!("{found}");
}
