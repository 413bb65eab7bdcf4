//! Why words do not name code, or not just one piece of it.

/// Why words do not name code, or not just one piece of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// No code is named so.
    #[error("no code is called or stands at `{words}`{}", listed("the nearest are", .nearest))]
    Unknown {
        /// The words.
        words: String,
        /// Words that name code, the most similar first.
        nearest: Vec<String>,
    },
    /// No code is named so. Samples might know more, but the profile has none.
    #[error(
        "no spawn site and no function around one is called or stands at `{words}`; of other functions and lines only \
         samples tell, and the profile has none: make it with `--sample-hz 1000` (the default), or with `--functions \
         exact` for the times of functions{}", listed("the nearest are", .nearest)
    )]
    Unsampled {
        /// The words.
        words: String,
        /// Words that name code, the most similar first.
        nearest: Vec<String>,
    },
    /// The words name nothing that creates tasks.
    #[error("nothing that makes tasks is called or stands at `{words}`{}", listed("what does is", .nearest))]
    NoTasks {
        /// The words.
        words: String,
        /// Words for what creates tasks, the most similar first.
        nearest: Vec<String>,
    },
    /// The words name code in several files, of several functions or of several kinds.
    #[error("`{words}` can mean several things{}", listed("say which", .candidates))]
    Ambiguous {
        /// The words.
        words: String,
        /// Words that each name one of them.
        candidates: Vec<String>,
    },
    /// The words name a place, but no strand ran there.
    #[error("`{0}` ran no strand of the task dag")]
    NoStrand(String),
}

fn listed(advice: &str, words: &[String]) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!("; {advice}:\n  {}", words.join("\n  "))
}
