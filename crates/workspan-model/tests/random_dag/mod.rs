//! Random task dags, of programs and of any shape.
//!
//! Shared by tests: `#[path = "../random_dag/mod.rs"] mod random_dag;`.
#![allow(dead_code, reason = "each test uses its part")]

use proptest::prelude::*;
use workspan_model::{
    Boundary, Dag, DagBuilder, NodeId, Side, SiteId, StrandRegion, VertexId, VertexKind,
};

/// The number of sites of random programs, including the root; there are as many nodes of the call
/// tree.
pub const SITES: u32 = 5;

/// The burden of random dags.
pub const BURDEN: i64 = 50;

/// Statements that a program runs one after another.
pub type Block = Vec<Statement>;

/// A piece of a random program. Sites are 1 to [`SITES`] − 1.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A strand of this many ticks.
    Strand(i64),
    /// A folded subtree: work, span and tasks.
    Folded(i64, i64, u32),
    /// A `join` at a site.
    Join(u32, Block, Block),
    /// A scope at a site, with its body.
    Scope(u32, Block),
    /// A task that is spawned at a site into the innermost scope of the spawning task. Outside of
    /// any scope it is detached, and the end of the program waits for it.
    Spawn(u32, Block),
}

/// Random programs of up to about `statements` statements.
pub fn programs(statements: u32) -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        4 => (0..1000_i64).prop_map(Statement::Strand),
        1 => (0..1000_i64, 0..=100_i64, 0..20_u32).prop_map(|(work, percent, tasks)| {
            let span = if tasks == 0 { work } else { work * percent / 100 };
            Statement::Folded(work, span, tasks)
        }),
    ];
    let statement = leaf.prop_recursive(6, statements, 4, |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..4);
        let site = 1..SITES;
        prop_oneof![
            4 => (site.clone(), block(), block()).prop_map(|(at, one, two)| Statement::Join(at, one, two)),
            2 => (site.clone(), block()).prop_map(|(at, body)| Statement::Scope(at, body)),
            3 => (site, block()).prop_map(|(at, task)| Statement::Spawn(at, task)),
        ]
    });
    prop::collection::vec(statement, 0..6)
}

/// Dags of random programs: series-parallel except for detached tasks and tasks that spawn into a
/// scope around them.
pub fn dags(statements: u32) -> impl Strategy<Value = Dag> {
    programs(statements).prop_map(|program| dag_of(&program))
}

/// Dags of any shape, with 2 to `most` strands; there need not be a program that has such a dag.
pub fn shapeless_dags(most: u32) -> impl Strategy<Value = Dag> {
    let strand = (-5..1000_i64, any::<u32>(), any::<u32>(), any::<bool>());
    prop::collection::vec(strand, 2..most as usize).prop_map(|strands| {
        let mut builder = Builder::default();
        let last = strands.len() as u32 - 1;
        let mut has_successor = vec![false; strands.len()];
        for (at, &(ticks, one, other, is_stealable)) in (0..).zip(&strands) {
            builder.vertex(VertexKind::Strand, ticks, boundary(1, Side::Body));
            if at > 0 {
                // Two equal edges are one.
                let mut from = vec![one % at, other % at];
                from.dedup();
                for from in from {
                    has_successor[from as usize] = true;
                    builder.dag.edge(VertexId(from), VertexId(at), is_stealable);
                }
            }
        }
        for (from, _) in (0..last).zip(&has_successor).filter(|(_, has)| !**has) {
            builder.dag.edge(VertexId(from), VertexId(last), false);
        }
        builder.finish()
    })
}

/// The dag of a program.
pub fn dag_of(program: &[Statement]) -> Dag {
    let mut builder = Builder::default();
    let begin = builder.vertex(VertexKind::Strand, 0, boundary(0, Side::Body));
    let mut detached = Vec::new();
    let mut lane = Lane {
        last: begin,
        from: boundary(0, Side::Body),
        node: 0,
    };
    builder.run(program, &mut lane, &mut detached);
    builder.sync(&mut lane, begin, &detached, boundary(0, Side::Body));
    builder.finish()
}

fn boundary(site: u32, side: Side) -> Boundary {
    Boundary {
        site: SiteId(site),
        side,
    }
}

/// A path that one worker runs.
#[derive(Clone, Copy)]
struct Lane {
    last: VertexId,
    /// Where the next strand begins.
    from: Boundary,
    node: u32,
}

#[derive(Default)]
struct Builder {
    dag: DagBuilder,
}

impl Builder {
    /// A vertex that begins at the beginning of the program.
    fn vertex(&mut self, kind: VertexKind, ticks: i64, to: Boundary) -> VertexId {
        let from = boundary(0, Side::Body);
        self.strand(kind, ticks, from, to, 0)
    }

    fn strand(
        &mut self,
        kind: VertexKind,
        ticks: i64,
        from: Boundary,
        to: Boundary,
        node: u32,
    ) -> VertexId {
        let node = NodeId(node);
        let region = StrandRegion { node, from, to };
        let region = self.dag.region(region);
        self.dag.vertex(kind, ticks, region)
    }

    /// A vertex after the last of the lane.
    fn next(&mut self, lane: &mut Lane, kind: VertexKind, ticks: i64, to: Boundary) -> VertexId {
        let vertex = self.strand(kind, ticks, lane.from, to, lane.node);
        self.dag.edge(lane.last, vertex, false);
        lane.last = vertex;
        vertex
    }

    /// Makes the lane continue after all of `awaited`, too.
    fn sync(&mut self, lane: &mut Lane, begun_by: VertexId, awaited: &[VertexId], at: Boundary) {
        lane.from = at;
        let sync = self.next(lane, VertexKind::Sync, 0, at);
        self.dag.vertices[sync.index()].begun_by = begun_by;
        for &end in awaited {
            self.dag.edge(end, sync, false);
        }
    }

    /// Runs a block. The ends of tasks are added to `tasks`, for whoever awaits them.
    fn run(&mut self, block: &[Statement], lane: &mut Lane, tasks: &mut Vec<VertexId>) {
        for statement in block {
            match statement {
                Statement::Strand(ticks) => {
                    self.next(lane, VertexKind::Strand, *ticks, lane.from);
                }
                Statement::Folded(work, span, count) => {
                    let vertex = self.next(lane, VertexKind::Folded, *work, lane.from);
                    let vertex = &mut self.dag.vertices[vertex.index()];
                    vertex.span = *span;
                    vertex.burdened_span = span + if *count > 0 { BURDEN } else { 0 };
                    vertex.tasks = *count;
                }
                Statement::Join(site, left, right) => {
                    let at = boundary(*site, Side::Outside);
                    let fork = self.next(lane, VertexKind::Fork, 3, at);
                    let branch = |builder: &mut Self, block, side, tasks: &mut Vec<_>| {
                        let from = boundary(*site, side);
                        let begin = builder.strand(VertexKind::Strand, 1, from, from, *site);
                        builder.dag.edge(fork, begin, side == Side::Right);
                        let mut branch = Lane {
                            last: begin,
                            from,
                            node: *site,
                        };
                        builder.run(block, &mut branch, tasks);
                        branch.last
                    };
                    lane.last = branch(self, left, Side::Left, tasks);
                    let right = branch(self, right, Side::Right, tasks);
                    self.sync(lane, fork, &[right], at);
                }
                Statement::Scope(site, body) => {
                    let at = boundary(*site, Side::Outside);
                    let begin = self.next(lane, VertexKind::Strand, 2, at);
                    let mut inner = Lane {
                        from: boundary(*site, Side::Body),
                        node: *site,
                        ..*lane
                    };
                    let mut awaited = Vec::new();
                    self.run(body, &mut inner, &mut awaited);
                    lane.last = inner.last;
                    self.sync(lane, begin, &awaited, at);
                }
                Statement::Spawn(site, task) => {
                    let at = boundary(*site, Side::Outside);
                    let spawn = self.next(lane, VertexKind::Spawn, 4, at);
                    lane.from = at;
                    self.next(lane, VertexKind::Strand, 0, at);
                    let from = boundary(*site, Side::Body);
                    let begin = self.strand(VertexKind::Strand, 1, from, from, *site);
                    self.dag.edge(spawn, begin, true);
                    let mut spawned = Lane {
                        last: begin,
                        from,
                        node: *site,
                    };
                    self.run(task, &mut spawned, tasks);
                    tasks.push(spawned.last);
                }
            }
        }
    }

    fn finish(self) -> Dag {
        let dag = Dag {
            burden: BURDEN,
            ..self.dag.finish()
        };
        dag.check(SITES as usize, SITES as usize)
            .expect("a random dag is valid");
        dag
    }
}
