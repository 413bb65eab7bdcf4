//! What an opening brace opens.

use std::ops::Range;

use super::source::Source;
use super::token::TokenKind;

/// What stands in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Brace {
    /// Declarations: of a namespace, a class or `extern "C"`. Its name may be empty.
    Declarations(String),
    /// The body of a function: its name, and the token where that is.
    Function(String, usize),
    /// The body of a lambda.
    Lambda,
    /// Values, enumerators, or what is not understood.
    Other,
}

const CLASS_KEYS: [&str; 3] = ["class", "struct", "union"];

/// Words before `(` that make no name of a function.
const NO_NAMES: [&str; 13] = [
    "__attribute__",
    "__attribute",
    "__declspec",
    "_Alignas",
    "alignas",
    "decltype",
    "explicit",
    "noexcept",
    "requires",
    "throw",
    "__asm__",
    "asm",
    "_Static_assert",
];

/// What the brace `open` opens, among declarations, after the tokens `head` of the same declaration.
pub(super) fn among_declarations(source: &Source<'_>, head: Range<usize>, open: usize) -> Brace {
    if is_lambda_body(source, open) {
        return Brace::Lambda;
    }
    let first = after_template(source, head.clone());
    if let Some(name) = class_name(source, first..open) {
        return Brace::Declarations(name);
    }
    if source.is(first, "namespace")
        || source.is(first, "inline") && source.is(first + 1, "namespace")
    {
        let begin = first + 1 + usize::from(source.is(first, "inline"));
        return Brace::Declarations(source.joined(begin..open));
    }
    if source.is(first, "extern") && first + 2 == open {
        return Brace::Declarations(String::new());
    }
    if source.is(first, "enum")
        || has_initializer(source, first..open)
        || is_member_initializer(source, first..open)
    {
        return Brace::Other;
    }
    function_name(source, first..open).map_or(Brace::Other, |(name, at)| Brace::Function(name, at))
}

/// The name of the class that is defined in the brace after `head`.
pub(super) fn class_name(source: &Source<'_>, head: Range<usize>) -> Option<String> {
    let mut at = head.start;
    while source.is_any(
        at,
        &[
            "typedef",
            "static",
            "const",
            "extern",
            "inline",
            "constexpr",
            "export",
        ],
    ) {
        at += 1;
    }
    if !CLASS_KEYS.iter().any(|key| source.is(at, key)) {
        return None;
    }
    at = after_attributes(source, at + 1);
    let begin = at;
    while at < head.end && (source.is_word(at) && !source.is(at, "final") || source.is(at, "::")) {
        at += 1;
        if source.is(at, "<") {
            at = source.after_angles(at, head.end)?;
        }
    }
    let name = begin..at;
    while source.is(at, "final") {
        at += 1;
    }
    (at == head.end || source.is(at, ":")).then(|| source.joined(name))
}

/// The token after attributes at `at`.
pub(super) fn after_attributes(source: &Source<'_>, mut at: usize) -> usize {
    loop {
        if source.is(at, "[") && source.is(at + 1, "[") {
            at = source.after(at);
        } else if source.is_any(
            at,
            &[
                "__attribute__",
                "__declspec",
                "alignas",
                "_Alignas",
                "_Pragma",
            ],
        ) && source.is(at + 1, "(")
        {
            at = source.after(at + 1);
        } else if source.is(at, "__extension__") {
            at += 1;
        } else {
            return at;
        }
    }
}

fn after_template(source: &Source<'_>, head: Range<usize>) -> usize {
    let mut at = after_attributes(source, head.start);
    while at < head.end && source.is(at, "template") && source.is(at + 1, "<") {
        match source.after_angles(at + 1, head.end) {
            Some(after) => at = after_attributes(source, after),
            None => return at,
        }
    }
    at
}

/// Whether `=` makes what follows values.
fn has_initializer(source: &Source<'_>, head: Range<usize>) -> bool {
    let mut at = head.start;
    while at < head.end {
        if source.is(at, "=") && !(at > 0 && source.is(at - 1, "operator")) {
            return true;
        }
        at = source.after(at);
    }
    false
}

/// Whether the brace after `head` holds the values of a member, as in `Point() : x{1} {}`.
fn is_member_initializer(source: &Source<'_>, head: Range<usize>) -> bool {
    const AFTER_PARAMETERS: [&str; 7] = [
        "const", "noexcept", "override", "final", "volatile", "try", "mutable",
    ];
    let Some(last) = head.end.checked_sub(1) else {
        return false;
    };
    let ends_with_name =
        source.is_word(last) && !source.is_any(last, &AFTER_PARAMETERS) || source.is(last, ">");
    let mut at = head.start;
    while ends_with_name && at < head.end {
        if source.is(at, ")") || source.is(at, "(") {
            at = source.after(at);
            while source.is_any(at, &AFTER_PARAMETERS) {
                at += 1;
            }
            if source.is(at, ":") {
                return true;
            }
        } else {
            at = source.after(at);
        }
    }
    false
}

/// The name of the function whose parameters are in `head`.
fn function_name(source: &Source<'_>, head: Range<usize>) -> Option<(String, usize)> {
    let mut at = head.start;
    while at < head.end {
        if source.is(at, "operator") {
            let call = usize::from(source.is(at + 1, "(")) * 2;
            let parameters = (at + 1 + call..head.end).find(|index| source.is(*index, "("))?;
            let start = name_start(source, at);
            return Some((source.joined(start..parameters), start));
        }
        let is_name = at > head.start
            && source.is(at, "(")
            && source.is_word(at - 1)
            && !source.is_any(at - 1, &NO_NAMES);
        if is_name {
            let start = name_start(source, at - 1);
            return Some((source.joined(start..at), start));
        }
        at = source.after(at);
    }
    None
}

/// The first token of the qualified name whose last token is `at`.
fn name_start(source: &Source<'_>, mut at: usize) -> usize {
    if at > 0 && source.is(at - 1, "~") {
        at -= 1;
    }
    while at > 1 && source.is(at - 1, "::") {
        let mut scope = at - 2;
        if source.is(scope, ">") {
            let mut depth = 0_usize;
            loop {
                depth += usize::from(source.is(scope, ">"));
                depth -= usize::from(source.is(scope, "<"));
                if scope == 0 || depth == 0 {
                    break;
                }
                scope -= 1;
            }
            scope = scope.saturating_sub(1);
        }
        if !source.is_word(scope) {
            break;
        }
        at = scope;
    }
    at
}

/// Whether the brace `open` begins the body of a lambda.
pub(super) fn is_lambda_body(source: &Source<'_>, open: usize) -> bool {
    let Some(mut last) = open.checked_sub(1) else {
        return false;
    };
    if let Some(arrow) = arrow_before(source, open) {
        last = arrow - 1;
    }
    loop {
        if source.is_any(last, &["mutable", "constexpr", "noexcept"]) && last > 0 {
            last -= 1;
        } else if source.is(last, ")")
            && source.partner(last) > 1
            && source.is(source.partner(last) - 1, "noexcept")
        {
            last = source.partner(last) - 2;
        } else {
            break;
        }
    }
    if source.is(last, ")") {
        let Some(before) = source.before(last) else {
            return false;
        };
        last = match source.is(before, ">") {
            // `[]<typename T>(T value) {`
            true => match (0..before).rev().take(40).find(|at| source.is(*at, "]")) {
                Some(introducer) if source.is(introducer + 1, "<") => introducer,
                _ => return false,
            },
            false => before,
        };
    }
    source.is(last, "]") && is_lambda_introducer(source, source.partner(last))
}

/// The `->` of the type that a lambda whose body begins at `open` returns.
fn arrow_before(source: &Source<'_>, open: usize) -> Option<usize> {
    let mut at = open.checked_sub(1)?;
    for _ in 0..40 {
        if source.is(at, "->") {
            return (at > 0).then_some(at);
        }
        let is_of_type =
            source.is_word(at) || source.is_any(at, &["::", "<", ">", "*", "&", "&&", ",", ")"]);
        if !is_of_type {
            return None;
        }
        at = source.before(at)?;
    }
    None
}

/// Whether the bracket `open` begins what a lambda captures, and is no index.
pub(super) fn is_lambda_introducer(source: &Source<'_>, open: usize) -> bool {
    let Some(before) = open.checked_sub(1) else {
        return true;
    };
    if source.is(open + 1, "[") || source.is(before, "[") {
        return false;
    }
    let token = source.token(before);
    match token.kind {
        TokenKind::Word => matches!(
            token.text.as_str(),
            "return"
                | "case"
                | "else"
                | "do"
                | "throw"
                | "cilk_spawn"
                | "_Cilk_spawn"
                | "co_return"
                | "co_yield"
        ),
        TokenKind::Punctuation => !matches!(token.text.as_str(), ")" | "]"),
        _ => false,
    }
}
