//! The diagnoses that there are.

use std::fmt;
use std::str::FromStr;

/// What a finding says. Numbers keep their meaning for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Diagnosis {
    /// WS001: the tasks of a construct do not run beside one another enough for the cores.
    InsufficientParallelism,
    /// WS002: tasks are so small that making and moving them is what takes the time.
    FineTasks,
    /// WS003: code that runs alone makes up the span.
    SerialCode,
    /// WS004: one branch has nearly all of the work, again and again.
    SkewedChildren,
    /// WS005: tasks are stolen one by one, each with little work.
    ManySteals,
    /// WS006: `par_bridge`, a lock or another wait has tasks run one after another.
    Serialised,
    /// WS007: there are fewer tasks than cores.
    FewTasks,
    /// WS008: a parallel iterator is split much finer than the cores need, at a price.
    OverSplitting,
    /// WS009: what is done under one lock keeps the program from scaling.
    SerialisingLock,
    /// WS010: the same work takes longer in parallel than by one worker.
    WorkInflation,
    /// WS011: it does since cores take lines of their caches from one another.
    FalseSharing,
    /// WS012: it does since its data lies in the memory of another socket.
    RemoteMemory,
    /// WS013: it does since the data of all tasks that run at once does not fit into the last cache.
    WorkingSet,
}

impl Diagnosis {
    /// Every diagnosis, in the order of the numbers.
    pub const ALL: [Self; 13] = [
        Self::InsufficientParallelism,
        Self::FineTasks,
        Self::SerialCode,
        Self::SkewedChildren,
        Self::ManySteals,
        Self::Serialised,
        Self::FewTasks,
        Self::OverSplitting,
        Self::SerialisingLock,
        Self::WorkInflation,
        Self::FalseSharing,
        Self::RemoteMemory,
        Self::WorkingSet,
    ];

    /// The number that reports use, such as `WS002`.
    pub const fn number(self) -> &'static str {
        match self {
            Self::InsufficientParallelism => "WS001",
            Self::FineTasks => "WS002",
            Self::SerialCode => "WS003",
            Self::SkewedChildren => "WS004",
            Self::ManySteals => "WS005",
            Self::Serialised => "WS006",
            Self::FewTasks => "WS007",
            Self::OverSplitting => "WS008",
            Self::SerialisingLock => "WS009",
            Self::WorkInflation => "WS010",
            Self::FalseSharing => "WS011",
            Self::RemoteMemory => "WS012",
            Self::WorkingSet => "WS013",
        }
    }

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InsufficientParallelism => "insufficient_parallelism",
            Self::FineTasks => "fine_tasks",
            Self::SerialCode => "serial_code",
            Self::SkewedChildren => "skewed_children",
            Self::ManySteals => "many_steals",
            Self::Serialised => "serialised",
            Self::FewTasks => "few_tasks",
            Self::OverSplitting => "over_splitting",
            Self::SerialisingLock => "serialising_lock",
            Self::WorkInflation => "work_inflation",
            Self::FalseSharing => "false_sharing",
            Self::RemoteMemory => "remote_memory",
            Self::WorkingSet => "working_set",
        }
    }
}

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

    /// By number, in small letters too, or by name.
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
