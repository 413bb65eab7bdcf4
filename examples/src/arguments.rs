//! A program's positional arguments.

use std::fmt;
use std::ops::RangeInclusive;

/// The positional arguments of a case study, read from first to last.
///
/// ```
/// use workspan_examples::Arguments;
///
/// let mut arguments = Arguments::new("usage: sum [COUNT]", ["250".to_owned()]);
/// assert_eq!(arguments.number("COUNT", 1_000, 1..=5_000), Ok(250));
/// assert_eq!(arguments.finish(), Ok(()));
/// ```
#[derive(Debug)]
pub struct Arguments {
    usage: &'static str,
    words: std::vec::IntoIter<String>,
}

/// An argument that the program cannot use. Its text says what was expected and ends with the
/// program's usage message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArgument {
    problem: String,
    usage: &'static str,
}

impl fmt::Display for BadArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.problem, self.usage)
    }
}

impl std::error::Error for BadArgument {}

impl BadArgument {
    /// Prints the problem and the usage message to standard error and ends the process with
    /// exit code 2.
    pub fn exit(self) -> ! {
        eprintln!("{self}");
        std::process::exit(2)
    }
}

impl Arguments {
    /// The arguments `words`, without the program's name.
    pub fn new(usage: &'static str, words: impl IntoIterator<Item = String>) -> Self {
        let words: Vec<String> = words.into_iter().collect();
        Arguments {
            usage,
            words: words.into_iter(),
        }
    }

    /// Reads this process's arguments with `read`, which must use them all up. A bad argument, or
    /// `--help`, ends the process as [`BadArgument::exit`] does.
    pub fn read_from_process<T>(
        usage: &'static str,
        read: impl FnOnce(&mut Arguments) -> Result<T, BadArgument>,
    ) -> T {
        let mut arguments = Arguments::new(usage, std::env::args().skip(1));
        read(&mut arguments)
            .and_then(|values| arguments.finish().map(|()| values))
            .unwrap_or_else(|bad| bad.exit())
    }

    /// The next argument as a whole number; `default` if there is none. Underscores between the
    /// digits are allowed.
    ///
    /// # Errors
    /// The argument is not a whole number, or is not in `range`.
    pub fn number(
        &mut self,
        name: &str,
        default: usize,
        range: RangeInclusive<usize>,
    ) -> Result<usize, BadArgument> {
        let Some(word) = self.words.next() else {
            return Ok(default);
        };
        match word.replace('_', "").parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(self.bad(format!(
                "{name} is '{word}': give a whole number from {} to {}",
                range.start(),
                range.end()
            ))),
        }
    }

    /// The next argument as one of `choices`, each a word and its value.
    ///
    /// # Errors
    /// There is no next argument, or it is not one of the words.
    pub fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<T, BadArgument> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let expected = words.join(" or ");
        let Some(given) = self.words.next() else {
            return Err(self.bad(format!("{name} is missing: give {expected}")));
        };
        choices
            .iter()
            .find(|(word, _)| *word == given)
            .map(|(_, value)| *value)
            .ok_or_else(|| self.bad(format!("{name} is '{given}': give {expected}")))
    }

    /// The next argument as one of `choices`; `default` if there is none.
    ///
    /// # Errors
    /// It is not one of the words.
    pub fn choice_or<T: Copy>(
        &mut self,
        name: &str,
        choices: &[(&str, T)],
        default: T,
    ) -> Result<T, BadArgument> {
        if self.words.as_slice().is_empty() {
            return Ok(default);
        }
        self.choice(name, choices)
    }

    /// Checks that no argument is left.
    ///
    /// # Errors
    /// An argument is left.
    pub fn finish(mut self) -> Result<(), BadArgument> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.bad(format!("unexpected argument '{word}'"))),
        }
    }

    /// The problem with an argument, checked by the program itself.
    pub fn bad(&self, problem: String) -> BadArgument {
        BadArgument {
            problem,
            usage: self.usage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        Arguments::new(
            "usage: test SIZE",
            words.iter().map(|word| (*word).to_owned()),
        )
    }

    #[test]
    fn a_missing_number_is_the_default() {
        assert_eq!(arguments(&[]).number("SIZE", 7, 1..=9), Ok(7));
    }

    #[test]
    fn a_number_may_group_its_digits() {
        assert_eq!(
            arguments(&["10_000"]).number("SIZE", 7, 1..=10_000),
            Ok(10_000)
        );
    }

    #[test]
    fn a_bad_number_says_what_is_expected_and_the_usage() {
        for word in ["0", "10", "-1", "many", ""] {
            let bad = arguments(&[word]).number("SIZE", 7, 1..=9).unwrap_err();
            assert_eq!(
                bad.to_string(),
                format!("SIZE is '{word}': give a whole number from 1 to 9\nusage: test SIZE")
            );
        }
    }

    #[test]
    fn a_choice_is_found_by_its_word() {
        let choices = [("A", 1), ("B", 2)];
        assert_eq!(arguments(&["B"]).choice("SNIPPET", &choices), Ok(2));
        let bad = arguments(&["C"]).choice("SNIPPET", &choices).unwrap_err();
        assert_eq!(
            bad.to_string(),
            "SNIPPET is 'C': give A or B\nusage: test SIZE"
        );
        assert_eq!(arguments(&[]).choice_or("SNIPPET", &choices, 3), Ok(3));
        assert!(arguments(&["C"]).choice_or("SNIPPET", &choices, 3).is_err());
        let missing = arguments(&[]).choice("SNIPPET", &choices).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "SNIPPET is missing: give A or B\nusage: test SIZE"
        );
    }

    #[test]
    fn an_argument_too_many_is_refused() {
        let bad = arguments(&["more"]).finish().unwrap_err();
        assert_eq!(
            bad.to_string(),
            "unexpected argument 'more'\nusage: test SIZE"
        );
    }
}
