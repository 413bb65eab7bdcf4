//! What was published, and with which program of the suite it is compared.

/// Where a figure is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Reference manual of Cilk 5.4.6, on the programs of its distribution. The inputs are not
    /// known but for fib(30).
    CilkManual,
    /// Schardl et al., "The Cilkprof scalability profiler", SPAA 2015: Fig. 2, 7 and 10.
    Cilkprof,
    /// The user's guide to Cilkscale, <https://www.opencilk.org/doc/users-guide/cilkscale/>.
    Cilkscale,
}

impl Source {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::CilkManual => "Cilk manual",
            Source::Cilkprof => "Cilkprof",
            Source::Cilkscale => "Cilkscale",
        }
    }
}

/// Which part of a run a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The computation, without the making of its input.
    Alone,
    /// The whole program.
    Whole,
}

/// A published parallelism.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) source: Source,
    pub(crate) program: &'static str,
    /// What it is run with, and with `--short`.
    size: &'static str,
    short: &'static str,
    /// Whether the published figure is for this size.
    pub(crate) size_is_known: bool,
    pub(crate) part: Part,
    /// From, to.
    pub(crate) parallelism: (f64, f64),
}

impl Figure {
    pub(crate) fn size(&self, short: bool) -> &'static str {
        if short { self.short } else { self.size }
    }
}

/// A figure of the manual, for an input that it does not tell.
const fn manual(
    program: &'static str,
    size: &'static str,
    short: &'static str,
    parallelism: f64,
) -> Figure {
    Figure {
        source: Source::CilkManual,
        program,
        size,
        short,
        size_is_known: false,
        part: Part::Alone,
        parallelism: (parallelism, parallelism),
    }
}

/// A figure of a known input.
const fn known(
    source: Source,
    program: &'static str,
    size: &'static str,
    short: &'static str,
    parallelism: (f64, f64),
) -> Figure {
    Figure {
        source,
        program,
        size,
        short,
        size_is_known: true,
        part: Part::Alone,
        parallelism,
    }
}

#[rustfmt::skip]
pub(crate) const FIGURES: [Figure; 23] = [
    known(Source::CilkManual, "fib", "30", "25", (9_937.0, 9_937.0)),
    known(Source::Cilkprof, "fib", "30", "25", (11_165.7, 11_165.7)),
    manual("fib", "36", "28", 160_000.0),
    manual("fib", "40", "30", 160_000.0),
    manual("nqueens", "12", "9", 137_821.0),
    manual("nqueens", "14", "10", 137_821.0),
    manual("rectmul", "1024", "256", 8_599.0),
    manual("rectmul", "2048", "512", 8_599.0),
    manual("fft", "1048576", "65536", 2_228.0),
    manual("fft", "8388608", "262144", 2_228.0),
    manual("cilksort", "4000000", "200000", 1_105.0),
    manual("cilksort", "20000000", "1000000", 1_105.0),
    manual("heat", "50", "3", 331.0),
    manual("cholesky", "1000", "300", 317.0),
    manual("cholesky", "2000", "500", 317.0),
    manual("lu", "1024", "256", 132.0),
    manual("lu", "2048", "512", 132.0),
    manual("strassen", "1024", "256", 27.0),
    manual("strassen", "2048", "512", 27.0),
    known(Source::Cilkprof, "quicksort", "10000000", "200000", (5.6, 5.6)),
    known(Source::Cilkprof, "matmul", "512", "256", (233.0, 233.0)),
    known(Source::Cilkscale, "quicksort", "100000000", "1000000", (24.0, 27.0)),
    Figure { part: Part::Whole, ..known(Source::Cilkscale, "quicksort", "100000000", "1000000", (11.7, 11.7)) },
];
