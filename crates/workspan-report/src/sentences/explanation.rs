//! The background of each diagnosis, for `workspan explain`.

use workspan_model::Diagnosis;

macro_rules! explanations {
    ($($diagnosis:ident $file:literal)*) => {
        /// What a diagnosis means, with the lines of its code that only the compiler reads.
        const fn source(diagnosis: Diagnosis) -> &'static str {
            match diagnosis {
                $(Diagnosis::$diagnosis => include_str!(concat!("../../explanations/", $file)),)*
            }
        }

        /// The code of the explanations, which has to compile.
        #[cfg(doctest)]
        mod compiled {
            $(
                #[doc = include_str!(concat!("../../explanations/", $file))]
                struct $diagnosis;
            )*
        }
    };
}

explanations! {
    InsufficientParallelism "ws001.md"
    FineTasks "ws002.md"
    SerialCode "ws003.md"
    SkewedChildren "ws004.md"
    ManySteals "ws005.md"
    Serialised "ws006.md"
    FewTasks "ws007.md"
    OverSplitting "ws008.md"
    SerialisingLock "ws009.md"
    WorkInflation "ws010.md"
    FalseSharing "ws011.md"
    RemoteMemory "ws012.md"
    WorkingSet "ws013.md"
}

/// What `diagnosis` means, why it costs, how to see it and what to try, as Markdown in lines of at
/// most 80 columns. The first line is a heading with the number and the title.
pub fn explanation(diagnosis: Diagnosis) -> String {
    let mut is_code = false;
    let is_shown = |line: &&str| {
        is_code ^= line.starts_with("```");
        !(is_code && line.starts_with("# "))
    };
    let lines = source(diagnosis).split_inclusive('\n');
    lines.filter(is_shown).collect()
}

/// Every diagnosis, one per line: its number and its title.
pub fn diagnoses() -> String {
    let titles = Diagnosis::ALL.map(|diagnosis| title(diagnosis) + "\n");
    titles.concat()
}

/// The number and the title of a diagnosis: the heading of its explanation, without its mark.
pub(crate) fn title(diagnosis: Diagnosis) -> String {
    let heading = source(diagnosis).lines().next().unwrap_or_default();
    heading.trim_start_matches("# ").to_owned()
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
