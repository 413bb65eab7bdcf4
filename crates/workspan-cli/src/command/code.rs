//! Code in a task dag, as several commands show it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use workspan_model::{Code, Dag, HotFunction, Profile, hot_functions, totals_with_dag};
use workspan_report::CodeView;

use crate::exit_code::{Failure, OrExit as _, PROFILE};
use crate::message;
use crate::source_files::{Origin, Source, Sources};

/// How many functions of a piece of code are shown.
const HOT_FUNCTIONS: usize = 3;

/// Numbers of cores to compute speedups for, besides the assumed number.
const CORES: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// The hottest functions and the sources of some pieces of code.
pub(super) struct CodeDetails {
    hot: BTreeMap<usize, Vec<HotFunction>>,
    sources: BTreeMap<String, String>,
}

impl CodeDetails {
    /// Looks up `pieces` of the profile in `file`. They are indices into the regions of `code`.
    ///
    /// # Errors
    /// If the current folder is not known.
    pub(super) fn look_up(
        file: &Path,
        profile: &Profile,
        dag: &Dag,
        code: &Code,
        pieces: &BTreeSet<usize>,
    ) -> Result<Self, Failure> {
        let nodes: Vec<_> = pieces
            .iter()
            .map(|&piece| code.regions[piece].nodes(dag))
            .collect();
        let hot = hot_functions(profile, &nodes, HOT_FUNCTIONS);
        let folders = Sources::around(file, Origin::Stored(&[])).or_exit(PROFILE)?;
        let mut sources = BTreeMap::new();
        for &piece in pieces {
            let Some((name, ..)) = code.regions[piece].lines(profile) else {
                continue;
            };
            if sources.contains_key(name) {
                continue;
            }
            if let Source::Found { text, changed_at } = folders.find(name) {
                if changed_at > profile.run.started_at {
                    message::warning(format!(
                        "`{name}` was changed after the profile was made: other lines than its may be shown"
                    ));
                }
                sources.insert(name.to_owned(), text);
            }
        }
        Ok(Self {
            hot: pieces.iter().copied().zip(hot).collect(),
            sources,
        })
    }

    pub(super) fn view<'a>(
        &'a self,
        profile: &'a Profile,
        dag: &Dag,
        code: &'a Code,
    ) -> CodeView<'a> {
        CodeView {
            profile,
            code,
            hot: &self.hot,
            sources: &self.sources,
            span: totals_with_dag(profile, Some(dag)).span,
            is_truncated: dag.is_truncated,
        }
    }
}

/// The numbers of cores to compute speedups for.
pub(super) fn cores(profile: &Profile) -> Vec<u32> {
    let assumed = profile.run.assumed_cores;
    let cores = CORES.into_iter().chain((assumed > 1).then_some(assumed));
    cores.collect::<BTreeSet<_>>().into_iter().collect()
}
