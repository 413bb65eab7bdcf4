//! How many cores a dag could use at a time.

use super::Dag;

impl Dag {
    /// The share of the work that is done while more than so many cores are in use, if there are
    /// enough of them, burdens take no time, and each vertex begins as early as it can. Takes the time
    /// of sorting when the vertices begin and end, and 56 bytes per vertex meanwhile.
    pub(crate) fn share_above(&self, cores: f64) -> f64 {
        let starts = self.earliest_starts();
        let vertices = self.vertices.iter().zip(starts);
        let mut changes: Vec<(i64, f64)> = vertices
            .filter(|(vertex, _)| vertex.span > 0)
            .flat_map(|(vertex, start)| {
                // What was folded into it uses so many on the average.
                let used = vertex.work as f64 / vertex.span as f64;
                [(start, used), (start + vertex.span, -used)]
            })
            .collect();
        changes.sort_unstable_by_key(|&(at, _)| at);
        let (mut since, mut used) = (0, 0.0);
        let (mut above, mut all) = (0.0, 0.0);
        for (at, change) in changes {
            let work = used * (at - since) as f64;
            all += work;
            if used > cores {
                above += work;
            }
            (since, used) = (at, used + change);
        }
        above / all
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dag, DagBuilder, VertexKind};

    /// A serial strand of 10, and after it branches of so much work and span each.
    fn dag(branches: &[(i64, i64)]) -> Dag {
        let mut builder = DagBuilder::of_root();
        let begin = builder.vertex(VertexKind::Fork, 10, 0);
        let add = |&(work, span): &(i64, i64)| {
            let branch = builder.vertex(VertexKind::Strand, work, 0);
            builder.vertices[branch.index()].span = span;
            branch
        };
        let branches: Vec<_> = branches.iter().map(add).collect();
        let end = builder.vertex(VertexKind::Sync, 0, 0);
        for branch in branches {
            builder.edge(begin, branch, true);
            builder.edge(branch, end, false);
        }
        builder.finish()
    }

    #[test]
    fn work_counts_by_the_cores_in_use_when_it_is_done() {
        // One core for 10, four for 5, one for 15 more.
        let uneven = dag(&[(5, 5), (5, 5), (20, 20), (5, 5)]);
        assert_eq!(uneven.share_above(0.0), 1.0);
        assert_eq!(uneven.share_above(1.0), 20.0 / 45.0);
        assert_eq!(uneven.share_above(3.9), 20.0 / 45.0);
        assert_eq!(uneven.share_above(4.0), 0.0);
    }

    #[test]
    fn folded_work_uses_its_parallelism() {
        // One core for 10, three and one for 10, one for 10 more.
        let folded = dag(&[(30, 10), (20, 20)]);
        assert_eq!(folded.share_above(1.0), 40.0 / 60.0);
        assert_eq!(folded.share_above(3.0), 40.0 / 60.0);
        assert_eq!(folded.share_above(4.0), 0.0);
    }
}
