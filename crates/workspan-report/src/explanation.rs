//! The background of each diagnosis, for `workspan explain`.

use workspan_model::Diagnosis;

/// What `diagnosis` means, why it costs, how to see it and what to try, as Markdown in lines of at
/// most 80 columns. The first line is a heading with the number and the title.
pub const fn explanation(diagnosis: Diagnosis) -> &'static str {
    match diagnosis {
        Diagnosis::InsufficientParallelism => include_str!("../explanations/ws001.md"),
        Diagnosis::FineTasks => include_str!("../explanations/ws002.md"),
        Diagnosis::SerialCode => include_str!("../explanations/ws003.md"),
        Diagnosis::SkewedChildren => include_str!("../explanations/ws004.md"),
        Diagnosis::ManySteals => include_str!("../explanations/ws005.md"),
        Diagnosis::Serialised => include_str!("../explanations/ws006.md"),
        Diagnosis::FewTasks => include_str!("../explanations/ws007.md"),
        Diagnosis::OverSplitting => include_str!("../explanations/ws008.md"),
        Diagnosis::SerialisingLock => include_str!("../explanations/ws009.md"),
        Diagnosis::WorkInflation => include_str!("../explanations/ws010.md"),
        Diagnosis::FalseSharing => include_str!("../explanations/ws011.md"),
        Diagnosis::RemoteMemory => include_str!("../explanations/ws012.md"),
        Diagnosis::WorkingSet => include_str!("../explanations/ws013.md"),
    }
}

/// Every diagnosis, one per line: its number and its title.
pub fn diagnoses() -> String {
    let titles = Diagnosis::ALL.map(explanation).map(title);
    titles.concat()
}

/// The heading of an explanation, without its mark.
fn title(explanation: &str) -> String {
    let (heading, _) = explanation.split_once('\n').unwrap_or((explanation, ""));
    format!("{}\n", heading.trim_start_matches("# "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_has_the_same_parts() {
        for diagnosis in Diagnosis::ALL {
            let text = explanation(diagnosis);
            let is_heading = |line: &&str| line.trim_start_matches('#').starts_with(' ');
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let headings: Vec<&str> = headings.filter(is_heading).collect();
            assert!(headings[0].starts_with(&format!("# {}: ", diagnosis.number())));
            let parts = [
                "## Why it costs",
                "## How to see it",
                "## What to try",
                "## What the gain assumes",
                "## Try it",
                "## Background",
            ];
            assert_eq!(headings[1..], parts, "{diagnosis}");
            assert!(text.contains("```rust\n// before"), "{diagnosis}");
            assert!(text.lines().all(|line| line.chars().count() <= 100));
        }
    }

    #[test]
    fn the_list_has_a_line_for_each() {
        let list = diagnoses();
        assert_eq!(list.lines().count(), Diagnosis::ALL.len());
        assert!(list.contains("WS002: tasks too fine\n"), "{list}");
    }
}
