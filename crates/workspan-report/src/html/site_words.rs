//! A site in few words.

use workspan_model::{SiteKind, SiteRow};

use crate::place::{SERIAL_CODE, kind_and_name, place};
use crate::readable::readable;

/// What a site does, and to what.
pub(super) fn label(site: &SiteRow) -> String {
    match site.kind {
        SiteKind::Root => "serial code of the program".to_owned(),
        _ => readable(&kind_and_name(site)),
    }
}

/// Where a site is; empty for the root, which is everywhere.
pub(super) fn place_of(site: &SiteRow) -> String {
    let place = place(site);
    if place == SERIAL_CODE {
        String::new()
    } else {
        readable(&place)
    }
}
