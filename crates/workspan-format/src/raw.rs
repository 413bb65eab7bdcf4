//! The raw profile: what a profiled program writes on its exit.
//!
//! Text, one record a line, times in clock ticks, places as addresses. Written by `workspan-rt` and read
//! by the workspan that built the program, so there is one version at a time. `docs/format.md` lists
//! the records.

mod convert;
pub(crate) mod fields;
mod locks;
mod parse;
pub(crate) mod program;
mod runtimes;
mod settings;
mod stack;

use workspan_model::{EngineCount, Location, Metric, Runtime, TimingKind};

pub use convert::Launch;
pub use parse::{RawError, parse, read};
pub use stack::{RawWord, StackCopy};

/// A raw profile: the records as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RawProfile {
    /// What the ticks are of.
    pub metric: Metric,
    /// Why a thread could not measure that, if one could not: the figures are then of the others.
    pub metric_problem: Option<String>,
    /// The clock that was read: `tsc`, `monotonic`, `thread`, `counter` or `virtual`.
    pub clock: String,
    /// Why not the better clock, or what limits this one.
    pub clock_note: Option<String>,
    /// Rate of the clock.
    pub ticks_per_second: f64,
    /// From the start of the process to the writing.
    pub elapsed_ticks: i64,
    /// Real size of the default pool; 0 when none was started.
    pub threads: u32,
    /// What `current_num_threads` answered in default pools; 0 when nothing asked.
    pub assumed_cores: u32,
    /// Cores that the process could use.
    pub machine_cores: u32,
    /// Cost of moving a task.
    pub burden_ticks: i64,
    /// The parallel runtimes of the program.
    pub runtimes: Vec<Runtime>,
    /// The process.
    pub pid: u32,
    /// How the process got to the writing.
    pub ended: Ended,
    /// The program and its arguments, as far as it tells them: of one that has not ended, which nobody reads for it.
    pub command: Vec<String>,
    /// Of the same: when it was started, in seconds since 1970-01-01 UTC; else 0.
    pub started_at: u64,
    /// Tasks still running at the writing.
    pub unfinished_tasks: u64,
    /// Time off the processor, taken off the strands.
    pub off_processor_ticks: i64,
    /// The engine's own cost, taken off the strands.
    pub own_cost_ticks: i64,
    /// Costs of operations.
    pub calibration: RawCalibration,
    /// Span of the program.
    pub span_ticks: i64,
    /// Burdened span of the program.
    pub burdened_span_ticks: i64,
    /// Where the clock was read.
    pub timing: TimingKind,
    /// How far the true span may lie from `span_ticks`, on either side.
    pub span_open_ticks: i64,
    /// The same of the burdened span.
    pub burdened_span_open_ticks: i64,
    /// The part of the work that was timed in shared stretches.
    pub shared_ticks: i64,
    /// What the engine counted of itself, in its order.
    pub engine: Vec<EngineCount>,
    /// Whether the call tree hit its size limit.
    pub truncated_tree: bool,
    /// The executable mappings of the process.
    pub modules: Vec<RawModule>,
    /// The sites; index = id, the root first.
    pub sites: Vec<RawSite>,
    /// The call tree; index = id, the root first, every node after its parent.
    pub nodes: Vec<RawNode>,
    /// Single instances of regions.
    pub instances: Vec<RawInstance>,
    /// Locks, each by the sites at which it was acquired; those held longest, if there were very many.
    pub locks: Vec<Vec<RawLockUse>>,
    /// All others together, by site.
    pub other_locks: Vec<RawLockUse>,
    /// Samples a second asked for; `None` when sampling was off.
    pub sampling: Option<u32>,
    /// Why sampling was off, or what limits it.
    pub sampling_note: Option<String>,
    /// Sampled stacks.
    pub stacks: Vec<RawStack>,
    /// Records of stacks that were damaged, and left out.
    pub damaged_stacks: u64,
}

/// What was done under a lock that one site has acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLockUse {
    /// Index of the site.
    pub site: u32,
    /// Sum over the acquisitions of how much longer the holder's path was at the release.
    pub held_ticks: i64,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many of these had to wait.
    pub waits: u64,
    /// How long they waited, all together.
    pub waited_ticks: i64,
}

/// An instance of a region, with its figures in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawInstance {
    /// Index of the region's node.
    pub node: u32,
    /// Which of the node's instances it is, from 0.
    pub number: u64,
    /// When it began.
    pub start_ticks: i64,
    /// Its work.
    pub work_ticks: i64,
    /// Its span.
    pub span_ticks: i64,
    /// Its burdened span.
    pub burdened_span_ticks: i64,
    /// How far both spans may be off.
    pub open_ticks: i64,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits for tasks in it.
    pub syncs: u64,
}

/// A sampled stack.
#[derive(Clone, Debug, PartialEq)]
pub struct RawStack {
    /// Index of the node at which the strand ran.
    pub node: u32,
    /// What its unwinding needs.
    pub copy: StackCopy,
    /// Samples, by the periods that they stand for.
    pub on_work: f64,
    /// The part of them on the critical path.
    pub on_span: f64,
}

/// How a process got to the writing of its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It exited.
    Exit,
    /// This signal came.
    Signal(i32),
    /// It has not ended: it wrote what there was so far.
    Not,
}

/// Costs of operations, in ticks and fractions of them. Absent ones are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawCalibration {
    /// One reading of the clock.
    pub clock_read: f64,
    /// Rayon's own cost of one `join`.
    pub join: f64,
    /// Taken off for each boundary of a `join`.
    pub join_boundary: f64,
    /// Rayon's own cost of one spawned task.
    pub spawn: f64,
    /// Taken off for each boundary of a spawned task.
    pub spawn_boundary: f64,
    /// Rayon's own cost of one `scope`.
    pub scope: f64,
}

/// An executable mapping of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawModule {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Where in the file the mapping starts.
    pub file_offset: u64,
    /// The file.
    pub path: String,
}

impl RawModule {
    /// Whether a run-time address lies in the mapping.
    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// Kind of a site as the engine knows it. Iterators and sorts show up as joins inside rayon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// The program's serial code.
    Root,
    /// `join`.
    Join,
    /// `scope`.
    Scope,
    /// `spawn`.
    Spawn,
    /// `broadcast`.
    Broadcast,
    /// A thread of the program's own.
    Thread,
    /// A call of a function.
    Function,
    /// A named region.
    Region,
    /// A parallel region.
    Parallel,
    /// A parallel loop.
    Loop,
    /// Parallel sections.
    Sections,
    /// A task that its parent, a scope or a barrier awaits.
    Task,
    /// A block that awaits all tasks made in it.
    Taskgroup,
    /// A critical section.
    Critical,
    /// An atomic update that the runtime makes under a lock.
    Atomic,
    /// The ordered part of a loop's iterations.
    Ordered,
    /// What runs while a lock is held.
    Lock,
}

impl RawKind {
    /// Whether a lock is acquired there. Such a site has no nodes.
    pub const fn is_lock(self) -> bool {
        matches!(
            self,
            Self::Critical | Self::Atomic | Self::Ordered | Self::Lock
        )
    }

    /// Whether an instance consists of tasks that begin with it, and has no body beside them.
    pub(crate) const fn has_members(self) -> bool {
        matches!(
            self,
            Self::Broadcast | Self::Parallel | Self::Loop | Self::Sections
        )
    }
}

/// A site as the engine knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSite {
    /// What it does.
    pub kind: RawKind,
    /// Whether the call stands inside rayon, so that `location` is rayon's and the user's place
    /// has to come from `stack`.
    pub internal: bool,
    /// Where the call stands.
    pub location: Option<Location>,
    /// Type name of the closure.
    pub type_name: Option<String>,
    /// Where its runtime says that it begins: a return address.
    pub address: Option<u64>,
    /// The stack at the first appearance, from within the engine on.
    pub stack: Option<StackCopy>,
    /// Of a function's call: which.
    pub call: Option<RawCall>,
    /// Name of a region, or what the program says of another construct.
    pub name: Option<String>,
}

/// A call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The return address, 0 if not known; of a function that is inlined, that of the function around it.
    pub from: u64,
    /// The address of the function called.
    pub to: u64,
    /// An address in its code, inlined or not; 0 if not known.
    pub code: u64,
}

impl RawSite {
    /// The root.
    pub(crate) const fn of_root() -> Self {
        Self {
            kind: RawKind::Root,
            internal: false,
            location: None,
            type_name: None,
            address: None,
            stack: None,
            call: None,
            name: None,
        }
    }
}

/// A node of the call tree, with its figures in ticks. Their meaning is that of
/// [`workspan_model::Node`]'s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawNode {
    /// Index of the node above; `None` for the root.
    pub parent: Option<u32>,
    /// Index of the site.
    pub site: u32,
    /// Whether the site was active already when it was entered.
    pub recursive: bool,
    /// Figures on the work.
    pub work: RawWork,
    /// Figures on the span.
    pub span: RawSpan,
    /// Of a region: further figures.
    pub region: RawRegion,
    /// What the longest paths of its top instances went through: node, ticks, instances.
    pub path: Vec<(u32, i64, u64)>,
}

/// A node's figures on the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawWork {
    /// Time of its strands.
    pub local_ticks: i64,
    /// Voluntary waits inside them.
    pub blocked_ticks: i64,
    /// Instances.
    pub count: u64,
    /// Top instances.
    pub top_count: u64,
    /// Sum of the spans of the top instances.
    pub top_span_ticks: i64,
    /// Tasks run on another thread than their spawner.
    pub stolen: u64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Own strands on their instances' longest paths.
    pub local_span_ticks: i64,
}

/// Sums over a region's top instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawRegion {
    /// Burdened spans.
    pub burdened_span_ticks: i64,
    /// How far that, and the sum of the spans, may be off.
    pub open_ticks: i64,
    /// Tasks created in them.
    pub spawns: u64,
    /// Waits for tasks in them.
    pub syncs: u64,
}

/// A node's figures on the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawSpan {
    /// Strands on the critical path.
    pub local_ticks: i64,
    /// Instances that start on the critical path.
    pub count: u64,
    /// Those without an outer instance of the site.
    pub top_count: u64,
    /// Work of these.
    pub top_work_ticks: i64,
    /// Own strands of all of them, on the path or off it.
    pub local_work_ticks: i64,
}
