//! The report on all test programs or benchmarks of one command: of one its own, of several a table.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use workspan_model::analyse_with_dag;
use workspan_report::{MeasuredProgram, measured_programs};

use crate::message;
use crate::outputs::Outputs;
use crate::page::Results;
use crate::runner::TO_REPORT;
use crate::session::Session;
use crate::sink::Sink;
use crate::stored;

/// Reports on what was left to this process: if one program made tasks, by its own screen. Returns
/// whether all could be read and shown; what could not is told.
pub(crate) fn report(session: &Session) -> bool {
    let mut failures = Vec::new();
    if let Some(sink) = &session.outputs.report {
        let (programs, unreadable) = programs(session);
        failures.extend(unreadable);
        failures.extend(show(session, sink, programs).err());
    }
    failures.iter().for_each(message::error);
    failures.is_empty()
}

/// A program whose report was left to this process. Its profile is read again if it is the only one
/// to be shown: a hundred benchmarks with their dags would fill the memory.
struct Program {
    file: PathBuf,
    measured: MeasuredProgram,
}

/// The programs, and why others cannot be read.
fn programs(session: &Session) -> (Vec<Program>, Vec<anyhow::Error>) {
    let files = match left(session) {
        Ok(files) => files,
        Err(error) => return (Vec::new(), vec![error.into()]),
    };
    let program = |file: PathBuf| {
        let (profile, dag) = stored::read(&file)?;
        let measured = MeasuredProgram::new(
            file.file_stem().unwrap_or_default().display().to_string(),
            message::in_shell(Path::new(&shown(session, &file))),
            &analyse_with_dag(&profile, dag.as_ref()),
        );
        anyhow::Ok(Program { file, measured })
    };
    let mut unreadable = Vec::new();
    let programs = files.into_iter().map(program);
    let programs = programs.filter_map(|read| read.map_err(|error| unreadable.push(error)).ok());
    (programs.collect(), unreadable)
}

fn show(session: &Session, sink: &Sink, programs: Vec<Program>) -> anyhow::Result<()> {
    let mut with_tasks = programs.iter().filter(|it| it.measured.made_tasks());
    match (with_tasks.next(), with_tasks.next(), &programs[..]) {
        (_, _, []) => Ok(()),
        (Some(alone), None, _) | (_, _, [alone]) => show_alone(session, &alone.file),
        _ => {
            let measured: Vec<_> = programs.into_iter().map(|it| it.measured).collect();
            let screen = session.outputs.screen.screen(sink);
            sink.show(|table| measured_programs(&measured, screen, table))
        }
    }
}

fn show_alone(session: &Session, file: &Path) -> anyhow::Result<()> {
    let outputs = Outputs {
        report: session.outputs.report.clone(),
        screen: session.outputs.screen,
        ..Outputs::default()
    };
    let (profile, dag) = stored::read(file)?;
    let results = Results::new(&profile, dag.as_ref(), file, true, &session.outputs.page);
    let failures = outputs.write(&results.kept_in(&shown(session, file)));
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// The profiles whose report was left to this process.
fn left(session: &Session) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(session.raw_profiles())? {
        let note = entry?.path();
        if note.extension() == Some(OsStr::new(TO_REPORT)) {
            files.push(OsString::from_vec(fs::read(note)?).into());
        }
    }
    Ok(files)
}

/// The name of a file as seen from the user's folder.
fn shown(session: &Session, file: &Path) -> String {
    session.places.shorten(&file.to_string_lossy())
}
