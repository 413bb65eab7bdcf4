//! The diagnoses.

use std::fmt;
use std::str::FromStr;

named! {
    /// What a finding says. A number never changes its meaning.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Diagnosis {
        /// WS001: the tasks of a construct do not run in parallel enough for the cores.
        InsufficientParallelism = "insufficient_parallelism",
        /// WS002: tasks are so small that creating and moving them costs too much.
        FineTasks = "fine_tasks",
        /// WS003: code that runs alone makes up the span.
        SerialCode = "serial_code",
        /// WS004: one branch has nearly all of the work, again and again.
        SkewedChildren = "skewed_children",
        /// WS005: tasks are stolen one by one, each with little work.
        ManySteals = "many_steals",
        /// WS006: `par_bridge`, a lock or another wait makes tasks run one after another.
        Serialised = "serialised",
        /// WS007: there are fewer tasks than cores.
        FewTasks = "few_tasks",
        /// WS008: a parallel iterator is split much finer than the cores need, at a price.
        OverSplitting = "over_splitting",
        /// WS009: the work done under one lock keeps the program from scaling.
        SerialisingLock = "serialising_lock",
        /// WS010: the same work takes longer in parallel than with one worker.
        WorkInflation = "work_inflation",
        /// WS011: work is inflated because cores take cache lines from one another.
        FalseSharing = "false_sharing",
        /// WS012: work is inflated because its data is in the memory of another socket.
        RemoteMemory = "remote_memory",
        /// WS013: work is inflated because the data of all tasks that run at once does not fit into
        /// the last-level cache.
        WorkingSet = "working_set",
    }
}

impl Diagnosis {
    /// The number in reports, such as `WS002`.
    pub const fn number(self) -> &'static str {
        NUMBERS[self as usize]
    }
}

/// The number of each diagnosis, in their order.
const NUMBERS: [&str; Diagnosis::ALL.len()] = [
    "WS001", "WS002", "WS003", "WS004", "WS005", "WS006", "WS007", "WS008", "WS009", "WS010",
    "WS011", "WS012", "WS013",
];

impl fmt::Display for Diagnosis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.number())
    }
}

/// There is no diagnosis of this number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no finding `{0}`: they are WS001 to WS013")]
pub struct UnknownDiagnosis(String);

impl FromStr for Diagnosis {
    type Err = UnknownDiagnosis;

    /// By number, in upper or lower case, or by name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|diagnosis| {
            diagnosis.number().eq_ignore_ascii_case(text) || diagnosis.name() == text
        })
        .ok_or_else(|| UnknownDiagnosis(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnoses_are_known_by_number_and_by_name() {
        for (index, diagnosis) in Diagnosis::ALL.into_iter().enumerate() {
            assert_eq!(diagnosis.number(), format!("WS{:03}", index + 1));
            assert_eq!(diagnosis.number().to_lowercase().parse(), Ok(diagnosis));
            assert_eq!(diagnosis.name().parse(), Ok(diagnosis));
        }
        let unknown = "WS014".parse::<Diagnosis>().unwrap_err();
        assert!(unknown.to_string().contains("WS001 to WS013"));
    }
}
