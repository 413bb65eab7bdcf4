//! The benchmark suite.

use std::process::Command;

use crate::checkout::{root, target};
use crate::judge::Form;
use crate::run::{Program, cargo, succeed};

/// A program of the suite, and its inputs. Without an argument it runs for a second or two.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// For about a third of a second.
    short: &'static str,
    /// For some seconds under the emulator, if it runs there.
    pub(crate) emulated: Option<&'static str>,
}

/// Which input a program gets.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    Of(Form),
    Emulated,
    Argument(&'static str),
}

const fn suite(name: &'static str, short: &'static str, emulated: &'static str) -> Suite {
    Suite {
        name,
        short,
        emulated: if emulated.is_empty() {
            None
        } else {
            Some(emulated)
        },
    }
}

/// The programs that have something to speed up.
pub(crate) const SUITE: [Suite; 18] = [
    suite("fib", "36", "30"),
    suite("quicksort", "3000000", "2000000"),
    suite("cilksort", "3000000", "2000000"),
    suite("matmul", "1024", "512"),
    suite("rectmul", "1024", "512"),
    suite("strassen", "1024", "512"),
    suite("lu", "1024", "512"),
    suite("cholesky", "1500", "1000"),
    suite("heat", "40", "4"),
    suite("fft", "1048576", "1048576"),
    suite("nqueens", "12", "12"),
    suite("bfs", "160", "150"),
    suite("mis", "1000000", "500000"),
    suite("nbody", "3000", "1000"),
    suite("pipeline", "60", ""),
    suite("par_sort", "3000000", "2000000"),
    suite("reader", "120000", ""),
    suite("spawns", "1000000", "1000000"),
];

impl Suite {
    /// Builds the suite, plain and profiled.
    pub(crate) fn build() -> anyhow::Result<()> {
        cargo("build --release --quiet --package workspan-suite --bins")?;
        let mut command = Command::new(target()?.join("release/cargo-workspan"));
        // The suite's integration test needs all its programs.
        let test =
            "workspan test --release --quiet --no-run --package workspan-suite --test answers";
        command.args(test.split(' ')).current_dir(root()?);
        succeed(&mut command).map(drop)
    }

    /// The program with an input, once the suite is built.
    pub(crate) fn with(&self, input: Input) -> anyhow::Result<Program> {
        let argument = match input {
            Input::Of(form) => form.select("", self.short),
            Input::Emulated => self.emulated.unwrap_or_default(),
            Input::Argument(argument) => argument,
        };
        Program::new(self.name, argument)
    }
}
