//! Lines of the preprocessor that concern Cilk: headers, macros.

use super::directive::Directive;
use super::edits::Edits;
use super::keyword::Keyword;
use super::lexer::{Lexed, lex};
use super::problem::{Problem, What};
use super::text;

/// Headers that make Cilk's keywords known.
const KEYWORD_HEADERS: [&str; 3] = ["cilk/cilk.h", "cilk/cilk_stub.h", "cilk.h"];

/// How the files are read that a source includes by `"name"`: the text of the file, as the compiler will find it.
pub type ReadIncluded<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Puts workspan's header where Cilk's was. Returns whether the place is one that every compilation passes.
pub(super) fn replace_cilk_headers(lexed: &Lexed, edits: &mut Edits) -> bool {
    let mut is_always_there = false;
    for directive in &lexed.directives {
        if directive
            .included()
            .is_some_and(|name| KEYWORD_HEADERS.contains(&name))
        {
            edits.replace(directive.bytes.clone(), text::INCLUDE);
            is_always_there |= lexed.branches[directive.branch].depth == 0;
        }
    }
    is_always_there
}

/// The last `#include` that every compilation passes, before the first keyword and outside of all braces.
pub(super) fn last_include(lexed: &Lexed) -> Option<&Directive> {
    let first_keyword = lexed
        .tokens
        .iter()
        .position(|token| Keyword::from_token(token).is_some())?;
    let first_brace = lexed.tokens.iter().position(|token| token.is("{"));
    let limit = first_brace.map_or(first_keyword, |brace| brace.min(first_keyword));
    let mut before = lexed
        .directives
        .iter()
        .filter(|directive| directive.tokens_before <= limit);
    before.rfind(|directive| {
        directive.included().is_some() && lexed.branches[directive.branch].depth == 0
    })
}

/// Keywords in macros, headers of reducers, and included files with keywords.
pub(super) fn problems(lexed: &Lexed, read: &ReadIncluded<'_>) -> Vec<Problem> {
    let of = |directive: &Directive| -> Option<Problem> {
        if let Some((name, keyword)) = macro_with_keyword(directive) {
            let what = What::InMacro(keyword.to_owned(), name.to_owned());
            return Some(Problem::new(&directive.place, what));
        }
        let included = directive.included()?;
        let is_of_reducers = included.starts_with("cilk/")
            && (included.contains("reducer") || included.contains("hyperobject"));
        if is_of_reducers {
            return Some(Problem::new(
                &directive.place,
                What::OldReducer(included.to_owned()),
            ));
        }
        let is_own = directive.rest.starts_with('"') && !KEYWORD_HEADERS.contains(&included);
        let text = is_own.then(|| read(included))??;
        let (keyword, line) = first_keyword(&text)?;
        let file = included.to_owned();
        Some(Problem::new(
            &directive.place,
            What::Included {
                file,
                keyword,
                line,
            },
        ))
    };
    lexed.directives.iter().filter_map(of).collect()
}

/// The first keyword in the text of an included file, and its line.
fn first_keyword(text: &str) -> Option<(String, u32)> {
    let lexed = lex(text, "");
    let in_code = lexed
        .tokens
        .iter()
        .find(|token| Keyword::from_token(token).is_some());
    let in_code = in_code.map(|token| (token.text.clone(), token.place.line));
    let in_macro = lexed.directives.iter().find_map(|directive| {
        let (_, keyword) = macro_with_keyword(directive)?;
        Some((keyword.to_owned(), directive.place.line))
    });
    in_code.or(in_macro)
}

/// The macro that is defined, and the first keyword in what it stands for.
fn macro_with_keyword(directive: &Directive) -> Option<(&str, &str)> {
    let (name, body) = directive.defined()?;
    // `#define cilk_spawn` is an elision of the user's own: nothing of it is left to expand.
    let keyword = Keyword::in_text(body).filter(|_| Keyword::from_word(name).is_none())?;
    Some((name, keyword))
}
