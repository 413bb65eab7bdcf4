//! The profile of a task-parallel program, and everything that follows from it.
//!
//! A [`Profile`] holds the measurements: the sites, and for each node of the call tree its figures
//! on the work and on the span. [`analyse`] computes the rest: totals, speedup bounds, one row per
//! site, notes and a verdict. Renderers print an [`Analysis`] and compute nothing themselves.
//!
//! [`SiteRow::measure`] gives the [measures](MeasureKind) of a row, [on the work or on the
//! span](On). [`path_of`] splits a row's span into the sites that it consists of, and
//! [`call_tree()`] shows which site runs which.
//!
//! A profile may come with the [`Dag`] of its run: [`what_if()`] and [`advise`] change it, and
//! [`predict`] simulates a scheduler on it. A [`Sweep`] holds runs on different numbers of threads;
//! [`scaling()`] computes their speedups.
//!
//! # Where things stand
//!
//! A folder uses only those above it:
//!
//! | folder | what it holds |
//! |---|---|
//! | `quantity` | amounts and their metric; estimates, medians and ratios; bounds on speedups |
//! | `run` | what a run recorded: sites, the call tree, samples, waits, locks, the machine |
//! | `profile` | the profile, and the forms of its figures: totals, rows, the cost of tasks |
//! | `sites` | a row per site, the paths through sites, which site runs which |
//! | `dag` | the task dag: critical path, changes, advice, simulated schedulers |
//! | `sampling` | what samples show: functions, lines, the flame graph, time in libraries |
//! | `threads` | what threads spent their time on and waited for |
//! | `verdict` | what limits the program, and what the answer may claim |
//! | `findings` | what to change |
//! | `analysis` | all of that together, with the totals, regions and notes |
//! | `inflation` | runs with one worker against parallel ones |
//! | `scaling` | sweeps over numbers of threads |
//! | `comparison` | two profiles against one another |
//! | `example` | data to try things on |
//!
//! This crate does no I/O, reads no clock and starts no threads: the same profile always gives the
//! same analysis.
//!
//! ```
//! use workspan_model::{SpeedupBounds, analyse, example};
//!
//! let profile = example::quicksort();
//! let analysis = analyse(&profile);
//! assert!(analysis.totals.parallelism.value > 1.0);
//! assert!(analysis.speedup.iter().all(|bounds: &SpeedupBounds| bounds.lower <= bounds.upper));
//! ```
#![forbid(unsafe_code)]

#[macro_use]
mod named;
mod analysis;
mod comparison;
mod dag;
pub mod example;
mod findings;
mod inflation;
mod profile;
mod quantity;
mod run;
mod sampling;
mod scaling;
mod sites;
mod threads;
mod verdict;

pub use analysis::assumed_cores::{AssumedCut, assumed_cut, real_cut};
pub use analysis::notes::{Note, notes};
pub use analysis::regions::{InstanceFigures, Region, RegionFigures, regions};
pub use analysis::runs::{Runs, SiteSpread, repeated, runs};
pub use analysis::totals::{totals, totals_with_dag};
pub use analysis::{Analysis, analyse, analyse_with_dag};
pub use comparison::{
    Basis, COMPARISON_CONFIDENCE, ChangeKind, Checked, Comparison, ComparisonOptions,
    ComparisonVerdict, FigureChange, Incomparable, LEAST_CHANGE, Mismatch, Quantity, SiteChange,
    Threshold, ThresholdError, ThresholdLimit, ThresholdOutcome, check_thresholds, compare,
    mismatches,
};
pub use dag::simulation::{
    CostsSource, Outcome, Prediction, Scheduler, SchedulingCosts, Simulation, SpeedupCurve,
    UnknownScheduler, predict,
};
pub use dag::{
    Advice, AdviceEnd, AdviceStep, AdvisedCode, Boundary, Change, ChangedCode, Code, CodeError,
    CodeEstimate, CodeOnPath, CodePart, CodeRegion, CriticalPath, Dag, DagBuilder, DagFigures,
    DagShape, DagTotals, Execution, ExpectedSpeedup, Goal, InvalidDag, LockLimit, RegionOnPath,
    Repeats, Side, SpeedupChange, StrandRegion, StrandRegionId, Successor, Successors, Until,
    Vertex, VertexId, VertexKind, WhatIf, WhatIfRange, advise, advise_with, find_code, find_sites,
    what_if,
};
pub use findings::{
    Diagnosis, EstimatedBy, Evidence, Finding, Gain, InflatedCounter, InflationCause, ReadyChange,
    ReadySource, Serialisation, SkewedBy, UnknownDiagnosis, findings, ready_changes,
};
pub use inflation::{
    Compared, DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind, Extent,
    InflatedPath, Inflation, Judgement, LEAST_SHARE, LookedUp, MetricInflation, PathLookup,
    ProgramInflation, inflation, look_up_path,
};
pub use profile::engine::{EngineCost, Pools, engine_cost};
pub use profile::repetition::{Repetition, RunFigures};
pub use profile::sample_weight::OnBoth;
pub use profile::site_row::{Measure, MeasureKind, On, RowOnSpan, RowOnWork, SiteRow};
pub use profile::task_costs::{average_tasking_overhead, knows_tasking_costs};
pub use profile::tasking::{TaskingOverhead, task_cost, tasking_overhead};
pub use profile::totals::Totals;
pub use profile::{InvalidProfile, MOST_CORES, MOST_NESTED_SITES, Profile};
pub use quantity::estimate::Estimate;
pub use quantity::median::CONFIDENCE;
pub use quantity::metric::Metric;
pub use quantity::paired::PairedRatio;
pub use quantity::phases::Phases;
pub use quantity::speedup::{SpeedupBounds, SpeedupLimits, speedup_bounds};
pub use quantity::units::{Nanos, Span, Work, parallelism};
pub use run::lock::{Lock, LockUse};
pub use run::machine::{
    BurdenSource, CILKVIEW_BURDEN, Calibration, Cost, Machine, MachineCosts, Quartiles,
};
pub use run::runtime::{Runtime, RuntimeKind};
pub use run::samples::{
    FrameId, LineUse, OutsideStack, SampleShare, SampleSize, SampledStack, Samples, StackFrame,
};
pub use run::site::{Location, Site, SiteId, SiteKind};
pub use run::timeline::{Timeline, TimelinePart, TimelineShare};
pub use run::tree::{Node, NodeId, OnSpan, OnWork, PathPart, ThreadShare};
pub use run::waits::{Queue, WaitCause, WaitPlace, Waits};
pub use run::{
    EngineCount, Exit, PlainPair, ProcessorUse, RealCut, RegionInstance, Run, Timing, TimingKind,
};
pub use sampling::flame::{
    Flame, FlameCode, FlameFrame, FlameGrowth, FlameMeasure, FlameWeight, MeasuredFlame, flame,
};
pub use sampling::functions::{
    Caller, FunctionRow, Functions, HotFunction, functions, hot_functions,
};
pub use sampling::library::{
    AtomicsPurpose, FewAtomics, SampledAtomics, SampledLock, SampledOutside, WorkPerPiece,
};
pub use sampling::lines::{SiteOnLine, SourceFile, SourceLine, source_files};
pub use scaling::{
    BALANCE_TOLERANCE, Bandwidth, BandwidthPoint, BandwidthVerdict, Condition, Curvature,
    ExpectedScaling, Factored, FactoredCurve, FactoredError, FactoredPoint, FailedRuns, Gap,
    IdlePhase, IdleTimeline, Imbalance, LostTo, MissingProcessors, Pinning, RunKind, SWEEP_VERSION,
    Scaling, ScalingPoint, SlowdownCause, Sweep, SweepMachine, SweepRun, TimeEstimate, Worker,
    WorkerActivity, WorkerPhase, WorkerTimeline, Workers, bandwidth, factored, scaling,
};
pub use sites::call_tree::{TreeLine, TreeNode, TreeNodes, call_tree};
pub use sites::division::Division;
pub use sites::matching::{Match, Matching, match_rows};
pub use sites::path::{SitePath, SitePathPart, SpanParts, SpanRest, path_of, paths, span_parts};
pub use sites::rows::site_rows;
pub use sites::selection::{SelectionError, select_rows};
pub use threads::contention::{
    Awaited, ContendedLock, Contender, Kernel, Reason, SerialChildren, awaited,
};
pub use threads::efficiency::{Balance, Efficiency};
pub use threads::lock_row::{LockRow, lock_rows};
pub use threads::placement::Placement;
pub use threads::standstill::{StandingWait, Standstill};
pub use threads::time::{Books, Discrepancy, Spent, books};
pub use verdict::claims::{Ceiling, Claim, Claims, Contradiction, Ledger, Reach};
pub use verdict::plain_runs::PlainRuns;
pub use verdict::{Limit, Verdict, verdict};
