//! The papers' programs in rayon, OpenMP and oneTBB (`examples/side_by_side.rs`, `examples/c`): the
//! parallelism beside rayon's, and the work beside a plain run's processor time.

use std::process::Command;

use anyhow::Context as _;

use crate::judge::root;
use crate::measuring::{Measuring, figure, is_there};
use crate::run::{Program, cargo, number, output, succeed, target};

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

/// A runtime: its name, compiler, source and flags, and the command that prints more flags.
const SIDES: [(&str, &str, &str, &[&str], &str); 3] = [
    (
        "openmp-clang",
        "clang",
        "openmp.c",
        &["-std=gnu11", "-fopenmp"],
        "cflags",
    ),
    (
        "openmp-gcc",
        "gcc",
        "openmp.c",
        &["-std=gnu11", "-fopenmp"],
        "cflags",
    ),
    ("tbb", "g++", "tbb.cpp", &["-std=c++17"], "cxxflags"),
];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(5, 3);
    let wanted: Vec<&str> = PROBLEMS
        .iter()
        .filter(|(problem, is_short)| match is_short {
            true => measuring.wants("runtimes", problem),
            false => measuring.wants_in_full("runtimes", problem),
        })
        .map(|(problem, _)| *problem)
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    cargo(&[
        "build",
        "--release",
        "--quiet",
        "--package",
        "workspan-capi",
    ])?;
    let rayon = Program::build(
        "workspan-examples",
        "example",
        "side_by_side",
        &["fib", "1", "1"],
    )?;
    let sides: Vec<(&str, Program)> = SIDES
        .iter()
        .filter_map(|side| built(side).transpose())
        .collect::<anyhow::Result<_>>()?;
    for problem in wanted {
        let arguments: Vec<&str> = problem.split(' ').collect();
        let rayon = rayon.with(&arguments).on(1);
        for (side, native) in &sides {
            let native = native.with(&arguments);
            let subject = format!("{}-{side}", problem.replace(' ', "-"));
            measuring.watched(&subject, || {
                let (mut parallelism, mut work) = (Vec::new(), Vec::new());
                for _ in 0..turns {
                    let [here, there] = [native.profile(&[])?, rayon.profile(&[])?];
                    let [here, there] = [
                        here.figures(Some("compute"))?,
                        there.figures(Some("compute"))?,
                    ];
                    let ratio = |figures| -> anyhow::Result<f64> {
                        Ok(number(figures, "/work_ns")? / number(figures, "/span_ns")?)
                    };
                    parallelism.push(ratio(here)? / ratio(there)?);
                    let plain = plain(&native)?;
                    work.push(100.0 * (number(here, "/work_ns")? / plain - 1.0));
                }
                Ok(vec![
                    figure("over-rayon", parallelism),
                    figure("native-work", work),
                ])
            })?;
        }
    }
    Ok(())
}

/// Builds one side if its compiler is there.
fn built(
    (side, compiler, source, flags, more): &(&'static str, &str, &str, &[&str], &str),
) -> anyhow::Result<Option<(&'static str, Program)>> {
    if !is_there(compiler, "runtimes side by side (ci/setup installs it)")? {
        return Ok(None);
    }
    let workspan = target()?.join("release/workspan");
    let more = output(&workspan.to_string_lossy(), &[more])?;
    let executable = target()?.join(format!("side-by-side-{side}"));
    let mut command = Command::new(compiler);
    command
        .args(["-O3", "-g", "-o"])
        .arg(&executable)
        .args(*flags)
        .args(more.split_whitespace())
        .arg(root()?.join("examples/c").join(source));
    if *side == "tbb" {
        command.arg("-ltbb");
    }
    succeed(&mut command).context("ci/setup installs libomp-dev and libtbb-dev")?;
    Ok(Some((side, Program::native(executable)?)))
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
