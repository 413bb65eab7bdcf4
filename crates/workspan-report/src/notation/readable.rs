//! Text that comes from a program, made safe to show.

/// Text with more characters is cut: nobody reads on, and what holds many names has to stay small.
const MOST_CHARACTERS: usize = 600;

/// `text`, or as much of it as anybody reads, with escapes for characters that are invisible or
/// change the direction of the line.
pub(crate) fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len().min(MOST_CHARACTERS));
    let mut characters = text.chars();
    for character in characters.by_ref().take(MOST_CHARACTERS) {
        if is_shown(character) {
            readable.push(character);
        } else {
            readable.extend(character.escape_default());
        }
    }
    match characters.count() {
        0 => readable,
        left => format!("{readable}… ({left} more characters)"),
    }
}

/// `text`, of one or several lines, with escapes for characters that would do more to a terminal or
/// a log than show.
pub fn readable_lines(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && !matches!(character, '\n' | '\t') {
            readable.extend(character.escape_default());
        } else {
            readable.push(character);
        }
    }
    readable
}

/// As [`readable_lines`], but sequences that set colours (`ESC [ … m`) stay.
pub fn readable_on_screen(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        readable.push_str(&readable_lines(before));
        let set = after.strip_prefix('[').map(|set| {
            let end = set.find(|character: char| !character.is_ascii_digit() && character != ';');
            (set, end.unwrap_or(set.len()))
        });
        rest = match set {
            Some((set, end)) if set[end..].starts_with('m') => {
                readable.push_str(&after[..end + 2].replacen('[', "\u{1b}[", 1));
                &after[end + 2..]
            }
            _ => {
                readable.push_str("\\u{1b}");
                after
            }
        };
    }
    readable + &readable_lines(rest)
}

/// Whether a character may show as itself. Hidden characters may not, nor may others that end a
/// line, nor the two code points that are not characters, which XML forbids.
fn is_shown(character: char) -> bool {
    let ends_line = matches!(character, '\u{2028}' | '\u{2029}');
    let is_noncharacter = matches!(character, '\u{fffe}' | '\u{ffff}');
    !(is_hidden(character) || ends_line || is_noncharacter)
}

/// Whether a character is invisible by itself, but may change the terminal, the line, or the
/// direction of what follows.
pub(crate) fn is_hidden(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_say_how_much_is_missing() {
        assert_eq!(readable("é"), "é");
        let long = "é".repeat(MOST_CHARACTERS + 3);
        assert!(readable(&long).ends_with("é… (3 more characters)"));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(
            readable_lines("a\n\tb\u{1b}[2Jc\r\u{202e}é"),
            "a\n\tb\\u{1b}[2Jc\\r\\u{202e}é"
        );
    }

    #[test]
    fn colours_stay_and_nothing_else_reaches_the_terminal() {
        assert_eq!(
            readable_on_screen("\u{1b}[1;31mred\u{1b}[0m\n"),
            "\u{1b}[1;31mred\u{1b}[0m\n"
        );
        assert_eq!(
            readable_on_screen("a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{1b}"),
            r"a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{1b}"
        );
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let hidden = readable("a\u{0}b\n\u{202e}c\u{2028}\u{ffff}");
        assert_eq!(hidden, r"a\u{0}b\n\u{202e}c\u{2028}\u{ffff}");
        assert_eq!(readable("\u{61c}"), r"\u{61c}");
        assert_eq!(readable("<b>\"&' 🦀"), "<b>\"&' 🦀");
    }
}
