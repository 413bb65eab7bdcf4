//! Where a site stands, in words.

use workspan_model::{SiteKind, SiteRow};

/// The root's place.
pub(crate) const SERIAL_CODE: &str = "(serial code of the program)";

/// The root's place where there is little room.
pub(crate) const SERIAL_CODE_SHORT: &str = "(serial code)";

/// The place of a site, in the best words there are: its location, or what is known of its name.
pub(crate) fn place(row: &SiteRow) -> String {
    if row.kind == SiteKind::Root {
        return SERIAL_CODE.to_owned();
    }
    match (&row.location, &row.function, &row.detail) {
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
