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
use crate::session::Session;
use crate::stored;

/// Extension of the files in the folder of raw profiles that name profiles to report on.
const TO_REPORT: &str = "to-report";

/// Leaves the report on the profile in `file` to the command.
pub(crate) fn leave(raw_profiles: &Path, name: &str, file: &Path) -> io::Result<()> {
    let note = raw_profiles.join(format!("{name}.{TO_REPORT}"));
    fs::write(note, file.as_os_str().as_encoded_bytes())
}

/// Reports on what was left to this process.
pub(crate) fn report(session: &Session) -> anyhow::Result<()> {
    let Some(sink) = &session.outputs.report else {
        return Ok(());
    };
    let files = left(session)?;
    if let [file] = &files[..] {
        return report_alone(session, file);
    }
    let program = |file: &PathBuf| {
        let (profile, dag) = stored::read(file)?;
        anyhow::Ok(MeasuredProgram {
            name: file.file_stem().unwrap_or_default().display().to_string(),
            analysis: analyse_with_dag(&profile, dag.as_ref()),
            file: message::in_shell(Path::new(&shown(session, file))),
        })
    };
    let programs = files.iter().map(program);
    let programs: Vec<MeasuredProgram> = programs.collect::<Result<_, _>>()?;
    let screen = session.outputs.screen.screen(sink);
    sink.show(|table| measured_programs(&programs, screen, table))
}

fn report_alone(session: &Session, file: &Path) -> anyhow::Result<()> {
    let (profile, dag) = stored::read(file)?;
    let outputs = Outputs {
        report: session.outputs.report.clone(),
        screen: session.outputs.screen,
        ..Outputs::default()
    };
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
