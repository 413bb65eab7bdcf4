//! The destination of a result, and writing the result there.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::builder::{OsStringValueParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use workspan_format::replace_file;
use workspan_report::readable_on_screen;

use crate::message;

/// A file, or a stream of this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sink {
    Stdout,
    Stderr,
    File(PathBuf),
}

impl Sink {
    /// Parses the value of an option. The name of a file need not be UTF-8.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().try_map(|text| Self::parse(&text))
    }

    /// Parses `-` or the path of a file, which is made absolute, because cargo runs tests in other
    /// folders.
    fn parse(text: &OsStr) -> Result<Self, String> {
        match text.as_encoded_bytes() {
            b"" => Err("a file name, or `-` for standard output, is expected".to_owned()),
            b"-" => Ok(Self::Stdout),
            _ => std::path::absolute(text)
                .map(Self::File)
                .map_err(|error| error.to_string()),
        }
    }

    /// Writes text for people, as `render` renders it; to a file alone if errors alone are printed.
    pub(crate) fn show(
        &self,
        render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match self {
            Self::Stdout | Self::Stderr if message::is_quiet() => Ok(()),
            sink => sink.write_rendered(render),
        }
    }

    /// Writes what `render` renders.
    pub(crate) fn write_rendered(
        &self,
        render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        render(&mut bytes)?;
        self.write(&bytes)
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout => {
                let is_terminal = io::stdout().is_terminal();
                to_stream(&mut io::stdout().lock(), &readable(bytes, is_terminal))
                    .context("standard output")
            }
            // Reports go there, to be read in a terminal or a log.
            Self::Stderr => to_stream(&mut io::stderr().lock(), &readable(bytes, true))
                .context("standard error"),
            Self::File(path) => {
                replace_file(path, bytes).with_context(|| path.display().to_string())
            }
        }
    }
}

/// Writes to `sink` what `render` renders, if there is one.
pub(crate) fn write_to(
    sink: &Option<Sink>,
    render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> anyhow::Result<()> {
    sink.as_ref()
        .map_or(Ok(()), |sink| sink.write_rendered(render))
}

/// The failures among named outputs that were written.
pub(crate) fn failures<const N: usize>(
    written: [(&str, anyhow::Result<()>); N],
) -> Vec<anyhow::Error> {
    let failures = written.into_iter().filter_map(|(name, written)| {
        let named = written.with_context(|| format!("cannot write the {name}"));
        named.err()
    });
    failures.collect()
}

/// The bytes to write. On a terminal, control characters other than those for colours are escaped,
/// because texts in a profile may come from an untrusted file.
fn readable(bytes: &[u8], is_on_screen: bool) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_on_screen => readable_on_screen(text).into_bytes().into(),
        _ => bytes.into(),
    }
}

/// Writes to a stream. It is no error if its reader has gone, as `head` does.
fn to_stream(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// `path` with `-<suffix>` inserted before the extension.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-");
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_output() {
        assert_eq!(Sink::parse("-".as_ref()), Ok(Sink::Stdout));
        assert!(
            matches!(Sink::parse("a.json".as_ref()), Ok(Sink::File(path)) if path.is_absolute())
        );
        assert!(Sink::parse("".as_ref()).is_err());
    }
}
