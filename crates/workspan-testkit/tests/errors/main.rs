//! How far off the engine's figures are in its default mode, under a virtual clock, against brute
//! force: no worse than `ci/errors.toml` says.
//!
//! Boundaries cost what real ones do, either always the same or drawn anew for each, so that the
//! engine does not take off exactly what was spent. The machine interrupts some programs, for which
//! nothing accounts. Figures of a program:
//!
//! - `work`, `span`, `parallelism`: percent off the truth; `dag_work`, `dag_span`: those of the
//!   record.
//! - `site_work`, `site_span`: what the worst site has on the work and on the span, in percent of
//!   the program's.
//! - `path`: the worst part of the longest paths of a site's top instances, in percent of these or
//!   of the program's span, whichever is longer.
//! - `missed`: how many of the two intervals that a report prints, of the span and of the
//!   parallelism, do not hold the truth; `width`: the latter's upper end over its lower one, where
//!   the truth stands for an upper end that is not printed.

mod cases;
#[allow(dead_code, reason = "it serves other tests, too")]
#[path = "../programs/mod.rs"]
mod programs;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use cases::cases;
use programs::interpreter::{Pools, run_program, sample_by_time};
use programs::profile::{self, Profiled};
use programs::{cost, thief};
use table::{Modes, Row, Table};
use workspan_format::stream;
use workspan_model::{Dag as Record, analyse_with_dag};
use workspan_rt::Recording;
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config, VirtualCost};
use workspan_testkit::{Dag, Figures, Setting, SiteFigures, Statement, figures};

/// What boundaries cost, in nanoseconds, about as on the development machine.
const COST: VirtualCost = VirtualCost {
    reading: 20,
    boundary: 10,
    spawn: 50,
    is_measured: false,
};
/// Work between two samples, of which there are a thousand in a second.
const SAMPLE_PERIOD: u64 = 1_000_000;
/// How far a figure may be off that is printed without an interval, as a share.
const PRINTED: f64 = 0.01;

/// How programs are measured: whether the cost of each boundary is drawn, and whether the dag is
/// recorded.
const MODES: [(&str, bool, bool); 3] = [
    ("fixed", false, true),
    ("drawn", true, true),
    ("drawn-unrecorded", true, false),
];

#[test]
fn no_figure_is_worse_than_in_the_table() {
    // The global pool, which is not used, and those of one thread and of two.
    let setting = Setting {
        pools: vec![1, 1, 2],
    };
    let pools = Pools::build(&setting, false);
    let mut found = Modes::new();
    for case in cases() {
        let program = vec![Statement::Install {
            pool: case.threads,
            body: case.program,
        }];
        let truth = figures(&Dag::of(&program, &setting), 0);
        for (mode, draws, records) in MODES {
            let two = pools.get(Some(2)).filter(|_| case.threads == 2);
            let held = two.map(thief::hold);
            let (profiled, record) = profile(draws, records, || {
                cost::interrupt(case.interrupted);
                run_program(&program, pools);
                cost::interrupt(false);
            });
            drop(held);
            let row = row(&truth, &profiled, record.as_ref());
            println!("{mode}.{}: {row:?}", case.name);
            let rows = found.entry(mode.to_owned()).or_default();
            rows.insert(case.name.to_owned(), row);
        }
    }
    let mut table = Table::read();
    let summary = table.misses(&found);
    let (worse, followed) = table.follow(found);
    println!("{summary}");
    let blesses = std::env::var_os("WORKSPAN_BLESS").is_some();
    if blesses {
        table.write();
    }
    assert!(
        worse.is_empty() && (blesses || followed.is_empty()),
        "{} figures are worse than in ci/errors.toml: {worse:#?}\n{} are better, new or gone, as \
         WORKSPAN_BLESS=1 writes: {followed:#?}",
        worse.len(),
        followed.len(),
    );
}

/// Profiles `program` with the options that a user has by default.
fn profile(draws: bool, records: bool, program: impl FnOnce()) -> (Profiled, Option<Record>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("record");
    let recording = Recording {
        path: path.clone(),
        grain: Recording::GRAIN,
        most_bytes: Recording::MOST_BYTES,
    };
    session::start(Config {
        clock: Clock::Virtual,
        grain: Config::GRAIN,
        sample_rate: 1_000,
        recording: records.then_some(recording),
        virtual_cost: COST,
        ..Config::default()
    });
    cost::set(COST, draws);
    sample_by_time(SAMPLE_PERIOD);
    program();
    let text = session::finish().expect("a session is under way");
    let profiled = profile::profiled(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let record = || stream::read(&path).expect("the record can be read").dag;
    (profiled, records.then(record))
}

fn row(truth: &Figures, found: &Profiled, record: Option<&Record>) -> Row {
    let (work, span) = (truth.totals.work as f64, truth.totals.span as f64);
    let analysis = analyse_with_dag(&found.profile, record);
    let totals = analysis.totals;
    let off = |found: i64, truth: f64| 100.0 * (found as f64 / truth - 1.0).abs();
    let site = |figure: fn(&SiteFigures) -> i64, whole| {
        worst(&found.figures.sites, &truth.sites, figure) / whole
    };
    let paths = truth.nodes.iter().map(|(key, node)| {
        let whole = node.top_span.max(truth.totals.span) as f64;
        let found = found.figures.nodes.get(key).map(|node| &node.paths);
        worst(found.unwrap_or(&BTreeMap::new()), &node.paths, |part| {
            part.0
        }) / whole
    });
    let slack = if analysis.is_open(totals.span) {
        0.0
    } else {
        PRINTED
    };
    let holds = |lower: f64, truth: f64, upper: f64| {
        (lower * (1.0 - slack)..=upper * (1.0 + slack)).contains(&truth)
    };
    let [shortest, longest] = (totals.span.ends()).map(|end| end.time().as_nanos() as f64);
    let parallelism = totals.parallelism;
    let (shortest, most) = match analysis.shows_delays {
        true => (shortest, parallelism.high),
        false => (0.0, work / span),
    };
    let held = [
        holds(shortest, span, longest),
        holds(parallelism.low, work / span, most),
    ];
    let of_record = record.map(|record| {
        let totals = record.totals();
        [
            ("dag_work", off(totals.work, work)),
            ("dag_span", off(totals.span, span)),
        ]
    });
    let row = [
        ("work", off(found.figures.totals.work, work)),
        ("span", off(found.figures.totals.span, span)),
        (
            "parallelism",
            100.0 * (parallelism.value * span / work - 1.0).abs(),
        ),
        ("site_work", site(|site| site.work, work)),
        ("site_span", site(|site| site.local_span, span)),
        ("path", paths.fold(0.0, f64::max)),
        ("missed", held.iter().filter(|held| !**held).count() as f64),
        ("width", most / parallelism.low),
    ];
    let row = row.into_iter().chain(of_record.into_iter().flatten());
    row.map(|(name, figure)| (name.to_owned(), figure))
        .collect()
}

/// The greatest difference of a figure, in hundredths.
fn worst<K: Ord, V>(
    found: &BTreeMap<K, V>,
    truth: &BTreeMap<K, V>,
    figure: impl Fn(&V) -> i64,
) -> f64 {
    let of = |figures: &BTreeMap<K, V>, key| figures.get(key).map_or(0, &figure);
    let keys: BTreeSet<&K> = found.keys().chain(truth.keys()).collect();
    let differences = keys
        .iter()
        .map(|key| of(found, key).abs_diff(of(truth, key)));
    100.0 * differences.max().unwrap_or(0) as f64
}
