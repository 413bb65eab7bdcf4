//! The record of the dag against the figures of the same run.

use std::path::PathBuf;

use workspan_format::stream;
use workspan_rt::Recording;
use workspan_testkit::graph::Longest;

/// Where the record goes.
pub fn path() -> PathBuf {
    std::env::temp_dir().join(format!("workspan-events-{}.dag", std::process::id()))
}

/// A record at [`path`] in which what has less work than `grain` is folded.
pub fn to(grain: i64) -> Option<Recording> {
    Some(Recording {
        path: path(),
        grain,
        most_bytes: Recording::MOST_BYTES,
    })
}

/// Compares the record, folded to `grain`, with the `expected` figures: the totals, and at grain 0
/// also the work of each site.
pub fn compare(expected: &Longest, grain: i64) -> Result<(), String> {
    let recording = stream::read(&path()).map_err(|error| error.to_string())?;
    let dag = &recording.dag;
    if (dag.is_truncated, dag.grain) != (false, grain) {
        return Err(format!("the dag is not whole, or of grain {}", dag.grain));
    }
    let totals = dag.totals();
    let found = (totals.work, totals.span, totals.burdened_span);
    let figures = (expected.work, expected.span, expected.burdened_span);
    if found != figures {
        return Err(format!("the dag tells {found:?}, not {figures:?}"));
    }
    if grain > 0 {
        return Ok(());
    }
    let mut work = vec![0; expected.sites.len()];
    for vertex in &dag.vertices {
        let node = dag.regions[vertex.region.index()].node;
        let site = recording.nodes[node.index()].site;
        let address = recording.sites[site as usize].address;
        work[address.map_or(0, |address| address as usize)] += vertex.work;
    }
    let expected: Vec<i64> = expected.sites.iter().map(|site| site.0).collect();
    if work == expected {
        Ok(())
    } else {
        Err(format!(
            "the dag tells {work:?} of the sites, not {expected:?}"
        ))
    }
}
