//! `workspan-cilk2c FILE`, which `workspan cilk2c` starts: translates a Cilk source for any C or C++ compiler.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};

use workspan_cilk2c::{Language, serial_elision};

/// A file could not be read or written, or contains what cannot be translated. For wrong command lines clap has 2.
const FAILED: u8 = 3;

const EXAMPLES: &str = "Example:\n  \
    workspan cilk2c fib.c -o fib.serial.c\n  \
    cc -O2 $(workspan cflags) fib.serial.c -o fib\n  \
    workspan run -- ./fib 30";

/// Write a Cilk source as C or C++ whose serial run tells its work and its span
///
/// Writes the serial elision of a source with cilk_spawn, cilk_sync, cilk_for and cilk_scope: the program that runs its
/// tasks in order on one thread, with a call of workspan's C API wherever a task begins or ends, and wherever tasks are
/// awaited. Any C or C++ compiler builds it, and `workspan run` profiles its run as Cilkview does: the structure is the
/// logical one, for any number of cores.
///
/// The source is read token by token, and nothing is expanded or included. Lines keep their numbers. What cannot be translated
/// that way is an error with its place: keywords in macros, in included files, in larger expressions.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, after_long_help = format!(
    "{EXAMPLES}\n\n\
     Exit codes:\n  \
     2    the command line is wrong\n  \
     {FAILED}    a file could not be read or written, or contains what cannot be translated"
))]
struct Options {
    /// The C or C++ source with Cilk's keywords; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write the output; without it, standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the output is compiled as; without it, `c` for names that end in `.c`, `.h` or `.i`, else `c++`
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(["c", "c++"])
          .map(|name| if name == "c" { Language::C } else { Language::Cpp }))]
    language: Option<Language>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let output = options.output.as_deref();
    if output.is_some_and(|output| is_same(output, &options.file)) {
        let file = options.file.display();
        let problem = format!("{file} would be overwritten; name another output");
        let error = Options::command().error(ErrorKind::ValueValidation, problem);
        error.exit();
    }
    match translate(&options.file, output, options.language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            for problem in problems {
                // The source's names are in it, and a terminal obeys control characters.
                let problem = problem.replace(char::is_control, "\u{fffd}");
                eprintln!("error: {problem}");
            }
            ExitCode::from(FAILED)
        }
    }
}

/// Translates the source and writes the output. Fails with all that is wrong.
fn translate(
    file: &Path,
    output: Option<&Path>,
    language: Option<Language>,
) -> Result<(), Vec<String>> {
    let text = read(file).map_err(|problem| vec![problem])?;
    let language = language.unwrap_or_else(|| language_of(file));
    let read_included = |name: &str| {
        let beside = |path: &Path| fs::read_to_string(path.with_file_name(name)).ok();
        output.and_then(beside).or_else(|| beside(file))
    };
    let elision = serial_elision(&text, &file.to_string_lossy(), language, &read_included)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let (written, name) = match output {
        Some(output) => (write(output, &elision), output.display().to_string()),
        None => (print(&elision), "standard output".to_owned()),
    };
    written.map_err(|error| vec![format!("cannot write {name}: {error}")])
}

fn write(output: &Path, text: &str) -> io::Result<()> {
    let written = fs::write(output, text);
    if written.is_err() && output.is_file() {
        // make(1) must not take half a source for a whole one.
        let _ = fs::remove_file(output);
    }
    written
}

fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let printed = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match printed {
        // Whoever reads it has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

fn read(file: &Path) -> Result<String, String> {
    let name = file.display();
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    }
    .map_err(|error| format!("cannot read {name}: {error}"))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        format!("{name}:{line}: not UTF-8; convert the file, for example by `iconv -t UTF-8`")
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
