//! Sentences kept as lines of a text: `key: sentence`, with places for figures.

use crate::notation::figures::NONE;

/// The line of `key`.
pub(super) fn line<'a>(lines: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = lines.lines();
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

/// Words for what the model tells apart.
const WORDS: &str = include_str!("../../explanations/words.txt");

/// What the `kind` of this name is called; nothing if there is no such.
pub(crate) fn words(kind: &str, name: &str) -> &'static str {
    line(WORDS, &format!("{kind} {name}")).unwrap_or_default()
}

/// The sentence of this kind and name, with values for its places.
macro_rules! said {
    ($kind:literal, $name:expr $(, $place:ident = $value:expr)* $(,)?) => {{
        let sentence = $crate::sentences::words($kind, $name);
        debug_assert_ne!(sentence, "", "{} {}", $kind, $name);
        $crate::sentences::filled(sentence, &|place| match place {
            $(stringify!($place) => Some($value.to_string()),)*
            _ => None,
        })
    }};
}

pub(crate) use said;

/// The sentence with its places, `{name}`, filled by the values of their names. A piece in brackets
/// needs all of its values; what follows `|` in it is for when one is unknown.
pub(crate) fn filled(sentence: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let whole = |text: &str| {
        with_places(text, &|name| {
            Some(value(name).unwrap_or_else(|| NONE.to_owned()))
        })
    };
    let mut filled = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('[') {
        let (piece, after) = after.split_once(']').unwrap_or((after, ""));
        let (known, unknown) = piece.split_once('|').unwrap_or((piece, ""));
        let piece = with_places(known, value).or_else(|| whole(unknown));
        filled.extend(whole(before).into_iter().chain(piece));
        rest = after;
    }
    filled + &whole(rest).unwrap_or_default()
}

fn with_places(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        filled.extend([before, &value(name)?]);
        rest = after;
    }
    Some(filled + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_and_unknown_pieces_left_out() {
        let value = |name: &str| (name == "known").then(|| "7".to_owned());
        let filled = |sentence| filled(sentence, &value);
        assert_eq!(filled("of {known} in all"), "of 7 in all");
        assert_eq!(filled("a[, {known} b][, {unknown} c] d"), "a, 7 b d");
        assert_eq!(filled("[{unknown} a|no {known}]."), "no 7.");
        assert_eq!(filled("{unknown}"), "–");
        assert_eq!(line("a: b\na c: d: e", "a c"), Some("d: e"));
        assert_eq!(line("a: b", "b"), None);
    }

    #[test]
    fn everything_has_its_words() {
        use workspan_model::{Curvature, Judgement, LostTo, Pinning, SlowdownCause};
        let all = [
            (
                "cause",
                SlowdownCause::ALL.map(SlowdownCause::name).to_vec(),
            ),
            ("gap", LostTo::ALL.map(LostTo::name).to_vec()),
            ("lost_to", LostTo::ALL.map(LostTo::name).to_vec()),
            ("pinning", Pinning::ALL.map(Pinning::name).to_vec()),
            ("curvature", Curvature::ALL.map(Curvature::name).to_vec()),
            ("judgement", Judgement::ALL.map(Judgement::name).to_vec()),
        ];
        for (kind, names) in all {
            for name in names {
                assert_ne!(words(kind, name), "", "{kind} {name}");
            }
        }
        let schema = include_str!("../json/document.rs");
        let (_, notes) = schema.split_once("\"no_parallel_construct\"").unwrap();
        let (notes, _) = notes.split_once(']').unwrap();
        let notes = notes.split('"').filter(|name| {
            name.chars()
                .all(|letter| letter.is_lowercase() || letter == '_')
        });
        for name in notes.filter(|name| !name.is_empty() && *name != "unexplained") {
            assert_ne!(words("note", name), "", "{name}");
        }
    }
}
