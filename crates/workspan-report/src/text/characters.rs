//! The characters that texts are made of.

use std::borrow::Cow;

use crate::readable::is_hidden;
use crate::{Charset, Screen};

/// `text` as `screen` can show it: controls and marks that turn the line around are escaped, and where there is only ASCII,
/// the signs that texts put in are spelt out.
///
/// Letters of names are never changed. Signs cannot stand in a name of Rust, only in those of files and regions.
pub(super) fn shown<'a>(text: &'a str, screen: &Screen) -> Cow<'a, str> {
    if text.is_ascii() && !text.contains(|letter: char| letter.is_control()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match ascii(letter, &shown, next) {
            _ if is_hidden(letter) => shown.extend(letter.escape_default()),
            Some(sign) if screen.is_ascii() => shown.push_str(sign),
            _ => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// `text`, which is our own, in these characters, line by line.
pub fn in_charset(text: &str, charset: Charset) -> Cow<'_, str> {
    let screen = Screen {
        charset,
        ..Screen::default()
    };
    if !screen.is_ascii() {
        return Cow::Borrowed(text);
    }
    let lines = text.split('\n').map(|line| shown(line, &screen));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// What stands for a sign in ASCII, between this text and the next character; `None` for a letter of a name.
fn ascii(sign: char, before: &str, next: char) -> Option<&'static str> {
    Some(match sign {
        '…' => "..",
        '–' | '−' | '─' => "-",
        '±' => "+-",
        '×' => "x",
        '≈' => "~",
        '∞' => "inf",
        '§' => "sec. ",
        '│' => "|",
        '┤' | '┴' => "+",
        '└' => "`",
        '⋮' => ":",
        '↻' => "@",
        '●' => "*",
        '█' => "#",
        '▓' => "=",
        '▒' => "-",
        '░' => ":",
        // Both can stand in names, too: `7.50 µs` and `P · T_P` are ours.
        'µ' if next == 's' && follows_number(before) => "u",
        '·' if !before.ends_with(char::is_alphanumeric) && !next.is_alphanumeric() => ".",
        _ => return None,
    })
}

/// Whether a unit would stand here: behind a number and a blank.
fn follows_number(before: &str) -> bool {
    let number = before.strip_suffix(' ');
    number.is_some_and(|number| number.ends_with(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: Screen = Screen {
        width: 80,
        colour: false,
        charset: Charset::Ascii,
    };

    #[test]
    fn signs_are_spelt_out_and_names_are_not() {
        let cases = [
            ("7.50 µs … ∞", "7.50 us .. inf"),
            ("62% ± 3, 4 × as fast", "62% +- 3, 4 x as fast"),
            ("P · T_P − I_P", "P . T_P - I_P"),
            ("the join at src/größe.rs:3", "the join at src/größe.rs:3"),
            ("fn µs, fn 数, col·lecció", "fn µs, fn 数, col·lecció"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text, &ASCII), expected);
        }
    }

    #[test]
    fn nothing_of_a_name_reaches_the_terminal_as_a_command() {
        let name = "a\u{1b}[31mb\n\u{202e}c";
        assert_eq!(
            shown(name, &Screen::default()),
            "a\\u{1b}[31mb\\n\\u{202e}c"
        );
    }
}
