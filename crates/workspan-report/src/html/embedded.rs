//! JSON inside an element of a page.

use crate::readable::is_hidden;

/// `json` with escapes for characters that could end the element around it, end a line within a
/// string, or turn the direction of the text. It stays the same JSON: these characters only occur
/// in strings, where escapes mean the same.
pub(super) fn embedded(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        let is_markup = matches!(character, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        if is_markup || is_hidden(character) {
            text.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::embedded;

    #[test]
    fn markup_is_escaped_and_stays_the_same_text() {
        let hostile = "</script><!-- &amp; \u{2028}\u{2029}\u{202e} \"quoted\" \\ \u{0} 🦀";
        let json = serde_json::to_string(hostile).unwrap();
        let text = embedded(&json);
        assert!(
            !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{202e}']),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
