//! A Markdown page with commands and excerpts of their output.

use std::ops::Range;

/// The parts of a page that can be checked.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) commands: Vec<Command>,
    pub(super) excerpts: Vec<Excerpt>,
}

/// A command as a person would type it.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) text: String,
}

/// A block that shows what a command printed.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// Its lines on the page, counted from 0, without the fences.
    pub(super) lines: Range<usize>,
    /// Which of the commands printed it.
    pub(super) command: usize,
}

impl Page {
    /// Finds the fenced blocks of `text`.
    ///
    /// # Errors
    /// A block does not end, has commands that would not be run, or has output without a command
    /// before it. The text begins with the number of the line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut page = Self::default();
        let mut lines = text.lines().enumerate();
        while let Some((opening, line)) = lines.next() {
            let Some(kind) = line.strip_prefix("```") else {
                continue;
            };
            let Some((closing, _)) = lines.find(|(_, line)| *line == "```") else {
                return Err(format!("{}: a block without an end", opening + 1));
            };
            let block = opening + 1..closing;
            match kind {
                "console" => page.commands.extend(commands(text, block)),
                "text" => {
                    let Some(command) = page.commands.len().checked_sub(1) else {
                        return Err(format!("{}: no command printed this", opening + 1));
                    };
                    page.excerpts.push(Excerpt {
                        lines: block,
                        command,
                    });
                }
                "sh" | "bash" | "shell" => {
                    return Err(format!(
                        "{}: marked as {kind}, not as console: its commands are not run",
                        opening + 1
                    ));
                }
                _ => {}
            }
        }
        Ok(page)
    }
}

fn commands(text: &str, block: Range<usize>) -> impl Iterator<Item = Command> {
    let lines = text.lines().skip(block.start).take(block.len());
    lines.filter_map(|line| {
        let text = line.strip_prefix("$ ")?.to_owned();
        Some(Command { text })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_belong_to_the_last_command_before_them() {
        let page = Page::parse(
            "# Title\n```console\n$ one\n$ two\n```\n```text\nprinted\nby two\n```\n```rust\n$ three\n```\n```text\nmore\n```\n",
        )
        .unwrap();
        let commands: Vec<_> = page.commands.iter().map(|it| &it.text[..]).collect();
        assert_eq!(commands, ["one", "two"]);
        let excerpts: Vec<_> = page
            .excerpts
            .iter()
            .map(|it| (it.lines.clone(), it.command))
            .collect();
        assert_eq!(excerpts, [(6..8, 1), (13..14, 1)]);
    }

    #[test]
    fn what_would_not_be_checked_is_an_error() {
        let error = |text| Page::parse(text).unwrap_err();
        assert!(error("\n```text\nx\n```\n").starts_with("2: no command"));
        assert!(error("```sh\n$ x\n```\n").starts_with("1: marked as sh"));
        assert!(error("```console\n$ x\n").starts_with("1: a block without"));
    }
}
