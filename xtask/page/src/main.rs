//! Writes the pages of measured figures, `docs/measured/NAME.md`, each of them completely and by
//! one command.
//!
//! The prose of a page is in its template, `benches/overhead/NAME.md`, which has no measured
//! figures. Where the template has a line `{output}`, the page has what the command printed
//! (`{output as text}`: in columns, not Markdown), and where it has `{file: PATH}`, the contents of
//! that file, which the command wrote. At its end the page says how it was measured: engine,
//! commit, date, machine, load and command.
#![forbid(unsafe_code)]

mod page;
mod stamp;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;

use page::Page;
use stamp::{Stamp, engine_hash};
use workspan_gate::root;

/// Writes pages of measured figures, and checks them.
#[derive(Debug, Parser)]
enum Options {
    /// Runs a command, and writes docs/measured/NAME.md with what it prints
    ///
    /// The page is written also where the command fails on a missed goal: the miss stands in it.
    /// The exit code is the command's.
    Write {
        /// The page's name
        name: String,
        /// The command
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Puts the prose of the template around the figures that a page has, without measuring
    Prose {
        /// The page's name
        name: String,
    },
    /// Checks that every page is its template, figures and a stamp, and lists those of another
    /// engine
    Check {
        /// A page of another engine is an error, too
        #[arg(long)]
        current: bool,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let root = root()?;
    let code = match Options::parse() {
        Options::Write { name, command } => write(&root, &name, &command)?,
        Options::Prose { name } => {
            let (template, present) = (template(&root, &name)?, present(&root, &name)?);
            let page = Page::parse(&present).with_context(|| format!("page {name}"))?;
            save(&root, &name, &page.with_prose_of(&template)?)?;
            0
        }
        Options::Check { current } => check(&root, current)?,
    };
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn write(root: &Path, name: &str, command: &[String]) -> anyhow::Result<i32> {
    let template = template(root, name)?;
    let begun = Stamp::begin(root, command)?;
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command[0]))?;
    let mut piped = child.stdout.take().context("no output")?;
    let (mut output, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let length = piped.read(&mut part)?;
        if length == 0 {
            break;
        }
        std::io::stdout().write_all(&part[..length])?;
        output.extend_from_slice(&part[..length]);
    }
    let status = child.wait()?;
    let output = String::from_utf8(output).context("the command printed no text")?;
    ensure!(
        !output.trim().is_empty(),
        "the command printed nothing, so docs/measured/{name}.md stays as it is"
    );
    let block = |source: &str| match source.strip_prefix("file: ") {
        None if source == "output as text" => {
            Ok(format!("```text\n{}\n```\n", output.trim_matches('\n')))
        }
        None => Ok(output.clone()),
        Some(path) => {
            fs::read_to_string(root.join(path)).with_context(|| format!("{path} cannot be read"))
        }
    };
    let page = Page::from_template(&template, block, &begun.end())?;
    save(root, name, &page)?;
    match status.code() {
        Some(code) => Ok(code),
        None => bail!("{} was ended by a signal", command[0]),
    }
}

/// Files in `docs/measured` that no measurement writes.
const OTHERS: [&str; 4] = ["README", "misses", "single-runs", "tried"];

/// Checks all pages. Returns the exit code: 1 if one is not as its command would write it.
fn check(root: &Path, current: bool) -> anyhow::Result<i32> {
    let present_engine = engine_hash(root)?;
    let (mut failed, mut old, mut pages) = (false, 0, 0);
    for entry in fs::read_dir(root.join("docs/measured")).context("there is no docs/measured")? {
        let path = entry?.path();
        let Some(name) = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".md"))
        else {
            continue;
        };
        if OTHERS.contains(&name) {
            continue;
        }
        pages += 1;
        let checked = template(root, name).and_then(|template| {
            let page = Page::parse(&present(root, name)?)?;
            page.check(&template)?;
            page.engine()
        });
        match checked {
            Ok(engine) if engine == present_engine => {}
            Ok(engine) => {
                println!("docs/measured/{name}.md is of engine {engine}, not of {present_engine}");
                old += 1;
            }
            Err(error) => {
                println!("docs/measured/{name}.md: {error:#}");
                failed = true;
            }
        }
    }
    println!("{pages} pages, {old} of another engine");
    Ok(i32::from(failed || (current && old > 0)))
}

fn template(root: &Path, name: &str) -> anyhow::Result<String> {
    read(&root.join(format!("benches/overhead/{name}.md")))
}

fn present(root: &Path, name: &str) -> anyhow::Result<String> {
    read(&root.join(format!("docs/measured/{name}.md")))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Replaces a page in one step.
fn save(root: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let folder = root.join("docs/measured");
    let mut file = tempfile::NamedTempFile::new_in(&folder)?;
    file.write_all(text.as_bytes())?;
    // Only its owner can read a temporary file; everyone may read a page.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode)?;
    let path = folder.join(format!("{name}.md"));
    file.persist(&path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}
