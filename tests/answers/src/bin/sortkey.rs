//! After https://github.com/rayon-rs/rayon/pull/932 (par_sort_by_key with a `to_string` key) and
//! https://github.com/Ortham/libloadorder/issues/48 (does parallel sorting with costly keys still
//! gain?).
use rayon::prelude::*;

fn main() {
    let n = 2_500_000;
    let mut x = 88172645463325252u64;
    let mut v: Vec<u64> = (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        })
        .collect();
    v.par_sort_by_key(|a| a.to_string());
    println!("{} {}", v[0], v[n - 1]);
}
