//! `cargo workspan run`, `test` and `bench`: prepares the environment and starts cargo.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, anyhow};
use clap::{ArgMatches, Args as _, FromArgMatches as _};
use serde::Deserialize;
use signal_hook::consts::SIGINT;
use workspan_model::Exit;

use super::cargo_options;
use super::links;
use super::measuring::OwnOptions;
use super::short_help::shortened;
use super::user_config::UserConfig;
use crate::exit_code::{BUILD, EXIT_CODES, Failure, OrExit as _, PROFILE, SETUP, USAGE};
use crate::process::{self, Forwarder};
use crate::process::{RUNNER_LINK, RUSTC_LINK};
use crate::session::{self, Kind, Session};
use crate::suite;
use crate::symbols::Places;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Test => "test",
            Self::Bench => "bench",
        }
    }
}

/// The description of one of the three commands.
pub(super) fn command(kind: Kind) -> clap::Command {
    let about = match kind {
        Kind::Run => {
            "Build a program as `cargo run --release` does, run it, and report its work and span"
        }
        Kind::Test => {
            "Build tests as `cargo test` does, run them one at a time (unless RUST_TEST_THREADS \
             says otherwise), and report on all test programs"
        }
        Kind::Bench => {
            "Build benchmarks as `cargo bench` does, run them, and report on all of them"
        }
    };
    let command = OwnOptions::augment_args(clap::Command::new(kind.name()))
        // Elsewhere it is accepted only to be refused with advice.
        .mut_arg("runs", |runs| runs.hide(kind != Kind::Run))
        .about(about)
        .after_long_help(EXIT_CODES)
        .args(cargo_options::declarations(kind));
    shortened(
        command,
        match kind {
            Kind::Run => {
                "  cargo workspan run --example wordcount -- 2000000\n  cargo workspan run --bin app --open"
            }
            Kind::Test => {
                "  cargo workspan test --lib sorting\n  cargo workspan test --test integration --full"
            }
            Kind::Bench => {
                "  cargo workspan bench --bench sorting\n  cargo workspan bench --json benches.json"
            }
        },
    )
}

/// Becomes `cargo run`, or runs `cargo test` or `cargo bench` and reports on all that they ran.
pub(super) fn main(
    kind: Kind,
    matches: &ArgMatches,
    toolchain: Option<&str>,
) -> Result<ExitCode, Failure> {
    let own = OwnOptions::from_arg_matches(matches).or_exit(USAGE)?;
    if kind != Kind::Run && own.runs() > 1 {
        let refusal = anyhow!(
            "--runs repeats one program, and `cargo workspan {}` runs several; repeat one of them by \
             `workspan run --runs {} -- PROGRAM`, with a program from target/workspan",
            kind.name(),
            own.runs(),
        );
        return Err(Failure::new(USAGE, refusal));
    }
    // The runner looks for the emulator again, but the user should not wait for a build in vain.
    own.measures()?[0].emulation().or_exit(SETUP)?;
    let cargo = Cargo::new(kind, matches, toolchain)?;
    let session = cargo.session(&own)?;
    match kind {
        Kind::Run => cargo.become_build(&session),
        Kind::Test | Kind::Bench => {
            let build = cargo.build(&session, cargo.program_arguments());
            let exit = run_to_end(build.or_exit(SETUP)?)?;
            // Whoever presses Ctrl-C wants no report.
            let is_reported = exit == Exit::Signal(SIGINT) || suite::report(&session);
            match (exit, is_reported) {
                (Exit::Code(0), false) => Err(Failure::reported(PROFILE)),
                _ => Ok(ExitCode::from(process::exit_code(exit))),
            }
        }
    }
}

/// Removes the folders of sessions that have ended. Those that cannot be removed do no harm.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let alive = Path::new("/proc").join(entry.file_name()).exists();
        let own = entry.file_name() == std::process::id().to_string().as_str();
        if !alive || own {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The output of `cargo metadata` about the project.
#[derive(Debug, Deserialize)]
struct Project {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    build_directory: Option<PathBuf>,
}

/// A cargo command with the options that the user gave for it, and the project that it builds.
pub(super) struct Cargo<'a> {
    kind: Kind,
    matches: &'a ArgMatches,
    toolchain: Option<&'a str>,
    project: Project,
    user: UserConfig,
}

impl<'a> Cargo<'a> {
    /// Asks cargo for the project, and reads the user's configuration.
    pub(super) fn new(
        kind: Kind,
        matches: &'a ArgMatches,
        toolchain: Option<&'a str>,
    ) -> Result<Self, Failure> {
        let project = project(kind, matches, toolchain)?;
        let targets: Vec<String> = cargo_options::values(matches, "target")
            .map(|target| target.to_string_lossy().into_owned())
            .collect();
        let overrides: Vec<OsString> = cargo_options::values(matches, "config").cloned().collect();
        Ok(Self {
            kind,
            matches,
            toolchain,
            project,
            user: UserConfig::load(&targets, &overrides).or_exit(SETUP)?,
        })
    }

    /// The settings for the programs that cargo starts. Creates workspan's folder, with the links
    /// in it.
    pub(super) fn session(&self, own: &OwnOptions) -> Result<Session, Failure> {
        let target = match cargo_options::values(self.matches, "target-dir").last() {
            Some(folder) => std::path::absolute(folder).or_exit(SETUP)?,
            None => self.project.target_directory.clone(),
        };
        let session = Session {
            home: target.join("workspan"),
            kind: self.kind,
            process: std::process::id(),
            places: Places {
                folder: env::current_dir().or_exit(SETUP)?,
                workspace: Some(self.project.workspace_root.clone()),
            },
            inherited_wrapper: env::var("RUSTC_WRAPPER").ok(),
            wrapper: self.user.wrapper.clone(),
            runners: self.user.runners.clone(),
            measures: own.measures()?,
            runs: own.runs(),
            inflate: None,
            sweep: None,
            outputs: own.outputs(),
        };
        remove_leftovers(&session::raw_profiles_of(&session.home));
        links::make(&session.links())
            .and_then(|()| fs::create_dir_all(session.raw_profiles()))
            .with_context(|| {
                format!(
                    "cannot write to workspan's folder {}; `--target-dir` chooses another place",
                    session.home.display()
                )
            })
            .or_exit(SETUP)?;
        Ok(session)
    }

    /// Becomes the cargo that builds the program with the engine and starts the runner. Returns
    /// only if that fails.
    pub(super) fn become_build(&self, session: &Session) -> Result<ExitCode, Failure> {
        let command = self.build(session, self.program_arguments());
        Err(become_cargo(command.or_exit(SETUP)?))
    }

    /// The command that builds the program with the engine, in workspan's folder, and starts the
    /// runner to run it.
    pub(super) fn build(
        &self,
        session: &Session,
        arguments: Vec<OsString>,
    ) -> anyhow::Result<Command> {
        let mut command = self.with_options();
        command.arg("--target-dir").arg(&session.home);
        let project = &self.project;
        if project.build_directory.as_ref() != Some(&project.target_directory) {
            command.args(separate_build_directory(project, &session.home)?);
        }
        command
            .args(self.runners(session)?)
            .args(arguments)
            .env("RUSTC_WRAPPER", session.links().join(RUSTC_LINK))
            .env(process::SESSION, session.to_variable()?);
        if self.kind == Kind::Test && env::var_os("RUST_TEST_THREADS").is_none() {
            command.env("RUST_TEST_THREADS", "1");
        }
        Ok(command)
    }

    /// The command that builds the program as plain cargo does, and starts the runner to run it.
    pub(super) fn plain_build(&self, session: &Session) -> anyhow::Result<Command> {
        let mut command = self.with_options();
        if let Some(folder) = cargo_options::values(self.matches, "target-dir").last() {
            command.arg("--target-dir").arg(folder);
        }
        command
            .args(self.runners(session)?)
            .args(self.program_arguments())
            .env(process::SESSION, session.to_variable()?);
        Ok(command)
    }

    /// The command with those of cargo's options that the user gave.
    fn with_options(&self) -> Command {
        let mut command = cargo(self.toolchain);
        command
            .arg(self.kind.name())
            .args(cargo_options::forwarded(self.kind, self.matches));
        if self.matches.get_flag("dev") {
            command.args(["--profile", "dev"]);
        } else if self.kind != Kind::Bench && !cargo_options::chooses_profile(self.matches) {
            command.arg("--release");
        }
        command
    }

    /// The arguments after cargo's options.
    pub(super) fn program_arguments(&self) -> Vec<OsString> {
        let filter = self
            .matches
            .try_get_one::<OsString>("filter")
            .ok()
            .flatten();
        let mut arguments: Vec<OsString> = filter.cloned().into_iter().collect();
        let mut rest = cargo_options::values(self.matches, "arguments").peekable();
        if rest.peek().is_some() {
            arguments.push("--".into());
            arguments.extend(rest.cloned());
        }
        arguments
    }

    /// The options that make cargo start workspan's runner. Where the user has a runner for the
    /// target, workspan's gets the target as its first argument.
    fn runners(&self, session: &Session) -> anyhow::Result<Vec<String>> {
        let runner = session.links().join(RUNNER_LINK);
        let runner = text(runner.as_os_str())?;
        let option = |triple: &String| {
            let mut words = vec![runner.to_owned()];
            if self.user.runners.contains_key(triple) {
                words.push(format!("--target={triple}"));
            }
            let words = serde_json::to_string(&words)?;
            Ok(format!("--config=target.\"{triple}\".runner={words}"))
        };
        self.user.triples.iter().map(option).collect()
    }
}

/// The user's cargo.
fn cargo(toolchain: Option<&str>) -> Command {
    match (toolchain, env::var_os("CARGO")) {
        (None, Some(cargo)) => Command::new(cargo),
        (None, None) => Command::new("cargo"),
        (Some(toolchain), _) => {
            let mut command = Command::new("cargo");
            command.arg(format!("+{toolchain}"));
            command
        }
    }
}

/// Runs cargo. Returns how it ended.
fn run_to_end(mut command: Command) -> Result<Exit, Failure> {
    let forwarder = Forwarder::install().or_exit(SETUP)?;
    let cargo = command.spawn();
    let mut cargo = cargo.map_err(|error| cannot_start(&command, error))?;
    let forwarding = forwarder.forward_to(&cargo);
    let ended = cargo.wait();
    forwarding.stop();
    // Reading the profiles of many programs takes a while.
    process::end_by_signals();
    Ok(process::exit(ended.or_exit(SETUP)?))
}

/// Replaces this process by cargo's. Returns only if that fails.
pub(super) fn become_cargo(mut command: Command) -> Failure {
    let error = command.exec();
    cannot_start(&command, error)
}

pub(super) fn cannot_start(command: &Command, error: io::Error) -> Failure {
    let program = command.get_program().display();
    let error = anyhow!(error).context(format!("cannot start `{program}`"));
    Failure::new(SETUP, error)
}

fn project(kind: Kind, matches: &ArgMatches, toolchain: Option<&str>) -> Result<Project, Failure> {
    let mut command = cargo(toolchain);
    let output = command
        .args(["metadata", "--quiet", "--no-deps", "--format-version=1"])
        .args(cargo_options::for_metadata(kind, matches))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(&command, error))?;
    if !output.status.success() {
        // Cargo has reported what is wrong with the project.
        return Err(Failure::reported(BUILD));
    }
    serde_json::from_slice(&output.stdout)
        .context("cannot read the answer of `cargo metadata`")
        .or_exit(SETUP)
}

/// The option that makes cargo build in `home` and not in the build directory that the user has
/// configured, if any: plain builds use that one.
fn separate_build_directory(project: &Project, home: &Path) -> anyhow::Result<Option<String>> {
    if project.build_directory.is_none() {
        return Ok(None);
    }
    let folder = serde_json::to_string(text(home.as_os_str())?)?;
    Ok(Some(format!("--config=build.build-dir={folder}")))
}

fn text(path: &OsStr) -> anyhow::Result<&str> {
    path.to_str().ok_or_else(|| {
        anyhow!(
            "the path {} is not UTF-8, which cargo's configuration cannot hold; `--target-dir` \
             chooses another place",
            path.display()
        )
    })
}
