//! The programs that are compared, and what others published about them.

use workspan_gate::Form;

use crate::Group;

/// A program with its arguments.
#[derive(Debug)]
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// Where it comes from.
    pub group: Group,
    /// The name of its executable.
    pub executable: &'static str,
    /// Whether the clock is read at every boundary when it is profiled.
    pub exact_timing: bool,
    /// Arguments that leave it nothing to do.
    pub least: &'static [&'static str],
    full: &'static [&'static str],
    short: &'static [&'static str],
    /// How many times slower than its serial run the same algorithm is under Cilkprof (Schardl et
    /// al., SPAA 2015, Fig. 11).
    pub cilkprof: Option<f64>,
}

impl Program {
    /// Its arguments: in the full form it runs for a second or two, in the short one for about a
    /// third of a second.
    pub fn arguments(&self, form: Form) -> &'static [&'static str] {
        form.select(self.full, self.short)
    }

    /// Its part in names of gates.
    pub fn gate(&self) -> String {
        self.name.replace(", ", "-").replace(' ', "-")
    }
}

/// A program of the suite with its short size.
const fn suite(
    name: &'static str,
    short: &'static [&'static str],
    cilkprof: Option<f64>,
) -> Program {
    Program {
        name,
        group: Group::Suite,
        executable: name,
        exact_timing: false,
        least: &[],
        full: &[],
        short,
        cilkprof,
    }
}

/// One of the case studies.
const fn example(
    name: &'static str,
    executable: &'static str,
    least: &'static [&'static str],
    full: &'static [&'static str],
    short: &'static [&'static str],
) -> Program {
    Program {
        name,
        group: Group::Examples,
        executable,
        exact_timing: false,
        least,
        full,
        short,
        cilkprof: None,
    }
}

/// The programs of the benchmark suite that have something to speed up.
#[rustfmt::skip]
pub const SUITE: [Program; 19] = [
    suite("fib", &["36"], Some(7.36)),
    Program { name: "fib, exact timing", executable: "fib", exact_timing: true, ..suite("fib", &["36"], Some(7.36)) },
    suite("quicksort", &["3000000"], Some(1.20)),
    suite("cilksort", &["3000000"], Some(1.08)),
    suite("matmul", &["1024"], Some(0.99)),
    suite("rectmul", &["1024"], None),
    suite("strassen", &["1024"], Some(1.06)),
    suite("lu", &["1024"], Some(1.04)),
    suite("cholesky", &["1500"], Some(4.54)),
    suite("heat", &["40"], Some(1.07)),
    suite("fft", &["1048576"], Some(1.15)),
    suite("nqueens", &["12"], Some(1.27)),
    suite("bfs", &["160"], Some(1.10)),
    suite("mis", &["1000000"], None),
    suite("nbody", &["3000"], None),
    suite("pipeline", &["60"], None),
    suite("par_sort", &["3000000"], None),
    suite("reader", &["120000"], None),
    suite("spawns", &["1000000"], None),
];

/// One join, to measure what a start and an exit cost.
pub const ONE_JOIN: Program = suite("one_join", &[], None);

/// The case studies.
#[rustfmt::skip]
pub const EXAMPLES: [Program; 10] = [
    example("quicksort", "quicksort", &["1"], &["20000000"], &["4000000"]),
    example("quicksort_parallel_partition", "quicksort_parallel_partition", &["1"], &["20000000"], &["4000000"]),
    example("fib", "fib", &["1"], &["39"], &["35"]),
    example("matmul", "matmul", &["32"], &["2048"], &["1024"]),
    example("snippets A", "snippets", &["A", "1"], &["A", "1000000"], &["A", "200000"]),
    example("snippets B", "snippets", &["B", "1"], &["B", "150000"], &["B", "30000"]),
    example("stencil naive", "stencil", &["naive", "16", "1"], &["naive", "128", "8"], &["naive", "64", "4"]),
    example("stencil revised", "stencil", &["revised", "16", "1"], &["revised", "256", "12"], &["revised", "128", "20"]),
    example("bfs", "bfs", &["1"], &["400"], &["220"]),
    example("wordcount", "wordcount", &["1"], &["20000000"], &["4000000"]),
];
