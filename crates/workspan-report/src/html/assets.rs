//! The styles and scripts of the page, joined from the files in `assets/html`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

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
