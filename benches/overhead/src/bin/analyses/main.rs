//! What the analyses of a task dag cost: time and peak memory of each.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin analyses -- --help
//! ```
#![forbid(unsafe_code)]

mod made_dag;

use std::env;
use std::hint::black_box;
use std::io::Read as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Parser;
use wait4::Wait4 as _;
use workspan_gate::{Form, Gates, Machine};
use workspan_model::{
    Change, Code, Dag, DagFigures, Goal, Nanos, Profile, Scheduler, SchedulingCosts, Simulation,
    SiteId, StrandRegionId, Work, advise,
};
use workspan_overhead::{Table, median, megabytes, range};

use made_dag::{made_dag, made_profile};

/// The time and the peak memory of each analysis of a task dag, each in a process of its own.
#[derive(Debug, Parser)]
struct Options {
    /// Up to 1 million vertices instead of 10 million
    #[arg(long)]
    short: bool,
    /// Only analyses whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Run one analysis, by its number, on a dag of as many vertices; prints its seconds
    #[arg(long, num_args = 2, value_names = ["ANALYSIS", "VERTICES"], hide = true)]
    one: Option<Vec<usize>>,
}

/// How often each analysis runs.
const RUNS: usize = 5;

/// The number of vertices for which there are goals.
const GOAL_VERTICES: usize = 1_000_000;

/// A name, and the function that is timed.
type Analysis = (&'static str, fn(&Profile, &Dag));

const ANALYSES: &[Analysis] = &[
    ("the dag alone", |_, _| {}),
    ("check", |profile, dag| {
        dag.check(profile.tree.len(), profile.sites.len())
            .expect("it is valid");
    }),
    ("work and spans", |_, dag| {
        black_box(dag.totals());
    }),
    ("critical path", |_, dag| {
        black_box(dag.critical_path());
    }),
    ("figures of code", |profile, dag| {
        black_box(DagFigures::new(dag, &Code::new(profile, dag)));
    }),
    ("what-if: parallelise", |profile, dag| {
        let changes = [Change::Parallelise {
            code: some_code().into(),
            factor: 8.0,
        }];
        black_box(DagFigures::new(
            &dag.with_changes(&changes),
            &Code::new(profile, dag),
        ));
    }),
    ("what-if: merge tasks", |profile, dag| {
        let changes = [Change::Coarsen {
            sites: (0..=100).map(SiteId).collect(),
            factor: 4,
            cost: 17,
        }];
        black_box(DagFigures::new(
            &dag.with_changes(&changes),
            &Code::new(profile, dag),
        ));
    }),
    ("what-if: until", |_, dag| {
        let target = 1.1 * dag.totals().parallelism().expect("it has a span");
        let all: Vec<_> = (0..dag.regions.len() as u32).map(StrandRegionId).collect();
        black_box(dag.parallelised_until(&[all.into()], target));
    }),
    ("advise, 64 steps, the most", |profile, dag| {
        let goal = Goal {
            locked: Work::ZERO,
            target: 1e12,
            factor: 2.0,
            least_strand: Nanos::from_nanos(2),
        };
        let advice = advise(dag, &Code::new(profile, dag), goal);
        assert_eq!(advice.steps.len(), 64);
        black_box(advice);
    }),
    ("simulation, 64 cores, 1 run", |_, dag| {
        let simulation = Simulation::new(dag, &SchedulingCosts::default(), Scheduler::Rayon);
        black_box(simulation.run(64, 0));
    }),
];

/// The leaves at every tenth site.
fn some_code() -> Vec<StrandRegionId> {
    (1..=10).map(|site| StrandRegionId(30 * site)).collect()
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    if let Some(&[analysis, vertices]) = options.one.as_deref() {
        let (profile, dag) = (made_profile(), made_dag(vertices));
        let start = Instant::now();
        ANALYSES[analysis].1(&profile, &dag);
        println!("{}", start.elapsed().as_secs_f64());
        return Ok(ExitCode::SUCCESS);
    }
    let mut gates = Gates::open("analyses", Form::from_short(options.short))?;
    let most = if options.short { 6 } else { 7 };
    let mut table = Table::new([
        "analysis",
        "vertices",
        "median",
        "min - max",
        "peak memory",
        "above the dag",
    ]);
    for vertices in (4..=most).map(|zeros| 10_usize.pow(zeros)) {
        let (_, dag_alone) = measured(0, vertices)?;
        for (number, (name, _)) in ANALYSES.iter().enumerate() {
            if !name.contains(&options.only) {
                continue;
            }
            let run = |_| measured(number, vertices);
            let runs = || (0..RUNS).map(run).collect::<anyhow::Result<Vec<_>>>();
            let (runs, machine) = gates.watch(runs)?;
            let seconds: Vec<f64> = runs.iter().map(|(seconds, _)| *seconds).collect();
            let peak = runs.iter().map(|(_, peak)| *peak).max().unwrap_or_default();
            let (least, most) = range(seconds.iter().copied());
            table.add([
                (*name).to_owned(),
                vertices.to_string(),
                format!("{:.1} ms", median(seconds.iter().copied()) * 1e3),
                format!("{:.1} - {:.1} ms", least * 1e3, most * 1e3),
                megabytes(peak as f64),
                megabytes(peak.saturating_sub(dag_alone) as f64),
            ]);
            if vertices == GOAL_VERTICES {
                let subject = name.replace([',', ':'], "").replace(' ', "-");
                gates.judge(&format!("{subject}/seconds"), &seconds, machine)?;
                let peak = peak as f64 / 1e6;
                gates.judge(&format!("{subject}/megabytes"), &[peak], Machine::UNWATCHED)?;
            }
        }
    }
    println!("{RUNS} runs each.\n\n{table}\n## Gates\n");
    Ok(gates.finish()?.into())
}

/// Seconds and peak memory, in bytes, of an analysis in a process of its own.
fn measured(analysis: usize, vertices: usize) -> anyhow::Result<(f64, u64)> {
    let mut child = Command::new(env::current_exe()?)
        .args(["--one", &analysis.to_string(), &vertices.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut printed = String::new();
    let mut output = child.stdout.take().context("its output is piped")?;
    output.read_to_string(&mut printed)?;
    let ended = child.wait4()?;
    if !ended.status.success() {
        bail!("`{}` of {vertices} vertices failed", ANALYSES[analysis].0);
    }
    Ok((printed.trim().parse()?, ended.rusage.maxrss))
}
