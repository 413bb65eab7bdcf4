//! Stored profiles, for tests that need no run.

use tempfile::TempDir;
use workspan_format::wsp;
use workspan_model::example::{quicksort, quicksort_dag};
use workspan_model::{Dag, Profile};

pub(crate) fn write(folder: &TempDir, name: &str, profile: &Profile, dag: Option<&Dag>) {
    wsp::write(&folder.path().join(name), profile, dag).unwrap();
}

/// A folder with `q.wsp`, the quicksort of the documentation with its dag, and `plain.wsp`, the
/// same without the dag.
pub(crate) fn stored() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "q.wsp", &quicksort(), Some(&quicksort_dag()));
    write(&folder, "plain.wsp", &quicksort(), None);
    folder
}
