//! The record of the dag against the profile of the same run, which the oracle has checked.

use std::path::PathBuf;

use workspan_format::raw::{self, RawProfile};
use workspan_format::stream;
use workspan_model::{Dag, VertexId};

/// Where the record goes.
pub fn path() -> PathBuf {
    std::env::temp_dir().join(format!("workspan-oracle-{}.dag", std::process::id()))
}

/// Compares the record, folded to `grain`, with the profile `text`. If the session `estimates`,
/// spans may differ by the uncertainty that the profile reports.
pub fn compare(text: &str, grain: i64, estimates: bool) -> Result<(), String> {
    let profile = raw::parse(text).map_err(|error| error.to_string())?;
    let recording = stream::read(&path()).map_err(|error| error.to_string())?;
    let dag = &recording.dag;
    let is_of_profile = |node: usize| {
        let (one, other) = (&recording.nodes[node], &profile.nodes[node]);
        (one.parent, one.site, one.recursive) == (other.parent, other.site, other.recursive)
    };
    if !(0..recording.nodes.len()).all(is_of_profile) {
        return Err("the record has another call tree".to_owned());
    }
    if recording.sites != profile.sites[..recording.sites.len()] {
        return Err("the record has other sites".to_owned());
    }
    dag.check(profile.nodes.len(), profile.sites.len())
        .map_err(|error| error.to_string())?;
    let header = (dag.grain, dag.burden, dag.is_truncated);
    if header != (grain, profile.burden_ticks, false) {
        return Err(format!("the dag has (grain, burden, truncated) {header:?}"));
    }
    compare_totals(dag, &profile, estimates)?;
    if grain == 0 {
        compare_nodes(dag, &profile)?;
    }
    Ok(())
}

fn compare_totals(dag: &Dag, profile: &RawProfile, estimates: bool) -> Result<(), String> {
    let totals = dag.totals();
    let work: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let tasks: u64 = profile.nodes.iter().map(|node| node.work.spawns).sum();
    let open = if estimates {
        profile.span_open_ticks
    } else {
        0
    };
    // After a stretch that was broken off, the right branch of a join that began in it carries all
    // burdens of the longest path through the stretch, which are at most as many as tasks.
    let burdens = if open > 0 { tasks as i64 } else { 0 };
    let burdened_open = open + dag.burden.saturating_mul(burdens);
    for (name, found, expected, open) in [
        ("work", totals.work, work, 0),
        ("tasks", totals.tasks as i64, tasks as i64, 0),
        ("span", totals.span, profile.span_ticks, open),
        (
            "burdened span",
            totals.burdened_span,
            profile.burdened_span_ticks,
            burdened_open,
        ),
    ] {
        if (found - expected).abs() > open {
            return Err(format!(
                "{name} of the dag: {found} ± {open}, not {expected}"
            ));
        }
    }
    Ok(())
}

/// Compares the work at each node and, if there is only one longest path, its part of the span.
fn compare_nodes(dag: &Dag, profile: &RawProfile) -> Result<(), String> {
    let on_path = longest_path(dag);
    let is_single = on_path
        .iter()
        .map(|vertex| dag.vertices[*vertex].span)
        .sum::<i64>()
        == profile.span_ticks;
    let mut found = vec![(0, 0); profile.nodes.len()];
    let node_of = |vertex: usize| {
        let region = dag.vertices[vertex].region;
        dag.regions[region.index()].node.index()
    };
    for (index, vertex) in dag.vertices.iter().enumerate() {
        found[node_of(index)].0 += vertex.work;
    }
    for vertex in on_path {
        found[node_of(vertex)].1 += dag.vertices[vertex].span;
    }
    for (number, (found, node)) in found.iter().zip(&profile.nodes).enumerate() {
        let expected = (node.work.local_ticks, node.span.local_ticks);
        if found.0 != expected.0 || (is_single && found.1 != expected.1) {
            return Err(format!(
                "work and span of the dag at node {number}: {found:?}, not {expected:?}"
            ));
        }
    }
    Ok(())
}

/// The vertices on the longest path; if there are several, those on any of them.
fn longest_path(dag: &Dag) -> Vec<usize> {
    let vertices = dag.vertices.len();
    let mut starts = vec![0; vertices];
    for from in 0..vertices {
        let end = starts[from] + dag.vertices[from].span;
        for successor in dag.successors(VertexId(from as u32)) {
            let start = &mut starts[successor.to().index()];
            *start = end.max(*start);
        }
    }
    let mut is_on_path = vec![false; vertices];
    is_on_path[vertices - 1] = true;
    for from in (0..vertices).rev() {
        let end = starts[from] + dag.vertices[from].span;
        for successor in dag.successors(VertexId(from as u32)) {
            let to = successor.to().index();
            is_on_path[from] |= is_on_path[to] && starts[to] == end;
        }
    }
    (0..vertices).filter(|vertex| is_on_path[*vertex]).collect()
}
