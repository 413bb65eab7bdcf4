//! The raw profile: what the engine hands to the command line, one record a line.
//!
//! `docs/format.md` describes it. Both sides are built from one version of workspan.

use crate::clock::metric::Metric;
use crate::clock::{self, Clock};
use crate::events::lock;
use crate::path::executed::Executed;
use crate::path::log::{self, Part};
use crate::path::segment::Chain;
use crate::session::standstill;
use crate::state::calibrated::Calibration;
use crate::state::runtime::Runtime;
use crate::state::{pools, process};
use crate::system::mappings::modules;
use crate::system::process_end::Ending;
use crate::system::processors::Processors;
use crate::system::tally::Tally;
use crate::thread::{self, regions};
use crate::tree::text::{one_line, write_node, write_site};
use crate::{functions, sampler, tree, waits};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest path of the whole program.
pub(crate) struct Outcome {
    pub(crate) span: i64,
    pub(crate) burdened_span: i64,
    /// How far both can be off, because of stretches.
    pub(crate) open: i64,
    pub(crate) path: Chain,
    pub(crate) unfinished: u64,
}

pub(crate) struct Profile<'a> {
    pub(crate) metric: &'a Metric,
    /// Why a thread could not measure it, if one could not.
    pub(crate) metric_problem: Option<String>,
    pub(crate) clock: Clock,
    pub(crate) clock_note: Option<&'a str>,
    pub(crate) ticks_per_second: f64,
    pub(crate) elapsed: i64,
    pub(crate) processors: Option<Processors>,
    pub(crate) threads: usize,
    pub(crate) assumed_cores: usize,
    pub(crate) burden: i64,
    /// See [`Config`](crate::state::config::Config).
    pub(crate) grain: i64,
    pub(crate) runtimes: &'a [(Runtime, String)],
    pub(crate) ending: Ending,
    pub(crate) calibration: &'a Calibration,
    /// What the engine adds at the entry and the exit of a function, in ticks.
    pub(crate) function_cost: i64,
    /// How long the session's start took.
    pub(crate) start_nanos: i64,
    /// When the session began, by the clock that times the instances of regions.
    pub(crate) began: i64,
    /// How many instances of each region's node are reported.
    pub(crate) instances: u64,
    /// When its end began.
    pub(crate) end_nanos: i64,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Default)]
struct Sum {
    local: i64,
    blocked: i64,
    count: i64,
    top_count: i64,
    top_span: i64,
    stolen: i64,
    broadcast_tasks: i64,
    syncs: i64,
    beside: i64,
    /// On the span.
    span: Part,
}

/// The text of the profile. The world is stopped.
pub(crate) fn write(profile: &Profile) -> String {
    let locks = AllLocks::gather();
    let tree = tree::lock();
    let mut sums = vec![Sum::default(); tree.nodes.len()];
    let mut off_processor = 0;
    let constructs = constructs_of_teams(&tree);
    let mut shares = BTreeMap::<(u32, u32), i64>::new();
    let mut others = 0;
    thread::for_each(|thread, _| {
        off_processor += thread.off_processor.get();
        others += u32::from(!thread.is_root());
        let number = if thread.is_root() { 0 } else { others };
        thread.table.for_each(sums.len(), |node, cell| {
            let ran = cell.local.get() - cell.blocked.get();
            if ran != 0 {
                *shares.entry((constructs[node], number)).or_default() += ran;
            }
            let sum = &mut sums[node];
            let add = |to: &mut i64, from: &Tally| *to += from.get();
            add(&mut sum.local, &cell.local);
            add(&mut sum.blocked, &cell.blocked);
            add(&mut sum.count, &cell.count);
            add(&mut sum.top_count, &cell.top_count);
            add(&mut sum.top_span, &cell.top_span);
            add(&mut sum.beside, &cell.beside);
            add(&mut sum.stolen, &cell.stolen);
            add(&mut sum.broadcast_tasks, &cell.broadcast_tasks);
            add(&mut sum.syncs, &cell.syncs);
        });
    });
    let mut paths: Vec<BTreeMap<u32, Part>> = vec![BTreeMap::new(); sums.len()];
    thread::for_each(|thread, _| {
        thread.for_each_on_paths(|node, on_path, part| {
            *paths[node as usize].entry(on_path).or_default() += part;
        });
    });
    let mut samples_on_span = sampler::OnSpan::new();
    profile.outcome.path.for_each(|node, part| {
        if let Some(stack) = log::stack_of(node) {
            *samples_on_span.entry(stack).or_default() += part.count;
            return;
        }
        let sum = &mut sums[node as usize];
        sum.span += part;
        *paths[tree::ROOT as usize].entry(node).or_default() += part;
    });
    let mut activity = Activity::of(&tree, &sums);
    // For each acquisition, one before the wait and one at the release.
    activity.boundaries += 2 * locks.acquisitions() as i64;
    let own_cost = activity.own_cost(profile);
    // The program is one instance of itself.
    let work = sums.iter().map(|sum| sum.local).sum();
    let root = &mut sums[tree::ROOT as usize];
    root.top_count = 1;
    root.top_span = profile.outcome.span;
    root.beside = root.local - root.span.local;
    root.span.top_count = 1;
    root.span.top_work = work;
    root.span.beside = root.beside;

    let hooked = tree.sites.iter().filter_map(|site| site.call.as_ref());
    let hooked = hooked.filter(|call| call.code != 0).map(|call| call.to);
    let hooked = hooked.collect::<BTreeSet<usize>>().len();
    let mut text = String::from("workspan-raw 11\n");
    write_header(&mut text, profile, off_processor, own_cost, tree.truncated);
    write_engine(
        &mut text,
        profile,
        &activity,
        functions::measured() + hooked,
    );
    let elapsed = profile.elapsed as f64 * 1e9 / profile.ticks_per_second;
    sampler::write_account(&mut text, elapsed as i64);
    for line in modules() {
        let _ = writeln!(text, "module {line}");
    }
    for (id, site) in tree.sites.iter().enumerate() {
        write_site(&mut text, id, site);
    }
    let mut path_lines = String::new();
    for (id, (node, sum)) in tree.nodes.iter().zip(&sums).enumerate() {
        write_node(&mut text, id, node);
        use crate::tree::call::Kind;
        let (spawns, syncs) = match tree.sites[node.site as usize].kind {
            Kind::Join => (sum.count, sum.count),
            Kind::Spawn | Kind::Task => (sum.count, 0),
            Kind::Scope | Kind::Taskgroup => (0, sum.count),
            Kind::Broadcast | Kind::Parallel | Kind::Loop | Kind::Sections => {
                (sum.broadcast_tasks, sum.count)
            }
            Kind::Root | Kind::Thread | Kind::Function | Kind::Region => (0, 0),
            Kind::Critical | Kind::Atomic | Kind::Ordered | Kind::Lock => (0, 0),
        };
        let syncs = syncs + sum.syncs;
        let Sum {
            local,
            blocked,
            count,
            top_count,
            top_span,
            stolen,
            beside,
            span,
            ..
        } = sum;
        let _ = writeln!(
            text,
            "work {id} {local} {blocked} {count} {top_count} {top_span} {stolen} {spawns} {syncs} {}\n\
             span {id} {} {} {} {} {}",
            local - beside,
            span.local,
            span.count,
            span.top_count,
            span.top_work,
            span.local + span.beside,
        );
        for (on_path, part) in &paths[id] {
            let Part { local, count, .. } = part;
            if *local != 0 || *count != 0 {
                let _ = writeln!(path_lines, "path {id} {on_path} {local} {count}");
            }
        }
    }
    text.push_str(&path_lines);
    for ((node, thread), ran) in shares {
        let _ = writeln!(text, "share {node} {thread} {ran}");
    }
    write_regions(&mut text, profile);
    write_locks(&mut text, &locks);
    sampler::write_stacks(&mut text, &samples_on_span);
    waits::write(&mut text, profile.end_nanos, elapsed as i64);
    text.push_str("end\n");
    text
}

/// For each node, the innermost enclosing construct that a team divides among its threads, or that the
/// program names: the node itself, or one above; at last the root.
fn constructs_of_teams(tree: &tree::Tree) -> Vec<u32> {
    use crate::tree::call::Kind;
    let mut constructs: Vec<u32> = Vec::with_capacity(tree.nodes.len());
    for (id, node) in (0..).zip(&tree.nodes) {
        constructs.push(match tree.sites[node.site as usize].kind {
            Kind::Root | Kind::Region | Kind::Parallel | Kind::Loop | Kind::Sections => id,
            // Parents stand before their children.
            _ => constructs[node.parent as usize],
        });
    }
    constructs
}

/// What the engine did while the program ran.
#[derive(Default)]
struct Activity {
    /// Boundaries of all strands, except spawns.
    boundaries: i64,
    /// Of these, those of functions.
    function_boundaries: i64,
    /// Strands that ended at a spawn.
    spawn_boundaries: i64,
    /// Boundaries without a reading of the clock.
    unread_boundaries: i64,
    /// Forks without readings of the clock that led to another node.
    crossings: i64,
    /// Stretches that ended with their branch, stretches that were broken off, and the ticks of
    /// both.
    closed_stretches: i64,
    broken_stretches: i64,
    stretch_ticks: i64,
    /// Readings of threads' processor time.
    processor_checks: i64,
    /// See [`Thread`](crate::thread::Thread).
    table_transitions: i64,
    tree_lookups: i64,
    /// Ticks taken off at the events of other runtimes.
    event_cost: i64,
    threads: i64,
    /// What strands of the program's own threads waited.
    waited: i64,
}

impl Activity {
    /// A fork has three boundaries, a task one besides the spawn, a group two.
    fn of(tree: &tree::Tree, sums: &[Sum]) -> Self {
        use crate::tree::call::Kind;
        let mut activity = Self::default();
        for (node, sum) in tree.nodes.iter().zip(sums) {
            let (boundaries, spawn_boundaries) = match tree.sites[node.site as usize].kind {
                Kind::Join => (sum.count * 3, 0),
                Kind::Spawn | Kind::Task => (sum.count, sum.count),
                Kind::Scope | Kind::Taskgroup => (sum.count * 2, 0),
                Kind::Broadcast | Kind::Parallel | Kind::Loop | Kind::Sections => {
                    (sum.count + sum.broadcast_tasks, 0)
                }
                Kind::Root | Kind::Thread => (0, 0),
                // They have no nodes.
                Kind::Critical | Kind::Atomic | Kind::Ordered | Kind::Lock => (0, 0),
                Kind::Region => (sum.count * 2, 0),
                Kind::Function => {
                    activity.function_boundaries += sum.count * 2;
                    (sum.count * 2, 0)
                }
            };
            activity.boundaries += boundaries;
            activity.spawn_boundaries += spawn_boundaries;
        }
        thread::for_each(|thread, _| {
            let stretch = &thread.stretch;
            activity.unread_boundaries += stretch.boundaries.get();
            activity.crossings += stretch.crossed.get();
            activity.closed_stretches += stretch.closed.get();
            activity.broken_stretches += stretch.broken.get();
            activity.stretch_ticks += stretch.ticks.get();
            activity.processor_checks += thread.presence.readings.get();
            activity.table_transitions += thread.transitions.get();
            activity.tree_lookups += thread.lookups.get();
            activity.event_cost += thread.event_cost.get();
            activity.threads += 1;
            activity.waited += thread.waited.get();
        });
        activity.unread_boundaries = activity.unread_boundaries.min(activity.boundaries);
        activity
    }

    /// What was taken off strands for the engine's own cost.
    fn own_cost(&self, profile: &Profile) -> i64 {
        let calibration = profile.calibration;
        let ordinary = self.boundaries - self.unread_boundaries - self.function_boundaries;
        ordinary * calibration.ordinary_boundary as i64
            + self.function_boundaries * profile.function_cost
            + self.unread_boundaries * calibration.unread_boundary as i64
            + self.crossings * calibration.crossing as i64
            + self.spawn_boundaries * calibration.spawn_boundary as i64
            + self.event_cost
    }
}

fn write_engine(text: &mut String, profile: &Profile, activity: &Activity, measured: usize) {
    let boundaries = activity.boundaries + activity.spawn_boundaries;
    let timing = if profile.grain == 0 {
        "exact"
    } else {
        "shared"
    };
    let _ = writeln!(
        text,
        "timing {timing}\nspan_open_ticks {0}\nburdened_span_open_ticks {0}\nshared_ticks {1}",
        profile.outcome.open, activity.stretch_ticks
    );
    let stood_still = match profile.ending {
        Ending::Signal(_) => standstill::lasted(),
        Ending::Exit | Ending::Not => 0,
    };
    let waited = activity.waited as f64 * 1e9 / profile.ticks_per_second;
    let pools = pools::uses().map(|(name, count)| (name, count as i64));
    let counts = [
        ("boundaries", boundaries),
        ("clock_reads", boundaries - activity.unread_boundaries),
        ("shared_boundaries", activity.unread_boundaries),
        ("closed_stretches", activity.closed_stretches),
        ("broken_stretches", activity.broken_stretches),
        ("measured_functions", measured as i64),
        ("function_boundaries", activity.function_boundaries),
        ("function_boundary_ticks", profile.function_cost),
        ("processor_checks", activity.processor_checks),
        ("table_transitions", activity.table_transitions),
        ("tree_misses", activity.tree_lookups),
        ("threads", activity.threads),
        ("threads_waited_nanos", waited as i64),
        ("stood_still_nanos", stood_still),
        ("thread_bytes", std::mem::size_of::<thread::Thread>() as i64),
        ("start_nanos", profile.start_nanos),
        ("calibration_nanos", profile.calibration.nanos),
        ("write_nanos", clock::monotonic_nanos() - profile.end_nanos),
    ];
    let processors = profile.processors;
    let of_kernel = processors.map(|of| {
        [
            ("kernel_nanos", of.in_kernel),
            ("page_faults", of.page_faults),
            ("children_nanos", of.children),
        ]
    });
    let allowed = processors.and_then(|of| {
        let start = ("processors_at_start", of.allowed_at_start);
        Some([start, ("processors_allowed", of.allowed?)])
    });
    let allowed = allowed.into_iter().flatten();
    let of_kernel = of_kernel.into_iter().flatten().chain(allowed);
    for (name, value) in counts.into_iter().chain(pools).chain(of_kernel) {
        let _ = writeln!(text, "engine {name} {value}");
    }
}

/// How many locks are listed separately.
const MOST_LOCKS: usize = 1000;

/// What is known of all locks: see [`lock::all`].
struct AllLocks {
    apart: Vec<BTreeMap<u32, lock::Sum>>,
    others: BTreeMap<u32, lock::Sum>,
}

impl AllLocks {
    fn gather() -> Self {
        let (mut apart, mut others) = lock::all();
        for sites in apart.drain(MOST_LOCKS.min(apart.len())..) {
            for (site, sum) in sites {
                *others.entry(site).or_default() += sum;
            }
        }
        Self { apart, others }
    }

    fn acquisitions(&self) -> u64 {
        let sums = self.apart.iter().chain([&self.others]);
        sums.flat_map(|sites| sites.values())
            .map(|sum| sum.acquisitions)
            .sum()
    }
}

fn write_locks(text: &mut String, locks: &AllLocks) {
    let apart = locks.apart.iter().enumerate();
    let named = apart.map(|(number, sites)| (number.to_string(), sites));
    for (number, sites) in named.chain([("-".to_owned(), &locks.others)]) {
        for (site, sum) in sites {
            let lock::Sum {
                held,
                acquisitions,
                waits,
                waited,
            } = sum;
            let _ = writeln!(
                text,
                "lock {number} {site} {held} {acquisitions} {waits} {waited}"
            );
        }
    }
}

/// What regions have besides the figures of their nodes; then their instances in the order of their
/// ends, only the first ones of each node.
fn write_regions(text: &mut String, profile: &Profile) {
    let mut ended = Vec::new();
    let mut sums: BTreeMap<u32, regions::Sum> = BTreeMap::new();
    thread::for_each(|thread, _| {
        let regions = thread.regions.take();
        ended.extend(regions.ended().iter().copied());
        for (&node, &sum) in regions.sums() {
            *sums.entry(node).or_default() += sum;
        }
        thread.regions.set(regions);
    });
    for (node, sum) in sums {
        let regions::Sum {
            top_burdened,
            top_open,
            top_executed: Executed { spawns, syncs, .. },
            ..
        } = sum;
        let _ = writeln!(
            text,
            "region {node} {top_burdened} {top_open} {spawns} {syncs}"
        );
    }
    ended.sort_by_key(|instance| instance.end);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for instance in ended {
        let number = counts.entry(instance.node).or_default();
        if *number < profile.instances {
            let regions::Instance {
                node,
                span,
                burdened,
                open,
                executed,
                ..
            } = instance;
            let start = instance.start - profile.began;
            let Executed {
                work,
                spawns,
                syncs,
            } = executed;
            let _ = writeln!(
                text,
                "instance {node} {number} {start} {work} {span} {burdened} {open} {spawns} {syncs}"
            );
        }
        *number += 1;
    }
}

fn write_header(
    text: &mut String,
    profile: &Profile,
    off_processor: i64,
    own_cost: i64,
    truncated: bool,
) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if !profile.metric.is_time() {
        let _ = writeln!(text, "metric {}", one_line(&profile.metric.to_string()));
    }
    if let Some(problem) = &profile.metric_problem {
        let _ = writeln!(text, "metric_problem {}", one_line(problem));
    }
    let _ = writeln!(text, "clock {}", profile.clock.name());
    if let Some(note) = profile.clock_note {
        let _ = writeln!(text, "clock_note {note}");
    }
    let _ = writeln!(
        text,
        "ticks_per_second {}\nelapsed_ticks {}\nthreads {}\nassumed_cores {}\nmachine_cores {cores}\n\
         burden_ticks {}\npid {}\nended {}\nunfinished_tasks {}\n\
         off_processor_ticks {off_processor}\nown_cost_ticks {own_cost}\nspan_ticks {}\n\
         burdened_span_ticks {}\ntruncated_tree {}",
        profile.ticks_per_second,
        profile.elapsed,
        profile.threads,
        profile.assumed_cores,
        profile.burden,
        process::process(),
        profile.ending,
        profile.outcome.unfinished,
        profile.outcome.span,
        profile.outcome.burdened_span,
        u8::from(truncated),
    );
    if let Some(processors) = profile.processors {
        let _ = writeln!(text, "processor_nanos {}", processors.used);
        if let Some(queued) = processors.queued {
            let _ = writeln!(text, "queued_nanos {queued}");
        }
    }
    if matches!(profile.ending, Ending::Not) {
        write_launch(text, profile);
    }
    for (runtime, version) in profile.runtimes {
        let version = match version.as_str() {
            "" => "-",
            version => version,
        };
        let _ = writeln!(text, "runtime {} {}", runtime.name(), one_line(version));
    }
    for (name, ticks) in profile.calibration.named() {
        let _ = writeln!(text, "calibration {name} {ticks}");
    }
}

/// When and with which command line the program was started. Otherwise whoever started the program
/// reports this.
fn write_launch(text: &mut String, profile: &Profile) {
    let elapsed = Duration::from_secs_f64(profile.elapsed.max(0) as f64 / profile.ticks_per_second);
    let started = SystemTime::now().checked_sub(elapsed);
    let started = started.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let _ = writeln!(text, "started_at {}", started.unwrap_or_default().as_secs());
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let command = command.strip_suffix(b"\0").unwrap_or(&command);
    for word in command.split(|byte| *byte == 0) {
        let word = String::from_utf8_lossy(word);
        let _ = writeln!(text, "word {}", one_line(&word));
    }
}
