//! The programs that are compared, and what others published of them.

use workspan_overhead::{Group, Timing};

/// How much the programs have to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// A second or two each, which the programs of the suite take by default.
    Full,
    /// About a third of a second each.
    Short,
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    /// As the table names it.
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) executable: &'static str,
    pub(crate) timing: Timing,
    /// Arguments that leave it nothing to do.
    pub(crate) least: &'static [&'static str],
    full: &'static [&'static str],
    short: &'static [&'static str],
    /// How many times slower Cilkprof made the same algorithm (Schardl et al., SPAA 2015,
    /// Fig. 11), against its serial run.
    pub(crate) cilkprof: Option<f64>,
    /// What `docs/overhead.md` reads where it misses a goal.
    pub(crate) known: Known,
}

/// Figures that miss their goals; nothing where they don't.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) ratio: Option<f64>,
    /// MiB beyond what is allowed in proportion.
    pub(crate) memory: Option<f64>,
    /// Percents that the work on one worker is off.
    pub(crate) work: Option<f64>,
}

impl Known {
    const NOTHING: Known = Known {
        ratio: None,
        memory: None,
        work: None,
    };
}

impl Program {
    pub(crate) fn arguments(&self, size: Size) -> &'static [&'static str] {
        match size {
            Size::Full => self.full,
            Size::Short => self.short,
        }
    }

    /// Whether it does nothing but create tasks; it then has goals of its own.
    pub(crate) fn is_fib(&self) -> bool {
        self.group == Group::Suite && self.executable == "fib"
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
        timing: Timing::Default,
        least: &[],
        full: &[],
        short,
        cilkprof,
        known: Known::NOTHING,
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
        timing: Timing::Default,
        least,
        full,
        short,
        cilkprof: None,
        known: Known::NOTHING,
    }
}

#[rustfmt::skip]
pub(crate) const SUITE: [Program; 19] = [
    Program { known: Known { ratio: Some(2.6), ..Known::NOTHING }, ..suite("fib", &["36"], Some(7.36)) },
    Program { name: "fib, exact timing", known: Known { ratio: Some(6.4), ..Known::NOTHING }, executable: "fib", timing: Timing::Exact, ..suite("fib", &["36"], Some(7.36)) },
    suite("quicksort", &["3000000"], Some(1.20)),
    suite("cilksort", &["3000000"], Some(1.08)),
    suite("matmul", &["1024"], Some(0.99)),
    suite("rectmul", &["1024"], None),
    suite("strassen", &["1024"], Some(1.06)),
    suite("lu", &["1024"], Some(1.04)),
    Program { known: Known { ratio: Some(2.2), work: Some(100.0), ..Known::NOTHING }, ..suite("cholesky", &["1500"], Some(4.54)) },
    suite("heat", &["40"], Some(1.07)),
    suite("fft", &["1048576"], Some(1.15)),
    suite("nqueens", &["12"], Some(1.27)),
    suite("bfs", &["160"], Some(1.10)),
    suite("mis", &["1000000"], None),
    suite("nbody", &["3000"], None),
    suite("pipeline", &["60"], None),
    suite("par_sort", &["3000000"], None),
    suite("reader", &["120000"], None),
    Program { known: Known { ratio: Some(1.4), memory: Some(66.0), work: Some(35.0) }, ..suite("spawns", &["1000000"], None) },
];

/// One join: it is used for what a start and an exit cost.
pub(crate) const ONE_JOIN: Program = suite("one_join", &[], None);

#[rustfmt::skip]
pub(crate) const EXAMPLES: [Program; 10] = [
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
