//! A program that writes a raw profile in place of the engine, to test what commands do with it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::project::{Ran, workspan};

/// The raw profile. Times are nanoseconds; the shell expands the variables.
const PROFILE: &str = "\
workspan-raw 11
clock tsc
ticks_per_second 1000000000
elapsed_ticks ${elapsed:-900000}
threads 2
assumed_cores 64
machine_cores 2
burden_ticks ${burden:-7500}
runtime rayon 1.13.0
pid $$
ended exit
unfinished_tasks 0
off_processor_ticks 0
own_cost_ticks 50000
${header}
span_ticks $span
burdened_span_ticks $((span + 15000))
truncated_tree 0
calibration clock_read 10
site 0 root 0 0 0 -
site 1 join 0 7 5 src/main.rs
node 0 - 0 0
work 0 100000 0 1 1 $span 0 0 0 100000
span 0 100000 1 1 $((join + 100000)) 100000
node 1 0 1 0
work 1 $join 0 ${tasks:-10} 1 $((span - 100000)) 2 ${tasks:-10} ${tasks:-10} $join
span 1 $((span - 100000)) 3 1 $join $join
path 0 0 100000 1
path 0 1 $((span - 100000)) 3
path 1 1 $((span - 100000)) 3
end
";

/// A shell script in its own folder.
pub(crate) struct StandIn {
    folder: TempDir,
}

/// A shell script that does what [`StandIn::new`] says.
pub(crate) fn shell_script(script: &str) -> String {
    // An empty line is no record.
    format!(
        "span=400000 join=900000 header='engine threads 2'\n{script}\ncat >\"$WORKSPAN_PROFILE\" <<END\n{PROFILE}END\n"
    )
}

impl StandIn {
    /// A program that runs `script` and then writes a profile: a root with 100 µs of work and a
    /// join of `$join` ns (900,000), a span of `$span` ns (400,000), and the records `$header`.
    /// `$WORKSPAN…` are the variables that the engine would read.
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program"), shell_script(script)).unwrap();
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `workspan run OPTIONS` on the program.
    pub(crate) fn run(&self, options: &str) -> Ran {
        workspan(self.folder(), &format!("run {options} -- sh program"))
    }
}
