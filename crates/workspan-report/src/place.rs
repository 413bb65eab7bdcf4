//! Where a site stands, in words.

use workspan_model::{Location, SiteKind, SiteRow, SiteSpread};

/// The root's place.
pub(crate) const SERIAL_CODE: &str = "(serial code of the program)";

/// The root's place where there is little room.
pub(crate) const SERIAL_CODE_SHORT: &str = "(serial code)";

/// The place of a site, in the best words there are: its location, or what is known of its name.
pub(crate) fn place(row: &SiteRow) -> String {
    in_words(row.kind, &row.location, &row.function, &row.detail)
}

/// The place of a site of several runs.
pub(crate) fn place_of_spread(site: &SiteSpread) -> String {
    in_words(site.kind, &site.location, &site.function, &site.detail)
}

fn in_words(
    kind: SiteKind,
    location: &Option<Location>,
    function: &Option<String>,
    detail: &Option<String>,
) -> String {
    if kind == SiteKind::Root {
        return SERIAL_CODE.to_owned();
    }
    match (location, function, detail) {
        (Some(location), _, _) => location.to_string(),
        (None, Some(function), _) => function.clone(),
        (None, None, Some(detail)) => detail.clone(),
        (None, None, None) => "(unknown)".to_owned(),
    }
}

/// A site as the object of a sentence.
pub(crate) fn phrase(row: &SiteRow) -> String {
    match row.kind {
        SiteKind::Root => "the serial code of the program".to_owned(),
        SiteKind::Thread => format!("the thread started at {}", place(row)),
        kind => format!("the {kind} at {}", place(row)),
    }
}
