//! The options of `cargo run`, `cargo test` and `cargo bench`, which ours take as well and hand
//! on: declared, so that `--help` shows them and a misspelt one is an error with a suggestion.

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

use crate::screen;
use crate::session::Kind;

const TESTS: &[Kind] = &[Kind::Test, Kind::Bench];
const NOT_BENCH: &[Kind] = &[Kind::Run, Kind::Test];
const ALL: &[Kind] = &[Kind::Run, Kind::Test, Kind::Bench];

const PACKAGES: &str = "Package Selection";
const TARGETS: &str = "Target Selection";
const FEATURES: &str = "Feature Selection";
const COMPILATION: &str = "Compilation Options";
const MANIFEST: &str = "Manifest Options";
const CARGO: &str = "Cargo Options";

/// What an option takes.
#[derive(Clone, Copy, Debug)]
enum Takes {
    Nothing,
    NothingRepeatedly,
    Value(&'static str),
    OptionalValue(&'static str),
    /// An optional value that must be joined by `=`.
    JoinedValue(&'static str),
}

/// One option of cargo's.
#[derive(Debug)]
struct CargoOption {
    long: &'static str,
    short: Option<char>,
    takes: Takes,
    commands: &'static [Kind],
    heading: &'static str,
    help: &'static str,
}

/// `-Z` has no long name; this stands for it among the ids.
const UNSTABLE: &str = "Z";
/// Options that are ours to interpret and are not handed on as they are.
const KEPT: [&str; 2] = ["dev", "target-dir"];

const fn option(
    long: &'static str,
    short: Option<char>,
    takes: Takes,
    commands: &'static [Kind],
    heading: &'static str,
    help: &'static str,
) -> CargoOption {
    CargoOption {
        long,
        short,
        takes,
        commands,
        heading,
        help,
    }
}

use Takes::{JoinedValue, Nothing, NothingRepeatedly, OptionalValue, Value};

#[rustfmt::skip]
const OPTIONS: &[CargoOption] = &[
    option("package", Some('p'), OptionalValue("SPEC"), ALL, PACKAGES, "Package to build and profile"),
    option("workspace", None, Nothing, TESTS, PACKAGES, "All packages of the workspace"),
    option("exclude", None, Value("SPEC"), TESTS, PACKAGES, "Leave out a package of the workspace"),
    option("all", None, Nothing, TESTS, PACKAGES, "Alias for --workspace (deprecated by cargo)"),

    option("lib", None, Nothing, TESTS, TARGETS, "Only this package's library"),
    option("bins", None, Nothing, TESTS, TARGETS, "All binaries"),
    option("bin", None, OptionalValue("NAME"), ALL, TARGETS, "The named binary"),
    option("examples", None, Nothing, TESTS, TARGETS, "All examples"),
    option("example", None, OptionalValue("NAME"), ALL, TARGETS, "The named example"),
    option("tests", None, Nothing, TESTS, TARGETS, "All targets with `test = true`"),
    option("test", None, OptionalValue("NAME"), TESTS, TARGETS, "The named test target"),
    option("benches", None, Nothing, TESTS, TARGETS, "All targets with `bench = true`"),
    option("bench", None, OptionalValue("NAME"), TESTS, TARGETS, "The named bench target"),
    option("all-targets", None, Nothing, TESTS, TARGETS, "All targets (no documentation tests)"),
    option("doc", None, Nothing, &[Kind::Test], TARGETS, "Only the documentation tests of the library"),

    option("features", Some('F'), Value("FEATURES"), ALL, FEATURES, "Space or comma separated list of features"),
    option("all-features", None, Nothing, ALL, FEATURES, "All features"),
    option("no-default-features", None, Nothing, ALL, FEATURES, "Without the `default` feature"),

    option("jobs", Some('j'), Value("N"), ALL, COMPILATION, "Number of parallel compilations"),
    option("keep-going", None, Nothing, ALL, COMPILATION, "Build on after an error"),
    option("release", Some('r'), Nothing, NOT_BENCH, COMPILATION, "The release profile (the default here)"),
    option("dev", None, Nothing, ALL, COMPILATION, "The dev profile (the default of plain cargo)"),
    option("profile", None, Value("NAME"), ALL, COMPILATION, "The named profile"),
    option("target", None, OptionalValue("TRIPLE"), ALL, COMPILATION, "Build for the target triple"),
    option("target-dir", None, Value("DIRECTORY"), ALL, COMPILATION, "Target directory; workspan builds in the folder `workspan` in it"),
    option("unit-graph", None, Nothing, ALL, COMPILATION, "Print the build graph in JSON (unstable)"),
    option("timings", None, JoinedValue("FMTS"), ALL, COMPILATION, "Write a report on the build's timing"),
    option("no-run", None, Nothing, TESTS, COMPILATION, "Compile, but run nothing"),
    option("no-fail-fast", None, Nothing, TESTS, COMPILATION, "Run all, whether or not one fails"),
    option("future-incompat-report", None, Nothing, &[Kind::Test], COMPILATION, "Print a future incompatibility report"),

    option("manifest-path", None, Value("PATH"), ALL, MANIFEST, "Path to Cargo.toml"),
    option("lockfile-path", None, Value("PATH"), ALL, MANIFEST, "Path to Cargo.lock (unstable)"),
    option("ignore-rust-version", None, Nothing, ALL, MANIFEST, "Ignore `rust-version` of the packages"),
    option("locked", None, Nothing, ALL, MANIFEST, "Assert that Cargo.lock remains unchanged"),
    option("offline", None, Nothing, ALL, MANIFEST, "Run without the network"),
    option("frozen", None, Nothing, ALL, MANIFEST, "Both --locked and --offline"),

    option("verbose", Some('v'), NothingRepeatedly, ALL, CARGO, "Verbose build (-vv: very)"),
    option("quiet", Some('q'), Nothing, ALL, CARGO, "No messages from cargo"),
    option("message-format", None, Value("FMT"), ALL, CARGO, "Format of the compiler's messages"),
    option("config", None, Value("KEY=VALUE|PATH"), ALL, CARGO, "Override a configuration value"),
    option(UNSTABLE, Some('Z'), Value("FLAG"), ALL, CARGO, "Unstable flags of cargo (nightly only)"),
];

fn options(kind: Kind) -> impl Iterator<Item = &'static CargoOption> {
    OPTIONS
        .iter()
        .filter(move |option| option.commands.contains(&kind))
}

/// Cargo's options for clap.
pub(super) fn declarations(kind: Kind) -> Vec<Arg> {
    let mut arguments: Vec<Arg> = options(kind).map(CargoOption::declaration).collect();
    match kind {
        Kind::Run => arguments.push(
            Arg::new("arguments")
                .value_name("ARGS")
                .help("Arguments for the program")
                .help_heading(None::<&str>)
                .value_parser(OsStringValueParser::new())
                .num_args(0..)
                .trailing_var_arg(true),
        ),
        Kind::Test | Kind::Bench => arguments.extend([
            Arg::new("filter")
                .value_name(if kind == Kind::Test {
                    "TESTNAME"
                } else {
                    "BENCHNAME"
                })
                .help("Run only those whose names contain this")
                .help_heading(None::<&str>)
                .value_parser(OsStringValueParser::new()),
            Arg::new("arguments")
                .value_name("ARGS")
                .help("Arguments for the test or bench program")
                .help_heading(None::<&str>)
                .value_parser(OsStringValueParser::new())
                .num_args(0..)
                .last(true),
        ]),
    }
    arguments
}

impl CargoOption {
    fn declaration(&self) -> Arg {
        let argument = Arg::new(self.long)
            .help(self.help)
            .help_heading(self.heading)
            .value_parser(OsStringValueParser::new());
        let argument = match self.takes {
            Nothing => argument
                .value_parser(clap::value_parser!(bool))
                .action(ArgAction::SetTrue),
            NothingRepeatedly => argument
                .value_parser(clap::value_parser!(u8))
                .action(ArgAction::Count),
            Value(name) => argument.value_name(name).action(ArgAction::Append),
            OptionalValue(name) => argument
                .value_name(name)
                .action(ArgAction::Append)
                .num_args(0..=1),
            JoinedValue(name) => argument
                .value_name(name)
                .action(ArgAction::Append)
                .num_args(0..=1)
                .require_equals(true),
        };
        let argument = if self.long == UNSTABLE {
            argument
        } else {
            argument.long(self.long)
        };
        argument.short(self.short)
    }

    /// The option as the user gave it, as often as it was given.
    fn given(&self, matches: &ArgMatches) -> Vec<OsString> {
        if matches.value_source(self.long) != Some(ValueSource::CommandLine) {
            return Vec::new();
        }
        let flag = if self.long == UNSTABLE {
            "-Z".to_owned()
        } else {
            format!("--{}", self.long)
        };
        match self.takes {
            Nothing => vec![flag.into()],
            NothingRepeatedly => {
                vec![flag.into(); usize::from(matches.get_count(self.long))]
            }
            Value(_) | OptionalValue(_) | JoinedValue(_) => matches
                .get_occurrences::<OsString>(self.long)
                .into_iter()
                .flatten()
                .map(|mut values| join(&flag, values.next()))
                .collect(),
        }
    }
}

fn join(flag: &str, value: Option<&OsString>) -> OsString {
    let mut argument = OsString::from(flag);
    if let Some(value) = value {
        if flag.starts_with("--") {
            argument.push("=");
        }
        argument.push(value);
    }
    argument
}

/// Cargo's options among the arguments, to be handed on.
pub(super) fn to_hand_on(kind: Kind, matches: &ArgMatches) -> Vec<OsString> {
    options(kind)
        .filter(|option| !KEPT.contains(&option.long))
        .flat_map(|option| option.given(matches))
        .chain(screen::color_for_cargo(matches).map(OsString::from))
        .collect()
}

/// The ones that `cargo metadata` takes as well: which project, which configuration.
pub(super) fn for_metadata(kind: Kind, matches: &ArgMatches) -> Vec<OsString> {
    const SHARED: [&str; 7] = [
        "manifest-path",
        "lockfile-path",
        "locked",
        "offline",
        "frozen",
        "config",
        UNSTABLE,
    ];
    options(kind)
        .filter(|option| SHARED.contains(&option.long))
        .flat_map(|option| option.given(matches))
        .collect()
}

/// Values of an option.
pub(super) fn values<'a>(
    matches: &'a ArgMatches,
    long: &str,
) -> impl Iterator<Item = &'a OsString> {
    matches.get_many(long).into_iter().flatten()
}

/// Whether the user chose a profile.
pub(super) fn chooses_profile(matches: &ArgMatches) -> bool {
    ["release", "dev", "profile"].into_iter().any(|id| {
        matches
            .try_contains_id(id)
            .is_ok_and(|known| known && matches.value_source(id) == Some(ValueSource::CommandLine))
    })
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    fn handed_on(kind: Kind, line: &str) -> Vec<String> {
        let matches = Command::new("test")
            .no_binary_name(true)
            .args(declarations(kind))
            .try_get_matches_from(line.split_whitespace())
            .unwrap();
        to_hand_on(kind, &matches)
            .into_iter()
            .map(|argument| argument.into_string().unwrap())
            .collect()
    }

    #[test]
    fn what_cargo_takes_is_handed_on() {
        assert_eq!(
            handed_on(
                Kind::Run,
                "-p a --example b -F x,y -vv --locked -Z unstable -- --locked"
            ),
            [
                "--package=a",
                "--example=b",
                "--features=x,y",
                "--locked",
                "--verbose",
                "--verbose",
                "-Zunstable"
            ]
        );
        assert_eq!(
            handed_on(
                Kind::Test,
                "name --bin --no-run --timings --config a=1 --config b=2"
            ),
            [
                "--bin",
                "--timings",
                "--no-run",
                "--config=a=1",
                "--config=b=2"
            ]
        );
    }

    #[test]
    fn our_own_options_are_kept() {
        assert!(handed_on(Kind::Bench, "--dev --target-dir x").is_empty());
    }

    #[test]
    fn options_of_another_command_are_errors() {
        let command = Command::new("test")
            .no_binary_name(true)
            .args(declarations(Kind::Run));
        assert!(command.try_get_matches_from(["--no-run"]).is_err());
    }
}
