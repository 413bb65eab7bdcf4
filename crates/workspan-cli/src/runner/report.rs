//! Writes the results of a profile, and the files that workspan keeps.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use workspan_format::{replace_file, stream, wsp};
use workspan_model::{Dag, Exit, Profile, Run};

use super::collect::Collected;
use super::files::RawFiles;
use super::launch::{Expected, Launch, Reporting};
use crate::history;
use crate::kept;
use crate::message;
use crate::page::{self, Results};
use crate::process::binary;
use crate::sink::Sink;
use crate::sink::with_suffix;
use crate::symbols::Places;

/// Extension of the files in the folder of raw profiles that name profiles to report on.
pub(crate) const TO_REPORT: &str = "to-report";

/// Leaves the report on the profile in `file` to the command.
fn leave(raw_profiles: &Path, name: &str, file: &Path) -> io::Result<()> {
    let note = raw_profiles.join(format!("{name}.{TO_REPORT}"));
    fs::write(note, file.as_os_str().as_encoded_bytes())
}

/// Writes the results. False if an output that the user requested could not be written.
pub(super) fn report(
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
    let kept = kept.map(|file| not_of_another_program(file, &collected.profile));
    if let Some(Sink::File(file)) = &mut outputs.profile {
        *file = not_of_another_program(file.clone(), &collected.profile);
    }
    let file = match (&kept, &outputs.profile) {
        (Some(file), _) | (None, Some(Sink::File(file))) => file.clone(),
        (None, _) => PathBuf::from(format!("{name}.wsp")),
    };
    // First of all, so that nothing that follows can lose the profile.
    let written =
        kept.map(|file| history::keep(&file, |place| wsp::write(place, &collected.profile, dag)));
    let is_kept = match &written {
        Some(written) => written.is_ok(),
        None => matches!(outputs.profile, Some(Sink::File(_))),
    };
    if reporting.is_left
        && outputs.shows_one_screen()
        && is_kept
        && !has_failed
        && collected.remark.is_none()
        && leave(&launch.raw_folder, &name, &file).is_ok()
    {
        outputs.report = None;
    }
    let mut results = Results::new(&collected.profile, dag, &file, true, &outputs.page);
    if is_kept && kept::cache_of(&file).is_some() {
        results = results.kept_as_newest();
    } else if is_kept {
        results = results.kept_in(&reporting.places.shorten(&file.to_string_lossy()));
    }
    let has_home = written.is_some();
    let failures = outputs.write(&results);
    for failure in &failures {
        message::error(failure);
    }
    if let Some(written) = written {
        note_profile(&file, &reporting.places, written);
    }
    // One of many programs without anything to report gets no page either.
    let is_reported = collected.remark.is_none() || outputs.report.is_some();
    let has_page = has_home && is_reported && !outputs.without_page;
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

/// `file`, or another name if it contains the profile of another program, which must not be lost.
fn not_of_another_program(file: PathBuf, profile: &Profile) -> PathBuf {
    let program = |run: &Run| {
        let program = run.command.first();
        program.map(|program| binary::distinct_name(Path::new(program)))
    };
    let (Ok(other), Some(own)) = (wsp::read_run(&file), program(&profile.run)) else {
        return file;
    };
    match program(&other) {
        Some(other) if other != own => {
            let renamed = with_suffix(&file, &own);
            message::note(format_args!(
                "{} is of another program, {other}, and stays: this profile goes to {}",
                file.display(),
                renamed.display()
            ));
            renamed
        }
        _ => file,
    }
}

/// Name of the files in workspan's folder: that of the program, and for all metrics but the first
/// also that of the metric.
fn name_of_files(launch: &Launch, reporting: &Reporting) -> String {
    let program = unique_name(launch);
    match &reporting.metric {
        Some(metric) => format!("{program}.{metric}"),
        None => program,
    }
}

/// The program's name. Another program of the same name in one command, such as the tests of a
/// library and of a program with its name, gets a number.
fn unique_name(launch: &Launch) -> String {
    let program = Path::new(&launch.command[0]);
    let name = binary::name(program);
    let mut unique = name.clone();
    for number in 2.. {
        // A file in the command's folder has the path of the program that took the name.
        let holder = launch.raw_folder.join(format!("{unique}.name"));
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
        unique = format!("{name}-{number}");
    }
    unique
}

/// Prints where the profile is kept, or why it is not.
fn note_profile(file: &Path, places: &Places, written: anyhow::Result<()>) {
    let file = file.to_string_lossy();
    let file = places.shorten(&file);
    match written {
        Ok(()) => message::note(format_args!("profile kept in {file}")),
        Err(error) => message::warning(format_args!("no profile is kept in {file}: {error:#}")),
    }
}

/// Keeps the page of the profile in `file`. Returns its path if it could be written.
fn keep_page(file: &Path, places: &Places, results: &Results<'_>) -> Option<PathBuf> {
    let page = kept::page_of(file);
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

/// Keeps the dag that the program recorded before it was killed, next to where its profile would
/// be.
pub(super) fn keep_record(launch: &Launch, reporting: &Reporting, files: &RawFiles) {
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
    // No run may have kept anything there. If this fails, moving the file reports why.
    let _ = file.parent().map(fs::create_dir_all);
    match files.record.keep_as(&file) {
        Ok(()) => message::note(format_args!(
            "the task dag up to there, of {strands} strands and folded subtrees, is kept: `workspan dag {}` reads it",
            message::in_shell(Path::new(&shown))
        )),
        Err(error) => {
            message::warning(format_args!("the task dag is not kept in {shown}: {error}"))
        }
    }
}
