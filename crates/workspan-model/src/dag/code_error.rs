//! Why words do not tell which code is meant.

/// Why words do not tell which code is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// There is none like that.
    #[error("no code is called or stands at `{words}`{}", listed("the nearest are", .nearest))]
    Unknown {
        /// The words.
        words: String,
        /// Words for which there is code, the most similar first.
        nearest: Vec<String>,
    },
    /// There is none like that, but samples would tell of more: the profile has none.
    #[error(
        "no spawn site and no function around one is called or stands at `{words}`; of other functions and lines only \
         samples tell, and the profile has none: make it with `--sample-hz 1000` (the default), or with `--functions \
         exact` for the times of functions{}", listed("the nearest are", .nearest)
    )]
    Unsampled {
        /// The words.
        words: String,
        /// Words for which there is code, the most similar first.
        nearest: Vec<String>,
    },
    /// Nothing like that makes tasks.
    #[error("nothing that makes tasks is called or stands at `{words}`{}", listed("what does is", .nearest))]
    NoTasks {
        /// The words.
        words: String,
        /// Words for what makes tasks, the most similar first.
        nearest: Vec<String>,
    },
    /// There is code in several files, of several functions or of several kinds.
    #[error("`{words}` can mean several things{}", listed("say which", .candidates))]
    Ambiguous {
        /// The words.
        words: String,
        /// Words that tell them apart.
        candidates: Vec<String>,
    },
    /// No strand ended in the place where the words point.
    #[error("`{0}` ran no strand of the task dag")]
    NoStrand(String),
}

fn listed(advice: &str, words: &[String]) -> String {
    match words.is_empty() {
        true => String::new(),
        false => format!("; {advice}:\n  {}", words.join("\n  ")),
    }
}
