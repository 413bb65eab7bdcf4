//! A library that the programs load and unload, which uses rayon.

use rayon::prelude::*;

/// The sum of the squares below a number, by a pool that ends with the call.
#[unsafe(no_mangle)]
pub extern "C" fn squares(below: u64) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    pool.unwrap()
        .install(|| (0..below).into_par_iter().map(|n| n * n).sum())
}
