//! The characters that a screen can show.

use std::borrow::Cow;

use crate::readable::is_hidden;
use crate::{Charset, Screen};

/// `text` as `screen` can show it: control characters and bidirectional marks are escaped, and on
/// an ASCII screen the signs that our texts use are spelt out.
///
/// Letters of names are never changed. Rust names cannot contain such signs, only those of files
/// and regions can.
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

/// Our own `text` in the characters of `charset`, line by line.
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

/// How to spell `sign` in ASCII between `before` and `next`; `None` for a letter of a name.
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
        // Names may contain these two as well; those in `7.50 µs` and `P · T_P` are ours.
        'µ' if next == 's' && follows_number(before) => "u",
        '·' if !before.ends_with(char::is_alphanumeric) && !next.is_alphanumeric() => ".",
        _ => return None,
    })
}

/// Whether a unit would follow here, after a number and a blank.
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
    fn signs_are_spelt_out_but_names_stay() {
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
    fn names_cannot_control_the_terminal() {
        let name = "a\u{1b}[31mb\n\u{202e}c";
        assert_eq!(
            shown(name, &Screen::default()),
            "a\\u{1b}[31mb\\n\\u{202e}c"
        );
    }
}
