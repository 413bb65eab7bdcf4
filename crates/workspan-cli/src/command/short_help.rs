//! `-h`: what most runs need. `--help` has everything.

use clap::Command;

/// The options that `-h` shows of a command that profiles a program.
const SHOWN: [&str; 18] = [
    "help",
    "assume_cores",
    "baseline",
    "threads",
    "metric",
    "runs",
    "full",
    "json",
    "runtime",
    "open",
    "output",
    // Of cargo.
    "package",
    "lib",
    "bin",
    "example",
    "test",
    "bench",
    "features",
];

/// `command`, of whose options `-h` shows only the commonest, and `examples` below them.
pub(super) fn shortened(command: Command, examples: &str) -> Command {
    command
        .mut_args(|argument| {
            let is_shown = argument.is_positional() || SHOWN.contains(&argument.get_id().as_str());
            argument.hide_short_help(!is_shown)
        })
        .after_help(format!("Examples:\n{examples}"))
}

#[cfg(test)]
mod tests {
    use super::SHOWN;
    use crate::command::all_commands;

    #[test]
    fn short_help_fits_a_screen() {
        for mut command in all_commands() {
            command.build();
            for name in ["run", "test", "bench"] {
                let Some(run) = command.find_subcommand_mut(name) else {
                    continue;
                };
                let short = run.clone().term_width(80).render_help().to_string();
                let options = short
                    .lines()
                    .filter(|line| line.trim_start().starts_with('-'));
                assert!(options.count() <= 24, "{short}");
                assert!(short.lines().count() <= 45, "{short}");
                let long = run.render_long_help().to_string();
                assert!(long.contains("--grain") && !short.contains("--grain"));
            }
        }
    }

    #[test]
    fn every_option_shown_exists() {
        let commands = all_commands();
        let commands = commands.iter().flat_map(clap::Command::get_subcommands);
        let known: Vec<&str> = commands
            .flat_map(clap::Command::get_arguments)
            .map(|argument| argument.get_id().as_str())
            .collect();
        for shown in SHOWN.iter().skip(1) {
            assert!(known.contains(shown), "{shown}");
        }
    }
}
