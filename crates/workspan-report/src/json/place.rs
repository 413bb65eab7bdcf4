//! Places in the source, in the JSON report.

use workspan_model::Location;

use crate::object::{Document, object};

/// A place whose column is 0 if it is not known.
pub(super) fn place(place: Option<&Location>) -> impl Document {
    with_column(place, place.map(|place| place.column))
}

/// A place whose column is `null` if it is not known.
pub(super) fn place_of_function(place: Option<&Location>) -> impl Document {
    with_column(place, known_column(place))
}

/// The column of a place, if it is known.
pub(super) fn known_column(place: Option<&Location>) -> Option<u32> {
    let column = place?.column;
    (column > 0).then_some(column)
}

fn with_column(place: Option<&Location>, shown_column: Option<u32>) -> impl Document {
    object! {
        /// `file:line:column`; null for the root, and where symbols do not give one
        location: place.map(ToString::to_string),
        /// The file, as the compiler named it
        file: place.map(|place| &place.file),
        /// The line, from 1
        line: place.map(|place| place.line),
        /// The column, from 1; 0 when not known
        column: shown_column,
    }
}
