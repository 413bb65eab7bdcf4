//! The first screen for runs of programs that people report and of their healthy likes: what it
//! says of stored profiles, against golden files. `SNAPSHOTS=overwrite` blesses it.

mod common;

use std::fs;
use std::path::Path;

use common::{golden, written};
use snapbox::assert_data_eq;
use workspan_model::{Profile, analyse};
use workspan_report::{Renderer, Text};

/// The answers at the top of the report on a stored profile.
fn headline(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{name}.json"));
    let profile: Profile = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    profile.check().unwrap();
    let report = written(|output| Text::default().render(&profile, &analyse(&profile), output));
    let (_, answers) = report.split_once('\n').unwrap();
    let (answers, _) = answers.split_once("\n\n").unwrap();
    format!("{answers}\n")
}

macro_rules! headlines {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                assert_data_eq!(headline(name), golden(&format!("headlines/{name}.txt")));
            }
        )*
    };
}

headlines! {
    alloc_reuse alloc_strings bridge_before counters_hot counters_hot_baseline counters_padded_baseline count_own count_shared fold_atomic fold_ident halo_even halo_last
    minlen_high muladd_blocked muladd_sweep mutex_copied mutex_locked omp_all omp_cut omp_dynamic_one omp_triangle_static pool_one progress_each
    progress_rare tbb_fine
}
