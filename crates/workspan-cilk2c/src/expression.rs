//! Expressions, as far as their tokens tell: calls, arguments, left sides.

use std::ops::Range;

use super::keyword::Keyword;
use super::source::Source;
use super::token::TokenKind;

/// Words before `(` that call nothing.
const NO_CALLS: [&str; 9] = [
    "sizeof",
    "alignof",
    "_Alignof",
    "__alignof__",
    "decltype",
    "typeof",
    "__typeof__",
    "noexcept",
    "offsetof",
];

/// The parenthesis of the arguments, if the tokens in `range` are a call and nothing else.
pub(super) fn arguments_of_call(source: &Source<'_>, range: Range<usize>) -> Option<usize> {
    let last = range
        .end
        .checked_sub(1)
        .filter(|last| range.contains(last))?;
    if !source.is(last, ")") {
        return None;
    }
    let open = source.partner(last);
    (open > range.start && is_callee(source, range.start..open)).then_some(open)
}

/// Whether the tokens name one thing that can be called: `f`, `a.b[i]->c<int>`, `(*f)`, `[&] { … }`.
fn is_callee(source: &Source<'_>, range: Range<usize>) -> bool {
    const NO_NAMES: [&str; 6] = ["new", "delete", "throw", "sizeof", "co_await", "return"];
    let mut at = range.start;
    let mut wants_name = true;
    while at < range.end {
        let token = source.token(at);
        if token.is("[") && wants_name {
            match (at..range.end).find(|body| source.is(*body, "{")) {
                Some(body) => at = source.after(body),
                None => return false,
            }
            wants_name = false;
        } else if token.is("(") || token.is("[") || token.is("{") {
            if wants_name && !token.is("(") {
                return false;
            }
            at = source.after(at);
            wants_name = false;
        } else if token.is_word() {
            if !wants_name || NO_NAMES.contains(&token.text.as_str()) {
                return false;
            }
            wants_name = token.is("template");
            at += 1;
            if source.is(at, "<") && at < range.end {
                match source.after_angles(at, range.end) {
                    Some(after) => at = after,
                    None => return false,
                }
            }
        } else if ["::", ".", "->", ".*", "->*"]
            .iter()
            .any(|text| token.is(text))
        {
            wants_name = true;
            at += 1;
        } else {
            return false;
        }
    }
    !wants_name
}

/// The arguments, in the parentheses that begin at `open`, that call something: their work is the spawner's.
///
/// None where commas may be of template arguments.
pub(super) fn arguments_with_calls(source: &Source<'_>, open: usize) -> Vec<Range<usize>> {
    let close = source.partner(open);
    let mut arguments = Vec::new();
    let mut start = open + 1;
    let mut at = start;
    while at <= close {
        if at == close || source.is(at, ",") {
            arguments.push(start..at);
            start = at + 1;
            at = start;
        } else {
            at = source.after(at);
        }
    }
    if arguments
        .iter()
        .any(|argument| has_angles(source, argument))
    {
        return Vec::new();
    }
    arguments.retain(|argument| has_call(source, argument) && can_move(source, argument));
    arguments
}

/// Whether the argument has `<` or `>` without a partner.
fn has_angles(source: &Source<'_>, argument: &Range<usize>) -> bool {
    let count = |text| argument.clone().filter(|at| source.is(*at, text)).count();
    count("<") != count(">")
}

fn has_call(source: &Source<'_>, argument: &Range<usize>) -> bool {
    argument.clone().skip(1).any(|at| {
        let before = source.token(at - 1);
        let is_called = match before.kind {
            TokenKind::Word => !NO_CALLS.contains(&before.text.as_str()),
            TokenKind::Punctuation => [")", "]", ">"].iter().any(|text| before.is(text)),
            _ => false,
        };
        source.is(at, "(") && is_called
    }) || argument.clone().any(|at| source.is(at, "new"))
}

/// Whether the argument may be given another name: no braces, packs, keywords of Cilk or lines of the preprocessor.
fn can_move(source: &Source<'_>, argument: &Range<usize>) -> bool {
    let bytes = source.token(argument.start).start..source.token(argument.end - 1).end;
    let has_directive = source
        .lexed
        .directives
        .iter()
        .any(|directive| bytes.contains(&directive.bytes.start));
    let is_movable = |at: usize| {
        !source.is_any(at, &["{", "...", "co_await"])
            && Keyword::from_token(source.token(at)).is_none()
    };
    !has_directive && argument.clone().all(is_movable)
}

/// Whether the left side of an assignment or a declaration gives more than one value: `a = 1, b`, `a = b`, `c ? a : b`.
pub(super) fn has_several_values(source: &Source<'_>, left: Range<usize>) -> bool {
    let mut at = left.start;
    while at < left.end {
        let is_several = source.is_any(
            at,
            &[
                ",",
                "?",
                "=",
                "&&",
                "||",
                "+=",
                "-=",
                "return",
                "throw",
                "co_return",
                "co_yield",
            ],
        );
        // `T&& x = …` declares.
        if is_several && !(source.is(at, "&&") && at + 2 == left.end) {
            return true;
        }
        at = match source.is(at + 1, "<") && source.is_word(at) {
            true => source.after_angles(at + 1, left.end).unwrap_or(at + 1),
            false => source.after(at),
        };
    }
    false
}

/// Whether `left`, before `=`, declares a variable: no expression has a name right after another.
pub(super) fn is_declared(source: &Source<'_>, left: Range<usize>) -> bool {
    if source.is(left.start, "auto") {
        return true;
    }
    let mut at = left.start;
    let mut follows_name = false;
    while at < left.end {
        if source.is_word(at) {
            if follows_name {
                return true;
            }
            at += 1;
            if source.is(at, "<") {
                at = source.after_angles(at, left.end).unwrap_or(at + 1);
            }
            follows_name = true;
        } else if follows_name && source.is_any(at, &["*", "&", "&&"]) {
            return true;
        } else {
            follows_name = source.is_any(at, &["(", "["]) && at > left.start;
            // `(*p)`, `a[i]` are followed by no name, `__typeof__(a) b` is.
            at = source.after(at);
        }
    }
    false
}
