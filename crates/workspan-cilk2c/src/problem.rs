//! What cilk2c cannot treat.

use super::place::Place;

/// A construct that has no serial elision by tokens, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Problem {
    /// Where it is.
    pub(crate) place: Place,
    what: What,
}

impl Problem {
    pub(super) fn new(place: &Place, what: What) -> Self {
        Self {
            place: place.clone(),
            what,
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum What {
    #[error(
        "`{0}` inside a larger expression; make it a statement of its own, as in `x = cilk_spawn f(a);`, and use `x` \
         after the sync"
    )]
    InExpression(String),
    #[error("`{0}` must be followed by {1}")]
    Incomplete(String, &'static str),
    #[error("`{0}` outside of the functions that cilk2c finds; {PREPROCESS}")]
    OutsideFunction(String),
    #[error("`{0}` in the macro `{1}`; {PREPROCESS}")]
    InMacro(String, String),
    #[error("`{0}` begins in one branch of #if and ends in another; {PREPROCESS}")]
    AcrossBranches(String),
    #[error(
        "`{0}` has no partner; if branches of #if open or close it more than once: {PREPROCESS}"
    )]
    Unbalanced(String),
    #[error(
        "the included file `{file}` has `{keyword}` (line {line}), which the compiler would meet there; run `workspan \
         cilk2c` on it too, with the output beside that of this file"
    )]
    Included {
        file: String,
        keyword: String,
        line: u32,
    },
    #[error(
        "`{0}` is of Cilk Plus' library of reducers, which has no serial elision; make the variable a plain one, or \
         one of OpenCilk's `cilk_reducer`"
    )]
    OldReducer(String),
}

const PREPROCESS: &str = "preprocess the file first (`cc -E $(workspan cflags) FILE -o OUT.i`, with `-P` left out so \
                          that places stay known), and give cilk2c the result";
