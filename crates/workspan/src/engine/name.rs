//! A region's name, formatted without allocating.

use std::fmt::{self, Display, Write as _};
use std::str;

/// The most bytes of a name that count.
const LONGEST: usize = 256;

/// The first [`LONGEST`] bytes of what something displays, in whole characters and on one line.
pub(super) struct Name {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Name {
    pub(super) fn of(shown: &dyn Display) -> Self {
        let mut name = Self {
            bytes: [0; LONGEST],
            length: 0,
        };
        // On an error the rest did not fit, or `shown` failed: the part before that is enough.
        let _ = write!(name, "{shown}");
        name
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl fmt::Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut fitting = text.len().min(LONGEST - self.length);
        while !text.is_char_boundary(fitting) {
            fitting -= 1;
        }
        let end = self.length + fitting;
        let added = &mut self.bytes[self.length..end];
        added.copy_from_slice(&text.as_bytes()[..fitting]);
        for byte in added.iter_mut().filter(|byte| byte.is_ascii_control()) {
            *byte = b' ';
        }
        self.length = end;
        if fitting < text.len() {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_what_is_displayed() {
        assert_eq!(Name::of(&"sort").as_str(), "sort");
        assert_eq!(Name::of(&format_args!("level {}", 3)).as_str(), "level 3");
        assert_eq!(Name::of(&"").as_str(), "");
    }

    #[test]
    fn has_no_line_breaks_and_other_controls() {
        let name = Name::of(&"two\nlines\tin \u{1b}[31mréd");
        assert_eq!(name.as_str(), "two lines in  [31mréd");
    }

    #[test]
    fn ends_with_a_whole_character() {
        let fits = "é".repeat(LONGEST / 2);
        assert_eq!(Name::of(&fits).as_str(), fits);
        let long = format!("x{fits}{fits}");
        assert_eq!(Name::of(&long).as_str(), &long[..LONGEST - 1]);
        // Anything after a character that did not fit is left out, too.
        assert_eq!(
            Name::of(&format_args!("x{fits}y")).as_str(),
            &long[..LONGEST - 1]
        );
    }
}
