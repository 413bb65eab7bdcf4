//! The programs whose speedup is predicted and measured.

/// A program of the suite, with arguments for runs of about a second and for short ones.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) full: &'static [&'static str],
    pub(crate) short: &'static [&'static str],
}

const fn program(
    name: &'static str,
    full: &'static [&'static str],
    short: &'static [&'static str],
) -> Program {
    Program { name, full, short }
}

/// All programs of the suite that do something to speed up.
pub(crate) const PROGRAMS: [Program; 18] = [
    program("fib", &[], &["36"]),
    program("quicksort", &[], &["3000000"]),
    program("cilksort", &[], &["3000000"]),
    program("matmul", &[], &["1024"]),
    program("rectmul", &[], &["1024"]),
    program("strassen", &[], &["1024"]),
    program("lu", &[], &["1024"]),
    program("cholesky", &[], &["1500"]),
    program("heat", &[], &["40"]),
    program("fft", &[], &["1048576"]),
    program("nqueens", &[], &["12"]),
    program("bfs", &[], &["160"]),
    program("mis", &[], &["1000000"]),
    program("nbody", &[], &["3000"]),
    program("pipeline", &[], &["60"]),
    program("par_sort", &[], &["3000000"]),
    program("reader", &[], &["120000"]),
    program("spawns", &[], &["1000000"]),
];
