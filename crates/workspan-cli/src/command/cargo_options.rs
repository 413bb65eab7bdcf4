//! The options of `cargo run`, `cargo test` and `cargo bench` that workspan's commands accept and
//! forward to cargo. Each is declared, so that `--help` shows it, and a misspelt one is an error
//! with a suggestion.

use std::ffi::OsString;

use clap::builder::OsStringValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

use crate::screen;
use crate::session::Kind;

// Sets of commands, for `CargoOption::commands`.
const TEST_BENCH: &[Kind] = &[Kind::Test, Kind::Bench];
const RUN_TEST: &[Kind] = &[Kind::Run, Kind::Test];
const ALL: &[Kind] = &[Kind::Run, Kind::Test, Kind::Bench];

// Headings in `--help`.
const PACKAGES: &str = "Package Selection";
const TARGETS: &str = "Target Selection";
const FEATURES: &str = "Feature Selection";
const COMPILATION: &str = "Compilation Options";
const MANIFEST: &str = "Manifest Options";
const CARGO: &str = "Cargo Options";

/// The value that an option takes.
#[derive(Clone, Copy, Debug)]
enum Takes {
    Nothing,
    /// No value, and the option can be repeated: `-vv`.
    NothingRepeatedly,
    /// One value, with this name in `--help`.
    Value(&'static str),
    OptionalValue(&'static str),
    /// An optional value that must follow a `=`.
    JoinedValue(&'static str),
}

use Takes::{JoinedValue, Nothing, NothingRepeatedly, OptionalValue, Value};

/// An option of cargo.
#[derive(Debug)]
struct CargoOption {
    /// The long name, without `--`; also the id in clap.
    long: &'static str,
    short: Option<char>,
    takes: Takes,
    commands: &'static [Kind],
    heading: &'static str,
    help: &'static str,
}

/// The id of `-Z`, which has no long name.
const UNSTABLE: &str = "Z";

/// Options that workspan translates for cargo itself; they are not forwarded as given.
const NOT_FORWARDED: [&str; 2] = ["dev", "target-dir"];

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

#[rustfmt::skip]
const OPTIONS: &[CargoOption] = &[
    option("package", Some('p'), OptionalValue("SPEC"), ALL, PACKAGES, "Package to build and profile"),
    option("workspace", None, Nothing, TEST_BENCH, PACKAGES, "All packages of the workspace"),
    option("exclude", None, Value("SPEC"), TEST_BENCH, PACKAGES, "Leave out a package of the workspace"),
    option("all", None, Nothing, TEST_BENCH, PACKAGES, "Alias for --workspace (deprecated by cargo)"),

    option("lib", None, Nothing, TEST_BENCH, TARGETS, "Only this package's library"),
    option("bins", None, Nothing, TEST_BENCH, TARGETS, "All binaries"),
    option("bin", None, OptionalValue("NAME"), ALL, TARGETS, "The named binary"),
    option("examples", None, Nothing, TEST_BENCH, TARGETS, "All examples"),
    option("example", None, OptionalValue("NAME"), ALL, TARGETS, "The named example"),
    option("tests", None, Nothing, TEST_BENCH, TARGETS, "All targets with `test = true`"),
    option("test", None, OptionalValue("NAME"), TEST_BENCH, TARGETS, "The named test target"),
    option("benches", None, Nothing, TEST_BENCH, TARGETS, "All targets with `bench = true`"),
    option("bench", None, OptionalValue("NAME"), TEST_BENCH, TARGETS, "The named bench target"),
    option("all-targets", None, Nothing, TEST_BENCH, TARGETS, "All targets (no documentation tests)"),
    option("doc", None, Nothing, &[Kind::Test], TARGETS, "Only the documentation tests of the library"),

    option("features", Some('F'), Value("FEATURES"), ALL, FEATURES, "Space or comma separated list of features"),
    option("all-features", None, Nothing, ALL, FEATURES, "All features"),
    option("no-default-features", None, Nothing, ALL, FEATURES, "Without the `default` feature"),

    option("jobs", Some('j'), Value("N"), ALL, COMPILATION, "Number of parallel compilations"),
    option("keep-going", None, Nothing, ALL, COMPILATION, "Build on after an error"),
    option("release", Some('r'), Nothing, RUN_TEST, COMPILATION, "The release profile (the default here)"),
    option("dev", None, Nothing, ALL, COMPILATION, "The dev profile (the default of plain cargo)"),
    option("profile", None, Value("NAME"), ALL, COMPILATION, "The named profile"),
    option("target", None, OptionalValue("TRIPLE"), ALL, COMPILATION, "Build for the target triple"),
    option("target-dir", None, Value("DIRECTORY"), ALL, COMPILATION, "Target directory; workspan builds in the folder `workspan` in it"),
    option("unit-graph", None, Nothing, ALL, COMPILATION, "Print the build graph in JSON (unstable)"),
    option("timings", None, JoinedValue("FMTS"), ALL, COMPILATION, "Write a report on the build's timing"),
    option("no-run", None, Nothing, TEST_BENCH, COMPILATION, "Compile, but run nothing"),
    option("no-fail-fast", None, Nothing, TEST_BENCH, COMPILATION, "Run all, whether or not one fails"),
    option("future-incompat-report", None, Nothing, &[Kind::Test], COMPILATION, "Print a future incompatibility report"),

    option("manifest-path", None, Value("PATH"), ALL, MANIFEST, "Path to Cargo.toml"),
    option("lockfile-path", None, Value("PATH"), ALL, MANIFEST, "Path to Cargo.lock (unstable)"),
    option("ignore-rust-version", None, Nothing, ALL, MANIFEST, "Ignore `rust-version` of the packages"),
    option("locked", None, Nothing, ALL, MANIFEST, "Assert that Cargo.lock remains unchanged"),
    option("offline", None, Nothing, ALL, MANIFEST, "Run without the network"),
    option("frozen", None, Nothing, ALL, MANIFEST, "Both --locked and --offline"),

    option("verbose", Some('v'), NothingRepeatedly, ALL, CARGO, "Verbose build (-vv: very)"),
    option("message-format", None, Value("FMT"), ALL, CARGO, "Format of the compiler's messages"),
    option("config", None, Value("KEY=VALUE|PATH"), ALL, CARGO, "Override a configuration value"),
    option(UNSTABLE, Some('Z'), Value("FLAG"), ALL, CARGO, "Unstable flags of cargo (nightly only)"),
];

/// The options that cargo's command `kind` has.
fn options(kind: Kind) -> impl Iterator<Item = &'static CargoOption> {
    OPTIONS
        .iter()
        .filter(move |option| option.commands.contains(&kind))
}

/// Declares cargo's options for clap, and what may follow them: a filter of tests or benches by
/// name, and arguments for the program.
pub(super) fn declarations(kind: Kind) -> Vec<Arg> {
    let mut arguments: Vec<Arg> = options(kind).map(CargoOption::declaration).collect();
    match kind {
        Kind::Run => arguments.push(
            positional("arguments", "ARGS", "Arguments for the program")
                .num_args(0..)
                .trailing_var_arg(true),
        ),
        Kind::Test | Kind::Bench => arguments.extend([
            positional(
                "filter",
                match kind {
                    Kind::Test => "TESTNAME",
                    _ => "BENCHNAME",
                },
                "Run only those whose names contain this",
            ),
            positional(
                "arguments",
                "ARGS",
                "Arguments for the test or bench program",
            )
            .num_args(0..)
            .last(true),
        ]),
    }
    arguments
}

/// Declares an argument without a name, which need not be UTF-8.
pub(super) fn positional(id: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    Arg::new(id)
        .value_name(value_name)
        .help(help)
        .help_heading(None::<&str>)
        .value_parser(OsStringValueParser::new())
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

    /// The option as arguments for cargo, once for each time that the user gave it. Empty if the
    /// user did not give it.
    fn to_arguments(&self, matches: &ArgMatches) -> Vec<OsString> {
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

/// One argument from a flag and its value: `--long=value` or `-Zvalue`.
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

/// The options to forward to cargo, in the order of [`OPTIONS`], `--color` and `--quiet`.
pub(super) fn forwarded(kind: Kind, matches: &ArgMatches) -> Vec<OsString> {
    options(kind)
        .filter(|option| !NOT_FORWARDED.contains(&option.long))
        .flat_map(|option| option.to_arguments(matches))
        .chain(screen::for_cargo(matches).map(OsString::from))
        .collect()
}

/// The options to forward to `cargo metadata`: those that choose the project and its configuration.
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
        .flat_map(|option| option.to_arguments(matches))
        .collect()
}

/// The values of an option, or of the positional arguments. `id` is its long name, or `arguments`.
///
/// # Panics
/// If the command does not declare it, or it takes no value.
pub(super) fn values<'a>(matches: &'a ArgMatches, id: &str) -> impl Iterator<Item = &'a OsString> {
    matches.get_many(id).into_iter().flatten()
}

/// Whether the user chose a build profile. Not every command declares all of these options.
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

    /// What is forwarded of a command line.
    fn forwarded_of(kind: Kind, line: &str) -> Vec<String> {
        let matches = Command::new("test")
            .no_binary_name(true)
            .args(declarations(kind))
            .try_get_matches_from(line.split_whitespace())
            .unwrap();
        forwarded(kind, &matches)
            .into_iter()
            .map(|argument| argument.into_string().unwrap())
            .collect()
    }

    #[test]
    fn options_of_cargo_are_forwarded() {
        assert_eq!(
            forwarded_of(
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
            forwarded_of(
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
    fn options_that_workspan_translates_are_not_forwarded() {
        assert!(forwarded_of(Kind::Bench, "--dev --target-dir x").is_empty());
    }

    #[test]
    fn options_of_another_command_are_errors() {
        let command = Command::new("test")
            .no_binary_name(true)
            .args(declarations(Kind::Run));
        assert!(command.try_get_matches_from(["--no-run"]).is_err());
    }
}
