//! `workspan cilk2c FILE`: translates a Cilk source for any C or C++ compiler.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use crate::cilk2c::{Language, serial_elision};
use crate::exit_code::{Failure, OrExit as _, SETUP, USAGE};
use crate::message;
use crate::report_options::name_parser;
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// The C or C++ source with Cilk's keywords; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write the output; without it, standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the output is compiled as; without it, `c` for names that end in `.c`, `.h` or `.i`, else `c++`
    #[arg(long, value_name = "LANGUAGE",
          value_parser = name_parser([Language::C, Language::Cpp], name_of))]
    language: Option<Language>,
}

const fn name_of(language: Language) -> &'static str {
    match language {
        Language::C => "c",
        Language::Cpp => "c++",
    }
}

const EXAMPLES: &str = "Example:\n  \
    workspan cilk2c fib.c -o fib.serial.c\n  \
    cc -O2 $(workspan cflags) fib.serial.c -o fib\n  \
    workspan run -- ./fib 30";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("cilk2c"))
        .about("Write a Cilk source as C or C++ whose serial run tells its work and its span")
        .long_about(
            "Writes the serial elision of a source with cilk_spawn, cilk_sync, cilk_for and cilk_scope: the program \
             that runs its tasks in order on one thread, with a call of workspan's C API wherever a task begins or \
             ends, and wherever tasks are awaited. Any C or C++ compiler builds it, and `workspan run` profiles its \
             run as Cilkview does: the structure is the logical one, for any number of cores.\n\n\
             The source is read token by token, and nothing is expanded or included. Lines keep their numbers. What \
             cannot be treated that way is an error with its place: keywords in macros, in included files, in larger \
             expressions.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!(
            "{EXAMPLES}\n\n\
             Exit codes:\n  \
             2    the command line is wrong\n  \
             3    a file could not be read or written, or has what cannot be treated"
        ))
}

/// Translates the source and writes the output.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let file = &options.file;
    let text = read(file).or_exit(SETUP)?;
    let output = options.output.as_deref();
    if output.is_some_and(|output| is_same(output, file)) {
        let error = anyhow!(
            "{} would be overwritten; name another output",
            file.display()
        );
        return Err(Failure::new(USAGE, error));
    }
    let language = options.language.unwrap_or_else(|| language_of(file));
    let read_included = |name: &str| {
        let beside = |path: &Path| fs::read_to_string(path.with_file_name(name)).ok();
        output.and_then(beside).or_else(|| beside(file))
    };
    match serial_elision(&text, &file.to_string_lossy(), language, &read_included) {
        Ok(elision) => {
            let sink = output.map_or(Sink::Stdout, |output| Sink::File(output.to_owned()));
            sink.write(elision.as_bytes()).or_exit(SETUP)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(problems) => {
            for problem in problems {
                message::error(&problem.into());
            }
            Err(Failure::reported(SETUP))
        }
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    let name = file.display();
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    }
    .with_context(|| format!("cannot read {name}"))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        anyhow!("{name}:{line}: not UTF-8; convert the file, for example by `iconv -t UTF-8`")
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn language_of(file: &Path) -> Language {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "h" | "i") => Language::C,
        _ => Language::Cpp,
    }
}
