//! Text in lines of a given width.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::notation::readable::is_hidden;
use crate::{Charset, Screen};

/// Wider words are shortened in the middle: nobody reads them, and they would fill a screen.
const WIDEST_WORD: usize = 400;

/// The words of `text` in lines of at most `width` columns. Wider words go over several lines,
/// broken after a `/` or a `::` where they have one.
pub(super) fn wrap(text: &str, width: usize, ellipsis: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let word = keep_ends(word, WIDEST_WORD, ellipsis);
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            line.extend(std::iter::repeat_n(' ', gap));
            line.push_str(&word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word.as_str();
        while rest.width() > width {
            let (piece, left) = rest.split_at(break_point(rest, width));
            lines.push(piece.to_owned());
            rest = left;
        }
        line.push_str(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Where to break a word of more than `width` columns: after at least one character.
fn break_point(word: &str, width: usize) -> usize {
    let fits = start_of(word, width).len();
    let fits = match fits {
        0 => word.chars().next().map_or(0, char::len_utf8),
        fits => fits,
    };
    let piece = &word[..fits];
    let ends = ["/", "::"].map(|end| piece.rfind(end).map(|at| at + end.len()));
    let natural = ends.into_iter().flatten().max();
    natural.filter(|&at| at > fits / 2).unwrap_or(fits)
}

/// `text`, or an ellipsis and as much of its end as `width` columns hold.
pub(super) fn keep_end(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let end = end_of(text, width.saturating_sub(ellipsis.width()));
    start_of(&format!("{ellipsis}{end}"), width).to_owned()
}

/// `text`, or as much of its start as `width` columns hold, and an ellipsis.
pub(super) fn keep_start(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let start = start_of(text, width.saturating_sub(ellipsis.width()));
    start_of(&format!("{start}{ellipsis}"), width).to_owned()
}

/// `text`, or as much of its start and of its end as `width` columns hold with an ellipsis between.
pub(super) fn keep_ends(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(ellipsis.width());
    let start = start_of(text, room / 3);
    let end = end_of(text, room - start.width());
    start_of(&format!("{start}{ellipsis}{end}"), width).to_owned()
}

/// As much of the start of `text` as `width` columns hold.
pub(super) fn start_of(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, letter)| {
        used += letter.width().unwrap_or(0);
        used > width
    });
    &text[..end.map_or(text.len(), |(index, _)| index)]
}

/// As much of the end of `text` as `width` columns hold.
fn end_of(text: &str, width: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, letter)| {
        used += letter.width().unwrap_or(0);
        used > width
    });
    &text[start.map_or(0, |(index, letter)| index + letter.len_utf8())..]
}

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
        '→' => ">",
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

    #[test]
    fn wraps_at_words() {
        assert_eq!(wrap("span of the whole", 9, "…"), ["span of", "the whole"]);
        assert_eq!(wrap("", 6, "…"), [""]);
    }

    #[test]
    fn long_words_break_at_their_parts() {
        assert_eq!(
            wrap("at /a/very/long/path:1:2 it", 8, "…"),
            ["at", "/a/very/", "long/", "path:1:2", "it"]
        );
        assert_eq!(wrap("module::function", 10, "…"), ["module::", "function"]);
        assert_eq!(wrap("数数数数", 5, "…"), ["数数", "数数"]);
        assert_eq!(wrap("数", 1, "…"), ["数"]);
    }

    #[test]
    fn endless_words_keep_their_ends() {
        let word = format!("begin{}end", "x".repeat(10_000));
        let lines = wrap(&word, 80, "…");
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("begin") && lines[4].ends_with("end"));
    }

    #[test]
    fn keeps_the_end() {
        assert_eq!(keep_end("src/main.rs:1:2", 15, "…"), "src/main.rs:1:2");
        assert_eq!(keep_end("src/main.rs:1:2", 8, "…"), "….rs:1:2");
        assert_eq!(keep_end("src/main.rs:1:2", 8, ".."), "..rs:1:2");
        assert_eq!(keep_end("数数数", 5, "…"), "…数数");
        assert_eq!(keep_end("abc", 1, ".."), ".");
    }

    #[test]
    fn keeps_the_start() {
        assert_eq!(keep_start("sort 1", 6, "…"), "sort 1");
        assert_eq!(keep_start("sort 10", 6, "…"), "sort …");
        assert_eq!(keep_start("sort 10", 2, "..."), "..");
    }

    #[test]
    fn keeps_both_ends() {
        assert_eq!(keep_ends("workspan", 8, "…"), "workspan");
        assert_eq!(keep_ends("src/deep/main.rs:1:2", 13, "…"), "src/…n.rs:1:2");
    }

    #[test]
    fn starts_are_counted_in_columns() {
        assert_eq!(start_of("let µ = 数;", 80), "let µ = 数;");
        assert_eq!(start_of("let µ = 数;", 9), "let µ = ");
        assert_eq!(start_of("abc", 0), "");
    }
}

#[cfg(test)]
mod characters_tests {
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
