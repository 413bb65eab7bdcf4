//! The shell of the page.

use std::io;

use super::assets::{SCRIPT, STYLE, source_of};
use super::embedded::embedded;

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
