//! The programs that are compared, and the goals.

/// The geometric mean of all ratios may be this at most.
pub(crate) const MEAN_GOAL: f64 = 1.15;

/// The ratio of `fib`, whose tasks are nanoseconds long, may be this at most.
pub(crate) const FIB_GOAL: f64 = 6.0;

/// Short runs on a busy machine are noisy: with `--short` the goals are this much wider.
pub(crate) const SHORT_ROOM: f64 = 1.5;

/// How much the programs have to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// About a second each.
    Full,
    /// About a fifth of a second each.
    Short,
}

/// One of the case studies with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
    /// Arguments that leave it nothing to do.
    pub(crate) least: &'static [&'static str],
    full: &'static [&'static str],
    short: &'static [&'static str],
    /// What its own ratio may be at most.
    pub(crate) goal: Option<f64>,
}

impl Program {
    pub(crate) fn arguments(&self, size: Size) -> &'static [&'static str] {
        match size {
            Size::Full => self.full,
            Size::Short => self.short,
        }
    }
}

const fn program(
    name: &'static str,
    example: &'static str,
    least: &'static [&'static str],
    full: &'static [&'static str],
    short: &'static [&'static str],
) -> Program {
    Program {
        name,
        example,
        least,
        full,
        short,
        goal: None,
    }
}

#[rustfmt::skip]
pub(crate) const PROGRAMS: [Program; 10] = [
    program("quicksort", "quicksort", &["1"], &["20000000"], &["4000000"]),
    program("quicksort_parallel_partition", "quicksort_parallel_partition", &["1"], &["20000000"], &["4000000"]),
    Program { goal: Some(FIB_GOAL), ..program("fib", "fib", &["1"], &["39"], &["35"]) },
    program("matmul", "matmul", &["32"], &["2048"], &["1024"]),
    program("snippets A", "snippets", &["A", "1"], &["A", "1000000"], &["A", "200000"]),
    program("snippets B", "snippets", &["B", "1"], &["B", "150000"], &["B", "30000"]),
    program("stencil naive", "stencil", &["naive", "16", "1"], &["naive", "128", "8"], &["naive", "64", "4"]),
    program("stencil revised", "stencil", &["revised", "16", "1"], &["revised", "256", "12"], &["revised", "128", "20"]),
    program("bfs", "bfs", &["1"], &["400"], &["220"]),
    program("wordcount", "wordcount", &["1"], &["20000000"], &["4000000"]),
];
