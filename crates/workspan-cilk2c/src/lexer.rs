//! A source text as tokens and preprocessor lines.
//!
//! Nothing is expanded or included. Each token knows the bytes that it came from, so that what is not edited stays
//! as it is, comments and white space too.

use std::sync::Arc;

use super::branch::{Branch, Branches};
use super::directive::Directive;
use super::place::Place;
use super::token::{Token, TokenKind};

/// A source text, taken apart.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) directives: Vec<Directive>,
    /// The branches of `#if` that tokens and directives are in.
    pub(super) branches: Vec<Branch>,
}

/// The operators of more than one character, longest first. `>>` is two, since it also ends template arguments.
const OPERATORS: [&str; 26] = [
    "<<=", ">>=", "...", "->*", "<=>", "::", "->", ".*", "==", "!=", "<=", ">=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<", "##",
];

/// Spellings of brackets and of `#` for keyboards that lack them.
const DIGRAPHS: [(&str, &str); 5] = [
    ("<%", "{"),
    ("%>", "}"),
    ("<:", "["),
    (":>", "]"),
    ("%:", "#"),
];

/// Takes `source`, which the user calls `file`, apart.
pub(super) fn lex(source: &str, file: &str) -> Lexed {
    Lexer::new(source, file).run()
}

/// A character of the source after continued lines were joined.
#[derive(Clone, Copy)]
struct Character {
    byte: u8,
    at: usize,
}

struct Lexer<'a> {
    source: &'a str,
    characters: Vec<Character>,
    next: usize,
    file: Arc<str>,
    /// Byte at which each line begins.
    lines: Vec<usize>,
    /// What `#line` added to the lines from here on.
    line_shift: i64,
    at_line_start: bool,
    branches: Branches,
    lexed: Lexed,
}

impl<'a> Lexer<'a> {
    fn new(source: &'a str, file: &str) -> Self {
        let newlines = source
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n');
        Self {
            source,
            characters: joined_lines(source.as_bytes()),
            next: 0,
            file: file.into(),
            lines: [0]
                .into_iter()
                .chain(newlines.map(|(at, _)| at + 1))
                .collect(),
            line_shift: 0,
            at_line_start: true,
            branches: Branches::default(),
            lexed: Lexed::default(),
        }
    }

    fn run(mut self) -> Lexed {
        while let Some(character) = self.peek(0) {
            match character {
                b'\n' => {
                    self.at_line_start = true;
                    self.next += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.next += 1,
                b'/' if self.peek(1) == Some(b'/') => self.skip_line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.skip_block_comment(),
                b'#' if self.at_line_start => self.directive(1),
                b'%' if self.at_line_start && self.peek(1) == Some(b':') => self.directive(2),
                _ => self.token(character),
            }
        }
        self.lexed.branches = self.branches.all;
        self.lexed
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.characters
            .get(self.next + ahead)
            .map(|character| character.byte)
    }

    /// The byte in the source of the next character.
    fn position(&self) -> usize {
        self.position_of(self.next)
    }

    fn position_of(&self, index: usize) -> usize {
        self.characters
            .get(index)
            .map_or(self.source.len(), |character| character.at)
    }

    /// The byte after the last character that was taken.
    fn end(&self) -> usize {
        match self.next {
            0 => 0,
            next => self.characters[next - 1].at + 1,
        }
    }

    fn place(&self, at: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= at);
        Place {
            file: Arc::clone(&self.file),
            line: u32::try_from(line as i64 + self.line_shift).unwrap_or(1),
            column: (at - self.lines[line - 1] + 1) as u32,
        }
    }

    fn skip_line_comment(&mut self) {
        while self.peek(0).is_some_and(|character| character != b'\n') {
            self.next += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        self.next += 2;
        while self.peek(0).is_some() {
            if self.peek(0) == Some(b'*') && self.peek(1) == Some(b'/') {
                self.next += 2;
                return;
            }
            self.next += 1;
        }
    }

    /// A preprocessor line, after `mark` characters of `#`.
    fn directive(&mut self, mark: usize) {
        let start = self.position();
        let place = self.place(start);
        self.next += mark;
        let mut text = String::new();
        while let Some(character) = self.peek(0) {
            match character {
                b'\n' => break,
                b'/' if self.peek(1) == Some(b'/') => self.skip_line_comment(),
                b'/' if self.peek(1) == Some(b'*') => {
                    self.skip_block_comment();
                    text.push(' ');
                }
                b'"' | b'\'' => text.push_str(&self.quoted(character)),
                _ => text.push_str(&self.taken(1)),
            }
        }
        let end = self.end();
        let directive = Directive::new(&text, place, start..end, self.lexed.tokens.len());
        if let Some((line, file)) = directive.line_marker() {
            let own = self.lines.partition_point(|start| *start <= end) as i64;
            self.line_shift = i64::from(line) - own - 1;
            if let Some(file) = file {
                self.file = file.into();
            }
        }
        self.branches.pass(&directive);
        if self.branches.is_dead() {
            self.skip_dead_lines();
        }
        let branch = self.branches.current();
        self.lexed.directives.push(Directive {
            branch,
            ..directive
        });
    }

    /// Goes to the next preprocessor line, from a branch that is never compiled.
    fn skip_dead_lines(&mut self) {
        loop {
            while self.peek(0).is_some_and(|character| character != b'\n') {
                self.next += 1;
            }
            while self
                .peek(0)
                .is_some_and(|character| character.is_ascii_whitespace())
            {
                self.next += 1;
            }
            if matches!(self.peek(0), None | Some(b'#')) {
                self.at_line_start = true;
                return;
            }
        }
    }

    fn token(&mut self, first: u8) {
        self.at_line_start = false;
        let start = self.position();
        let (kind, text) = match first {
            b'"' | b'\'' => (TokenKind::Literal, self.quoted(first)),
            b'0'..=b'9' => (TokenKind::Number, self.number()),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {
                (TokenKind::Number, self.number())
            }
            _ if is_word_byte(first) => self.word_or_prefixed_literal(),
            _ => (TokenKind::Punctuation, self.operator()),
        };
        let token = Token {
            kind,
            text,
            start,
            end: self.end(),
            place: self.place(start),
            branch: self.branches.current(),
        };
        self.lexed.tokens.push(token);
    }

    /// Takes `count` characters.
    fn taken(&mut self, count: usize) -> String {
        let end = (self.next + count).min(self.characters.len());
        let bytes = self.characters[self.next..end].iter();
        let bytes: Vec<u8> = bytes.map(|character| character.byte).collect();
        self.next = end;
        // Bytes of a character above ASCII are taken one by one only inside of quotes, whose text nobody reads.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A string or character in `quote`s, which ends with its line at the latest.
    fn quoted(&mut self, quote: u8) -> String {
        let mut length = 1;
        loop {
            match self.peek(length) {
                None | Some(b'\n') => break,
                Some(b'\\') if self.peek(length + 1) != Some(b'\n') => length += 2,
                Some(character) => {
                    length += 1;
                    if character == quote {
                        break;
                    }
                }
            }
        }
        self.taken(length)
    }

    fn number(&mut self) -> String {
        let mut length = 1;
        while let Some(character) = self.peek(length) {
            let after = self.peek(length + 1);
            length += match character {
                b'e' | b'E' | b'p' | b'P' if matches!(after, Some(b'+' | b'-')) => 2,
                b'\'' if after.is_some_and(is_word_byte) => 2,
                b'.' => 1,
                _ if is_word_byte(character) => 1,
                _ => break,
            };
        }
        self.taken(length)
    }

    fn word_or_prefixed_literal(&mut self) -> (TokenKind, String) {
        let mut length = 1;
        while self.peek(length).is_some_and(is_word_byte) {
            length += 1;
        }
        let word = self.taken(length);
        match (word.as_str(), self.peek(0)) {
            ("R" | "LR" | "uR" | "UR" | "u8R", Some(b'"')) => {
                self.skip_raw_string();
                (TokenKind::Literal, word)
            }
            ("L" | "u" | "U" | "u8", Some(quote @ (b'"' | b'\''))) => {
                (TokenKind::Literal, word + &self.quoted(quote))
            }
            _ => (TokenKind::Word, word),
        }
    }

    /// Goes behind a raw string, from its first quote. In it backslashes join no lines.
    fn skip_raw_string(&mut self) {
        let from = self.position();
        let rest = &self.source[from + 1..];
        let end = rest.find('(').and_then(|open| {
            let closing = format!("){}\"", &rest[..open]);
            Some(from + 1 + rest.find(&closing)? + closing.len())
        });
        let end = end.unwrap_or(self.source.len());
        self.next = self
            .characters
            .partition_point(|character| character.at < end);
    }

    fn operator(&mut self) -> String {
        let ahead: Vec<u8> = (0..3).map_while(|ahead| self.peek(ahead)).collect();
        for (spelling, meaning) in DIGRAPHS {
            // `<::` is `<` and `::`, as in `vector<::name>`.
            if ahead.starts_with(spelling.as_bytes()) && !ahead.starts_with(b"<::") {
                self.taken(spelling.len());
                return meaning.to_owned();
            }
        }
        let long = OPERATORS
            .iter()
            .find(|operator| ahead.starts_with(operator.as_bytes()));
        self.taken(long.map_or(1, |operator| operator.len()))
    }
}

/// Whether a word can hold the byte. Those above ASCII are taken for letters.
const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The characters of a source without the backslashes that continue lines.
fn joined_lines(source: &[u8]) -> Vec<Character> {
    let mut characters = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        match source[at..] {
            [b'\\', b'\n', ..] => at += 2,
            [b'\\', b'\r', b'\n', ..] => at += 3,
            _ => {
                characters.push(Character {
                    byte: source[at],
                    at,
                });
                at += 1;
            }
        }
    }
    characters
}
