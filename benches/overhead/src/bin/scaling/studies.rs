//! The programs whose scaling is measured, and what is known of them.

/// What is lost, of which the cause is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// Cores that wait, as long as the arguments of `spins` say.
    IdleTime,
    /// Work that takes longer beside others: so great a share of the cores' time at least, and idle time at most a fifth of it.
    Inflation(f64),
    /// Neither: so great a share of the cores' time at most for each.
    Neither(f64),
    /// Nothing that holds on every machine.
    Shown,
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Study {
    /// What its files in the gallery are called.
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
    pub(crate) full: &'static [&'static str],
    /// Smaller; empty where it is left out of the short form.
    pub(crate) short: &'static [&'static str],
    /// The arguments with which the program is its own sequential baseline; none where its run on one thread is.
    pub(crate) serial: &'static [&'static str],
    pub(crate) expected: Expected,
    /// Whether copies at once are measured, too.
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

pub(crate) const STUDIES: [Study; 15] = [
    Study {
        short: &["20", "60", "10"],
        expected: Expected::IdleTime,
        ..study("spins", "spins", &["20", "60", "20"])
    },
    Study {
        short: &["shared", "30000000"],
        expected: Expected::Inflation(0.1),
        ..study("sharing-shared", "sharing", &["shared"])
    },
    Study {
        short: &["padded", "60000000"],
        expected: Expected::Neither(0.05),
        ..study("sharing-padded", "sharing", &["padded", "300000000"])
    },
    Study {
        serial: &["1000000", "1", "1", "800", "serial"],
        ..study(
            "microbenchmark-small",
            "microbenchmark",
            &["1000000", "1", "1", "800"],
        )
    },
    Study {
        serial: &["100000", "1", "32", "8000", "serial"],
        ..study(
            "microbenchmark-lines",
            "microbenchmark",
            &["100000", "1", "32", "8000"],
        )
    },
    Study {
        serial: &["64000000", "1", "32", "4", "serial"],
        copies: true,
        ..study(
            "microbenchmark-large",
            "microbenchmark",
            &["64000000", "1", "32", "4"],
        )
    },
    Study {
        serial: &["64000000", "16", "32", "4", "serial"],
        ..study(
            "microbenchmark-load",
            "microbenchmark",
            &["64000000", "16", "32", "4"],
        )
    },
    Study {
        serial: &["10000000", "2048", "serial"],
        ..study("cilksort-small", "cilksort", &["10000000", "20"])
    },
    Study {
        serial: &["10000000", "2048", "serial"],
        ..study("cilksort", "cilksort", &["10000000"])
    },
    Study {
        serial: &["10000000", "2048", "serial"],
        ..study("cilksort-large", "cilksort", &["10000000", "5000000"])
    },
    study("snippets-a", "snippets", &["A"]),
    study("snippets-b", "snippets", &["B"]),
    study("snippets-c", "snippets", &["C"]),
    Study {
        serial: &["16000000", "20", "serial"],
        copies: true,
        ..study("daxpy", "daxpy", &[])
    },
    Study {
        serial: &["16000000", "20", "serial"],
        copies: true,
        ..study("memcpy", "memcpy", &[])
    },
];

/// A program of the suite on which runs with idle time measured are compared with plain ones.
#[derive(Debug)]
pub(crate) struct MeasuredIdle {
    pub(crate) program: &'static str,
    pub(crate) arguments: &'static [&'static str],
    /// Whether its tasks are so short that a few nanoseconds each show.
    pub(crate) has_tiny_tasks: bool,
}

const fn measured_idle(
    program: &'static str,
    arguments: &'static [&'static str],
    has_tiny_tasks: bool,
) -> MeasuredIdle {
    MeasuredIdle {
        program,
        arguments,
        has_tiny_tasks,
    }
}

pub(crate) const MEASURED_IDLE: [MeasuredIdle; 9] = [
    measured_idle("fib", &["36"], true),
    measured_idle("spawns", &["1000000"], true),
    measured_idle("cholesky", &["1500"], true),
    measured_idle("nqueens", &["12"], true),
    measured_idle("quicksort", &["3000000"], false),
    measured_idle("matmul", &["1024"], false),
    measured_idle("heat", &["40"], false),
    measured_idle("mis", &["1000000"], false),
    measured_idle("bfs", &["160"], false),
];
