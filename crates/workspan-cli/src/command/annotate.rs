//! `workspan annotate FILE.wsp`: source lines with their figures.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::{Profile, SourceFile, functions, source_files};
use workspan_report::Annotate;

use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::message;
use crate::screen::ScreenOptions;
use crate::sink::Sink;
use crate::source_files::{Origin, Source, Sources, not_allowed};
use crate::stored;

/// How many files and how many functions to suggest.
const SUGGESTIONS: usize = 5;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run
    #[arg(value_name = "FILE.wsp")]
    profile: PathBuf,
    /// A function (`partition`, `sorting::partition`) or a source file (`sorting.rs`, `src/sorting.rs`); without it, all
    /// files with 1% of the span or of the work, or more
    #[arg(value_name = "FUNCTION|FILE")]
    what: Option<String>,
    /// Lines to show before and after those that have figures
    #[arg(long, value_name = "N", default_value_t = 3)]
    context: u32,
    /// Where source files may lie beside the present folder, the profile's project and what cargo has downloaded; may be
    /// repeated
    #[arg(long, value_name = "DIR")]
    source_root: Vec<PathBuf>,
    #[command(flatten)]
    screen: ScreenOptions,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan annotate target/workspan/app.wsp\n  \
    workspan annotate target/workspan/app.wsp partition\n  \
    workspan annotate target/workspan/app.wsp src/sorting.rs --context 10";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("annotate"))
        .about("Print source lines with their share of the span and of the work")
        .long_about(
            "Prints the lines of the program's source with what they run beside them: their share of the span, by \
             samples, by themselves and with all that they call; the work that they run; and of the lines with a \
             spawn site how often it ran, with the work and the span of its own strands.\n\n\
             The lines with the largest shares of the span are those to look at first: only a shorter span makes the \
             program faster on more cores. A line with much work and little span is fine already.\n\n\
             The source is looked for from the present folder, from the folders around the profile, and among the \
             crates that cargo has downloaded. So run it where the program was profiled.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// A file, and those of its lines to print.
struct Chosen<'a> {
    file: &'a SourceFile,
    lines: BTreeSet<u32>,
}

/// Prints the source lines.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let (profile, _) = stored::read(&options.profile).or_exit(PROFILE)?;
    let files = source_files(&profile);
    let chosen = match &options.what {
        Some(what) => named(&files, what).or_exit(USAGE)?,
        None => noteworthy(&files, &profile),
    };
    note_few_samples(&profile);
    let origin = Origin::Stored(&options.source_root);
    let sources = Sources::around(&options.profile, origin).or_exit(PROFILE)?;
    let page = Annotate {
        screen: options.screen.screen(&Sink::Stdout),
        is_cut: io::stdout().is_terminal(),
        context: options.context,
    };
    let mut output = Vec::new();
    page.legend(&mut output).or_exit(PROFILE)?;
    for (index, Chosen { file, lines }) in chosen.iter().enumerate() {
        if index > 0 {
            output.push(b'\n');
        }
        let source = sources.find(&file.file);
        let text = text_of(&source, file, &profile);
        page.render(file, lines, text, &profile, &mut output)
            .or_exit(PROFILE)?;
    }
    Sink::Stdout
        .show(|shown| shown.write_all(&output))
        .or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The files and the lines that the user means by the name of a file or of a function.
fn named<'a>(files: &'a [SourceFile], what: &str) -> anyhow::Result<Vec<Chosen<'a>>> {
    let by_file = files
        .iter()
        .filter(|file| {
            PathBuf::from(&file.file).ends_with(what) || PathBuf::from(what).ends_with(&file.file)
        })
        .map(|file| Chosen {
            file,
            lines: file.noteworthy_lines(),
        });
    let mut chosen: Vec<Chosen<'_>> = by_file.collect();
    if chosen.is_empty() {
        let by_function = files.iter().map(|file| Chosen {
            file,
            lines: file.lines_of(what),
        });
        chosen = by_function
            .filter(|chosen| !chosen.lines.is_empty())
            .collect();
    }
    if chosen.is_empty() {
        return Err(anyhow!(
            "the profile has nothing of a function or a file `{what}`; it has {}",
            suggestions(files)
        ));
    }
    Ok(chosen)
}

/// The names of some files and functions that the profile has.
fn suggestions(files: &[SourceFile]) -> String {
    let names = files.iter().map(|file| file.file.as_str());
    let functions = files
        .iter()
        .flat_map(|file| &file.definitions)
        .map(|(_, name)| name.as_str());
    let some: Vec<&str> = names
        .take(SUGGESTIONS)
        .chain(functions.take(SUGGESTIONS))
        .collect();
    if some.is_empty() {
        "no lines at all".to_owned()
    } else {
        some.join(", ")
    }
}

fn noteworthy<'a>(files: &'a [SourceFile], profile: &Profile) -> Vec<Chosen<'a>> {
    let files = files.iter().filter(|file| file.is_noteworthy(profile.span));
    files
        .map(|file| Chosen {
            file,
            lines: file.noteworthy_lines(),
        })
        .collect()
}

/// Prints a note if there are too few samples for some of the figures.
fn note_few_samples(profile: &Profile) {
    match functions(profile) {
        None => message::note("the run was not sampled: only lines with spawn sites have figures"),
        Some(functions) if functions.on_work.samples <= 0.0 => message::note(format!(
            "there are no samples{}: only lines with spawn sites have figures",
            functions
                .note
                .map(|note| format!(" ({note})"))
                .unwrap_or_default()
        )),
        Some(functions) if !functions.cover_the_span() => message::note(format!(
            "samples on the critical path: {:.0}, so that shares of the span are rough or missing",
            functions.on_span.samples
        )),
        Some(_) => {}
    }
}

/// The text of a source, if it was found. Warns if it was not, or if it is not what was profiled.
fn text_of<'a>(source: &'a Source, file: &SourceFile, profile: &Profile) -> Option<&'a str> {
    match source {
        Source::Missing { looked_in } => {
            let folder = env::current_dir().unwrap_or_default();
            message::warning(format!(
                "no source of `{}` (looked from {} on{}); run this where the program was profiled",
                file.file,
                folder.display(),
                if looked_in.is_empty() {
                    String::new()
                } else {
                    format!(", and in {}", looked_in.join(", "))
                }
            ));
            None
        }
        Source::Outside => {
            message::warning(not_allowed(&file.file));
            None
        }
        Source::Found { text, changed_at } => {
            let last = file.lines.last().map_or(0, |line| line.line as usize);
            if *changed_at > profile.run.started_at {
                message::warning(format!(
                    "`{}` was changed after the profile was made: figures may stand beside other lines than theirs",
                    file.file
                ));
            } else if text.lines().count() < last {
                message::warning(format!(
                    "`{}` has no line {last}: it is not the file that was profiled",
                    file.file
                ));
            }
            Some(text)
        }
    }
}
