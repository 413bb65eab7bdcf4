//! The set of limits of a program or of a site.

use clap::Args;
use serde::Deserialize;
use workspan_model::Quantity;

use super::limit::Limit;

/// The limits of a program or of a site: options of the command line, and keys of `workspan.toml`.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    /// Most work: a time such as 1.5s, or so much more than the baseline's
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    max_work: Option<Limit>,
    /// Longest span
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    max_span: Option<Limit>,
    /// Longest span with the burden of moving tasks
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    max_burdened_span: Option<Limit>,
    /// Most tasks
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    max_tasks: Option<Limit>,
    /// Least parallelism: a number such as 20, or so much less than the baseline's, such as -10%
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    min_parallelism: Option<Limit>,
    /// Least burdened parallelism
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    min_burdened_parallelism: Option<Limit>,
}

impl Limits {
    /// The limits that are set.
    pub(super) fn given(&self) -> impl Iterator<Item = (Quantity, Limit)> {
        let all = Quantity::ALL.into_iter();
        all.filter_map(move |quantity| Some((quantity, self.get(quantity)?)))
    }

    pub(super) const fn get(&self, quantity: Quantity) -> Option<Limit> {
        match quantity {
            Quantity::Work => self.max_work,
            Quantity::Span => self.max_span,
            Quantity::BurdenedSpan => self.max_burdened_span,
            Quantity::Tasks => self.max_tasks,
            Quantity::Parallelism => self.min_parallelism,
            Quantity::BurdenedParallelism => self.min_burdened_parallelism,
        }
    }
}

/// The name of the option and of the key.
pub(super) fn name(quantity: Quantity) -> String {
    let which = if quantity.is_to_be_high() {
        "min"
    } else {
        "max"
    };
    format!("{which}-{}", quantity.name())
}
