//! The arguments of one call of rustc.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// One argument of rustc, an option joined with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// `-C name` or `-C name=value`, `--codegen` likewise.
    Codegen(String),
    /// Any other option and its value: `--emit` and `link`. Options without a value have none.
    Option(String, Option<OsString>),
    /// A file.
    Input(OsString),
}

/// A call that compiles a crate.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) arguments: Vec<Argument>,
}

/// Options of rustc that take a value. All others stand alone.
const WITH_VALUE: [&str; 34] = [
    "-A",
    "-C",
    "-D",
    "-F",
    "-L",
    "-W",
    "-Z",
    "-l",
    "-o",
    "--allow",
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--codegen",
    "--color",
    "--crate-name",
    "--crate-type",
    "--deny",
    "--diagnostic-width",
    "--edition",
    "--emit",
    "--error-format",
    "--explain",
    "--extern",
    "--forbid",
    "--force-warn",
    "--json",
    "--out-dir",
    "--print",
    "--remap-path-prefix",
    "--remap-path-scope",
    "--sysroot",
    "--target",
    "--warn",
];

impl Invocation {
    /// Takes the arguments apart. None if the call compiles no crate from a file (it asks for
    /// information, or reads standard input) or has a form that cargo does not use: such calls are
    /// best left as they are.
    pub(super) fn parse(arguments: &[OsString]) -> Option<Self> {
        let mut parsed = Vec::with_capacity(arguments.len());
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            parsed.push(match argument.to_str() {
                None => Argument::Input(argument.clone()),
                Some(text) if text == "-" || text.starts_with('@') => return None,
                Some(text) if text.starts_with("--") => match text.split_once('=') {
                    Some((name, value)) => option(name, Some(value.into()))?,
                    None if takes_value(text) => option(text, Some(rest.next()?.clone()))?,
                    None => option(text, None)?,
                },
                Some(text) if text.starts_with('-') => {
                    let (name, joined) = text.split_at(text.len().min(2));
                    match (takes_value(name), joined) {
                        (true, "") => option(name, Some(rest.next()?.clone()))?,
                        (true, joined) => option(name, Some(joined.into()))?,
                        (false, _) => option(text, None)?,
                    }
                }
                Some(_) => Argument::Input(argument.clone()),
            });
        }
        let invocation = Self { arguments: parsed };
        let compiles = invocation.input().is_some()
            && invocation.crate_name().is_some()
            && invocation.values("--print").next().is_none();
        compiles.then_some(invocation)
    }

    /// The arguments as rustc takes them.
    pub(super) fn to_arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        for argument in &self.arguments {
            match argument {
                Argument::Codegen(setting) => {
                    arguments.extend(["-C".into(), setting.into()]);
                }
                Argument::Option(name, value) => {
                    arguments.push(name.into());
                    arguments.extend(value.clone());
                }
                Argument::Input(file) => arguments.push(file.clone()),
            }
        }
        arguments
    }

    /// Values of an option, in order.
    pub(super) fn values<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a OsStr> {
        self.arguments
            .iter()
            .filter_map(move |argument| match argument {
                Argument::Option(name, Some(value)) if name == wanted => Some(value.as_os_str()),
                _ => None,
            })
    }

    /// Last value of a codegen setting. `-g` counts as `debuginfo=2`.
    pub(super) fn codegen(&self, wanted: &str) -> Option<&str> {
        self.arguments
            .iter()
            .rev()
            .find_map(|argument| match argument {
                Argument::Codegen(setting) => match setting.split_once('=') {
                    Some((name, value)) => same_setting(name, wanted).then_some(value),
                    None => same_setting(setting, wanted).then_some(""),
                },
                Argument::Option(name, None) if name == "-g" && wanted == "debuginfo" => Some("2"),
                _ => None,
            })
    }

    pub(super) fn crate_name(&self) -> Option<&str> {
        self.values("--crate-name").last().and_then(OsStr::to_str)
    }

    pub(super) fn has_flag(&self, wanted: &str) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Option(name, None) if name == wanted))
    }

    /// True for the compilation of rayon's core, or of a copy such as `rustc_rayon_core`, as a library.
    pub(super) fn is_rayon_core(&self) -> bool {
        let is_named_so = |name: &str| name == "rayon_core" || name.ends_with("_rayon_core");
        self.crate_name().is_some_and(is_named_so) && !self.has_flag("--test")
    }

    /// True for what runs at build time only and is never profiled.
    pub(super) fn is_build_tool(&self) -> bool {
        self.values("--crate-type").any(|kind| kind == "proc-macro")
            || self
                .crate_name()
                .is_some_and(|name| name.starts_with("build_script_"))
    }

    /// Kinds of output asked for, without their file names.
    pub(super) fn emits(&self, kind: &str) -> bool {
        self.values("--emit")
            .filter_map(OsStr::to_str)
            .flat_map(|value| value.split(','))
            .any(|emitted| emitted.split('=').next() == Some(kind))
    }

    pub(super) fn out_dir(&self) -> Option<PathBuf> {
        self.values("--out-dir").last().map(PathBuf::from)
    }

    fn input(&self) -> Option<&OsStr> {
        self.arguments.iter().find_map(|argument| match argument {
            Argument::Input(file) => Some(file.as_os_str()),
            _ => None,
        })
    }

    /// Keeps the arguments for which `keep` is true.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Argument) -> bool) {
        self.arguments.retain(keep);
    }

    /// Drops every occurrence of an option.
    pub(super) fn remove(&mut self, unwanted: &str) {
        self.retain(|argument| !matches!(argument, Argument::Option(name, _) if name == unwanted));
    }

    /// Drops every occurrence of a codegen setting.
    pub(super) fn remove_codegen(&mut self, unwanted: &str) {
        self.retain(|argument| match argument {
            Argument::Codegen(setting) => {
                let name = setting.split_once('=').map_or(&**setting, |(name, _)| name);
                !same_setting(name, unwanted)
            }
            _ => true,
        });
    }

    /// Appends an option with a value.
    pub(super) fn push(&mut self, name: &str, value: impl Into<OsString>) {
        self.arguments
            .push(Argument::Option(name.to_owned(), Some(value.into())));
    }

    /// Appends a codegen setting; the last one holds.
    pub(super) fn push_codegen(&mut self, setting: &str) {
        self.arguments.push(Argument::Codegen(setting.to_owned()));
    }
}

fn takes_value(name: &str) -> bool {
    WITH_VALUE.contains(&name)
}

fn same_setting(given: &str, wanted: &str) -> bool {
    given.replace('_', "-") == wanted
}

fn option(name: &str, value: Option<OsString>) -> Option<Argument> {
    Some(match (name, value) {
        ("-C" | "--codegen", Some(value)) => Argument::Codegen(value.into_string().ok()?),
        ("-O", None) => Argument::Codegen("opt-level=3".to_owned()),
        (name, value) => Argument::Option(name.to_owned(), value),
    })
}

#[cfg(test)]
mod tests;
