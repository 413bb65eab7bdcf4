//! `workspan dag FILE.wsp`: shows the task dag of a run.

mod recorded;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_format::wsp;
use workspan_model::{Code, Dag, DagFigures, Profile, totals};
use workspan_report::{CodeView, DagText, dag_dot, dag_json};

use super::code::CodeDetails;
use super::dag_of::dag_of;
use super::long_work::LongWork;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::message;
use crate::screen::ScreenOptions;
use crate::sink::Sink;
use crate::stored;

/// Graphviz takes too long to lay out more vertices than this.
const MOST_DRAWN: usize = 2_000;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run or by a running program, or the record that a run left which was killed
    #[arg(value_name = "FILE.wsp|FILE.raw|FILE.dag")]
    file: PathBuf,
    /// Fold subtrees, small ones first, until there are at most so many vertices; work and spans stay the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    fold: Option<u32>,
    /// Print the dag for Graphviz: the critical path is red, what can be stolen dashed
    #[arg(long, group = "form")]
    dot: bool,
    /// Print the dag as JSON, with all vertices and edges
    #[arg(long, group = "form")]
    json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = Sink::parser())]
    output: Option<Sink>,
    /// Write a profile with this dag, folded, out of a record, or beside what a running program wrote, for the other commands
    #[arg(long, value_name = "FILE.wsp", value_parser = Sink::parser(), conflicts_with_all = ["form", "output"])]
    wsp: Option<Sink>,
    #[command(flatten)]
    screen: ScreenOptions,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan dag app.wsp                                       how large it is, and its critical path\n  \
    workspan dag app.wsp --fold 60 --dot | dot -Tsvg >app.svg  a picture of it\n  \
    workspan dag app.wsp --json -o app.json                    all vertices and edges, for programs\n  \
    workspan dag killed.dag --wsp killed.wsp                   a profile of a run that was killed";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("dag"))
        .about("Print the size and the shape of the recorded task dag, or export it")
        .long_about(
            "Prints how large the task dag of a run is, how it is built, what follows from it beside what was measured \
             while the program ran, and what its critical path is made of: the longest chain of strands that waited for \
             one another.\n\n\
             A vertex of the dag is a strand, or a subtree of less work than the grain that was folded into one vertex; an \
             edge says that one waits for the other. `cargo workspan run --grain` sets the grain of the record, --fold \
             makes a dag smaller afterwards, so that it can be drawn. For that, `dot` is part of Graphviz: its pictures \
             have the critical path in red, edges that another core could take dashed, and folded subtrees grey.\n\n\
             A run that was killed leaves no profile, but a record of what came before, FILE.dag. It is read in place of a \
             profile; --wsp makes one of it, for `workspan advise`, `whatif` and `predict`.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Prints the dag.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    if let Some(out) = &options.wsp
        && options.fold.is_none()
    {
        return copy_as_profile(&options.file, out);
    }
    let mut stored = Stored::read(&options.file)?;
    if let Some(most) = options.fold {
        let work = LongWork::on_dag(&stored.dag);
        work.begin("folding the task dag");
        stored.dag = stored.dag.folded(most as usize);
    }
    if let Some(file) = &options.wsp {
        let bytes = wsp::encode(&stored.profile, Some(&stored.dag));
        file.write(&bytes).or_exit(PROFILE)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sink = options.output.clone().unwrap_or(Sink::Stdout);
    let page = stored.page(&options, &sink)?;
    let written = match options.json || options.dot {
        true => sink.write(&page),
        false => sink.show(|output| output.write_all(&page)),
    };
    written.or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the profile of `file`, or of the record in it, to `out`, with its dag if it has one.
fn copy_as_profile(file: &Path, out: &Sink) -> Result<ExitCode, Failure> {
    let (profile, dag) = if recorded::is_record(file) {
        let (profile, dag, _) = recorded::read(file).or_exit(PROFILE)?;
        (profile, Some(dag))
    } else {
        stored::read(file).or_exit(PROFILE)?
    };
    if dag.is_none() {
        message::note(format_args!(
            "{} holds no task dag, so what is made of it has none",
            file.display()
        ));
    }
    let bytes = wsp::encode(&profile, dag.as_ref());
    out.write(&bytes).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The contents of a profile or of a record.
struct Stored {
    profile: Profile,
    dag: Dag,
    /// Size of the dag in the file.
    bytes: u64,
    /// Whether the engine measured the profile's figures. Those of a record follow from the dag.
    is_measured: bool,
}

impl Stored {
    fn read(file: &Path) -> Result<Self, Failure> {
        if recorded::is_record(file) {
            let (profile, dag, bytes) = recorded::read(file).or_exit(PROFILE)?;
            return Ok(Self {
                profile,
                dag,
                bytes,
                is_measured: false,
            });
        }
        let (profile, dag) = dag_of(file)?;
        let bytes = stored::dag_bytes(file).or_exit(PROFILE)?;
        Ok(Self {
            profile,
            dag,
            bytes: bytes.unwrap_or(0),
            is_measured: true,
        })
    }

    /// The dag in the requested form.
    fn page(&self, options: &Options, sink: &Sink) -> Result<Vec<u8>, Failure> {
        let Self { profile, dag, .. } = self;
        if options.dot {
            return dot(&options.file, profile, dag);
        }
        let totals = totals(profile);
        let measured = self.is_measured.then_some(&totals);
        rendered(&options.file, profile, dag, |figures, view, output| {
            if options.json {
                let (shape, path) = (dag.shape(), dag.critical_path());
                return dag_json(dag, &shape, figures, &path, measured, view, output);
            }
            let page = DagText {
                screen: options.screen.screen(sink),
                shape: &dag.shape(),
                figures,
                measured,
                grain: dag.time_of(dag.grain),
                bytes: self.bytes,
            };
            page.render(view, output)
        })
    }
}

/// The dag of the profile in `file` for Graphviz.
pub(super) fn dot(file: &Path, profile: &Profile, dag: &Dag) -> Result<Vec<u8>, Failure> {
    if dag.vertices.len() > MOST_DRAWN {
        message::note(format_args!(
            "{} vertices are too many to be drawn; `workspan dag --fold 200 --dot` makes them fewer",
            dag.vertices.len()
        ));
    }
    rendered(file, profile, dag, |figures, view, output| {
        dag_dot(dag, figures, &dag.critical_path(), view, output)
    })
}

/// What `write` writes about the dag of the profile in `file`, given its figures and its code.
fn rendered(
    file: &Path,
    profile: &Profile,
    dag: &Dag,
    write: impl FnOnce(&DagFigures, &CodeView<'_>, &mut Vec<u8>) -> io::Result<()>,
) -> Result<Vec<u8>, Failure> {
    let work = LongWork::on_dag(dag);
    work.begin("looking for the critical path");
    let code = Code::new(profile, dag);
    let figures = DagFigures::new(dag, &code);
    work.begin("writing the page");
    let details = CodeDetails::look_up(file, profile, dag, &code, &BTreeSet::new())?;
    let mut output = Vec::new();
    let written = write(&figures, &details.view(profile, dag, &code), &mut output);
    drop(work);
    written.or_exit(PROFILE)?;
    Ok(output)
}
