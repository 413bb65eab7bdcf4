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
mod awaited;
mod books;
mod call_tree;
mod claims;
mod comparison;
mod construct;
mod dag;
mod division;
mod engine;
mod estimate;
pub mod example;
mod findings;
mod flame;
mod functions;
mod inflation;
mod lines;
mod lock;
mod lock_row;
mod machine;
mod matching;
mod metric;
mod noise;
mod notes;
mod path;
mod phases;
mod placement;
mod plain_runs;
mod profile;
mod profile_tasking;
mod profile_totals;
mod real_cut;
mod regions;
mod repetition;
mod run;
mod runs;
mod runtime;
mod sampled_library;
mod samples;
mod scaling;
mod selection;
mod simulation;
mod site;
mod site_row;
mod site_rows;
mod speedup;
mod standstill;
mod tasking;
mod timeline;
mod tops;
mod totals;
mod tree;
mod units;
mod verdict;
mod waits;

pub use analysis::{Analysis, analyse, analyse_with_dag};
pub use awaited::{Awaited, ContendedLock, Contender, Kernel, Reason, SerialChildren, awaited};
pub use books::{Books, Discrepancy, Spent, books};
pub use call_tree::{TreeLine, TreeNode, TreeNodes, call_tree};
pub use claims::{Ceiling, Claim, Claims, Contradiction, Ledger, Reach};
pub use comparison::{
    Basis, COMPARISON_CONFIDENCE, ChangeKind, Checked, Comparison, ComparisonOptions,
    ComparisonVerdict, FigureChange, Incomparable, LEAST_CHANGE, Mismatch, Quantity, SiteChange,
    Threshold, ThresholdError, ThresholdLimit, ThresholdOutcome, check_thresholds, compare,
    mismatches,
};
pub use dag::{
    Advice, AdviceEnd, AdviceStep, AdvisedCode, Boundary, Change, ChangedCode, Code, CodeError,
    CodeEstimate, CodeOnPath, CodePart, CodeRegion, CriticalPath, Dag, DagBuilder, DagFigures,
    DagShape, DagTotals, Execution, ExpectedSpeedup, Goal, InvalidDag, LockLimit, ReadyChange,
    ReadySource, RegionOnPath, Repeats, Side, SpeedupChange, StrandRegion, StrandRegionId,
    Successor, Successors, Until, Vertex, VertexId, VertexKind, WhatIf, WhatIfRange, advise,
    advise_with, find_code, find_sites, ready_changes, what_if,
};
pub use division::Division;
pub use engine::{EngineCost, Pools, engine_cost};
pub use estimate::Estimate;
pub use findings::{
    Diagnosis, EstimatedBy, Evidence, Finding, Gain, InflatedCounter, Serialisation, SkewedBy,
    UnknownDiagnosis, findings,
};
pub use flame::{
    Flame, FlameCode, FlameFrame, FlameGrowth, FlameMeasure, FlameWeight, MeasuredFlame, flame,
};
pub use functions::{
    Caller, FunctionRow, Functions, HotFunction, OnBoth, functions, hot_functions,
};
pub use inflation::{
    Compared, DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind, Extent,
    InflatedPath, Inflation, InflationCause, Judgement, LEAST_SHARE, LookedUp, MetricInflation,
    PairedRatio, PathLookup, ProgramInflation, inflation, look_up_path,
};
pub use lines::{SiteOnLine, SourceFile, SourceLine, source_files};
pub use lock::{Lock, LockUse};
pub use lock_row::{LockRow, lock_rows};
pub use machine::{
    BurdenSource, CILKVIEW_BURDEN, Calibration, Cost, Machine, MachineCosts, Quartiles,
};
pub use matching::{Match, Matching, match_rows};
pub use metric::Metric;
pub use notes::{Note, notes};
pub use path::{SitePath, SitePathPart, SpanParts, SpanRest, path_of, paths, span_parts};
pub use phases::Phases;
pub use placement::Placement;
pub use plain_runs::PlainRuns;
pub use profile::{InvalidProfile, MOST_CORES, MOST_NESTED_SITES, Profile};
pub use profile_tasking::{average_tasking_overhead, knows_tasking_costs};
pub use profile_totals::{totals, totals_with_dag};
pub use real_cut::{AssumedCut, assumed_cut, real_cut};
pub use regions::{InstanceFigures, Region, RegionFigures, regions};
pub use repetition::{Repetition, RunFigures};
pub use run::{
    EngineCount, Exit, PlainPair, ProcessorUse, RealCut, RegionInstance, Run, Timing, TimingKind,
};
pub use runs::{Runs, SiteSpread, repeated, runs};
pub use runtime::{Runtime, RuntimeKind};
pub use sampled_library::{SampledAtomics, SampledLock, SampledOutside, WorkPerPiece};
pub use samples::{
    FrameId, LineUse, OutsideStack, SampleShare, SampleSize, SampledStack, Samples, StackFrame,
};
pub use scaling::{
    BALANCE_TOLERANCE, Bandwidth, BandwidthPoint, BandwidthVerdict, CONFIDENCE, Condition,
    Curvature, ExpectedScaling, Factored, FactoredCurve, FactoredError, FactoredPoint, FailedRuns,
    Gap, IdlePhase, IdleTimeline, Imbalance, LostTo, MissingProcessors, Pinning, RunKind,
    SWEEP_VERSION, Scaling, ScalingPoint, SlowdownCause, Sweep, SweepMachine, SweepRun,
    TimeEstimate, Worker, WorkerActivity, WorkerPhase, WorkerTimeline, Workers, bandwidth,
    factored, scaling,
};
pub use selection::{SelectionError, select_rows};
pub use simulation::{
    CostsSource, Outcome, Prediction, Scheduler, SchedulingCosts, Simulation, SpeedupCurve,
    UnknownScheduler, predict,
};
pub use site::{Location, Site, SiteId, SiteKind};
pub use site_row::{Measure, MeasureKind, On, RowOnSpan, RowOnWork, SiteRow};
pub use site_rows::site_rows;
pub use speedup::{SpeedupBounds, SpeedupLimits, speedup_bounds};
pub use standstill::{StandingWait, Standstill};
pub use tasking::{TaskingOverhead, task_cost, tasking_overhead};
pub use timeline::{Timeline, TimelinePart, TimelineShare};
pub use totals::Totals;
pub use tree::{Node, NodeId, OnSpan, OnWork, PathPart};
pub use units::{Nanos, Span, Work, parallelism};
pub use verdict::{Limit, Verdict, verdict};
pub use waits::{Queue, WaitCause, WaitPlace, Waits};
