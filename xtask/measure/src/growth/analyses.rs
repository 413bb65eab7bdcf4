//! Time and peak memory of the analyses of a task dag, each in a process of its own.

use std::env;
use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use anyhow::Context as _;
use workspan_model::{
    Change, Code, Dag, DagFigures, Goal, Nanos, Profile, Scheduler, SchedulingCosts, Simulation,
    SiteId, StrandRegionId, Work, advise,
};

use super::made::{made_dag, made_profile};
use crate::measuring::Measuring;
use crate::run::Usage;

const VERTICES: usize = 1_000_000;
const SITES: u32 = 100;
const RUNS: usize = 5;

/// A name, and the function that is timed.
type Analysis = (&'static str, fn(&Profile, &Dag));

const ANALYSES: [Analysis; 10] = [
    ("dag-alone", |_, _| {}),
    ("check", |profile, dag| {
        dag.check(profile.tree.len(), profile.sites.len())
            .expect("it is valid");
    }),
    ("totals", |_, dag| _ = black_box(dag.totals())),
    ("critical-path", |_, dag| _ = black_box(dag.critical_path())),
    ("figures-of-code", |profile, dag| {
        black_box(DagFigures::new(dag, &Code::new(profile, dag)));
    }),
    ("parallelise", |profile, dag| {
        let leaves = (1..=10).map(|site| StrandRegionId(30 * site));
        changed(
            profile,
            dag,
            Change::Parallelise {
                code: leaves.collect::<Vec<_>>().into(),
                factor: 8.0,
            },
        );
    }),
    ("merge-tasks", |profile, dag| {
        changed(
            profile,
            dag,
            Change::Coarsen {
                sites: (0..=SITES).map(SiteId).collect(),
                factor: 4,
                cost: 17,
            },
        );
    }),
    ("until", |_, dag| {
        let target = 1.1 * dag.totals().parallelism().expect("it has a span");
        let all: Vec<_> = (0..dag.regions.len() as u32).map(StrandRegionId).collect();
        black_box(dag.parallelised_until(&[all.into()], target));
    }),
    ("advise", |profile, dag| {
        let goal = Goal {
            locked: Work::ZERO,
            target: 1e12,
            factor: 2.0,
            least_strand: Nanos::from_nanos(2),
        };
        black_box(advise(dag, &Code::new(profile, dag), goal));
    }),
    ("simulation", |_, dag| {
        let simulation = Simulation::new(dag, &SchedulingCosts::default(), Scheduler::Rayon);
        black_box(simulation.run(64, 0));
    }),
];

fn changed(profile: &Profile, dag: &Dag, change: Change) {
    let code = Code::new(profile, dag);
    black_box(DagFigures::new(&dag.with_changes(&[change]), &code));
}

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    for (name, _) in ANALYSES {
        if !measuring.wants("analyses", name, true) {
            continue;
        }
        measuring.watched(name, |read| {
            for _ in 0..RUNS {
                let file = tempfile::NamedTempFile::new()?;
                let mut command = Command::new(env::current_exe()?);
                let usage = Usage::from_run(command.args(["analyse", name]).arg(file.path()))?;
                read.add("seconds", fs::read_to_string(file.path())?.parse()?);
                read.add("megabytes", usage.peak / 1e6);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Runs one analysis of a dag, and writes its seconds into a file.
pub(crate) fn analyse(name: &str, file: &str) -> anyhow::Result<()> {
    let analysis = ANALYSES.iter().find(|(known, _)| *known == name);
    let (_, analysis) = analysis.with_context(|| format!("there is no analysis {name}"))?;
    let (profile, dag) = (made_profile(SITES, false), made_dag(SITES, VERTICES));
    let start = Instant::now();
    analysis(&profile, &dag);
    fs::write(file, start.elapsed().as_secs_f64().to_string())?;
    Ok(())
}
