//! `pages [--update] FILE...` runs the commands of Markdown pages, and compares what they print
//! with the excerpts on the pages.
//!
//! Commands are the lines `$ COMMAND` of blocks marked as `console`. They run in order, all
//! commands of a page in one shell that starts in the current folder, and each must succeed. A
//! block marked as `text` is an excerpt of the output of the last command before it: figures may
//! differ, words may not. `--update` replaces the excerpts by what was printed now.

use std::fs;
use std::process::ExitCode;

use page::Page;

mod page;
mod shape;
mod shell;

const USAGE: &str = "usage: pages [--update] FILE...";

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let is_update = files.first().is_some_and(|first| first == "--update");
    if is_update {
        files.remove(0);
    }
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let mut passed = 0;
    let mut complaints = Vec::new();
    for file in &files {
        match check(file, is_update) {
            Ok(count) => passed += count,
            Err(these) => complaints.extend(these),
        }
    }
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    println!("pages: {passed} passed, {} failed", complaints.len());
    ExitCode::from(u8::from(!complaints.is_empty() || passed == 0))
}

/// The number of commands and excerpts of `file`, all of which are correct.
///
/// # Errors
/// Everything that is wrong, with its place.
fn check(file: &str, is_update: bool) -> Result<usize, Vec<String>> {
    let text = fs::read_to_string(file).map_err(|error| vec![format!("{file}: {error}")])?;
    let page = Page::parse(&text).map_err(|complaint| vec![format!("{file}:{complaint}")])?;
    let commands: Vec<&str> = page.commands.iter().map(|it| it.text.as_str()).collect();
    let outputs = shell::run(file, &commands).map_err(|complaint| vec![complaint])?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut complaints = Vec::new();
    // From the end, so that replacing an excerpt does not move those before it.
    for excerpt in page.excerpts.iter().rev() {
        let output = &outputs[excerpt.command];
        match shape::found_in(&lines[excerpt.lines.clone()], output) {
            Ok(found) => {
                lines.splice(excerpt.lines.clone(), found);
            }
            Err(complaint) => {
                let line = excerpt.lines.start + 1;
                let command = commands[excerpt.command];
                complaints.push(format!(
                    "{file}:{line}: {complaint}; {command} printed\n{output}"
                ));
            }
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    if is_update {
        let updated = lines.join("\n") + "\n";
        fs::write(file, updated).map_err(|error| vec![format!("{file}: {error}")])?;
    }
    Ok(commands.len() + page.excerpts.len())
}
