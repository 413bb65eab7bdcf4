//! `cargo workspan run`, `test` and `bench`: prepares the environment and becomes cargo.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, anyhow};
use clap::{ArgMatches, Args as _, FromArgMatches as _};
use serde::Deserialize;

use super::links::{self, Links};
use super::measuring::OwnOptions;
use super::user_config::UserConfig;
use super::{EXIT_CODES, cargo_options};
use crate::exit_code::{BUILD, Failure, OrExit as _, SETUP, USAGE};
use crate::session::{self, Kind, Session};
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
        Kind::Run => "Build a program as `cargo run` does, run it, and report its work and span",
        Kind::Test => {
            "Build tests as `cargo test` does, run them one at a time (unless RUST_TEST_THREADS \
             says otherwise), and report on each test program"
        }
        Kind::Bench => "Build benchmarks as `cargo bench` does, run them, and report on each",
    };
    OwnOptions::augment_args(clap::Command::new(kind.name()))
        // Where it is refused, the refusal says what to do.
        .mut_arg("runs", |runs| runs.hide(kind != Kind::Run))
        .about(about)
        .after_long_help(EXIT_CODES)
        .args(cargo_options::declarations(kind))
}

/// Becomes `cargo run`, `cargo test` or `cargo bench`. Returns only when that failed.
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
    // Found again by the runner; but who lacks it need not wait for a build.
    own.emulation()?;
    let cargo = Cargo {
        kind,
        matches,
        toolchain,
    };
    let project = cargo.project()?;
    let user = cargo.user_config().or_exit(SETUP)?;
    let home = cargo
        .target_directory(&project)
        .or_exit(SETUP)?
        .join("workspan");
    let session = session(home, kind, &project, &user, &own)?;
    let links = prepare(&session).or_exit(SETUP)?;
    let mut command = cargo
        .build(&project, &user, &session, &links, cargo.program_arguments())
        .or_exit(SETUP)?;
    let error = command.exec();
    Err(cargo.cannot_start(error))
}

/// What the programs that cargo starts have to know.
pub(super) fn session(
    home: PathBuf,
    kind: Kind,
    project: &Project,
    user: &UserConfig,
    own: &OwnOptions,
) -> Result<Session, Failure> {
    Ok(Session {
        home,
        kind,
        process: std::process::id(),
        places: Places {
            folder: env::current_dir().or_exit(SETUP)?,
            workspace: Some(project.workspace_root.clone()),
        },
        inherited_wrapper: env::var("RUSTC_WRAPPER").ok(),
        wrapper: user.wrapper.clone(),
        runners: user.runners.clone(),
        measure: own.measure()?,
        others: own.other_measures()?,
        runs: own.runs(),
        inflate: None,
        outputs: own.outputs(),
    })
}

/// Makes workspan's folder, with the links in it.
pub(super) fn prepare(session: &Session) -> anyhow::Result<Links> {
    remove_leftovers(&session::raw_profiles_of(&session.home));
    let links = links::make(&session.links()).and_then(|links| {
        fs::create_dir_all(session.raw_profiles())?;
        Ok(links)
    });
    links.with_context(|| {
        format!(
            "cannot write to workspan's folder {}; `--target-dir` chooses another place",
            session.home.display()
        )
    })
}

/// Removes the folders of sessions that are over. What cannot be removed does no harm.
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

/// What `cargo metadata` says of the project.
#[derive(Debug, Deserialize)]
pub(super) struct Project {
    pub(super) workspace_root: PathBuf,
    target_directory: PathBuf,
    build_directory: Option<PathBuf>,
}

/// The cargo command to become.
pub(super) struct Cargo<'a> {
    pub(super) kind: Kind,
    pub(super) matches: &'a ArgMatches,
    pub(super) toolchain: Option<&'a str>,
}

impl Cargo<'_> {
    fn command(&self) -> Command {
        match (self.toolchain, env::var_os("CARGO")) {
            (None, Some(cargo)) => Command::new(cargo),
            (None, None) => Command::new("cargo"),
            (Some(toolchain), _) => {
                let mut command = Command::new("cargo");
                command.arg(format!("+{toolchain}"));
                command
            }
        }
    }

    pub(super) fn cannot_start(&self, error: std::io::Error) -> Failure {
        let program = self.command().get_program().to_owned();
        let error = anyhow!(error).context(format!("cannot start `{}`", program.display()));
        Failure::new(SETUP, error)
    }

    pub(super) fn project(&self) -> Result<Project, Failure> {
        let output = self
            .command()
            .args(["metadata", "--quiet", "--no-deps", "--format-version=1"])
            .args(cargo_options::for_metadata(self.kind, self.matches))
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.cannot_start(error))?;
        if !output.status.success() {
            // Cargo has said what is wrong with the project.
            return Err(Failure::told(BUILD));
        }
        serde_json::from_slice(&output.stdout)
            .context("cannot read the answer of `cargo metadata`")
            .or_exit(SETUP)
    }

    pub(super) fn user_config(&self) -> anyhow::Result<UserConfig> {
        let targets: Vec<String> = cargo_options::values(self.matches, "target")
            .map(|target| target.to_string_lossy().into_owned())
            .collect();
        let overrides: Vec<OsString> = cargo_options::values(self.matches, "config")
            .cloned()
            .collect();
        UserConfig::load(&targets, &overrides)
    }

    pub(super) fn target_directory(&self, project: &Project) -> anyhow::Result<PathBuf> {
        match cargo_options::values(self.matches, "target-dir").last() {
            Some(folder) => Ok(std::path::absolute(folder)?),
            None => Ok(project.target_directory.clone()),
        }
    }

    /// The command that builds with the engine in workspan's folder, and hands the program over to the runner.
    pub(super) fn build(
        &self,
        project: &Project,
        user: &UserConfig,
        session: &Session,
        links: &Links,
        arguments: Vec<OsString>,
    ) -> anyhow::Result<Command> {
        let mut command = self.with_options();
        command.arg("--target-dir").arg(&session.home);
        if project.build_directory.as_ref() != Some(&project.target_directory) {
            command.args(separate_build_directory(project, &session.home)?);
        }
        command
            .args(runners(user, &links.runner)?)
            .args(arguments)
            .env("RUSTC_WRAPPER", &links.rustc)
            .env(session::VARIABLE, session.to_variable()?);
        if self.kind == Kind::Test && env::var_os("RUST_TEST_THREADS").is_none() {
            command.env("RUST_TEST_THREADS", "1");
        }
        Ok(command)
    }

    /// The command that builds as cargo does for itself, and hands the program over to `runner`.
    pub(super) fn plain_build(&self, user: &UserConfig, runner: &Path) -> anyhow::Result<Command> {
        let mut command = self.with_options();
        if let Some(folder) = cargo_options::values(self.matches, "target-dir").last() {
            command.arg("--target-dir").arg(folder);
        }
        command
            .args(runners(user, runner)?)
            .args(self.program_arguments());
        Ok(command)
    }

    /// The command with cargo's options that the user gave.
    fn with_options(&self) -> Command {
        let mut command = self.command();
        command
            .arg(self.kind.name())
            .args(cargo_options::to_hand_on(self.kind, self.matches));
        match (self.kind, self.matches.get_flag("dev")) {
            (_, true) => {
                command.args(["--profile", "dev"]);
            }
            (Kind::Run | Kind::Test, false) if !cargo_options::chooses_profile(self.matches) => {
                command.arg("--release");
            }
            _ => {}
        }
        command
    }

    /// What comes after cargo's options.
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
}

/// The options that have cargo run programs through `runner`, which is told where the user has a runner, too.
fn runners(user: &UserConfig, runner: &Path) -> anyhow::Result<Vec<String>> {
    let runner = text(runner.as_os_str())?;
    let option = |triple: &String| {
        let mut words = vec![runner.to_owned()];
        if user.runners.contains_key(triple) {
            words.push(format!("--target={triple}"));
        }
        let words = serde_json::to_string(&words)?;
        Ok(format!("--config=target.\"{triple}\".runner={words}"))
    };
    user.triples.iter().map(option).collect()
}

/// Keeps a build directory that the user has set apart from being shared with plain builds.
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
