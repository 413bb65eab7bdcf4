//! Work and span of a recorded program by brute force: the graph of its strands, with an edge
//! wherever one must come before another by the specification (OpenMP 5.2), and the longest path
//! through it.
//!
//! Written from the specification and `docs/openmp.md`, not from the engine.

use std::collections::{BTreeMap, HashMap};

use crate::figures::NodeKey;
use crate::graph::{Graph, Vertex};

use super::event::{Call, Code, Endpoint, Event, Id};
use super::site::{Kind, Site};
use super::task::{Access, Region, RegionId, Task, TaskId, Worksharing};

/// The figures that a profile should have. Times in ticks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Sum of all strands.
    pub work: i64,
    /// Longest path.
    pub span: i64,
    /// Longest path, with the burden on every edge to a strand that another thread can take.
    pub burdened_span: i64,
    /// By node of the call tree that has any: ticks of all strands, and of those on the longest
    /// path.
    pub nodes: BTreeMap<NodeKey<Site>, (i64, i64)>,
    /// Explicit tasks.
    pub tasks: usize,
    /// Explicit tasks that follow siblings.
    pub following_tasks: usize,
}

/// The figures that a profile of the program should have, whose runtime made the calls.
///
/// # Errors
/// If the calls are inconsistent.
pub fn expected(calls: &[Call], burden: i64) -> Result<Expected, String> {
    let mut oracle = Oracle {
        burden,
        ..Oracle::default()
    };
    // The first line of a stream is not a call.
    for (line, call) in (2..).zip(calls) {
        oracle
            .take(call, line)
            .map_err(|problem| format!("{problem} in line {line}: {call:?}"))?;
    }
    oracle.check_paths()?;
    Ok(oracle.figures())
}

#[derive(Default)]
struct Oracle {
    burden: i64,
    graph: Graph,
    /// Nodes of the call tree, as the sites of the graph.
    nodes: Vec<NodeKey<Site>>,
    tasks: Vec<Task>,
    regions: Vec<Region>,
    groups: usize,
    task_of: HashMap<u64, TaskId>,
    region_of: HashMap<u64, RegionId>,
    /// The task that each thread executes.
    current: HashMap<usize, TaskId>,
    following_tasks: usize,
    /// Tasks that stand for a `taskwait` with dependences, each with the task that had its place
    /// before.
    taskwaits: Vec<(TaskId, Option<TaskId>)>,
    /// Strands, each with the longest path to its end as reported by the engine, and its line.
    paths: Vec<(Vertex, i64, usize)>,
}

/// Errors that begin like this are the runtime's: it reported something false, from which no
/// figures follow.
pub const RUNTIME_ERROR: &str = "the runtime is wrong: ";

/// Values from the specification.
const FLAG_INITIAL: u32 = 0x1;
const FLAG_TASKWAIT: u32 = 0x10;
const FLAG_UNDEFERRED: u32 = 0x0800_0000;
const FLAG_FINAL: u32 = 0x2000_0000;
const TASKLOOP_CHUNK: u32 = 4;

impl Oracle {
    fn take(&mut self, call: &Call, line: usize) -> Result<(), String> {
        match &call.event {
            Event::Strand {
                ticks,
                program_task,
                path,
            } => {
                let at = self.strand(call.thread, *ticks, *program_task)?;
                self.paths.push((at, *path, line));
                Ok(())
            }
            Event::ParallelBegin {
                task, region, code, ..
            } => {
                let task = self.executed(call.thread, *task)?;
                self.begin_region(*region, task, *code)
            }
            // The event may name another region: libomp looks it up after it has given up the team.
            Event::ParallelEnd { task, .. } => {
                let task = self.task(*task)?;
                let region = self.tasks[task].region_within.ok_or_else(|| {
                    format!("{RUNTIME_ERROR}a region ends in a task that has begun none")
                })?;
                let mut before = self.ends_of_tasks(|other| other.region == region)?;
                before.extend(
                    self.regions[region]
                        .members
                        .iter()
                        .map(|&m| self.tasks[m].at),
                );
                self.join(task, before);
                self.current.insert(call.thread, task);
                Ok(())
            }
            Event::ImplicitTask {
                endpoint: Endpoint::Begin,
                region,
                task,
                threads,
                index,
                flags,
                place,
            } => {
                let ids = (*region, *task);
                self.begin_implicit_task(call.thread, ids, (*threads, *index), *flags)?;
                // At a barrier the tool keeps nothing there, and the stream has the place.
                let task = self.task(*task)?;
                self.task_of.extend(place.map(|place| (place, task)));
                Ok(())
            }
            // The task ends at the last barrier of its region, which is reported in time.
            Event::ImplicitTask { .. } => Ok(()),
            Event::TaskCreate {
                task,
                new_task,
                flags,
                code,
                running,
                ..
            } => {
                let parent = self.executed(call.thread, *task)?;
                self.create(parent, *new_task, *flags, *code, *running == *new_task)
            }
            Event::Dependences { task, list } => {
                let task = self.task(*task)?;
                for &(address, kind) in list {
                    self.tasks[task].places.push((address, Access::of(kind)?));
                }
                Ok(())
            }
            Event::TaskSchedule {
                prior,
                status,
                next,
            } => self.schedule(call.thread, *prior, *status, *next),
            Event::SyncRegion {
                kind,
                endpoint,
                region,
                task,
                code,
            } => self.sync(*kind, *endpoint, (*region, *task), *code),
            Event::Work {
                kind,
                endpoint,
                task,
                code,
                ..
            } => {
                let kind = match kind {
                    1 | 6 | 10..=13 => Kind::Loop,
                    2 => Kind::Sections,
                    _ => return Ok(()),
                };
                let task = self.executed(call.thread, *task)?;
                self.end_worksharing(task);
                if *endpoint == Endpoint::Begin {
                    self.begin_worksharing(task, kind, *code);
                }
                Ok(())
            }
            Event::Dispatch { task, kind, .. } => {
                if *kind != TASKLOOP_CHUNK {
                    let task = self.executed(call.thread, *task)?;
                    self.next_piece(task);
                }
                Ok(())
            }
            Event::SyncRegionWait { .. } | Event::Reduction { .. } => Ok(()),
        }
    }

    fn task(&self, id: Id) -> Result<TaskId, String> {
        id.and_then(|id| self.task_of.get(&id).copied())
            .ok_or_else(|| "a task that was not reported".to_owned())
    }

    /// The task that encounters a construct; its thread must be executing it.
    fn executed(&self, thread: usize, id: Id) -> Result<TaskId, String> {
        let task = self.task(id)?;
        let encounters = self.current.get(&thread) == Some(&task)
            // The runtime does not always report that an untied task goes on.
            || self.current.get(&thread).is_none_or(|&other| self.tasks[other].has_ended);
        if encounters {
            return Ok(task);
        }
        // libomp does this in programs compiled by gcc, after nested regions of one thread.
        Err(format!(
            "{RUNTIME_ERROR}the thread comes upon something in a task that it does not execute"
        ))
    }

    fn known_region(&self, id: Id) -> Result<RegionId, String> {
        id.and_then(|id| self.region_of.get(&id).copied())
            .ok_or_else(|| "a region that was not reported".to_owned())
    }

    /// Adds a strand of a task after those in `before`, each with the burden of the edge from it.
    fn add(&mut self, task: TaskId, ticks: i64, before: Vec<(Vertex, i64)>) -> Vertex {
        let key = NodeKey::of(&self.tasks[task].stack);
        let known = self.nodes.iter().position(|node| *node == key);
        let node = known.unwrap_or_else(|| {
            self.nodes.push(key);
            self.nodes.len() - 1
        });
        self.graph.add(node, ticks, before)
    }

    /// Lets a task go on only after these vertices, too.
    fn join(&mut self, task: TaskId, before: Vec<Vertex>) {
        let own = self.tasks[task].at;
        let before = before.into_iter().chain([own]).map(|vertex| (vertex, 0));
        self.tasks[task].at = self.add(task, 0, before.collect());
    }

    /// The ends of the explicit tasks that are awaited, all of which must have ended by now.
    fn ends_of_tasks(&self, is_awaited: impl Fn(&Task) -> bool) -> Result<Vec<Vertex>, String> {
        let awaited = self
            .tasks
            .iter()
            .filter(|task| task.is_explicit && is_awaited(task));
        awaited
            .map(|task| match (task.has_begun, task.has_ended) {
                (_, true) => Ok(task.at),
                (true, false) => {
                    Err("goes on before a task has ended that it waits for".to_owned())
                }
                // libomp loses some tasks with several dependences of kind mutexinoutset.
                (false, false) => Err(format!("{RUNTIME_ERROR}a task is never executed")),
            })
            .collect()
    }

    fn strand(&mut self, thread: usize, ticks: i64, program_task: u64) -> Result<Vertex, String> {
        if self.tasks.is_empty() {
            // The runtime has not reported the initial task yet.
            self.begin_initial_task();
        }
        let task = match self.current.get(&thread) {
            Some(&task) => task,
            None if thread == 0 => 0,
            None => return Err("a strand of no task".to_owned()),
        };
        let at = self.tasks[task].at;
        self.tasks[task].at = self.add(task, ticks, vec![(at, 0)]);
        let is_undeferred = program_task & 1 != 0;
        let now = &mut self.tasks[task];
        if *now.program_task.get_or_insert(program_task) != program_task {
            // As in `executed`.
            return Err(format!(
                "{RUNTIME_ERROR}a strand of {:x?}",
                now.program_task
            ));
        }
        if now.is_explicit && now.is_undeferred != is_undeferred {
            return Err(format!("undeferred: {} as reported", now.is_undeferred));
        }
        Ok(now.at)
    }

    fn begin_initial_task(&mut self) {
        self.new_task(None, 0, Vec::new(), 0);
        let start = self.add(0, 0, Vec::new());
        self.tasks[0].at = start;
        self.tasks[0].has_begun = true;
        self.regions.push(Region {
            start,
            stack: Vec::new(),
            code: 0,
            threads: 1,
            members: vec![0],
            barriers: Vec::new(),
        });
    }

    fn new_task(
        &mut self,
        parent: Option<TaskId>,
        region: RegionId,
        stack: Vec<Site>,
        at: Vertex,
    ) -> TaskId {
        self.tasks.push(Task {
            at,
            stack,
            parent,
            region,
            region_within: None,
            groups: parent.map_or_else(Vec::new, |parent| self.tasks[parent].groups.clone()),
            own_groups: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            worksharing: None,
            worksharings: 0,
            arrived: 0,
            passed: 0,
            is_explicit: false,
            is_final: false,
            is_undeferred: false,
            has_begun: false,
            has_ended: false,
            program_task: None,
        });
        self.tasks.len() - 1
    }

    /// The address that identifies a construct that a task encounters. In some places the runtime
    /// reports none, and for tasks of a `taskloop` one of its own.
    fn code(&self, task: TaskId, code: Code) -> u64 {
        let task = &self.tasks[task];
        if code.address == 0 && !task.is_explicit {
            return self.regions[task.region].code;
        }
        match task.own_groups.last() {
            Some(&group) if code.is_of_runtime => group,
            _ => code.address,
        }
    }

    fn begin_region(&mut self, id: Id, task: TaskId, code: Code) -> Result<(), String> {
        let id = id.ok_or("a region without a place")?;
        let code = self.code(task, code);
        self.region_of.insert(id, self.regions.len());
        self.tasks[task].region_within = Some(self.regions.len());
        self.regions.push(Region {
            start: self.tasks[task].at,
            stack: self.tasks[task].stack.clone(),
            code,
            threads: 1,
            members: Vec::new(),
            barriers: Vec::new(),
        });
        Ok(())
    }

    fn begin_implicit_task(
        &mut self,
        thread: usize,
        (region, id): (Id, Id),
        (threads, index): (u32, u32),
        flags: u32,
    ) -> Result<(), String> {
        let id = id.ok_or("an implicit task without a place")?;
        if flags & FLAG_INITIAL != 0 {
            if self.tasks.is_empty() {
                self.begin_initial_task();
            }
            self.region_of.extend(region.map(|region| (region, 0)));
            self.task_of.insert(id, 0);
            self.current.insert(thread, 0);
            return Ok(());
        }
        let region = self.known_region(region)?;
        let Region { start, code, .. } = self.regions[region];
        let mut stack = self.regions[region].stack.clone();
        stack.push(Site {
            kind: Kind::Parallel,
            address: code,
        });
        let task = self.new_task(None, region, stack, start);
        // The thread that encounters a region executes its first task.
        let burden = if index > 0 { self.burden } else { 0 };
        self.tasks[task].at = self.add(task, 0, vec![(start, burden)]);
        self.tasks[task].has_begun = true;
        self.regions[region].threads = threads;
        self.regions[region].members.push(task);
        self.task_of.insert(id, task);
        self.current.insert(thread, task);
        Ok(())
    }

    fn create(
        &mut self,
        parent: TaskId,
        id: Id,
        flags: u32,
        code: Code,
        is_running: bool,
    ) -> Result<(), String> {
        let id = id.ok_or("a task without a place")?;
        let Task { at, region, .. } = self.tasks[parent];
        let mut stack = self.tasks[parent].stack.clone();
        stack.push(Site {
            kind: Kind::Task,
            address: self.code(parent, code),
        });
        let is_taskwait = flags & FLAG_TASKWAIT != 0;
        // In a team of one thread the runtime calls every task undeferred.
        let is_undeferred = flags & FLAG_UNDEFERRED != 0
            && (is_running || self.tasks[parent].is_final || self.regions[region].threads > 1);
        let task = self.new_task(Some(parent), region, stack, at);
        let now = &mut self.tasks[task];
        now.is_explicit = !is_taskwait;
        now.is_final = flags & FLAG_FINAL != 0;
        now.is_undeferred = is_undeferred;
        let piece = self.tasks[parent].piece();
        self.tasks[parent].children.push((task, piece));
        let outer = self.task_of.insert(id, task);
        if is_taskwait {
            self.taskwaits.push((task, outer));
        }
        Ok(())
    }

    /// A task begins, after the siblings that it follows.
    fn begin(&mut self, task: TaskId) -> Result<(), String> {
        let now = &self.tasks[task];
        let is_deferred = now.is_explicit && !now.is_undeferred;
        let mut before = vec![(now.at, if is_deferred { self.burden } else { 0 })];
        let parent = now.parent.ok_or("an implicit task begins")?;
        let siblings = self.tasks[parent].children.iter().map(|child| child.0);
        for sibling in siblings.take_while(|&sibling| sibling < task) {
            let sibling = &self.tasks[sibling];
            if now.follows(sibling) {
                if !sibling.has_ended {
                    return Err("begins before a task has ended that it follows".to_owned());
                }
                before.push((sibling.at, self.burden));
            }
        }
        self.following_tasks += usize::from(now.is_explicit && before.len() > 1);
        self.tasks[task].has_begun = true;
        self.tasks[task].at = self.add(task, 0, before);
        Ok(())
    }

    fn schedule(&mut self, thread: usize, prior: Id, status: u32, next: Id) -> Result<(), String> {
        const COMPLETE: u32 = 1;
        const CANCEL: u32 = 3;
        const DETACH: u32 = 4;
        const LATE_FULFILL: u32 = 6;
        const TASKWAIT_COMPLETE: u32 = 8;
        let id = prior;
        let prior = self.task(prior)?;
        match status {
            COMPLETE | CANCEL => {
                if self.current.get(&thread) != Some(&prior) {
                    // libomp does this for an untied task whose parts end on two threads in another
                    // order than they began, and in the case that `executed` describes.
                    return Err(format!(
                        "{RUNTIME_ERROR}a task ends on a thread that does not execute it"
                    ));
                }
                self.tasks[prior].has_ended = true;
                let parent = self.tasks[prior].parent;
                if let Some(parent) = parent.filter(|_| self.tasks[prior].is_undeferred) {
                    let end = self.tasks[prior].at;
                    self.join(parent, vec![end]);
                }
            }
            TASKWAIT_COMPLETE => {
                self.begin(prior)?;
                self.tasks[prior].has_ended = true;
                let parent = self.tasks[prior].parent.ok_or("a wait of nobody")?;
                let end = self.tasks[prior].at;
                self.join(parent, vec![end]);
                // The thread has only one place, which stands for the task around the wait again.
                let index = self.taskwaits.iter().position(|open| open.0 == prior);
                let (_, outer) = self.taskwaits.remove(index.ok_or("no such wait")?);
                if let (Some(place), Some(outer)) = (id, outer) {
                    self.task_of.insert(place, outer);
                }
                return Ok(());
            }
            DETACH..=LATE_FULFILL => return Err("detached tasks are not looked at".to_owned()),
            _ => {}
        }
        if next.is_some() {
            let next = self.task(next)?;
            if !self.tasks[next].has_begun {
                self.begin(next)?;
            }
            self.current.insert(thread, next);
        }
        Ok(())
    }

    fn sync(
        &mut self,
        kind: u32,
        endpoint: Endpoint,
        (region, task): (Id, Id),
        code: Code,
    ) -> Result<(), String> {
        const TASKWAIT: u32 = 5;
        const TASKGROUP: u32 = 6;
        const REDUCTION: u32 = 7;
        // The end of a region's last barrier may come after its implicit tasks are gone.
        if endpoint == Endpoint::End && region.is_none() {
            return Ok(());
        }
        let task = self.task(task)?;
        match (kind, endpoint) {
            (TASKWAIT, Endpoint::Begin) | (REDUCTION, _) => {}
            (TASKWAIT, Endpoint::End) => {
                let children: Vec<TaskId> = self.tasks[task].children_before().collect();
                if children.iter().any(|&child| !self.tasks[child].has_ended) {
                    return Err("goes on before a child has ended".to_owned());
                }
                let ends = children.iter().map(|&child| self.tasks[child].at);
                self.join(task, ends.collect());
            }
            (TASKGROUP, Endpoint::Begin) => {
                let address = self.code(task, code);
                let group = self.groups;
                self.groups += 1;
                let now = &mut self.tasks[task];
                now.groups.push(group);
                now.own_groups.push(address);
                now.stack.push(Site {
                    kind: Kind::Taskgroup,
                    address,
                });
            }
            (TASKGROUP, Endpoint::End) => {
                let now = &mut self.tasks[task];
                now.own_groups.pop().ok_or("no group is open")?;
                let group = now.groups.pop().ok_or("no group is open")?;
                let ends = self.ends_of_tasks(|other| other.groups.contains(&group))?;
                self.join(task, ends);
                self.tasks[task].stack.pop();
            }
            (_, Endpoint::Begin) => self.arrive(task),
            (_, Endpoint::End) => self.pass(task)?,
        }
        Ok(())
    }

    /// An implicit task arrives at a barrier.
    fn arrive(&mut self, task: TaskId) {
        self.end_worksharing(task);
        let Task {
            at,
            region,
            arrived,
            ..
        } = self.tasks[task];
        let barriers = &mut self.regions[region].barriers;
        if barriers.len() == arrived {
            barriers.push((Vec::new(), None));
        }
        barriers[arrived].0.push(at);
        self.tasks[task].arrived += 1;
    }

    /// An implicit task goes on after a barrier: all of the team have arrived, and all tasks of the
    /// region have ended (15.3.1).
    fn pass(&mut self, task: TaskId) -> Result<(), String> {
        let Task { region, passed, .. } = self.tasks[task];
        let barrier = self.regions[region].barriers.get(passed);
        let (arrivals, after) = barrier.ok_or("goes on after a barrier that it has not come to")?;
        let after = match *after {
            Some(after) => after,
            None => {
                if arrivals.len() != self.regions[region].members.len() {
                    return Err("goes on before all have come to the barrier".to_owned());
                }
                let mut before = arrivals.clone();
                before.extend(self.ends_of_tasks(|other| other.region == region)?);
                let before = before.into_iter().map(|vertex| (vertex, 0)).collect();
                self.add(task, 0, before)
            }
        };
        self.regions[region].barriers[passed].1 = Some(after);
        self.tasks[task].at = after;
        self.tasks[task].passed += 1;
        Ok(())
    }

    fn begin_worksharing(&mut self, task: TaskId, kind: Kind, code: Code) {
        let address = self.code(task, code);
        let now = &mut self.tasks[task];
        now.stack.push(Site { kind, address });
        now.worksharings += 1;
        now.worksharing = Some(Worksharing {
            start: now.at,
            ends: Vec::new(),
            has_reported_piece: false,
        });
    }

    /// Pieces are parallel to one another: each begins where the construct did. Not all runtimes
    /// report the first.
    fn next_piece(&mut self, task: TaskId) {
        let now = &mut self.tasks[task];
        let Some(worksharing) = &mut now.worksharing else {
            return;
        };
        if std::mem::replace(&mut worksharing.has_reported_piece, true) {
            worksharing.ends.push(now.at);
            let start = worksharing.start;
            self.tasks[task].at = self.add(task, 0, vec![(start, self.burden)]);
        }
    }

    fn end_worksharing(&mut self, task: TaskId) {
        if let Some(worksharing) = self.tasks[task].worksharing.take() {
            self.join(task, worksharing.ends);
            self.tasks[task].stack.pop();
        }
    }

    fn check_paths(&self) -> Result<(), String> {
        let lengths = self.graph.lengths();
        for &(at, path, line) in &self.paths {
            if lengths[at] != path {
                let expected = lengths[at];
                return Err(format!(
                    "line {line}: the strand has a path of {path}, {expected} expected"
                ));
            }
        }
        Ok(())
    }

    fn figures(self) -> Expected {
        let longest = self.graph.longest(self.nodes.len());
        let figures = self.nodes.into_iter().zip(longest.sites);
        Expected {
            work: longest.work,
            span: longest.span,
            burdened_span: longest.burdened_span,
            nodes: figures.filter(|(_, ticks)| *ticks != (0, 0)).collect(),
            tasks: self.tasks.iter().filter(|task| task.is_explicit).count(),
            following_tasks: self.following_tasks,
        }
    }
}
