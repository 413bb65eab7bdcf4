//! A task dag for Graphviz.

use std::io;

use workspan_model::{CriticalPath, Dag, DagFigures, Successor, Vertex, VertexId, VertexKind};

use crate::CodeView;
use crate::notation::figures::{amount, grouped, ratio};
use crate::notation::readable::readable;

/// Writes `dag`, whose code is in `view`, in the language of Graphviz's `dot`: a box for each
/// vertex with its code and its time, the critical path in red, stealable edges dashed.
///
/// # Errors
/// Any error from writing to `output`.
pub fn dag_dot(
    dag: &Dag,
    figures: &DagFigures,
    path: &CriticalPath,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let on_path = OnPath::new(path, dag.vertices.len());
    writeln!(output, "digraph dag {{")?;
    writeln!(output, "  label=\"{}\"", title(figures, view))?;
    writeln!(output, "  labelloc=t")?;
    writeln!(output, "  fontname=\"monospace\"")?;
    writeln!(
        output,
        "  node [shape=box, fontname=\"monospace\", fontsize=10]"
    )?;
    for (at, vertex) in dag.vertices.iter().enumerate() {
        let label = label(dag, vertex, view);
        let style = style_of(vertex.kind, on_path.has(at));
        writeln!(output, "  {at} [label=\"{label}\"{style}]")?;
    }
    for from in 0..dag.vertices.len() {
        for successor in dag.successors(VertexId(from as u32)) {
            let to = successor.to().index();
            let style = style_of_edge(*successor, on_path.has_edge(from, to));
            writeln!(output, "  {from} -> {to}{style}")?;
        }
    }
    writeln!(output, "}}")
}

/// The vertices of a path.
struct OnPath {
    /// For each vertex on the path, the one after it; for the last, itself.
    next: Vec<Option<usize>>,
}

impl OnPath {
    fn new(path: &CriticalPath, vertices: usize) -> Self {
        let mut next = vec![None; vertices];
        let path = path.vertices.iter().map(|vertex| vertex.index());
        let after = path.clone().skip(1).chain(path.clone().next_back());
        for (vertex, after) in path.zip(after) {
            next[vertex] = Some(after);
        }
        Self { next }
    }

    fn has(&self, vertex: usize) -> bool {
        self.next[vertex].is_some()
    }

    fn has_edge(&self, from: usize, to: usize) -> bool {
        self.next[from] == Some(to)
    }
}

fn title(figures: &DagFigures, view: &CodeView<'_>) -> String {
    let metric = view.metric();
    let mut lines = vec![
        quoted(&view.profile.run.command.join(" ")),
        format!(
            "work {}, span {}, parallelism {}",
            amount(figures.work.time(), metric),
            amount(figures.span.time(), metric),
            ratio(figures.parallelism)
        ),
    ];
    if view.is_truncated {
        lines.push("the record ends before the program did".to_owned());
    }
    lines.join("\\n")
}

fn label(dag: &Dag, vertex: &Vertex, view: &CodeView<'_>) -> String {
    let metric = view.metric();
    let region = view.region(view.code.index_of(vertex.region));
    let [from, to] = region.ends(view.profile).map(|words| quoted(&words));
    let time = |ticks| amount(dag.time_of(ticks), metric);
    let mut lines = vec![vertex.kind.name().to_owned(), from, format!("..{to}")];
    lines.push(if vertex.work == vertex.span {
        time(vertex.work)
    } else {
        format!("work {}, span {}", time(vertex.work), time(vertex.span))
    });
    if vertex.tasks > 0 {
        lines.push(format!("{} tasks", grouped(vertex.tasks.into())));
    }
    lines.join("\\n")
}

const fn style_of(kind: VertexKind, is_critical: bool) -> &'static str {
    match (kind, is_critical) {
        (VertexKind::Folded, true) => ", style=filled, color=red, fillcolor=mistyrose",
        (VertexKind::Folded, false) => ", style=filled, fillcolor=gray92",
        (_, true) => ", color=red",
        (_, false) => "",
    }
}

const fn style_of_edge(successor: Successor, is_critical: bool) -> &'static str {
    match (successor.is_stealable(), is_critical) {
        (true, true) => " [style=dashed, color=red]",
        (true, false) => " [style=dashed]",
        (false, true) => " [color=red]",
        (false, false) => "",
    }
}

/// Text of the program, escaped for use within quotes.
fn quoted(text: &str) -> String {
    readable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_within_their_quotes_and_lines() {
        assert_eq!(quoted("a \"b\" \\ c"), r#"a \"b\" \\ c"#);
        assert_eq!(quoted("a\nb\u{0}"), r"a\\nb\\u{0}");
    }
}
