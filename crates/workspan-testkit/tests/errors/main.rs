//! How far off the engine's figures are in its default mode, under a virtual clock, against brute
//! force: no worse than `ci/errors.toml` says.
//!
//! Boundaries cost what real ones do, either always the same or drawn anew for each, so that the
//! engine does not take off exactly what was spent. Figures of a program:
//!
//! - `work`, `span`, `parallelism`: percent off the truth; `dag_work`, `dag_span`: those of the
//!   record.
//! - `site_work`, `site_span`: what the worst site has on the work and on the span, in percent of
//!   the program's.
//! - `path`: the worst part of the longest paths of a site's top instances, in percent of these or
//!   of the program's span, whichever is longer.
//! - `missed`: how many of the two intervals that a report prints, of the span and of the
//!   parallelism, do not hold the truth; `width`: the latter's upper end over its lower one.

mod cases;
#[allow(dead_code, reason = "it serves other tests, too")]
#[path = "../programs/mod.rs"]
mod programs;
mod table;

use std::collections::BTreeMap;

use cases::{Case, cases};
use programs::interpreter::{Pools, run_program, sample_by_time};
use programs::profile::{self, Profiled};
use programs::{cost, thief};
use table::{Row, Table};
use workspan_format::stream;
use workspan_model::{Dag as Record, totals_with_dag};
use workspan_rt::Recording;
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config, VirtualCost};
use workspan_testkit::{Dag, Figures, Setting, Site, SiteFigures, Statement, figures};

/// What boundaries cost, in nanoseconds, about as on the development machine.
const COST: VirtualCost = VirtualCost {
    reading: 20,
    boundary: 10,
    spawn: 50,
    is_measured: false,
};
/// Work between two samples, a thousand in a second.
const SAMPLE_PERIOD: u64 = 1_000_000;
/// What a report prints without an interval may be off by this share.
const PRINTED: f64 = 0.01;

/// How a program is measured.
struct Mode {
    name: &'static str,
    /// Whether the cost of each boundary is drawn.
    draws: bool,
    records: bool,
}

const MODES: [Mode; 3] = [
    Mode {
        name: "fixed",
        draws: false,
        records: true,
    },
    Mode {
        name: "drawn",
        draws: true,
        records: true,
    },
    Mode {
        name: "drawn-unrecorded",
        draws: true,
        records: false,
    },
];

#[test]
fn no_error_is_worse_than_in_the_table() {
    // The global pool, which is not used, and those with one thread and two.
    let setting = Setting {
        pools: vec![1, 1, 2],
    };
    let pools = Pools::build(&setting);
    let mut found: BTreeMap<String, BTreeMap<String, Row>> = BTreeMap::new();
    for case in cases() {
        let Case {
            name,
            threads,
            program,
        } = case;
        let program = vec![Statement::Install {
            pool: threads,
            body: program,
        }];
        let truth = figures(&Dag::of(&program, &setting), 0);
        for mode in &MODES {
            let two = (threads > 1).then(|| pools.get(Some(threads)).expect("it has a number"));
            let held = two.map(thief::hold);
            let (profiled, record) = profile(mode, || run_program(&program, pools));
            drop(held);
            let row = row(&truth, &profiled, record.as_ref());
            found
                .entry(mode.name.to_owned())
                .or_default()
                .insert(name.to_owned(), row);
        }
    }
    let mut table = Table::read();
    for (mode, rows) in &found {
        let misses = |(name, goal): (&String, &f64)| {
            let over = rows
                .values()
                .filter(|row| row.get(name).is_some_and(|found| found > goal));
            format!("{name} {}", over.count())
        };
        let misses: Vec<String> = table.goal.iter().map(misses).collect();
        println!(
            "{mode}: of {} programs miss the goal: {}",
            rows.len(),
            misses.join(", ")
        );
    }
    let (worse, followed) = table.follow(found);
    if std::env::var_os("WORKSPAN_BLESS").is_some() {
        table.write();
    } else {
        assert!(
            followed.is_empty(),
            "WORKSPAN_BLESS=1 has ci/errors.toml follow: {followed:#?}"
        );
    }
    assert!(worse.is_empty(), "worse than in ci/errors.toml: {worse:#?}");
}

/// Profiles `program` with the options that a user has by default.
fn profile(mode: &Mode, program: impl FnOnce()) -> (Profiled, Option<Record>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("record");
    session::start(Config {
        clock: Clock::Virtual,
        grain: Config::GRAIN,
        sample_rate: 1_000,
        recording: mode.records.then(|| Recording {
            path: path.clone(),
            grain: Recording::GRAIN,
            most_bytes: Recording::MOST_BYTES,
        }),
        virtual_cost: COST,
        ..Config::default()
    });
    cost::set(COST);
    if mode.draws {
        cost::draw();
    }
    sample_by_time(SAMPLE_PERIOD);
    program();
    let text = session::finish().expect("a session is under way");
    let profiled = profile::profiled(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let record = mode
        .records
        .then(|| stream::read(&path).expect("the record can be read").dag);
    (profiled, record)
}

fn row(truth: &Figures, found: &Profiled, record: Option<&Record>) -> Row {
    let totals = totals_with_dag(&found.profile, record);
    let (work, span) = (truth.totals.work as f64, truth.totals.span as f64);
    let off = |found: f64, truth: f64| 100.0 * (found / truth - 1.0).abs();
    let of_sites = |figure: fn(&SiteFigures) -> i64, whole: f64| {
        let of = |figures: &Figures, site: &Site| figures.sites.get(site).map_or(0, figure);
        let sites = truth.sites.keys().chain(found.figures.sites.keys());
        let off = |site| of(&found.figures, site).abs_diff(of(truth, site)) as f64;
        100.0 * sites.map(off).fold(0.0, f64::max) / whole
    };
    let (span_interval, parallelism_interval) = (totals.span_interval, totals.parallelism_interval);
    let slack = if span_interval.is_wide { 0.0 } else { PRINTED };
    let holds = |lower: f64, truth: f64, upper: f64| {
        (lower * (1.0 - slack)..=upper * (1.0 + slack)).contains(&truth)
    };
    let ticks = |span: workspan_model::Span| span.time().as_nanos() as f64;
    let (lower, upper) = (
        parallelism_interval.lower,
        parallelism_interval.upper_or_infinite(),
    );
    let held = [
        holds(ticks(span_interval.lower), span, ticks(span_interval.upper)),
        holds(lower, work / span, upper),
    ];
    let mut row = vec![
        ("work", off(found.figures.totals.work as f64, work)),
        ("span", off(found.figures.totals.span as f64, span)),
        ("parallelism", off(totals.parallelism, work / span)),
        ("site_work", of_sites(|site| site.work, work)),
        ("site_span", of_sites(|site| site.local_span, span)),
        ("path", path(truth, &found.figures)),
        (
            "missed",
            held.into_iter().filter(|held| !held).count() as f64,
        ),
        ("width", upper / lower),
    ];
    if let Some(record) = record {
        let totals = record.totals();
        row.push(("dag_work", off(totals.work as f64, work)));
        row.push(("dag_span", off(totals.span as f64, span)));
    }
    row.into_iter()
        .map(|(name, figure)| (name.to_owned(), figure))
        .collect()
}

/// How far off the worst part of a node's paths is.
fn path(truth: &Figures, found: &Figures) -> f64 {
    let mut worst: f64 = 0.0;
    for (key, truth_node) in &truth.nodes {
        let none = BTreeMap::new();
        let found = found.nodes.get(key).map_or(&none, |node| &node.paths);
        let whole = truth_node.top_span.max(truth.totals.span) as f64;
        for part in truth_node.paths.keys().chain(found.keys()) {
            let ticks = |paths: &BTreeMap<_, (i64, u64)>| paths.get(part).map_or(0, |part| part.0);
            let off = ticks(found).abs_diff(ticks(&truth_node.paths)) as f64;
            worst = worst.max(100.0 * off / whole);
        }
    }
    worst
}
