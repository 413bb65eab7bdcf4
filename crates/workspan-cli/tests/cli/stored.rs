//! Profiles that need no run.

use tempfile::TempDir;
use workspan_model::example::{quicksort, quicksort_dag};

/// A folder with `q.wsp`, the quicksort of the documentation with its dag, and `plain.wsp` without.
pub(crate) fn stored() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let dag = quicksort_dag();
    let write = |name, dag| {
        let path = folder.path().join(name);
        workspan_format::wsp::write(&path, &quicksort(), dag).unwrap();
    };
    write("q.wsp", Some(&dag));
    write("plain.wsp", None);
    folder
}
