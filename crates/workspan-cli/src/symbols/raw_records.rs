//! Raw profiles of real programs, which tests build to resolve their addresses.

use workspan_format::raw::{self, RawProfile};

use super::Places;

/// The records that names do not depend on.
const HEAD: &str = "\
workspan-raw 11
clock tsc
ticks_per_second 1000000000
elapsed_ticks 1
threads 1
assumed_cores 1
machine_cores 1
burden_ticks 1
pid 1
ended exit
unfinished_tasks 0
off_processor_ticks 0
own_cost_ticks 0
span_ticks 1
burdened_span_ticks 1
truncated_tree 0
";

/// A profile with these records, and with the lines that a program `printed` starting with
/// `module`.
pub(super) fn profile(header: &str, printed: &str, records: &str) -> RawProfile {
    let modules: String = printed
        .split_inclusive('\n')
        .filter(|line| line.starts_with("module "))
        .collect();
    raw::parse(&format!("{HEAD}{header}{modules}{records}end\n")).unwrap()
}

/// Places that shorten the paths of this crate's sources.
pub(super) fn places() -> Places {
    Places {
        folder: env!("CARGO_MANIFEST_DIR").into(),
        workspace: None,
    }
}

/// The number of the line of `source` that ends with `// mark: MARK`.
pub(super) fn line_of(source: &str, mark: &str) -> u32 {
    let mark = format!("// mark: {mark}");
    let index = source.lines().position(|line| line.ends_with(&mark));
    index.unwrap() as u32 + 1
}
