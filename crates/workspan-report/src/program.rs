//! Names of programs, as people use them.

use crate::readable::readable;

/// The program without its folder, and its arguments, made safe to show.
pub(crate) fn program(command: &[String]) -> String {
    let arguments = command.iter().skip(1).map(String::as_str);
    let words = std::iter::once(name(command)).chain(arguments);
    readable(&words.collect::<Vec<_>>().join(" "))
}

/// The file name of the program alone; empty if no command is known.
pub(crate) fn name(command: &[String]) -> &str {
    let program = command.first().map_or("", String::as_str);
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_goes_without_its_folders() {
        let command = ["/usr/bin/sort", "-n", "a\n/b\u{ffff}"].map(str::to_owned);
        assert_eq!(name(&command), "sort");
        assert_eq!(program(&command), r"sort -n a\n/b\u{ffff}");
        assert_eq!(program(&[]), "");
    }
}
