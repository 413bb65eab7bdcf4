//! Forms of a measurement.

use serde::{Deserialize, Serialize};

/// A form of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// By hand, on inputs of full size.
    Full,
    /// In continuous integration.
    Short,
}

impl Form {
    /// The form that a program's option `--short` selects.
    pub fn from_short(short: bool) -> Self {
        if short { Form::Short } else { Form::Full }
    }

    /// What this form has of two values.
    pub fn select<T>(self, full: T, short: T) -> T {
        match self {
            Form::Full => full,
            Form::Short => short,
        }
    }
}
