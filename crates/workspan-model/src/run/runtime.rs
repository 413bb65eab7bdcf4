//! The parallel runtime of a program.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// A parallel runtime that a program used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Runtime {
    /// Which one.
    pub kind: RuntimeKind,
    /// Its version, if known: for rayon that of rayon-core, for OpenMP also the vendor (`LLVM
    /// 16.0.6`).
    pub version: Option<String>,
}

named! {
    /// Which parallel runtime it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum RuntimeKind {
        /// Rayon.
        Rayon = "rayon",
        /// OpenMP.
        #[serde(rename = "openmp")]
        OpenMp = "openmp",
        /// oneTBB.
        Tbb = "tbb",
        /// OpenCilk, or Cilk translated to C.
        Cilk = "cilk",
        /// The program's own calls of the C interface.
        C = "c",
        /// Threads that the program starts itself, and no runtime.
        Threads = "threads",
    }
}

impl RuntimeKind {
    /// The kind that files call `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name for display.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Rayon => "rayon",
            Self::OpenMp => "OpenMP",
            Self::Tbb => "oneTBB",
            Self::Cilk => "Cilk",
            Self::C => "the C interface",
            Self::Threads => "threads of its own",
        }
    }

    /// The environment variable that sets its number of threads, if there is one.
    pub const fn threads_variable(self) -> Option<&'static str> {
        match self {
            Self::Rayon => Some("RAYON_NUM_THREADS"),
            Self::OpenMp => Some("OMP_NUM_THREADS"),
            Self::Cilk => Some("CILK_NWORKERS"),
            Self::Tbb | Self::C | Self::Threads => None,
        }
    }
}

impl fmt::Display for Runtime {
    /// `rayon-core 1.13.0`, `OpenMP (LLVM 16.0.6)`, `oneTBB 2021.8`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.kind.noun();
        match (self.kind, &self.version) {
            (RuntimeKind::Rayon, Some(version)) => write!(formatter, "rayon-core {version}"),
            (RuntimeKind::OpenMp, Some(version)) => write!(formatter, "{noun} ({version})"),
            (_, Some(version)) => write!(formatter, "{noun} {version}"),
            (_, None) => formatter.write_str(noun),
        }
    }
}

/// Reads the runtimes of a run: the current list, or the version of rayon-core that older files
/// have in its place.
pub(crate) fn runtimes_of_any_version<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Runtime>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Recorded {
        Runtimes(Vec<Runtime>),
        RayonCore(Option<String>),
    }
    Ok(match Recorded::deserialize(deserializer)? {
        Recorded::Runtimes(runtimes) => runtimes,
        Recorded::RayonCore(version) => version
            .map(|version| Runtime {
                kind: RuntimeKind::Rayon,
                version: Some(version),
            })
            .into_iter()
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_shown_with_their_versions() {
        let shown = |kind, version: Option<&str>| {
            let version = version.map(str::to_owned);
            Runtime { kind, version }.to_string()
        };
        assert_eq!(
            shown(RuntimeKind::Rayon, Some("1.13.0")),
            "rayon-core 1.13.0"
        );
        assert_eq!(
            shown(RuntimeKind::OpenMp, Some("LLVM 16.0.6")),
            "OpenMP (LLVM 16.0.6)"
        );
        assert_eq!(shown(RuntimeKind::Tbb, Some("2021.8")), "oneTBB 2021.8");
        assert_eq!(shown(RuntimeKind::Cilk, None), "Cilk");
    }

    #[test]
    fn names_lead_back_to_kinds() {
        for kind in RuntimeKind::ALL {
            assert_eq!(RuntimeKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(RuntimeKind::from_name("fork"), None);
    }
}
