//! `workspan-runner PROGRAM ARGUMENTS`: runs a program with the engine on, and reports.

mod binary;
mod child;
mod collect;
mod files;
mod functions;
mod metrics;
mod missing;
mod repeat;
mod runs;
mod signals;
mod sleds;
mod standard_input;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use workspan_format::{replace_file, stream, wsp};
use workspan_model::{Dag, Exit, Profile};

use crate::emulation::Emulation;
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP, SIGNAL_BASE};
use crate::inflate::{self, Executions};
use crate::message;
use crate::native::Start;
use crate::outputs::{Outputs, Sink, with_suffix};
use crate::page::{self, Results};
use crate::session::{Kind, Measure, Session};
use crate::symbols::Places;
pub(crate) use binary::{has_engine, locate, name as program_name};
pub(crate) use child::{cannot_start, exit};
use collect::Collected;
use files::RawFiles;
pub(crate) use files::temporary_folder;
use functions::FunctionsFile;
pub(crate) use repeat::ended;
pub(crate) use runs::{Runs, Told};
pub(crate) use signals::{Forwarder, Interruption, survive_limits};

/// How to run a program and what to do with its profile.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// The emulator that the program runs under, if any.
    pub(crate) emulation: Option<Emulation>,
    /// The user's own runner.
    pub(crate) through: Vec<String>,
    /// Value of `RUSTC_WRAPPER` for the program.
    pub(crate) inherited_wrapper: Option<String>,
    /// What the program is started with.
    pub(crate) start: Start,
    pub(crate) measure: Measure,
    /// The same for every further metric.
    pub(crate) others: Vec<Measure>,
    /// How often to run it.
    pub(crate) runs: u32,
    /// Existing folder for the raw profile.
    pub(crate) raw_folder: PathBuf,
    /// Whether what the program prints on standard output is left out.
    pub(crate) is_quiet: bool,
    /// What to do with the profile; nothing if none.
    pub(crate) reporting: Option<Reporting>,
}

/// What to do with a profile.
#[derive(Clone, Debug)]
pub(crate) struct Reporting {
    pub(crate) outputs: Outputs,
    /// workspan's folder, where the profile is kept.
    pub(crate) home: Option<PathBuf>,
    /// What the names of its files say of what was measured; nothing of the first metric.
    pub(crate) metric: Option<String>,
    pub(crate) places: Places,
    pub(crate) expected: Expected,
}

/// What is known of the program beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It is said to have the engine in it.
    Instrumented,
    /// It was built with the engine at hand, and has it if it uses rayon.
    EngineIfRayon,
    /// The same, among other programs of one command: without rayon it is of no interest.
    OneOfMany,
}

/// Runs the program that cargo built.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let session = Session::from_environment().or_exit(SETUP)?;
    session.outputs.screen.apply();
    let (through, command) = user_runner(&session.runners, arguments);
    let program = command
        .first()
        .map(Path::new)
        .ok_or_else(|| anyhow!("workspan-runner was started without a program to run"))
        .or_exit(SETUP)?;
    let raw_folder = session.raw_profiles();
    let reporting = if binary::is_documentation_test(program) {
        None
    } else {
        Some(Reporting {
            outputs: outputs_for(program, &session).or_exit(SETUP)?,
            home: Some(session.home.clone()),
            metric: None,
            places: session.places.clone(),
            expected: match session.kind {
                Kind::Run => Expected::EngineIfRayon,
                Kind::Test | Kind::Bench => Expected::OneOfMany,
            },
        })
    };
    if let Some(settings) = &session.inflate {
        let measures = std::iter::once(&session.measure).chain(&session.others);
        let executions = Executions::of_each(settings, measures, |measure| {
            Ok(Launch {
                command: command.to_owned(),
                emulation: None,
                through: through.clone(),
                inherited_wrapper: session.inherited_wrapper.clone(),
                start: Start::AsItIs,
                measure,
                others: Vec::new(),
                runs: 1,
                raw_folder: raw_folder.clone(),
                is_quiet: true,
                reporting: reporting.clone(),
            })
        });
        return inflate::measure(settings, &executions?);
    }
    let measure = &session.measure;
    let find = || Emulation::find(measure.still_clock);
    let emulation = measure.emulate.then(find);
    launch(Launch {
        command: command.to_owned(),
        emulation: emulation.transpose().or_exit(SETUP)?,
        through,
        inherited_wrapper: session.inherited_wrapper,
        start: Start::AsItIs,
        measure: session.measure,
        others: session.others,
        runs: session.runs,
        raw_folder,
        is_quiet: false,
        reporting,
    })
}

/// The user's runner for the target that the program was built for, and the program's command.
pub(crate) fn user_runner<'a>(
    runners: &BTreeMap<String, Vec<String>>,
    arguments: &'a [OsString],
) -> (Vec<String>, &'a [OsString]) {
    let triple = arguments
        .first()
        .and_then(|first| first.to_str()?.strip_prefix("--target="));
    match triple {
        Some(triple) => {
            let runner = runners.get(triple).cloned().unwrap_or_default();
            (runner, &arguments[1..])
        }
        None => (Vec::new(), arguments),
    }
}

/// The outputs, under names of their own for all programs of a command but the first.
fn outputs_for(program: &Path, session: &Session) -> anyhow::Result<Outputs> {
    let outputs = &session.outputs;
    if session.kind == Kind::Run || outputs.files().next().is_none() {
        return Ok(outputs.clone());
    }
    let first = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(session.raw_profiles().join("first"));
    match first {
        Ok(_) => Ok(outputs.clone()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let outputs = outputs.for_program(&binary::name(program));
            for file in outputs.files() {
                message::note(format_args!(
                    "another program of this command: its results go to {}",
                    file.display()
                ));
            }
            Ok(outputs)
        }
        Err(error) => Err(error).context(session.raw_profiles().display().to_string()),
    }
}

/// Runs the program as often as is wanted, waits for it, and does with its profile what is wanted: once for each metric, as
/// long as it ends well. Returns the program's exit code.
pub(crate) fn launch(mut launch: Launch) -> Result<ExitCode, Failure> {
    child::enlarge_stack();
    let program = binary::name(Path::new(&launch.command[0]));
    if let Some(reporting) = &mut launch.reporting {
        reporting.outputs = reporting.outputs.of_run(&program);
    }
    let others = mem::take(&mut launch.others);
    let code = match others.as_slice() {
        [] => launch_for_metric(&launch)?.code,
        _ => metrics::launch(launch, others)?,
    };
    Ok(ExitCode::from(code))
}

/// What became of a program's runs.
struct Ran {
    /// The exit code to pass on.
    code: u8,
    profile: Option<Profile>,
}

impl Ran {
    const fn without_profile(code: u8) -> Self {
        Self {
            code,
            profile: None,
        }
    }
}

fn launch_for_metric(launch: &Launch) -> Result<Ran, Failure> {
    let functions = match &launch.reporting {
        Some(_) => FunctionsFile::for_program(launch).or_exit(SETUP)?,
        None => None,
    };
    let functions = functions.as_ref();
    match &launch.reporting {
        Some(reporting) if launch.runs > 1 => repeat::launch(launch, reporting, functions),
        _ => launch_once(launch, functions),
    }
}

fn launch_once(launch: &Launch, functions: Option<&FunctionsFile>) -> Result<Ran, Failure> {
    let files = RawFiles::of(launch, 1);
    let ended = child::run(launch, &files, functions)?;
    let code = exit_code(ended.exit);
    let Some(reporting) = &launch.reporting else {
        return Ok(Ran::without_profile(code));
    };
    let failed = if code == 0 { PROFILE } else { code };
    match collect::collect(launch, reporting, &ended, files.profile.path()) {
        Ok(collected) => {
            let dag = collect::dag(&files.record, &collected.profile);
            let reported = report(launch, reporting, &collected, dag.as_ref());
            Ok(Ran {
                code: if reported { code } else { failed },
                profile: Some(collected.profile),
            })
        }
        Err(error) => {
            // What the program chose to do is no failure: its code stays.
            let is_chosen = collect::is_programs_choice(launch, &ended, &files);
            match is_chosen {
                true => message::warning(format_args!("{error:#}")),
                false => message::error(&error),
            }
            keep_record(launch, reporting, &files);
            Ok(Ran::without_profile(if is_chosen { code } else { failed }))
        }
    }
}

/// The exit code that passes on how a program ended.
pub(crate) fn exit_code(exit: Exit) -> u8 {
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => SIGNAL_BASE + signal,
    };
    u8::try_from(code & 0xff).expect("masked to eight bits")
}

/// Writes the results. False if one that the user asked for could not be written.
fn report(
    launch: &Launch,
    reporting: &Reporting,
    collected: &Collected,
    dag: Option<&Dag>,
) -> bool {
    let mut outputs = reporting.outputs.clone();
    if let Some(remark) = &collected.remark {
        message::note(remark);
        if reporting.expected == Expected::OneOfMany {
            outputs.report = None;
        }
    }
    let run = &collected.profile.run;
    let has_failed = run.interrupted || run.exit != Exit::Code(0);
    if has_failed && let Some(Sink::File(file)) = outputs.baseline.take() {
        message::warning(format_args!(
            "the baseline {} is left as it was: the run failed or ended early",
            file.display()
        ));
    }
    let name = name_of_files(launch, reporting);
    let kept = reporting.home.as_ref();
    let kept = kept.map(|home| home.join(format!("{name}.wsp")));
    let kept = kept.map(|file| beside_another(file, &collected.profile));
    if let Some(Sink::File(file)) = &mut outputs.profile {
        *file = beside_another(file.clone(), &collected.profile);
    }
    let file = match (&kept, &outputs.profile) {
        (Some(file), _) | (None, Some(Sink::File(file))) => file.clone(),
        (None, _) => PathBuf::from(format!("{name}.wsp")),
    };
    let results = Results::of(&collected.profile, dag, &file, true, &outputs.page);
    // Before anything is made of it.
    let written = kept.map(|file| wsp::write(&file, &collected.profile, dag));
    let has_home = written.is_some();
    let failures = outputs.write(&results);
    for failure in &failures {
        message::error(failure);
    }
    if let Some(written) = written {
        tell_of_profile(
            &file,
            &reporting.places,
            written.map_err(anyhow::Error::new),
        );
    }
    // One of many programs that tells nothing has no page either.
    let has_page = has_home && (collected.remark.is_none() || outputs.report.is_some());
    let page = has_page.then(|| keep_page(&file, &reporting.places, &results));
    if outputs.page.open && failures.is_empty() {
        match (&outputs.exports.html, page.flatten()) {
            (Some(Sink::File(page)), _) => page::open(page),
            (_, Some(page)) => page::open(&page),
            (_, None) => message::warning("there is no page to open; `--html FILE` writes one"),
        }
    }
    failures.is_empty()
}

/// The file, or one beside it if it holds the profile of another program, which is not to be lost.
fn beside_another(file: PathBuf, profile: &Profile) -> PathBuf {
    let program = |profile: &Profile| {
        let program = profile.run.command.first();
        program.map(|program| binary::distinct_name(Path::new(program)))
    };
    let (Ok(other), Some(own)) = (wsp::read(&file), program(profile)) else {
        return file;
    };
    match program(&other) {
        Some(other) if other != own => {
            let beside = with_suffix(&file, &own);
            message::note(format_args!(
                "{} is of another program, {other}, and stays: this profile goes to {}",
                file.display(),
                beside.display()
            ));
            beside
        }
        _ => file,
    }
}

/// What files in workspan's folder are called: as the program, and of further metrics with theirs.
fn name_of_files(launch: &Launch, reporting: &Reporting) -> String {
    let program = own_name(launch);
    match &reporting.metric {
        Some(metric) => format!("{program}.{metric}"),
        None => program,
    }
}

/// The program's name; of a second program of that name in one command, such as the tests of a library and of a program that is
/// called like it, with a number.
fn own_name(launch: &Launch) -> String {
    let program = Path::new(&launch.command[0]);
    let name = binary::name(program);
    let mut own = name.clone();
    for number in 2.. {
        // Who has the name: a file in the command's folder, with the program's path.
        let holder = launch.raw_folder.join(format!("{own}.name"));
        let path = program.as_os_str().as_encoded_bytes();
        let created = File::create_new(&holder).and_then(|mut file| file.write_all(path));
        let is_free = match created {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::read(&holder).is_ok_and(|holder| holder == path)
            }
            _ => true,
        };
        if is_free {
            break;
        }
        own = format!("{name}-{number}");
    }
    own
}

/// Says where the profile is kept, or why it is not.
fn tell_of_profile(file: &Path, places: &Places, written: anyhow::Result<()>) {
    match written {
        Ok(()) => {
            let file = file.to_string_lossy();
            message::note(format_args!("profile kept in {}", places.shorten(&file)));
        }
        Err(error) => message::warning(format_args!("the profile is not kept: {error:#}")),
    }
}

/// Keeps the page of the profile beside it. Gives its place, if it could be written.
fn keep_page(file: &Path, places: &Places, results: &Results<'_>) -> Option<PathBuf> {
    let page = page::kept_beside(file);
    let shown = page.to_string_lossy();
    let shown = places.shorten(&shown);
    let write = || anyhow::Ok(replace_file(&page, results.page())?);
    match page::make_folder_of(&page).and_then(|()| write()) {
        Ok(()) => {
            message::note(format_args!("report for a browser in {shown}"));
            Some(page)
        }
        Err(error) => {
            message::warning(format_args!("there is no page in {shown}: {error:#}"));
            None
        }
    }
}

/// Keeps what the program recorded before it was killed, beside where its profile would be.
fn keep_record(launch: &Launch, reporting: &Reporting, files: &RawFiles) {
    if files.profile.exists() || !files.record.exists() {
        return;
    }
    let strands = stream::count_strands(files.record.path()).unwrap_or(0);
    if strands == 0 {
        message::note("the program had not written down any of its task dag yet");
        return;
    }
    let file = match (&reporting.outputs.profile, &reporting.home) {
        (Some(Sink::File(path)), _) => path.with_extension("dag"),
        (_, Some(home)) => home.join(format!("{}.dag", name_of_files(launch, reporting))),
        (_, None) => return,
    };
    let shown = file.to_string_lossy();
    let shown = reporting.places.shorten(&shown);
    match files.record.keep_as(&file) {
        Ok(()) => message::note(format_args!(
            "the task dag up to there, of {strands} strands and folded subtrees, is kept: `workspan dag {shown}` reads it"
        )),
        Err(error) => {
            message::warning(format_args!("the task dag is not kept in {shown}: {error}"))
        }
    }
}
