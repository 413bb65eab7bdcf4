//! Reads the raw profile, which a profiled program writes when it exits.
//!
//! It is text with one record a line, times in clock ticks and places as addresses. `workspan-rt`
//! writes it and the workspan that built the program reads it, so there is a single version at a
//! time. `docs/format.md` lists the records.

mod convert;
mod error;
pub(crate) mod fields;
mod parse;
pub(crate) mod program;
mod runtimes;
mod stack;

use workspan_model::{
    EngineCount, LineUse, Location, Metric, Runtime, SiteKind, TimingKind, WaitCause,
};

pub use convert::Launch;
pub use error::RawError;
pub use parse::{parse, read};
pub use stack::{RawWord, StackCopy};
/// The kind of a site. The engine does not know those of iterators and sorts: they are joins inside
/// rayon.
pub use workspan_model::SiteKind as RawKind;

/// The only version of the raw profile that this crate reads.
const VERSION: &str = "11";

/// A raw profile: the records as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawProfile {
    /// What the ticks measure.
    pub metric: Metric,
    /// Why a thread could not measure that, if one could not. The figures are then those of the
    /// other threads.
    pub metric_problem: Option<String>,
    /// The clock: `tsc`, `monotonic`, `thread`, `counter` or `virtual`.
    pub clock: String,
    /// Why a better clock was not used, or what limits this one.
    pub clock_note: Option<String>,
    /// The clock's rate.
    pub ticks_per_second: f64,
    /// Time from the start of the process to the writing of the profile.
    pub elapsed_ticks: i64,
    /// For how long the threads of the process ran, in the program and in the kernel, in
    /// nanoseconds. `None` if the clock's ticks cannot be compared with it.
    pub processor_nanos: Option<i64>,
    /// For how long those that had not ended were ready and did not run, in nanoseconds; `None` if
    /// not known.
    pub queued_nanos: Option<i64>,
    /// Real size of the default pool; 0 if none was started.
    pub threads: u32,
    /// What `current_num_threads` returned in default pools; 0 if nothing called it.
    pub assumed_cores: u32,
    /// Cores that the process could use.
    pub machine_cores: u32,
    /// Cost of moving a task.
    pub burden_ticks: i64,
    /// The parallel runtimes of the program.
    pub runtimes: Vec<Runtime>,
    /// Id of the process.
    pub pid: u32,
    /// Why the process wrote the profile.
    pub ended: Ended,
    /// The program and its arguments, if the process has not ended ([`Ended::Not`]); else empty, as
    /// the launcher knows them.
    pub command: Vec<String>,
    /// When the process was started, in seconds since 1970-01-01 UTC, if it has not ended; else 0.
    pub started_at: u64,
    /// Tasks that were still running when the profile was written.
    pub unfinished_tasks: u64,
    /// Time that was subtracted from strands because they were ready, but off the processor.
    pub off_processor_ticks: i64,
    /// Time that was subtracted from strands because it was the engine's own cost.
    pub own_cost_ticks: i64,
    /// Costs of operations.
    pub calibration: RawCalibration,
    /// Span of the program.
    pub span_ticks: i64,
    /// Burdened span of the program.
    pub burdened_span_ticks: i64,
    /// Where the clock was read.
    pub timing: TimingKind,
    /// How far the true span may be from `span_ticks`, on either side.
    pub span_open_ticks: i64,
    /// How far the true burdened span may be from `burdened_span_ticks`, on either side.
    pub burdened_span_open_ticks: i64,
    /// The part of the work that was timed in shared stretches.
    pub shared_ticks: i64,
    /// What the engine counted about itself, in its order.
    pub engine: Vec<EngineCount>,
    /// Whether the call tree hit its size limit.
    pub truncated_tree: bool,
    /// The executable mappings of the process.
    pub modules: Vec<RawModule>,
    /// The sites, indexed by id; the root comes first.
    pub sites: Vec<RawSite>,
    /// The nodes of the call tree, indexed by id; the root comes first, and every node after its
    /// parent.
    pub nodes: Vec<RawNode>,
    /// For how long each thread ran strands, by construct.
    pub shares: Vec<RawShare>,
    /// Single instances of regions.
    pub instances: Vec<RawInstance>,
    /// Locks, each by the sites at which it was acquired; if there were very many, those held
    /// longest.
    pub locks: Vec<Vec<RawLockUse>>,
    /// All other locks together, by site.
    pub other_locks: Vec<RawLockUse>,
    /// What threads waited for.
    pub queues: Vec<RawQueue>,
    /// Where the program restricted threads to some processors.
    pub restrictions: Vec<RawWait>,
    /// How many samples a second were asked for, in processor time; `None` if sampling was off.
    pub sampling: Option<u32>,
    /// Why sampling was off, or what limits it.
    pub sampling_note: Option<String>,
    /// When samples were taken.
    pub timeline: Option<RawTimeline>,
    /// Sampled stacks.
    pub stacks: Vec<RawStack>,
    /// Stacks sampled while a thread had no strand, each with the periods that it stands for.
    pub outside: Vec<(f64, StackCopy)>,
    /// Records of stacks that were damaged, and are left out.
    pub damaged_stacks: u64,
}

/// For how long a thread ran strands of a construct, without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawShare {
    /// The node of the construct.
    pub node: u32,
    /// The thread's number.
    pub thread: u32,
    /// How long.
    pub ran_ticks: i64,
}

/// What was done under a lock after acquiring it at one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLockUse {
    /// Index of the site.
    pub site: u32,
    /// Sum over the acquisitions of the growth of the holder's path until the release.
    pub held_ticks: i64,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many acquisitions had to wait: those that took longer than a microsecond.
    pub waits: u64,
    /// How long all acquisitions took.
    pub waited_ticks: i64,
}

/// An instance of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawInstance {
    /// Index of the region's node.
    pub node: u32,
    /// Which of the node's instances it is, from 0.
    pub number: u64,
    /// When it began, since the session began.
    pub start_ticks: i64,
    /// Its work.
    pub work_ticks: i64,
    /// Its span.
    pub span_ticks: i64,
    /// Its burdened span.
    pub burdened_span_ticks: i64,
    /// How far each span may be off.
    pub open_ticks: i64,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits for tasks in it.
    pub syncs: u64,
}

/// How many sampling periods the samples in each part of the session stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTimeline {
    /// The length of a part; the last may end early.
    pub part_nanos: i64,
    /// Of each part, the periods in strands and those of threads that had none.
    pub parts: Vec<(u64, u64)>,
}

/// A sampled stack.
#[derive(Clone, Debug, PartialEq)]
pub struct RawStack {
    /// Index of the node at which the strand ran.
    pub node: u32,
    /// What unwinding it needs.
    pub copy: StackCopy,
    /// How many sampling periods its samples stand for.
    pub on_work: f64,
    /// How many of these lie on the critical path.
    pub on_span: f64,
    /// How many periods of elapsed time they stand for.
    pub elapsed: f64,
    /// Which thread the previous sample at the cache line of each came from.
    pub line: LineUse,
}

/// What threads waited for at one address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawQueue {
    /// Whether they slept, at none.
    pub is_sleep: bool,
    /// What they waited for, if that was no futex and no sleep.
    pub cause: Option<WaitCause>,
    /// For how many nanoseconds at least one thread waited.
    pub any_nanos: i64,
    /// The part of that in which one waited and none was woken since.
    pub unwoken_nanos: i64,
    /// Where they waited.
    pub waits: Vec<RawWait>,
    /// Where threads woke others.
    pub wakes: Vec<RawWait>,
}

/// A stack on which threads waited, woke others, or were restricted to some processors.
#[derive(Clone, Debug, PartialEq)]
pub struct RawWait {
    /// Index of the node at which the strand ran.
    pub node: u32,
    /// How often.
    pub count: u64,
    /// For how many nanoseconds they waited; of others 0.
    pub nanos: i64,
    /// How many waited still, and for how many nanoseconds these had waited by then.
    pub open: (u64, i64),
    /// What unwinding the stack needs.
    pub copy: StackCopy,
}

/// Why a process wrote its profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// It exited.
    #[default]
    Exit,
    /// It received this signal.
    Signal(i32),
    /// It has not ended: it wrote what it had so far.
    Not,
}

/// Costs of operations, in ticks. Those that the profile lacks are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawCalibration {
    /// One reading of the clock.
    pub clock_read: f64,
    /// Rayon's own cost of one `join`.
    pub join: f64,
    /// What is subtracted for each boundary of a `join`.
    pub join_boundary: f64,
    /// Rayon's own cost of one spawned task.
    pub spawn: f64,
    /// What is subtracted for each boundary of a spawned task.
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
    /// Offset of the mapping in the file.
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

/// A site as the engine knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSite {
    /// What it does.
    pub kind: SiteKind,
    /// Whether the call is inside rayon, so that `location` is rayon's and the user's location has
    /// to come from `stack`.
    pub internal: bool,
    /// Where the call is.
    pub location: Option<Location>,
    /// Type name of the closure.
    pub type_name: Option<String>,
    /// Where it begins, as its runtime reports it: a return address.
    pub address: Option<u64>,
    /// The stack when the site was first reached, from within the engine outwards.
    pub stack: Option<StackCopy>,
    /// For a function: the call.
    pub call: Option<RawCall>,
    /// Name of a region; for another construct, what the program called.
    pub name: Option<String>,
}

/// A call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The return address, 0 if not known. For an inlined function, that of the function around it.
    pub from: u64,
    /// The address of the function called.
    pub to: u64,
    /// An address in its code, inlined or not; 0 if not known.
    pub code: u64,
}

impl RawSite {
    /// A site of which nothing but the kind is known.
    pub const fn new(kind: SiteKind) -> Self {
        Self {
            kind,
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

/// A node of the call tree. Its figures mean what those of [`workspan_model::Node`] do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawNode {
    /// Index of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// Index of the site.
    pub site: u32,
    /// Whether the site was already active when it was entered.
    pub recursive: bool,
    /// Figures over all instances.
    pub work: RawWork,
    /// Figures over the critical path.
    pub span: RawSpan,
    /// For a region: further figures.
    pub region: RawRegion,
    /// What the longest paths of its top instances went through, all of them together: node, ticks
    /// of its strands, instances of it that start there.
    pub path: Vec<(u32, i64, u64)>,
}

/// A node's figures over all instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawWork {
    /// Time of its strands.
    pub local_ticks: i64,
    /// The part of it in which they waited voluntarily.
    pub blocked_ticks: i64,
    /// Instances.
    pub count: u64,
    /// Top instances: those without an outer instance of the site.
    pub top_count: u64,
    /// Sum of the spans of the top instances.
    pub top_span_ticks: i64,
    /// Tasks run on another thread than their spawner.
    pub stolen: u64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Time of the instances' own strands on their own longest paths.
    pub local_span_ticks: i64,
}

/// Sums over a region's top instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawRegion {
    /// Sum of the burdened spans.
    pub burdened_span_ticks: i64,
    /// How far that sum, and the sum of the spans, may be off.
    pub open_ticks: i64,
    /// Tasks created in them.
    pub spawns: u64,
    /// Waits for tasks in them.
    pub syncs: u64,
}

/// A node's figures over the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawSpan {
    /// Time of its strands on the critical path.
    pub local_ticks: i64,
    /// Instances that start on the critical path.
    pub count: u64,
    /// Those of them without an outer instance of the site that end there, too.
    pub top_count: u64,
    /// Work of these top instances.
    pub top_work_ticks: i64,
    /// Time of the own strands of the instances on the path, on it or off it.
    pub local_work_ticks: i64,
}
