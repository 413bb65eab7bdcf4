//! The papers' programs in rayon, OpenMP and oneTBB (`examples/side_by_side.rs`, `examples/c`): the
//! parallelism beside rayon's, and the work beside a plain run's processor time.

use anyhow::Context as _;

use crate::checkout::target;
use crate::measuring::{Measuring, is_there};
use crate::run::{Program, cargo, number, output};

/// Program, size and cutoff, and whether the short form has it. The second has no cutoff, which shows
/// the engine's cost.
const PROBLEMS: [(&str, bool); 6] = [
    ("fib 32 20", true),
    ("fib 24 2", false),
    ("quicksort 2000000 2048", true),
    ("matmul 512 32", false),
    ("nqueens 12 4", true),
    ("cilksort 2000000 2048", false),
];

/// A runtime, the command that prints flags, and how to compile.
const SIDES: [(&str, &str, &str); 3] = [
    (
        "openmp-clang",
        "cflags",
        "clang -std=gnu11 -fopenmp examples/c/openmp.c",
    ),
    (
        "openmp-gcc",
        "cflags",
        "gcc -std=gnu11 -fopenmp examples/c/openmp.c",
    ),
    ("tbb", "cxxflags", "g++ -std=c++17 examples/c/tbb.cpp -ltbb"),
];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(5, 3);
    let mut sides = Vec::new();
    for (problem, is_short) in PROBLEMS {
        if !measuring.wants("runtimes", problem, is_short) {
            continue;
        }
        if sides.is_empty() {
            sides = built()?;
        }
        let rayon = Program::example("side_by_side", "fib 2 2")?
            .with(problem)
            .on(1);
        for (side, native) in &sides {
            let native = native.with(problem);
            let subject = format!("{}-{side}", problem.replace(' ', "-"));
            measuring.watched(&subject, |read| {
                for _ in 0..turns {
                    let [here, there] = [native.profile("")?, rayon.profile("")?];
                    let here = here.figures(Some("compute"))?;
                    let there = there.figures(Some("compute"))?;
                    let parallelism = number(here, "/work_ns")? / number(here, "/span_ns")?;
                    let of_rayon = number(there, "/work_ns")? / number(there, "/span_ns")?;
                    read.add("over-rayon", parallelism / of_rayon);
                    let work = number(here, "/work_ns")? / plain(&native)?;
                    read.add("native-work", 100.0 * (work - 1.0));
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Builds each side whose compiler is there.
fn built() -> anyhow::Result<Vec<(&'static str, Program)>> {
    cargo("build --release --quiet --package workspan-capi --package workspan-gomp")?;
    let mut built = Vec::new();
    for (side, flags, compile) in SIDES {
        let compiler = compile.split(' ').next().unwrap_or_default();
        if is_there(compiler, "runtimes side by side (ci/setup installs it)")? {
            let workspan = target()?.join("release/workspan");
            let flags = output(&format!("{} {flags}", workspan.display()))?;
            let executable = target()?.join(format!("side-by-side-{side}"));
            let out = executable.display();
            output(&format!("{compile} -O3 -g {flags} -o {out}"))
                .context("ci/setup installs libomp-dev and libtbb-dev")?;
            built.push((side, Program::native(executable)));
        }
    }
    Ok(built)
}

/// The processor time of the computation without workspan, as the program prints it, in nanoseconds.
fn plain(program: &Program) -> anyhow::Result<f64> {
    let printed = program.printed()?;
    let line = printed
        .lines()
        .find_map(|line| line.strip_suffix(" ns of processor time"));
    let time = line.and_then(|line| line.rsplit(' ').next());
    Ok(time.context("no processor time is printed")?.parse()?)
}
