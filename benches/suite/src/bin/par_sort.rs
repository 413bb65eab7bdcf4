//! rayon's own stable sort.
//!
//! `par_sort_by_key` sorts runs of the slice in parallel and merges them in parallel: a rayon
//! program uses it instead of `cilksort`. Records have many equal keys, so that the check sees
//! whether they kept their order.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{random_numbers, size, timed, verdict};

const USAGE: &str = "usage: par_sort [COUNT]
  COUNT  how many records to sort, 0 to 1000000000 [default: 20000000]";

#[derive(Clone, Copy)]
struct Record {
    key: u32,
    /// Its place before sorting.
    place: u32,
}

fn main() -> ExitCode {
    let count = size(USAGE, 20_000_000, 0..=1_000_000_000);
    let mut records: Vec<Record> = random_numbers(count, 1)
        .into_par_iter()
        .zip(0..count as u32)
        .map(|(number, place)| Record {
            key: (number % 1_000_000) as u32,
            place,
        })
        .collect();
    timed("par_sort", || records.par_sort_by_key(|record| record.key));
    let is_stable = records
        .par_windows(2)
        .all(|pair| (pair[0].key, pair[0].place) < (pair[1].key, pair[1].place));
    let places: u64 = records
        .par_iter()
        .map(|record| u64::from(record.place))
        .sum();
    verdict(is_stable && places == (count as u64) * (count.max(1) as u64 - 1) / 2)
}
