//! The programs whose scaling is measured, and what is known about them.

/// What a program is known to lose its speedup to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// Idle cores, for as long as the arguments of `spins` say.
    IdleTime,
    /// Work that takes longer in parallel to others, and little idle time.
    Inflation,
    /// Neither of these.
    Neither,
    /// Nothing that is true on every machine; the results are only shown.
    Shown,
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Study {
    /// The name of its files in the gallery.
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
    pub(crate) full: &'static [&'static str],
    /// Smaller arguments; empty if the program is not in the short form.
    pub(crate) short: &'static [&'static str],
    /// The arguments with which the program is its own sequential baseline; empty if the baseline
    /// is its run on one thread.
    pub(crate) serial: &'static [&'static str],
    pub(crate) expected: Expected,
    /// Whether copies at once are also measured.
    pub(crate) copies: bool,
}

const fn study(name: &'static str, example: &'static str, full: &'static [&'static str]) -> Study {
    Study {
        name,
        example,
        full,
        short: &[],
        serial: &[],
        expected: Expected::Shown,
        copies: false,
    }
}

#[rustfmt::skip]
pub(crate) const STUDIES: [Study; 15] = [
    Study { short: &["20", "60", "10"], expected: Expected::IdleTime,
        ..study("spins", "spins", &["20", "60", "20"]) },
    Study { short: &["shared", "30000000"], expected: Expected::Inflation,
        ..study("sharing-shared", "sharing", &["shared"]) },
    Study { short: &["padded", "60000000"], expected: Expected::Neither,
        ..study("sharing-padded", "sharing", &["padded", "300000000"]) },
    Study { serial: &["1000000", "1", "1", "800", "serial"],
        ..study("microbenchmark-small", "microbenchmark", &["1000000", "1", "1", "800"]) },
    Study { serial: &["100000", "1", "32", "8000", "serial"],
        ..study("microbenchmark-lines", "microbenchmark", &["100000", "1", "32", "8000"]) },
    Study { serial: &["64000000", "1", "32", "4", "serial"], copies: true,
        ..study("microbenchmark-large", "microbenchmark", &["64000000", "1", "32", "4"]) },
    Study { serial: &["64000000", "16", "32", "4", "serial"],
        ..study("microbenchmark-load", "microbenchmark", &["64000000", "16", "32", "4"]) },
    Study { serial: &["10000000", "2048", "serial"],
        ..study("cilksort-small", "cilksort", &["10000000", "20"]) },
    Study { serial: &["10000000", "2048", "serial"],
        ..study("cilksort", "cilksort", &["10000000"]) },
    Study { serial: &["10000000", "2048", "serial"],
        ..study("cilksort-large", "cilksort", &["10000000", "5000000"]) },
    study("snippets-a", "snippets", &["A"]),
    study("snippets-b", "snippets", &["B"]),
    study("snippets-c", "snippets", &["C"]),
    Study { serial: &["16000000", "20", "serial"], copies: true,
        ..study("daxpy", "daxpy", &[]) },
    Study { serial: &["16000000", "20", "serial"], copies: true,
        ..study("memcpy", "memcpy", &[]) },
];

/// The programs of the suite whose runs with idle time measured are compared with plain ones, each
/// with whether its tasks are so short that a few nanoseconds each matter.
pub(crate) const MEASURED_IDLE: [(&str, bool); 9] = [
    ("fib", true),
    ("spawns", true),
    ("cholesky", true),
    ("nqueens", true),
    ("quicksort", false),
    ("matmul", false),
    ("heat", false),
    ("mis", false),
    ("bfs", false),
];
