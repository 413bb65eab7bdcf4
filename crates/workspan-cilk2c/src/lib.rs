//! Cilk to C: the serial elision of a source, with a call at each boundary of a strand.
//!
//! A text goes through here in this order: `lexer` makes tokens and preprocessor lines of it, `source` finds the
//! partners of brackets, `elision` and `brace` find functions, `statement` statements; `spawn`, `task` and `construct`
//! decide what becomes of Cilk's keywords, `text` says it in C; `edits` makes the output. It is pure: who calls it
//! reads and writes the files.
//!
//! Edits add no line and take none away, so that places in the output are those in the source.
#![forbid(unsafe_code)]

mod brace;
mod branch;
mod construct;
mod directive;
mod edits;
mod elision;
mod expression;
mod include;
mod keyword;
mod lexer;
mod place;
mod problem;
mod source;
mod spawn;
mod statement;
mod task;
#[cfg(test)]
mod tests;
mod text;
mod token;

pub use elision::Language;
pub use include::ReadIncluded;
pub use problem::Problem;

use edits::Edits;
use elision::Elision;
use keyword::Keyword;
use source::Source;

/// The serial elision of `text`, which the user calls `file`.
///
/// # Errors
///
/// All constructs that cannot be treated, in the order of their lines.
pub fn serial_elision(
    text: &str,
    file: &str,
    language: Language,
    read_included: &ReadIncluded<'_>,
) -> Result<String, Vec<Problem>> {
    let lexed = lexer::lex(text, file);
    let problems = include::problems(&lexed, read_included);
    if !problems.is_empty() {
        return Err(problems);
    }
    let header = format!(
        "#line 1 {} /* the serial elision, by workspan cilk2c */\n",
        text::string(file)
    );
    if !lexed
        .tokens
        .iter()
        .any(|token| Keyword::from_token(token).is_some())
    {
        let mut edits = Edits::default();
        include::replace_cilk_headers(&lexed, &mut edits);
        return Ok(header + &edits.apply(text));
    }
    let source = Source::new(text, lexed).map_err(|problem| vec![problem])?;
    let mut edits = Elision::of(&source, language)?;
    if include::replace_cilk_headers(&source.lexed, &mut edits) {
        return Ok(header + &edits.apply(text));
    }
    let is_declared = |token: &token::Token| token.is(text::DECLARED);
    if source.lexed.tokens.iter().any(is_declared) {
        return Ok(format!(
            "{}\n{header}{}",
            text::INCLUDE_MACROS,
            edits.apply(text)
        ));
    }
    match include::last_include(&source.lexed) {
        None => Ok(format!("{}\n{header}{}", text::INCLUDE, edits.apply(text))),
        Some(directive) => {
            let line = directive.place.line + 1;
            let file = text::string(&directive.place.file);
            edits.insert(
                directive.bytes.end,
                format!("\n{}\n#line {} {file}", text::INCLUDE, line),
            );
            Ok(header + &edits.apply(text))
        }
    }
}
