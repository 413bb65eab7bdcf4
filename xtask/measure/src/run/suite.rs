//! The benchmark suite.

use crate::judge::Form;
use crate::run::{Program, cargo, succeed, target};

use std::process::Command;

/// A program of the suite, and its inputs. Without an argument it runs for a second or two.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// For about a third of a second.
    short: &'static str,
    /// Under the emulator: for some seconds.
    pub(crate) emulated: Option<&'static str>,
}

/// Which input a program gets.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    Of(Form),
    Argument(&'static str),
}

const fn suite(name: &'static str, short: &'static str, emulated: Option<&'static str>) -> Suite {
    Suite {
        name,
        short,
        emulated,
    }
}

/// The programs that have something to speed up.
pub(crate) const SUITE: [Suite; 18] = [
    suite("fib", "36", Some("30")),
    suite("quicksort", "3000000", Some("2000000")),
    suite("cilksort", "3000000", Some("2000000")),
    suite("matmul", "1024", Some("512")),
    suite("rectmul", "1024", Some("512")),
    suite("strassen", "1024", Some("512")),
    suite("lu", "1024", Some("512")),
    suite("cholesky", "1500", Some("1000")),
    suite("heat", "40", Some("4")),
    suite("fft", "1048576", Some("1048576")),
    suite("nqueens", "12", Some("12")),
    suite("bfs", "160", Some("150")),
    suite("mis", "1000000", Some("500000")),
    suite("nbody", "3000", Some("1000")),
    suite("pipeline", "60", None),
    suite("par_sort", "3000000", Some("2000000")),
    suite("reader", "120000", None),
    suite("spawns", "1000000", Some("1000000")),
];

impl Suite {
    /// Builds the suite, plain and profiled.
    pub(crate) fn build() -> anyhow::Result<()> {
        cargo(&[
            "build",
            "--release",
            "--quiet",
            "--package",
            "workspan-suite",
            "--bins",
        ])?;
        // The suite's integration test needs all its programs.
        succeed(
            Command::new(target()?.join("release/cargo-workspan"))
                .args(["workspan", "test", "--release", "--quiet", "--no-run"])
                .args(["--package", "workspan-suite", "--test", "answers"]),
        )
        .map(drop)
    }

    /// The program with an input, once the suite is built.
    pub(crate) fn with(&self, input: Input) -> anyhow::Result<Program> {
        let arguments = match input {
            Input::Of(form) => form.select(vec![], vec![self.short]),
            Input::Argument(argument) => vec![argument],
        };
        Program::new(self.name, &arguments)
    }
}
