//! Where a site is, in words.

use workspan_model::{Caller, FunctionRow, Location, SiteKind, SiteRow};

/// The root's place.
pub(crate) const SERIAL_CODE: &str = "(serial code of the program)";

/// The root's place if there is little room.
pub(crate) const SERIAL_CODE_SHORT: &str = "(serial code)";

/// The place of a site, in the best words there are: its location, or what is known of its name.
pub(crate) fn place(row: &SiteRow) -> String {
    if row.kind == SiteKind::Root {
        return SERIAL_CODE.to_owned();
    }
    if let Some(location) = &row.location {
        return location.to_string();
    }
    let words = [&row.name, &row.function, &row.detail];
    let known = words.into_iter().find_map(Option::as_deref);
    known.unwrap_or("(unknown)").to_owned()
}

/// What a site does, and to what: `join`, `fn partition`, `region sort`.
pub(crate) fn kind_and_name(row: &SiteRow) -> String {
    match (row.kind, &row.name) {
        (SiteKind::Function, Some(name)) => format!("fn {}", short_name(name)),
        (SiteKind::Region, Some(name)) => format!("region {name}"),
        (kind, _) => kind.noun().to_owned(),
    }
}

/// A function's name without the modules it is in: `partition`, `Queue::push`, `fib::{closure}`.
pub(crate) fn short_name(name: &str) -> String {
    let segments: Vec<&str> = name.split("::").collect();
    let own = segments
        .iter()
        .rposition(|segment| !segment.starts_with('{'))
        .unwrap_or(0);
    let type_before = own
        .checked_sub(1)
        .filter(|&before| segments[before].starts_with(char::is_uppercase));
    segments[type_before.unwrap_or(own)..].join("::")
}

/// A site as the object of a sentence.
pub(crate) fn phrase(row: &SiteRow) -> String {
    match (row.kind, &row.name) {
        (SiteKind::Root, _) => "the serial code of the program".to_owned(),
        (SiteKind::Thread, _) => format!("the thread started at {}", place(row)),
        (SiteKind::Function, Some(name)) => match &row.location {
            Some(location) => format!("the call of {name} at {location}"),
            None => format!("the calls of {name}"),
        },
        (SiteKind::Region, Some(name)) => match &row.location {
            Some(location) => format!("the region {name} at {location}"),
            None => format!("the region {name}"),
        },
        (kind, _) => format!("the {kind} at {}", place(row)),
    }
}

/// The code that a site runs, for a sentence that says where time went.
pub(crate) fn code_of(row: &SiteRow) -> String {
    match (row.kind, &row.name, &row.location) {
        (SiteKind::Root, ..) => phrase(row),
        (SiteKind::Function, Some(name), Some(location)) => {
            format!("code of {name}, called at {location}")
        }
        (SiteKind::Function, Some(name), None) => format!("code of {name}"),
        (SiteKind::Region, ..) => format!("code of {}", phrase(row)),
        _ => format!("code run by {}", phrase(row)),
    }
}

/// Stands for code that no function of the user's is known to have called.
const UNKNOWN_CALLER: &str = "library code whose caller is not known";

/// A function, with the place of its definition.
pub(crate) fn function(row: &FunctionRow) -> String {
    with_line(row.function.as_deref(), &row.definition)
}

/// A function, with the place of its definition and the line to look at: that from which it is called
/// for most of its time, or else that on which it spends most; of the span if `of_span`, else of the
/// work.
pub(crate) fn function_and_line(row: &FunctionRow, of_span: bool) -> String {
    let is_closure = row
        .function
        .as_deref()
        .is_some_and(|name| name.contains("{closure"));
    let call = row
        .main_call(of_span)
        .filter(|_| !row.parallel && !is_closure);
    let defined = |line: &&Location| {
        let definition = row.definition.as_ref();
        definition.is_none_or(|place| (&place.file, place.line) != (&line.file, line.line))
    };
    let name = function(row);
    match (call, row.main_line(of_span).filter(defined)) {
        (Some(Location { file, line, .. }), _) => format!("{name}, called at {file}:{line}"),
        (None, Some(line)) => format!("{name}, most of it at {line}"),
        (None, None) => name,
    }
}

/// A calling function, with the place of the call.
pub(crate) fn caller(caller: &Caller) -> String {
    with_line(caller.function.as_deref(), &caller.location)
}

fn with_line(function: Option<&str>, location: &Option<Location>) -> String {
    match (function, location) {
        (None, _) => UNKNOWN_CALLER.to_owned(),
        (Some(function), None) => function.to_owned(),
        (Some(function), Some(location)) => {
            format!("{function} ({}:{})", location.file, location.line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn modules_are_left_out_of_names() {
        let cases = [
            ("partition", "partition"),
            ("quicksort::partition", "partition"),
            ("app::deep::down::partition", "partition"),
            ("app::queue::Queue::push", "Queue::push"),
            ("Queue::push", "Queue::push"),
            ("app::fib::{closure}", "fib::{closure}"),
            (
                "app::fib::{closure}::{closure}",
                "fib::{closure}::{closure}",
            ),
            ("app::Queue::push::{closure}", "Queue::push::{closure}"),
            ("{closure}", "{closure}"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(short_name(name), expected);
        }
    }
}
