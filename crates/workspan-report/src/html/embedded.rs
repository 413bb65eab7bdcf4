//! JSON inside of an element of a page.

/// `json` without what could end the element around it, or a line within a string. It stays the same JSON: the characters stand
/// in strings only, where escapes mean the same.
pub(super) fn embedded(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            character => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::embedded;

    #[test]
    fn markup_is_no_markup_and_the_same_text() {
        let hostile = "</script><!-- &amp; \u{2028}\u{2029} \"quoted\" \\ \u{0} 🦀";
        let json = serde_json::to_string(hostile).unwrap();
        let text = embedded(&json);
        assert!(
            !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
