//! The arguments of one call of rustc.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// An argument of rustc; an option and its value are one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// `-C name` or `-C name=value`, `--codegen` likewise.
    Codegen(String),
    /// Any other option, with its value if it has one: `--emit` and `link`.
    Option(String, Option<OsString>),
    /// A file.
    Input(OsString),
}

/// A call of rustc that compiles a crate.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) arguments: Vec<Argument>,
}

/// The options of rustc that take a value.
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
    /// Parses the arguments. None if the call does not compile a crate from a file, because it asks
    /// for information or reads standard input, or if it has a form that cargo does not use: such
    /// calls are best left unchanged.
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

    /// The arguments for rustc.
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

    /// Last value of a codegen setting; empty if it has none. `-g` counts as `debuginfo=2`.
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

    /// True for the compilation of rayon's core, or of a copy such as `rustc_rayon_core`, as a
    /// library.
    pub(super) fn is_rayon_core(&self) -> bool {
        let is_named_so = |name: &str| name == "rayon_core" || name.ends_with("_rayon_core");
        self.crate_name().is_some_and(is_named_so) && !self.has_flag("--test")
    }

    /// True for build scripts and procedural macros, which run only at build time and are never
    /// profiled.
    pub(super) fn is_build_tool(&self) -> bool {
        self.values("--crate-type").any(|kind| kind == "proc-macro")
            || self
                .crate_name()
                .is_some_and(|name| name.starts_with("build_script_"))
    }

    /// Whether the call requests this kind of output.
    pub(super) fn emits(&self, kind: &str) -> bool {
        self.values("--emit")
            .filter_map(OsStr::to_str)
            .flat_map(|value| value.split(','))
            .any(|emitted| emitted.split('=').next() == Some(kind))
    }

    /// The kind of library that the call makes: only metadata if cargo requested no more.
    pub(super) fn library_kind(&self) -> &'static str {
        if self.emits("link") { "rlib" } else { "rmeta" }
    }

    /// Gives the crate another name.
    pub(super) fn rename(&mut self, new: &str) {
        for argument in &mut self.arguments {
            if let Argument::Option(option, Some(name)) = argument
                && option == "--crate-name"
            {
                *name = new.into();
            }
        }
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

    /// Drops every occurrence of an option.
    pub(super) fn remove(&mut self, unwanted: &str) {
        self.arguments
            .retain(|argument| !matches!(argument, Argument::Option(name, _) if name == unwanted));
    }

    /// Drops every occurrence of a codegen setting.
    pub(super) fn remove_codegen(&mut self, unwanted: &str) {
        self.arguments.retain(|argument| match argument {
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

    /// Appends a codegen setting, which overrides earlier ones.
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

/// The call whose arguments are the words of a text.
#[cfg(test)]
pub(super) fn parse(text: &str) -> Option<Invocation> {
    let arguments: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
    Invocation::parse(&arguments)
}

/// Arguments as text.
#[cfg(test)]
pub(super) fn texts(arguments: Vec<OsString>) -> Vec<String> {
    let texts = arguments.into_iter().map(OsString::into_string);
    texts.map(Result::unwrap).collect()
}

#[cfg(test)]
mod tests;
