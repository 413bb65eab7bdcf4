//! The shell of the page.

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use crate::notation::readable::is_hidden;

/// Version of the data in a page. Keys may be added within a version.
pub const HTML_DATA_VERSION: u32 = 1;

/// Writes the page around `data`, which is JSON. The page loads nothing: its policy allows only
/// these styles and scripts, and images in the page itself.
pub(super) fn write(data: &str, output: &mut dyn io::Write) -> io::Result<()> {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        source_of(SCRIPT),
        source_of(STYLE),
    );
    write!(
        output,
        r##"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="workspan">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23c2410c' d='M1 7h14v2H1zM3 3h6v2H3zM6 11h7v2H6z'/%3E%3C/svg%3E">
<title>workspan report</title>
<style>{STYLE}</style>
</head>
<body>
<noscript><p class="noscript">This report lays its figures out by a script, which this browser does not run. The same figures: <code>workspan report FILE.wsp</code>.</p></noscript>
<script type="application/json" id="data">{data}</script>
<script type="module">{SCRIPT}</script>
</body>
</html>
"##,
        data = embedded(data),
    )
}

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

macro_rules! joined {
    ($($name:literal),* $(,)?) => {
        concat!($(include_str!(concat!("../../assets/html/", $name)), "\n"),*)
    };
}

/// All styles.
pub(super) const STYLE: &str = joined![
    "vendor/uplot.css",
    "base.css",
    "layout.css",
    "overview.css",
    "chart.css",
    "table.css",
    "flame.css",
    "code.css",
    "what-if.css",
    "dag.css",
    "workers.css",
    "help.css",
    "print.css",
];

/// All scripts, as one module. The order matters only for constants: functions may call what comes
/// below.
pub(super) const SCRIPT: &str = joined![
    "vendor/uplot.js",
    "data.js",
    "element.js",
    "figures.js",
    "help.js",
    "route.js",
    "place.js",
    "palette.js",
    "chart.js",
    "speedup-chart.js",
    "span-bar.js",
    "overview.js",
    "table.js",
    "sites.js",
    "site-details.js",
    "flame.js",
    "code.js",
    "what-if.js",
    "dag.js",
    "workers.js",
    "regions.js",
    "locks.js",
    "main.js",
];

/// A source for a content-security policy that allows this text alone, by its hash.
pub(super) fn source_of(text: &str) -> String {
    let digest = Sha256::digest(text);
    format!("'sha256-{}'", BASE64_STANDARD.encode(digest))
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

#[cfg(test)]
mod assets_tests {
    use super::*;

    #[test]
    fn a_source_is_the_hash_of_the_text() {
        // `printf abc | openssl dgst -sha256 -binary | base64`
        let expected = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert_eq!(source_of("abc"), expected);
    }

    #[test]
    fn vendored_files_are_unchanged() {
        let files = [
            (
                "uplot.js",
                include_str!("../../assets/html/vendor/uplot.js"),
            ),
            (
                "uplot.css",
                include_str!("../../assets/html/vendor/uplot.css"),
            ),
            (
                "uplot.licence",
                include_str!("../../assets/html/vendor/uplot.licence"),
            ),
        ];
        let sums = include_str!("../../assets/html/vendor/sha256sums");
        assert_eq!(sums.lines().count(), files.len());
        for (name, text) in files {
            let digest = Sha256::digest(text);
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(sums.contains(&format!("{hex}  {name}")), "{name} is {hex}");
        }
    }

    #[test]
    fn assets_do_not_close_their_element() {
        for text in [STYLE, SCRIPT] {
            let text = text.to_lowercase();
            for end in ["</script", "</style", "<!--"] {
                assert!(!text.contains(end), "{end}");
            }
        }
    }
}
