//! What the diagnoses need to know about a program and one of its sites.

use std::collections::BTreeSet;

use crate::findings::Evidence;
use crate::findings::gain::Expectation;
use crate::quantity::speedup::is_sufficient;
use crate::sampling::library::{LibraryWork, library_work};
use crate::sites::construct::Construct;
use crate::{Dag, Functions, Nanos, NodeId, Profile, RuntimeKind, SiteKind, SiteRow, Span, Totals};

/// A program and what follows from its profile.
pub(super) struct Program<'a> {
    pub(super) profile: &'a Profile,
    pub(super) totals: &'a Totals,
    pub(super) rows: &'a [SiteRow],
    pub(super) constructs: Vec<Construct>,
    pub(super) row_of_node: Vec<usize>,
    pub(super) nodes_of_row: Vec<Vec<NodeId>>,
    /// The number of instances on the critical path of constructs whose tasks can be moved.
    pub(super) moves_on_span: u64,
    pub(super) functions: Option<&'a Functions>,
    pub(super) cores: u32,
    /// For how long the lock was held that is held longest, of those that were recorded, that
    /// certainly limit by the waits for them, or that are around an iterator.
    pub(super) locked: Span,
    /// The construct whose tasks waited longest.
    pub(super) waits_most: Option<usize>,
    /// How much of that was likely for child processes, which need cores as well.
    pub(super) for_children: Nanos,
    /// For how long the serial code waited for child processes, if mostly for them.
    pub(super) for_serial_children: Nanos,
    pub(super) dag: Option<&'a Dag>,
}

/// A site that can be diagnosed: any but functions, regions and locks, which run inside constructs.
pub(super) struct Subject<'a> {
    pub(super) program: &'a Program<'a>,
    /// The index of its row.
    pub(super) index: usize,
    pub(super) row: &'a SiteRow,
    pub(super) construct: &'a Construct,
}

impl Program<'_> {
    pub(super) fn subject(&self, index: usize) -> Option<Subject<'_>> {
        let row = &self.rows[index];
        (!row.kind.is_serial()).then(|| Subject {
            program: self,
            index,
            row,
            construct: &self.constructs[index],
        })
    }

    /// The expectation for the program as it is.
    pub(super) fn expectation(&self) -> Expectation {
        Expectation {
            work: self.totals.work,
            tasking: self.totals.tasking_overhead.time,
            steals: self.times_burden(self.totals.stolen as f64),
            burdened_span: self.totals.burdened_span.value,
            locked: self.locked,
        }
    }

    /// Whether the parallelism, including the cost of moving tasks, is clearly too low for the
    /// cores.
    pub(super) fn lacks_parallelism(&self) -> bool {
        !is_sufficient(self.totals.burdened_parallelism.high, self.cores)
    }

    /// The cost of moving this many tasks.
    pub(super) fn times_burden(&self, tasks: f64) -> Nanos {
        Nanos::from_nanos_f64(tasks * self.profile.run.burden.shown() as f64)
    }
}

impl Subject<'_> {
    /// The share of the span that the construct's own code has.
    pub(super) fn span_share(&self) -> f64 {
        let span = self.construct.span.time();
        span.share_of(self.program.totals.span.value.time())
    }

    /// The average number of tasks that one top instance creates, including itself; 1 if it creates
    /// none.
    pub(super) fn tasks(&self) -> f64 {
        self.program.tasks_of(self.index)
    }

    /// The number of tasks at a time: those of each instance, times the number of instances that
    /// the constructs around it run in parallel. The threads of a parallel region share one
    /// instance of a loop in it.
    pub(super) fn tasks_at_a_time(&self) -> f64 {
        let program = self.program;
        let kind = |row: usize| program.rows[row].kind;
        let mut rows = vec![self.index];
        let mut is_shared = self.row.kind.has_pieces();
        for row in self.rows_around() {
            if !rows.contains(&row) {
                if !(is_shared && kind(row) == SiteKind::Parallel) {
                    rows.push(row);
                }
                if kind(row).is_parallel() {
                    is_shared = kind(row).has_pieces();
                }
            }
        }
        rows.into_iter().map(|row| program.tasks_of(row)).product()
    }

    /// The nearest parallel iterator around it that by itself has enough tasks for the cores.
    pub(super) fn loop_around(&self) -> Option<usize> {
        let program = self.program;
        self.rows_around().find(|&row| {
            let is_loop = program.rows[row].kind == SiteKind::ParIter && row != self.index;
            is_loop && program.tasks_of(row) >= f64::from(program.cores)
        })
    }

    /// The rows of the node that has most of the construct's span, and of those above it.
    fn rows_around(&self) -> impl Iterator<Item = usize> {
        let Program {
            profile,
            row_of_node,
            ..
        } = self.program;
        let longest = self.construct.longest_node.into_iter();
        let nodes = longest.flat_map(move |node| profile.with_above(node));
        nodes.map(move |node| row_of_node[node.index()])
    }

    /// Whether it is a pipeline of oneTBB: its items follow one another, and are no recursion.
    pub(super) fn is_pipeline(&self) -> bool {
        let Program {
            profile,
            rows,
            row_of_node,
            nodes_of_row,
            ..
        } = self.program;
        let filters = (0..rows.len()).filter(|&row| rows[row].is_filter());
        let mut nodes = filters.flat_map(|row| &nodes_of_row[row]);
        profile.runtime() == Some(RuntimeKind::Tbb)
            && nodes.any(|&node| {
                let mut above = profile
                    .with_above(node)
                    .map(|node| row_of_node[node.index()]);
                above.find(|&row| rows[row].kind.is_parallel()) == Some(self.index)
            })
    }

    /// The average number of nested instances on the critical path.
    pub(super) fn depth(&self) -> Option<f64> {
        let tops = self.row.on_span.top_call_site.count?;
        (tops > 0).then(|| self.row.on_span.count as f64 / tops as f64)
    }

    /// Average work of a task, counting only the construct's own strands.
    pub(super) fn task(&self) -> Nanos {
        let work = self.construct.work.time().shown() as f64;
        let on_work = &self.row.on_work;
        let tasks = match self.row.kind {
            kind if kind.is_task() => on_work.count,
            kind if kind.has_pieces() || kind == SiteKind::Parallel => on_work.spawns,
            _ => on_work.count + on_work.top_count,
        };
        Nanos::from_nanos_f64(work / tasks.max(1) as f64)
    }

    /// The number of tasks that the site creates.
    pub(super) fn tasks_made(&self) -> u64 {
        let on_work = &self.row.on_work;
        match self.row.kind {
            kind if kind.has_pieces() || kind.is_of_threads() => on_work.spawns,
            _ => on_work.count,
        }
    }

    /// Cost of creating and scheduling the tasks, as a share of the program's work.
    pub(super) fn overhead(&self) -> f64 {
        let time = self.row.on_work.tasking_overhead.time;
        time.share_of(self.program.totals.work.time())
    }

    /// The span of the constructs that spawn the site's tasks, such as a scope's body; 0 if the
    /// tasks are not spawned.
    pub(super) fn spawner_span(&self) -> Nanos {
        if !self.row.kind.is_task() {
            return Nanos::ZERO;
        }
        let program = self.program;
        let spawners = program.spawners(self.index).into_iter();
        let rows: BTreeSet<usize> = spawners
            .map(|node| program.row_of_node[node.index()])
            .filter(|&row| program.rows[row].kind.is_parallel())
            .collect();
        let spans = rows.into_iter().map(|row| program.constructs[row].span);
        spans.map(Span::time).sum()
    }

    /// The part of the burden on the span that this site's tasks cause, in proportion to its share
    /// of the constructs on the critical path.
    pub(super) fn burden_on_span(&self) -> Nanos {
        let totals = self.program.totals;
        let burden = totals.burdened_span.value.time() - totals.span.value.time();
        let moves = self.program.moves_on_span.max(1);
        let share = self.row.on_span.count as f64 / moves as f64;
        Nanos::from_nanos_f64(burden.shown() as f64 * share)
    }

    /// The expectation if the construct's own code on the critical path took this share of its
    /// time.
    pub(super) fn with_span_cut_to(&self, part: f64) -> Expectation {
        let span = self.construct.span.time().shown() as f64;
        let less = Nanos::from_nanos_f64(span * (1.0 - part).max(0.0));
        self.program.expectation().with_less_span(less)
    }

    /// Whether samples show that the site's part of the critical path is mostly a library's: no loop
    /// of the program makes that parallel.
    pub(super) fn is_library_work(&self) -> bool {
        let is_own = |node: NodeId| self.program.row_of_node[node.index()] == self.index;
        match library_work(self.program.profile, is_own) {
            Some(LibraryWork::Frees) => true,
            Some(LibraryWork::Collects | LibraryWork::Merges) => !self.row.kind.is_parallel(),
            None => false,
        }
    }

    /// The function that makes up the span according to samples, if this site has most of the span
    /// and the evidence is about that.
    pub(super) fn function(&self, evidence: &Evidence) -> Option<usize> {
        let is_of_code = matches!(
            evidence,
            Evidence::InsufficientParallelism { .. } | Evidence::SerialCode { .. }
        );
        if !is_of_code || self.span_share() < 0.5 {
            return None;
        }
        self.program.functions.and_then(Functions::bottleneck)
    }
}

impl Program<'_> {
    fn tasks_of(&self, index: usize) -> f64 {
        let row = &self.rows[index];
        let on_work = &row.on_work;
        let per_top = |count: u64| count as f64 / on_work.top_count.max(1) as f64;
        match row.kind {
            SiteKind::Join | SiteKind::ParIter | SiteKind::ParBridge | SiteKind::ParSort => {
                per_top(on_work.count) + 1.0
            }
            SiteKind::Broadcast => per_top(on_work.spawns) + 1.0,
            SiteKind::Parallel | SiteKind::Loop | SiteKind::Sections => {
                per_top(on_work.spawns).max(1.0)
            }
            SiteKind::Spawn | SiteKind::Task => {
                on_work.count as f64 / self.instances_around(index).max(1) as f64
            }
            SiteKind::Root
            | SiteKind::Scope
            | SiteKind::Taskgroup
            | SiteKind::Thread
            | SiteKind::Function
            | SiteKind::Region
            | SiteKind::Critical
            | SiteKind::Atomic
            | SiteKind::Ordered
            | SiteKind::Lock => 1.0,
        }
    }

    /// The nodes that spawned the tasks of a row, except those that are such tasks themselves.
    fn spawners(&self, index: usize) -> BTreeSet<NodeId> {
        let nodes = self.nodes_of_row[index].iter();
        let spawners = nodes.filter_map(|node| self.profile.tree[node.index()].parent);
        spawners
            .filter(|spawner| self.row_of_node[spawner.index()] != index)
            .collect()
    }

    /// The number of instances of the nodes that spawned the tasks of a row.
    fn instances_around(&self, index: usize) -> u64 {
        let spawners = self.spawners(index).into_iter();
        spawners
            .map(|spawner| self.profile.tree[spawner.index()].on_work.count.max(1))
            .sum()
    }
}
