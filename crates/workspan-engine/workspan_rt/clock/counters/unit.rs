//! What is counted, in words.

/// What several of the event called `name` are called: `instructions`, `page faults`; `ns` if it is
/// a time, and `events` if the name means something only to those who know the processor.
pub fn unit_of(name: &str) -> String {
    let event = name.split_once('=').map_or(name, |(_, event)| event);
    let plain = event.split(':').next().unwrap_or_default();
    let is_word = |part: char| part.is_ascii_alphanumeric() || part == '-';
    match plain {
        "time" | "task-clock" | "cpu-clock" => "ns".to_owned(),
        "cpu-cycles" => "cycles".to_owned(),
        "ref-cycles" => "reference cycles".to_owned(),
        "branch-instructions" => "branches".to_owned(),
        "cs" => "context switches".to_owned(),
        "faults" => "page faults".to_owned(),
        "migrations" | "cpu-migrations" => "migrations".to_owned(),
        "cycles" | "instructions" | "branches" => plain.to_owned(),
        name if name.contains('-') && name.chars().all(is_word) => name.replace('-', " "),
        _ => "events".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::unit_of;

    #[test]
    fn units_are_plurals_of_what_is_counted() {
        for (name, unit) in [
            ("time", "ns"),
            ("task-clock", "ns"),
            ("page-faults", "page faults"),
            ("L1-dcache-load-misses", "L1 dcache load misses"),
            ("instructions:k", "instructions"),
            ("cpu-cycles", "cycles"),
            ("r20d1", "events"),
            ("own=r20d1", "events"),
            ("own=page-faults:uk", "page faults"),
            ("mem_load_retired.l3_miss", "events"),
        ] {
            assert_eq!(unit_of(name), unit);
        }
    }
}
