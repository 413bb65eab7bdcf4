//! The attribute of the crate `workspan`, which re-exports it and explains regions.

use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

const NOT_A_FUNCTION: &str = "`#[workspan::function]` marks functions only";
const NO_BODY: &str = "`#[workspan::function]` marks functions with a body: this one has none";
const CONSTANT: &str = "a `const fn` cannot be a region: the compiler may run it";
const ASYNCHRONOUS: &str = "an `async fn` cannot be a region: it only makes a future, which may \
    change its thread at every `await`; open `workspan::region` between two of them";
const ARGUMENTS: &str =
    "`#[workspan::function]` takes no arguments; `workspan::region` takes a name";

/// Makes a function a region with the function's name, such as `sorting::List<_>::push`.
///
/// ```ignore
/// #[workspan::function]
/// fn merge(left: &[u32], right: &[u32]) -> Vec<u32> {
///     [left, right].concat()
/// }
/// ```
///
/// Any function with a body can be marked, including methods, generic and `unsafe` functions, but
/// not a `const fn` or an `async fn`.
#[proc_macro_attribute]
pub fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let marked = match arguments.into_iter().next() {
        Some(argument) => Err(Problem(ARGUMENTS, argument.span())),
        None => marked(item.clone()),
    };
    // The item stays, so that the compiler does not report it as missing.
    marked.unwrap_or_else(|problem| [problem.report(), item].into_iter().collect())
}

/// Why a function cannot be marked, and where to report it.
struct Problem(&'static str, Span);

impl Problem {
    fn report(&self) -> TokenStream {
        placed(
            &format!("::core::compile_error! {{ {:?} }}", self.0),
            self.1,
        )
    }
}

/// The function `item` with the guard at the start of its body, which is its last token.
fn marked(item: TokenStream) -> Result<TokenStream, Problem> {
    let mut tokens: Vec<TokenTree> = without_invisible_group(item).into_iter().collect();
    let name = place_of_name(&tokens)?;
    let body = match tokens.pop() {
        Some(TokenTree::Group(last)) => match last.delimiter() {
            Delimiter::Brace => Some(last),
            // A body that a macro passes on is in an invisible group.
            Delimiter::None => match without_invisible_group(last.stream()).into_iter().next() {
                Some(TokenTree::Group(inner)) => Some(inner),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let body = body.ok_or(Problem(NO_BODY, name))?;
    tokens.push(with_guard(&body, name).into());
    Ok(tokens.into_iter().collect())
}

/// The place of the function's name, if `item` is a function that can be marked.
fn place_of_name(item: &[TokenTree]) -> Result<Span, Problem> {
    let word = |wanted: &'static str| move |token: &TokenTree| token.to_string() == wanted;
    let first = item.first().map_or_else(Span::call_site, TokenTree::span);
    let not_a_function = || Problem(NOT_A_FUNCTION, first);
    let keyword = item
        .iter()
        .position(word("fn"))
        .ok_or_else(not_a_function)?;
    let (before, after) = item.split_at(keyword);
    if !before.iter().all(may_precede_fn) {
        return Err(not_a_function());
    }
    for (unfit, message) in [("const", CONSTANT), ("async", ASYNCHRONOUS)] {
        if let Some(unfit) = before.iter().find(|token| word(unfit)(token)) {
            return Err(Problem(message, unfit.span()));
        }
    }
    after.get(1).map(TokenTree::span).ok_or_else(not_a_function)
}

/// Whether `token` may be part of attributes, a visibility, qualifiers or an ABI.
fn may_precede_fn(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(_) | TokenTree::Literal(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == '#',
        TokenTree::Ident(word) => [
            "pub", "crate", "default", "const", "async", "unsafe", "safe", "extern",
        ]
        .contains(&word.to_string().as_str()),
    }
}

/// Turns a body `{ #![…] … }` into `{ #![…] guard { … } }`. Inside their own braces, items of the
/// body still come first.
fn with_guard(body: &Group, name: Span) -> Group {
    let braced = |tokens: TokenStream| {
        let mut group = Group::new(Delimiter::Brace, tokens);
        group.set_span(body.span());
        group
    };
    let mut attributes: Vec<TokenTree> = body.stream().into_iter().collect();
    let is = |token: Option<&TokenTree>, mark| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let mut end = 0;
    while is(attributes.get(end), '#') && is(attributes.get(end + 1), '!') {
        end += 3;
    }
    let rest = attributes.split_off(end);
    let tokens = attributes.into_iter().chain(guard(name));
    let inner = braced(rest.into_iter().collect());
    braced(tokens.chain([inner.into()]).collect())
}

/// `let _region = ::workspan::region_here!();`. The statement has the macro's own span, so that
/// names and lints of the user's code do not see it; the call has the span of the function's name,
/// which makes that the region's place.
fn guard(name: Span) -> TokenStream {
    let own = Span::mixed_site();
    let parts = [
        placed("let _region =", own),
        placed("::workspan::region_here!()", name),
        placed(";", own),
    ];
    parts.into_iter().collect()
}

/// The tokens of `source`, which is not the user's, as if they were at `place`.
fn placed(source: &str, place: Span) -> TokenStream {
    let tokens: TokenStream = source.parse().expect("tokens of Rust");
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(place);
            token
        })
        .collect()
}

/// The stream without the group without delimiters in which a `macro_rules` macro passes on its
/// arguments.
fn without_invisible_group(stream: TokenStream) -> TokenStream {
    let mut tokens = stream.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            without_invisible_group(group.stream())
        }
        _ => stream,
    }
}
