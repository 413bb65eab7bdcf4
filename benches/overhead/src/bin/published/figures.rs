//! Published figures, and the programs of the suite that are compared with them.

/// The source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Reference manual of Cilk 5.4.6, on the programs of its distribution. Only one input is
    /// known: fib(30).
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

    /// Its part in names of gates.
    pub(crate) fn gate(self) -> &'static str {
        match self {
            Source::CilkManual => "manual",
            Source::Cilkprof => "cilkprof",
            Source::Cilkscale => "cilkscale",
        }
    }
}

/// The part of a run to which a figure applies.
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
    /// Its argument, and that with `--short`.
    size: &'static str,
    short: &'static str,
    /// Whether the published figure is for this size.
    pub(crate) size_is_known: bool,
    pub(crate) part: Part,
    /// The ends of the published range, which may be equal.
    pub(crate) parallelism: (f64, f64),
}

impl Figure {
    pub(crate) fn size(&self, short: bool) -> &'static str {
        if short { self.short } else { self.size }
    }

    /// The most parallelism that the program's structure allows if all its smallest pieces take
    /// equally long; `None` if that is not known.
    ///
    /// - `fib n` makes F(n + 1) − 1 joins, n − 1 of them in the longest chain.
    /// - `rectmul n` computes (n/16)² blocks of the result, each in a chain of its own.
    /// - `matmul n` does the same with blocks of 32 rows.
    pub(crate) fn bound(&self, size: &str) -> Option<f64> {
        let size: u32 = size.parse().ok()?;
        match self.program {
            "fib" => Some((fibonacci(size + 1) - 1.0) / f64::from(size - 1)),
            "rectmul" => Some(f64::from(size / 16).powi(2)),
            "matmul" => Some(f64::from(size / 32).powi(2)),
            _ => None,
        }
    }
}

fn fibonacci(n: u32) -> f64 {
    (0..n).fold((0.0, 1.0), |(a, b), _| (b, a + b)).0
}

/// A figure of the manual, which does not state the input.
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

/// A figure for a known input.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_bound_the_parallelism() {
        let bound = |program, size| {
            let figure = FIGURES.iter().find(|figure| figure.program == program);
            figure.and_then(|figure| figure.bound(size))
        };
        // 1,346,268 joins, 29 of them in a chain.
        assert_eq!(bound("fib", "30").map(f64::round), Some(46_423.0));
        assert_eq!(bound("matmul", "512"), Some(256.0));
        assert_eq!(bound("rectmul", "1024"), Some(4_096.0));
        assert_eq!(bound("lu", "1024"), None);
    }
}
