//! How to run an OpenMP program: its runtime, its number of threads and its clock.
//!
//! An OpenMP runtime looks for a tool among the loaded libraries before it reads
//! `OMP_TOOL_LIBRARIES`, so that variable needs no change. GCC's libgomp has no interface for
//! tools. A program built for it keeps it all the same, with its chunks, locks and threads: a
//! library of workspan's that reports the calls of it is loaded first ([`library::GOMP`]).
//!
//! LLVM's libomp stands in for libgomp where the user asks for it, or where the program calls what
//! that library does not follow ([`unfollowed`]): libomp is preloaded, its functions have the same
//! names and versions, and libgomp's remain unused. A link named `libgomp.so.1` would fail if a
//! program asks for a version of symbols that libomp does not have, or if the program has a
//! `DT_RPATH`. Functions missing from libomp would be taken from libgomp, which does not know
//! libomp's threads, so such programs are refused (`Libomp::missing_functions`).

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::elf::Symbol;
use super::error::ProgramError;
use super::libomp::{self, Libomp, Stand};
use super::library;
use super::preload::Variables;
use super::runtime::{BuiltIn, Tool, Uses};
use super::wishes::Wishes;
use crate::message;

/// The variable that sets the number of threads of OpenMP runtimes.
const THREADS: &str = "OMP_NUM_THREADS";

/// The settings of an OpenMP program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) variables: Variables,
    /// The clock that the engine is to read; if `None`, it chooses.
    pub(super) clock: Option<&'static str>,
}

/// The runtime to load before the program's own; `None` if its own is the best.
pub(super) fn runtime(
    program: &str,
    uses: &Uses,
    wishes: &Wishes,
) -> anyhow::Result<Option<Stand>> {
    choose_runtime(program, uses, wishes, Libomp::newest)
}

/// What the user wants in the place of a program's own runtime.
enum Wanted {
    /// Nothing, if the program can be profiled without.
    Nothing,
    /// Nothing in the place of GCC's.
    Own,
    /// The newest of LLVM's.
    Newest,
    Given(Libomp),
}

impl Wanted {
    /// # Errors
    /// When it is a file that is no such runtime.
    fn new(wishes: &Wishes) -> Result<Self, ProgramError> {
        Ok(match wishes.libomp.as_deref() {
            None => Self::Nothing,
            Some(word) if word == Path::new("libgomp") => Self::Own,
            Some(word) if word == Path::new("libomp") => Self::Newest,
            Some(file) => Self::Given(Libomp::given(file)?),
        })
    }
}

fn choose_runtime(
    program: &str,
    uses: &Uses,
    wishes: &Wishes,
    newest: impl FnOnce() -> Option<Libomp>,
) -> anyhow::Result<Option<Stand>> {
    let wanted = Wanted::new(wishes)?;
    match uses.built_in {
        Some(BuiltIn::Libgomp) => {
            return Err(ProgramError::LibgompBuiltIn(program.to_owned()).into());
        }
        Some(BuiltIn::OldLibomp) => {
            return Err(ProgramError::OldLibompBuiltIn(program.to_owned()).into());
        }
        Some(BuiltIn::Libomp) => return Ok(None),
        None => {}
    }
    let is_of_gcc = uses.libomp.is_none() && !uses.libgomp.is_empty();
    let chosen = match wanted {
        Wanted::Given(libomp) => Some(libomp),
        Wanted::Newest if is_of_gcc => Some(newest().ok_or(ProgramError::NoLibomp)?),
        Wanted::Nothing | Wanted::Own if is_of_gcc => {
            let Some(function) = unfollowed(uses) else {
                return Ok(Some(Stand::Before(library::GOMP.find()?)));
            };
            let (program, function) = (program.to_owned(), function.to_owned());
            match (newest(), wanted) {
                (Some(libomp), Wanted::Own) => {
                    return Err(ProgramError::UnfollowedByWish {
                        program,
                        function,
                        libomp: libomp.path.display().to_string(),
                    }
                    .into());
                }
                (Some(libomp), _) => Some(libomp),
                (None, _) => {
                    return Err(ProgramError::UnfollowedInLibgomp { program, function }.into());
                }
            }
        }
        Wanted::Own => best(program, uses, None)?,
        Wanted::Nothing | Wanted::Newest => best(program, uses, newest())?,
    };
    if let Some(libomp) = &chosen {
        check_functions(program, uses, libomp)?;
    }
    Ok(chosen.map(Stand::In))
}

/// A function of GCC's runtime that the program calls, and that matters and is not reported.
fn unfollowed(uses: &Uses) -> Option<&str> {
    const UNFOLLOWED: [&str; 11] = [
        // Not those of `target teams`: a device's, or `GOMP_teams4`.
        "GOMP_teams_reg",
        "GOMP_parallel_start",
        "GOMP_parallel_sections_start",
        "GOMP_single_copy_start",
        "GOMP_loop_start",
        "GOMP_loop_ull_start",
        "GOMP_loop_ordered_start",
        "GOMP_loop_ull_ordered_start",
        "GOMP_taskwait_depend_nowait",
        "GOMP_workshare_task_reduction_unregister",
        "omp_fulfill_event",
    ];
    let is_unfollowed = |symbol: &&Symbol| {
        let name = symbol.name.as_str();
        UNFOLLOWED.iter().any(|prefix| name.starts_with(prefix))
            || name.contains("doacross")
            || name.starts_with("GOMP_parallel_loop_") && name.ends_with("_start")
            // Of gcc before 4.4: its locks are others.
            || name.starts_with("omp_")
                && symbol.version.as_deref() == Some("OMP_1.0")
                && (name.ends_with("_lock") || name.ends_with("_lock_"))
    };
    let found = uses.libgomp.iter().find(is_unfollowed)?;
    Some(&found.name)
}

/// The runtime to load before the program's own if only idle time is measured; `None` if its own
/// can report that.
pub(super) fn runtime_for_idle_time(
    program: &str,
    uses: &Uses,
    wishes: &Wishes,
) -> anyhow::Result<Option<Stand>> {
    choose_runtime(program, uses, wishes, || {
        newest_for_idle_time(uses, wishes, Libomp::newest)
    })
}

/// The runtime to compare with the program's own: none where that is libomp, any version of which
/// reports idle time, unless the user asks for the newest.
fn newest_for_idle_time(
    uses: &Uses,
    wishes: &Wishes,
    newest: impl FnOnce() -> Option<Libomp>,
) -> Option<Libomp> {
    match uses.libomp.is_some() && wishes.libomp.is_none() {
        true => None,
        false => newest(),
    }
}

/// The best runtime for a program: the newest on the machine that it accepts as its own.
fn best(
    program: &str,
    uses: &Uses,
    newest: Option<Libomp>,
) -> Result<Option<Libomp>, ProgramError> {
    let Some(asked) = &uses.libomp else {
        return match newest {
            None if uses.libgomp.is_empty() => Ok(None),
            newest => Ok(newest),
        };
    };
    let own = asked.path.as_deref().and_then(Libomp::at);
    let newest = newest.filter(|newest| newest.name == asked.name);
    match (own, newest) {
        (Some(own), Some(newest)) if newest.release > own.release && own.release.is_some() => {
            Ok(Some(newest))
        }
        // The program loads its own runtime. Only code built for libgomp needs it preloaded.
        (Some(own), _) => Ok((!uses.libgomp.is_empty()).then_some(own)),
        (None, Some(newest)) => Ok(Some(newest)),
        (None, None) => Err(match &asked.path {
            Some(path) => ProgramError::OldLibomp {
                program: program.to_owned(),
                library: path.display().to_string(),
            },
            None => ProgramError::LibompNotFound {
                program: program.to_owned(),
                library: asked.name.clone(),
            },
        }),
    }
}

/// Checks that the runtime has all functions that the program takes from libgomp.
fn check_functions(program: &str, uses: &Uses, libomp: &Libomp) -> Result<(), ProgramError> {
    const SHOWN: usize = 3;
    let missing = libomp.missing_functions(&uses.libgomp);
    if missing.is_empty() {
        return Ok(());
    }
    let mut functions = missing[..missing.len().min(SHOWN)].join(", ");
    if missing.len() > SHOWN {
        functions.push_str(&format!(" and {} more", missing.len() - SHOWN));
    }
    Err(ProgramError::MissingInLibomp {
        program: program.to_owned(),
        functions,
        libomp: libomp.path.display().to_string(),
        advice: "A newer libomp may have them (`--libomp FILE`); compiled with clang, the program \
                 needs none of them",
    })
}

/// Notes that the program runs with another runtime than its own.
pub(super) fn report_runtime(program: &str, uses: &Uses, wishes: &Wishes, libomp: &Libomp) {
    let chunks = match libomp.release {
        Some(release) if release < libomp::REPORTS_CHUNKS => {
            "; of a loop it tells what each thread did, and not each chunk (libomp 16 and newer do)"
        }
        _ => "",
    };
    message::note(format_args!(
        "{}{chunks}",
        replacement(program, uses, wishes, libomp)
    ));
}

/// Notes that all runs of a sweep use another runtime than the program's own.
pub(super) fn report_sweep_runtime(program: &str, uses: &Uses, wishes: &Wishes, libomp: &Libomp) {
    message::note(format_args!(
        "{}, in all runs",
        replacement(program, uses, wishes, libomp)
    ));
}

/// Which runtime a program has in the place of its own, and why.
fn replacement(program: &str, uses: &Uses, wishes: &Wishes, libomp: &Libomp) -> String {
    let shown = libomp.path.display();
    let reason = unfollowed(uses).filter(|_| wishes.libomp.is_none() && uses.libomp.is_none());
    match reason {
        Some(function) => format!(
            "`{program}` calls {function} of GCC's OpenMP runtime, which workspan does not follow there: LLVM's, {shown}, stands \
             in, with its own chunks and locks"
        ),
        None if uses.libgomp.is_empty() => {
            format!("`{program}` runs with the OpenMP runtime {shown}")
        }
        None => format!(
            "`{program}` is built for GCC's OpenMP runtime, and LLVM's, {shown}, stands in for it, with its own chunks and locks"
        ),
    }
}

/// Warns of other tools for OpenMP, which are not used, and returns the variables that let
/// workspan's be used.
///
/// # Errors
/// When the program itself defines a tool.
pub(super) fn override_tools(
    program: &str,
    uses: &Uses,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Variables, ProgramError> {
    match &uses.tool {
        Some(Tool::Program) => return Err(ProgramError::ToolBuiltIn(program.to_owned())),
        Some(Tool::Library(library)) => message::warning(format_args!(
            "{library} has a tool for OpenMP, and there can be just one: it is not used while workspan profiles"
        )),
        None => {}
    }
    if let Some(libraries) = environment("OMP_TOOL_LIBRARIES").filter(|value| !value.is_empty()) {
        message::warning(format_args!(
            "OMP_TOOL_LIBRARIES names another tool for OpenMP ({}), and there can be just one: it is not \
             used while workspan profiles",
            libraries.display()
        ));
    }
    let disabled = environment("OMP_TOOL").is_some_and(|value| {
        value
            .to_string_lossy()
            .trim()
            .eq_ignore_ascii_case("disabled")
    });
    if !disabled {
        return Ok(Variables::new());
    }
    message::warning(
        "OMP_TOOL=disabled would keep workspan from seeing anything: for this run it is `enabled`",
    );
    Ok(vec![("OMP_TOOL".into(), Some("enabled".into()))])
}

/// The variables that keep another tool out of plain runs. Runs with workspan do not use it either,
/// and otherwise the two kinds would differ by its cost.
pub(super) fn without_tools(
    uses: &Uses,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Variables {
    let is_named = environment("OMP_TOOL_LIBRARIES").is_some_and(|value| !value.is_empty());
    match uses.tool.is_some() || is_named {
        true => vec![("OMP_TOOL".into(), Some("disabled".into()))],
        false => Variables::new(),
    }
}

/// The number of threads, and the clock to measure them with on a machine of `cores` cores.
pub(super) fn settings(
    wishes: &Wishes,
    cores: u32,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Settings, ProgramError> {
    let mut settings = Settings::default();
    let mut set = |name: &str, value: OsString| {
        settings.variables.push((name.into(), Some(value)));
    };
    let (threads, assumed) = match (wishes.threads, wishes.assumed_cores) {
        (Some(threads), Some(cores)) if threads != cores => {
            return Err(ProgramError::ThreadsAndCores { threads, cores });
        }
        (threads, assumed) => (threads.or(assumed), assumed),
    };
    let Some(threads) = threads else {
        return Ok(settings);
    };
    set(THREADS, threads.to_string().into());
    let limit = environment("OMP_THREAD_LIMIT")
        .and_then(|limit| limit.to_str()?.trim().parse::<u32>().ok());
    if let Some(limit) = limit.filter(|&limit| limit < threads) {
        message::warning(format_args!(
            "OMP_THREAD_LIMIT={limit} allows no more than {limit} threads, and {threads} are asked for"
        ));
    }
    if assumed.is_none() {
        return Ok(settings);
    }
    // Otherwise the runtime may choose fewer threads.
    set("OMP_DYNAMIC", OsStr::new("false").into());
    if threads > cores {
        set("OMP_WAIT_POLICY", OsStr::new("passive").into());
        if !wishes.keeps_clock {
            settings.clock = Some("thread");
            message::note(format_args!(
                "{threads} threads run on {cores} {}, each timed by its own processor time",
                if cores == 1 { "core" } else { "cores" }
            ));
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::native::modules::Module;

    fn wishes(threads: Option<u32>, assumed_cores: Option<u32>) -> Wishes {
        Wishes {
            threads,
            assumed_cores,
            ..Wishes::default()
        }
    }

    fn variables(settings: &Settings) -> Vec<String> {
        settings
            .variables
            .iter()
            .map(|(name, value)| {
                let value = value.as_deref().unwrap_or_default();
                format!("{}={}", name.display(), value.display())
            })
            .collect()
    }

    #[test]
    fn without_options_the_runtime_chooses() {
        let settings = settings(&wishes(None, None), 2, &|_| None).unwrap();
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn more_cores_than_the_machine_has_need_the_clock_of_each_thread() {
        let of = |threads, assumed| settings(&wishes(threads, assumed), 2, &|_| None).unwrap();
        assert_eq!(variables(&of(Some(8), None)), ["OMP_NUM_THREADS=8"]);
        assert_eq!(of(Some(8), None).clock, None);
        assert_eq!(
            variables(&of(None, Some(8))),
            [
                "OMP_NUM_THREADS=8",
                "OMP_DYNAMIC=false",
                "OMP_WAIT_POLICY=passive"
            ]
        );
        assert_eq!(of(None, Some(8)).clock, Some("thread"));
        assert_eq!(
            variables(&of(Some(2), Some(2))),
            ["OMP_NUM_THREADS=2", "OMP_DYNAMIC=false"]
        );
        assert_eq!(of(None, Some(2)).clock, None);
    }

    #[test]
    fn threads_and_cores_are_the_same_thing() {
        let error = settings(&wishes(Some(2), Some(8)), 2, &|_| None).unwrap_err();
        assert!(error.to_string().contains("Leave one of the two out"));
    }

    fn libomp(release: u32) -> Libomp {
        Libomp {
            path: format!("/usr/lib/llvm-{release}/lib/libomp.so.5").into(),
            release: Some(release),
            name: "libomp.so.5".to_owned(),
            exports: BTreeSet::new(),
        }
    }

    fn gcc_uses() -> Uses {
        Uses {
            libgomp: BTreeSet::from([Symbol {
                name: "GOMP_parallel".to_owned(),
                version: Some("GOMP_4.0".to_owned()),
            }]),
            ..Uses::default()
        }
    }

    /// With a libomp that has all that the program needs, or none; LLVM's release, if it is chosen.
    fn chosen(uses: &Uses, wanted: Option<&str>, has_libomp: bool) -> Result<Option<u32>, String> {
        let wishes = Wishes {
            libomp: wanted.map(Into::into),
            ..Wishes::default()
        };
        let newest = || {
            has_libomp.then(|| Libomp {
                exports: uses.libgomp.clone(),
                ..libomp(19)
            })
        };
        match choose_runtime("p", uses, &wishes, newest) {
            Ok(Some(Stand::In(libomp))) => Ok(libomp.release),
            Ok(_) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn calling(name: &str, version: &str) -> Uses {
        let mut uses = gcc_uses();
        uses.libgomp.insert(Symbol {
            name: name.to_owned(),
            version: Some(version.to_owned()),
        });
        uses
    }

    #[test]
    fn llvms_runtime_stands_in_where_the_user_wants_it_or_gccs_is_not_followed() {
        let teams = calling("GOMP_teams_reg", "GOMP_5.0");
        assert_eq!(chosen(&teams, None, true), Ok(Some(19)));
        assert_eq!(chosen(&gcc_uses(), Some("libomp"), true), Ok(Some(19)));
        let install = "apt install libomp5-19";
        for (uses, wanted, has_libomp, said, advice) in [
            (&teams, None, false, "GOMP_teams_reg", install),
            (&teams, Some("libgomp"), false, "GOMP_teams_reg", install),
            (
                &teams,
                Some("libgomp"),
                true,
                "GOMP_teams_reg",
                "leave out `--libomp libgomp`",
            ),
            (
                &gcc_uses(),
                Some("libomp"),
                false,
                "--libomp libomp",
                install,
            ),
        ] {
            let error = chosen(uses, wanted, has_libomp).unwrap_err();
            assert!(error.contains(said), "{error}");
            assert!(error.contains(advice), "{error}");
        }
        let lacking = Libomp {
            exports: BTreeSet::new(),
            ..libomp(14)
        };
        let error = check_functions("p", &gcc_uses(), &lacking).unwrap_err();
        assert!(error.to_string().contains("GOMP_parallel"), "{error}");
    }

    #[test]
    fn idle_time_is_measured_on_the_own_libomp_unless_the_newest_is_asked_for() {
        let uses = Uses {
            libomp: Some(Module {
                name: "libomp.so.5".to_owned(),
                path: None,
            }),
            ..Uses::default()
        };
        let newest = |wanted: Option<&str>| {
            let wishes = Wishes {
                libomp: wanted.map(Into::into),
                ..Wishes::default()
            };
            newest_for_idle_time(&uses, &wishes, || Some(libomp(19)))
                .and_then(|found| found.release)
        };
        assert_eq!(newest(None), None);
        assert_eq!(newest(Some("libomp")), Some(19));
    }

    #[test]
    fn the_reason_for_another_runtime_is_given() {
        let reason = |uses: &Uses, wanted: Option<&str>| {
            let wishes = Wishes {
                libomp: wanted.map(Into::into),
                ..Wishes::default()
            };
            replacement("p", uses, &wishes, &libomp(19))
        };
        let teams = calling("GOMP_teams_reg", "GOMP_5.0");
        assert!(reason(&teams, None).contains("calls GOMP_teams_reg of GCC's"));
        assert!(reason(&teams, Some("libomp")).contains("is built for GCC's"));
        assert!(
            reason(&Uses::default(), None)
                .contains("runs with the OpenMP runtime /usr/lib/llvm-19")
        );
    }

    #[test]
    fn gccs_runtime_stays_where_all_that_matters_is_followed() {
        let found = |name, version| unfollowed(&calling(name, version)).map(str::to_owned);
        for (name, version) in [
            ("omp_set_lock", "OMP_3.0"),
            ("GOMP_loop_dynamic_start", "GOMP_1.0"),
            ("GOMP_teams4", "GOMP_5.1"),
            ("GOMP_teams", "GOMP_4.0"),
        ] {
            assert_eq!(found(name, version), None);
        }
        for (name, version) in [
            ("omp_set_lock", "OMP_1.0"),
            ("GOMP_teams_reg", "GOMP_5.0"),
            ("GOMP_doacross_wait", "GOMP_4.5"),
            ("GOMP_parallel_loop_guided_start", "GOMP_1.0"),
        ] {
            assert_eq!(found(name, version).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_missing_libomp_is_replaced_by_one_of_that_name_or_the_package_is_named() {
        let asked = |name: &str| Uses {
            libomp: Some(Module {
                name: name.to_owned(),
                path: None,
            }),
            ..Uses::default()
        };
        let best = |name, newest| best("p", &asked(name), newest);
        let found = best("libomp.so.5", Some(libomp(19))).unwrap();
        assert_eq!(found.unwrap().release, Some(19));
        for newest in [None, Some(libomp(19))] {
            let error = best("libiomp5.so", newest).unwrap_err().to_string();
            assert!(error.contains("libiomp5.so, which the system does not find"));
            assert!(error.contains("apt install"));
        }
    }

    #[test]
    fn disabled_tools_are_enabled() {
        let variables = |value: &str| {
            let environment = |name: &str| (name == "OMP_TOOL").then(|| OsString::from(value));
            override_tools("p", &Uses::default(), &environment).unwrap()
        };
        let enabled = vec![("OMP_TOOL".into(), Some("enabled".into()))];
        assert_eq!(variables("disabled"), enabled);
        assert_eq!(variables("DISABLED "), enabled);
        assert_eq!(variables("enabled"), Variables::new());
        let uses = Uses {
            tool: Some(Tool::Program),
            ..Uses::default()
        };
        assert!(override_tools("p", &uses, &|_| None).is_err());
    }

    #[test]
    fn no_run_uses_another_tool() {
        let disabled = vec![("OMP_TOOL".into(), Some("disabled".into()))];
        let named = |libraries: &'static str| {
            move |name: &str| (name == "OMP_TOOL_LIBRARIES").then(|| OsString::from(libraries))
        };
        let none = Uses::default();
        assert_eq!(without_tools(&none, &named("/opt/libother.so")), disabled);
        assert_eq!(without_tools(&none, &named("")), Variables::new());
        assert_eq!(without_tools(&none, &|_| None), Variables::new());
        let with_library = Uses {
            tool: Some(Tool::Library("libother.so".to_owned())),
            ..Uses::default()
        };
        assert_eq!(without_tools(&with_library, &|_| None), disabled);
    }
}
