//! The parallel runtime of a program.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Profile, SiteKind};

/// A parallel runtime that a program used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Runtime {
    /// Which one.
    pub kind: RuntimeKind,
    /// Its version, where known: of rayon that of rayon-core, of OpenMP also whose it is (`LLVM 16.0.6`).
    pub version: Option<String>,
}

/// Which parallel runtime it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuntimeKind {
    /// Rayon.
    Rayon,
    /// OpenMP.
    #[serde(rename = "openmp")]
    OpenMp,
    /// oneTBB.
    Tbb,
    /// OpenCilk, or Cilk translated to C.
    Cilk,
    /// The program's own calls of the C interface.
    C,
}

impl RuntimeKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Rayon, Self::OpenMp, Self::Tbb, Self::Cilk, Self::C];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rayon => "rayon",
            Self::OpenMp => "openmp",
            Self::Tbb => "tbb",
            Self::Cilk => "cilk",
            Self::C => "c",
        }
    }

    /// The kind that files call `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What a person calls it.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Rayon => "rayon",
            Self::OpenMp => "OpenMP",
            Self::Tbb => "oneTBB",
            Self::Cilk => "Cilk",
            Self::C => "the C interface",
        }
    }

    /// The environment variable that tells it its number of threads, if there is one.
    pub const fn threads_variable(self) -> Option<&'static str> {
        match self {
            Self::Rayon => Some("RAYON_NUM_THREADS"),
            Self::OpenMp => Some("OMP_NUM_THREADS"),
            Self::Cilk => Some("CILK_NWORKERS"),
            Self::Tbb | Self::C => None,
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

impl Profile {
    /// The runtime whose constructs the program is made of: the first that told of itself, unless that is the C interface
    /// and another one did, too. Else what the kinds of sites tell. `None` where nothing does.
    pub fn runtime(&self) -> Option<RuntimeKind> {
        let kinds = || self.run.runtimes.iter().map(|runtime| runtime.kind);
        let told = kinds()
            .find(|kind| *kind != RuntimeKind::C)
            .or_else(|| kinds().next());
        let by_sites = || {
            let mut sites = self.sites.iter().map(|site| site.kind);
            sites.find_map(|kind| match kind {
                SiteKind::Parallel => Some(RuntimeKind::OpenMp),
                kind if kind.is_of_rayon() => Some(RuntimeKind::Rayon),
                kind if kind.is_parallel() => Some(RuntimeKind::C),
                _ => None,
            })
        };
        told.or_else(by_sites)
    }
}

/// The runtimes of a run: as they are, or as the version of rayon-core, which is all that older files have.
pub(crate) fn runtimes_of_any_version<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Runtime>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Told {
        Runtimes(Vec<Runtime>),
        RayonCore(Option<String>),
    }
    Ok(match Told::deserialize(deserializer)? {
        Told::Runtimes(runtimes) => runtimes,
        Told::RayonCore(version) => version
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
    fn the_runtime_is_the_one_behind_the_c_interface() {
        let mut profile = crate::example::quicksort();
        assert_eq!(profile.runtime(), Some(RuntimeKind::Rayon));
        let told = [RuntimeKind::C, RuntimeKind::OpenMp];
        profile.run.runtimes = told
            .map(|kind| Runtime {
                kind,
                version: None,
            })
            .to_vec();
        assert_eq!(profile.runtime(), Some(RuntimeKind::OpenMp));
        profile.run.runtimes.pop();
        assert_eq!(profile.runtime(), Some(RuntimeKind::C));
        profile.run.runtimes.clear();
        assert_eq!(profile.runtime(), Some(RuntimeKind::Rayon));
        profile.sites[1].kind = SiteKind::Parallel;
        assert_eq!(profile.runtime(), Some(RuntimeKind::OpenMp));
        profile.sites.truncate(1);
        assert_eq!(profile.runtime(), None);
    }

    #[test]
    fn names_lead_back_to_kinds() {
        for kind in RuntimeKind::ALL {
            assert_eq!(RuntimeKind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(RuntimeKind::of_name("fork"), None);
    }
}
