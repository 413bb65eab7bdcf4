//! Profiles like those of real programs, each with a point of its own.

mod functions;
mod locks;
mod regions;

use workspan_model::{
    BurdenSource, Cost, EngineCount, Estimate, Exit, FrameId, LineUse, Location, MachineCosts,
    Nanos, Node, NodeId, OnSpan, OnWork, Profile, Quartiles, Run, SampledStack, Samples, Site,
    SiteId, SiteKind, Span, StackFrame, Timing, TimingKind, Work, example, repeated,
};

pub use functions::functions;
pub use locks::histogram;
pub use regions::regions;

/// Every profile, with its name.
pub fn all() -> [(&'static str, Profile); 12] {
    [
        ("quicksort", example::quicksort()),
        ("wordcount", wordcount()),
        ("stencil", stencil()),
        ("matmul", matmul()),
        ("serial", serial()),
        ("optimiser", optimiser()),
        ("fib", fib()),
        ("runs", runs()),
        ("functions", functions()),
        ("regions", regions()),
        ("sampled", sampled()),
        ("histogram", histogram()),
    ]
}

/// A site and its figures, for a node below the root.
struct Figures {
    site: Site,
    local_work: i64,
    blocked: i64,
    count: u64,
    top_span: i64,
    stolen: u64,
    spawns: u64,
    syncs: u64,
    local_span: i64,
    count_on_span: u64,
}

fn site(kind: SiteKind, place: (&str, u32, u32), function: &str, detail: &str) -> Site {
    let (file, line, column) = place;
    Site {
        location: Some(Location {
            file: file.to_owned(),
            line,
            column,
        }),
        function: Some(function.to_owned()),
        detail: Some(detail.to_owned()),
        ..Site::unnamed(kind)
    }
}

/// The profile of a program whose sites are all called from its serial code.
fn profile(command: &[&str], serial: i64, below: Vec<Figures>) -> Profile {
    let span = Span::from_nanos(serial + below.iter().map(|node| node.local_span).sum::<i64>());
    let mut sites = vec![Site::root()];
    let mut tree = vec![Node {
        parent: None,
        site: SiteId::ROOT,
        recursive: false,
        on_work: OnWork {
            local_work: Work::from_nanos(serial),
            top_count: 1,
            top_span: span,
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(serial),
            count: 1,
            ..OnSpan::default()
        },
        path: Vec::new(),
    }];
    for (id, figures) in (1..).map(SiteId).zip(below) {
        sites.push(figures.site);
        tree.push(Node {
            parent: Some(NodeId::ROOT),
            site: id,
            recursive: false,
            on_work: OnWork {
                local_work: Work::from_nanos(figures.local_work),
                blocked: Nanos::from_nanos(figures.blocked),
                count: figures.count,
                top_count: u64::from(figures.top_span > 0),
                top_span: Span::from_nanos(figures.top_span),
                stolen: figures.stolen,
                spawns: figures.spawns,
                syncs: figures.syncs,
                ..OnWork::default()
            },
            on_span: OnSpan {
                local_span: Span::from_nanos(figures.local_span),
                count: figures.count_on_span,
                ..OnSpan::default()
            },
            path: Vec::new(),
        });
    }
    let example = example::quicksort();
    let run = Run {
        command: command.iter().map(ToString::to_string).collect(),
        ..example.run
    };
    Profile {
        run,
        sites,
        tree,
        span,
        burdened_span: span,
        ..example
    }
}

/// Everything at once: iterators, a sort, a bridge that waits, a spawned task that never ended,
/// Ctrl-C, no time-stamp counter, a call tree at its limit.
fn wordcount() -> Profile {
    let path = "src/corpus/reader/lines.rs";
    let registry =
        "/home/user/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/ignore-0.4.23/src/walk.rs";
    let below = vec![
        Figures {
            site: site(
                SiteKind::ParIter,
                ("src/count.rs", 48, 10),
                "wordcount::count::by_line",
                "ParallelIterator::fold",
            ),
            local_work: 8_412_000_000,
            blocked: 12_000_000,
            count: 1_274_113,
            top_span: 131_000_000,
            stolen: 5_120,
            spawns: 1_274_113,
            syncs: 1_274_113,
            local_span: 96_300_000,
            count_on_span: 112,
        },
        Figures {
            site: site(
                SiteKind::ParBridge,
                (path, 112, 22),
                "<wordcount::corpus::reader::Lines as core::iter::IntoIterator>::into_iter",
                "ParallelBridge::par_bridge",
            ),
            local_work: 2_930_000_000,
            blocked: 1_480_000_000,
            count: 4,
            top_span: 1_466_000_000,
            stolen: 2,
            spawns: 4,
            syncs: 4,
            local_span: 1_466_000_000,
            count_on_span: 2,
        },
        Figures {
            site: site(
                SiteKind::ParSort,
                ("src/main.rs", 77, 14),
                "wordcount::main",
                "ParallelSliceMut::par_sort_unstable_by",
            ),
            local_work: 412_000_000,
            blocked: 0,
            count: 18_402,
            top_span: 30_100_000,
            stolen: 96,
            spawns: 18_402,
            syncs: 18_402,
            local_span: 30_100_000,
            count_on_span: 21,
        },
        Figures {
            site: Site {
                note: Some("the place is that of the caller: the function was inlined.".to_owned()),
                ..site(
                    SiteKind::Scope,
                    (registry, 1418, 13),
                    "ignore::walk::WalkParallel::visit",
                    "rayon::scope",
                )
            },
            local_work: 3_100_000,
            blocked: 0,
            count: 1,
            top_span: 2_900_000,
            stolen: 0,
            spawns: 0,
            syncs: 1,
            local_span: 2_900_000,
            count_on_span: 1,
        },
        Figures {
            site: site(
                SiteKind::Spawn,
                ("src/progress.rs", 9, 5),
                "wordcount::progress::start",
                "rayon::spawn",
            ),
            local_work: 310_000,
            blocked: 0,
            count: 1,
            top_span: 0,
            stolen: 1,
            spawns: 1,
            syncs: 0,
            local_span: 0,
            count_on_span: 0,
        },
        Figures {
            site: Site::unnamed(SiteKind::Broadcast),
            local_work: -40,
            blocked: 0,
            count: 3,
            top_span: 120,
            stolen: 5,
            spawns: 6,
            syncs: 3,
            local_span: 0,
            count_on_span: 0,
        },
    ];
    let mut profile = profile(
        &[
            "target/workspan/release/wordcount",
            "--top",
            "50",
            "corpus/",
        ],
        211_000_000,
        below,
    );
    profile.burdened_span = Span::from_nanos(profile.span.time().as_nanos() + 1_215_000);
    profile.run = Run {
        exit: Exit::Signal(2),
        clock: "monotonic".to_owned(),
        clock_note: Some("the kernel marks it as unstable".to_owned()),
        unfinished_tasks: 1,
        interrupted: true,
        still_running: Some(false),
        truncated_tree: true,
        assumed_cores: 96,
        runtimes: Vec::new(),
        ..profile.run
    };
    profile
}

/// Tiny tasks in a serial loop (Cilkview Fig. 7): parallelism that moving tasks eats up.
fn stencil() -> Profile {
    let below = vec![Figures {
        site: site(
            SiteKind::ParIter,
            ("examples/stencil.rs", 40, 18),
            "stencil::naive",
            "ParallelIterator::for_each",
        ),
        local_work: 2_030_000_000,
        blocked: 0,
        count: 6_300_000,
        top_span: 41_000_000,
        stolen: 91_022,
        spawns: 6_300_000,
        syncs: 6_300_000,
        local_span: 41_000_000,
        count_on_span: 620_000,
    }];
    let mut profile = profile(
        &["target/workspan/release/examples/stencil", "naive"],
        3_000_000,
        below,
    );
    profile.burdened_span = Span::from_nanos(4_694_000_000);
    profile
}

/// Parallelism to spare, run on as many cores as were assumed, with a burden that was measured.
fn matmul() -> Profile {
    let below = vec![Figures {
        site: site(
            SiteKind::Join,
            ("examples/matmul.rs", 62, 5),
            "matmul::multiply",
            "rayon::join",
        ),
        local_work: 11_200_000_000,
        blocked: 0,
        count: 37_449,
        top_span: 11_900_000,
        stolen: 402,
        spawns: 37_449,
        syncs: 37_449,
        local_span: 11_900_000,
        count_on_span: 15,
    }];
    let mut profile = profile(
        &["target/workspan/release/examples/matmul", "2048"],
        1_900_000,
        below,
    );
    profile.burdened_span = Span::from_nanos(14_200_000);
    profile.run = Run {
        threads: 16,
        assumed_cores: 16,
        burden: machine_costs().migration(),
        burden_source: Some(BurdenSource::Measured(machine_costs())),
        ..profile.run
    };
    profile
}

/// A program without rayon, which fails.
fn serial() -> Profile {
    let profile = profile(&["target/workspan/release/hello"], 1_512_345, Vec::new());
    let run = Run {
        exit: Exit::Code(3),
        runtimes: Vec::new(),
        threads: 0,
        assumed_cores: 0,
        own_cost: Nanos::ZERO,
        off_processor: Nanos::ZERO,
        ..profile.run
    };
    Profile { run, ..profile }
}

/// A main thread that waits on a channel for what a detached task does.
fn optimiser() -> Profile {
    let below = vec![Figures {
        site: site(
            SiteKind::Spawn,
            ("src/evaluate.rs", 119, 9),
            "optimiser::evaluate::start",
            "rayon::spawn",
        ),
        local_work: 3_310_000_000,
        blocked: 0,
        count: 8,
        top_span: 3_310_000_000,
        stolen: 7,
        spawns: 8,
        syncs: 0,
        local_span: 0,
        count_on_span: 0,
    }];
    let mut profile = profile(
        &["target/workspan/release/optimiser", "image.png"],
        4_350_000_000,
        below,
    );
    profile.tree[0].on_work.blocked = Nanos::from_nanos(3_300_000_000);
    profile
}

/// Tiny tasks that were timed in groups, by an engine that counted what it did.
pub fn fib() -> Profile {
    let below = vec![Figures {
        site: site(
            SiteKind::Join,
            ("examples/fib.rs", 24, 25),
            "fib::fib",
            "rayon::join",
        ),
        local_work: 41_300_000,
        blocked: 0,
        count: 1_346_268,
        top_span: 910,
        stolen: 12,
        spawns: 1_346_268,
        syncs: 1_346_268,
        local_span: 910,
        count_on_span: 29,
    }];
    let mut profile = profile(&["target/workspan/release/examples/fib", "30"], 20, below);
    profile.burdened_span = Span::from_nanos(930 + 29 * 7_500);
    profile.timing = Timing {
        kind: TimingKind::Shared,
        span_open: Nanos::from_nanos(530),
        burdened_span_open: Nanos::from_nanos(3_000),
        shared_work: Work::from_nanos(38_700_000),
    };
    let counts = [
        ("boundaries", 4_038_804),
        ("clock_reads", 96_311),
        ("table_transitions", 2_692_536),
        ("thread_bytes", 1_048_576),
        ("write_nanos", 1_312_000),
        ("of_a_later_version", -3),
    ];
    profile.engine = counts
        .iter()
        .map(|&(name, value)| EngineCount {
            name: name.to_owned(),
            value,
        })
        .collect();
    profile
}

/// A quicksort that was sampled: most of the span is a serial partition, with a comparison inlined
/// into it.
pub fn sampled() -> Profile {
    let mut profile = example::quicksort();
    let mut samples = Samples {
        rate: 1_000,
        taken: Some(265),
        ..Samples::default()
    };
    // Each frame: whether it is plain, inlined or of a library; the function and its file; in that
    // file, the line of the definition and the line that runs.
    let mut frames = |frames: &[&str]| -> Vec<FrameId> {
        let parsed = |text: &&str| {
            let mut words = text.split(' ');
            let mut next = || words.next().unwrap();
            let (mark, function, file) = (next(), next(), next());
            let mut place = || {
                Some(Location {
                    file: file.to_owned(),
                    line: next().parse().unwrap(),
                    column: 9,
                })
            };
            StackFrame {
                function: Some(function.to_owned()),
                definition: place(),
                location: place(),
                inlined: mark == "inlined",
                user_code: mark != "library",
                ..StackFrame::default()
            }
        };
        let ids = frames.iter().map(parsed).map(|frame| {
            let known = samples.frames.iter().position(|known| *known == frame);
            let index = known.unwrap_or_else(|| {
                samples.frames.push(frame);
                samples.frames.len() - 1
            });
            FrameId(u32::try_from(index).unwrap())
        });
        ids.collect()
    };
    let main = "plain quicksort::main examples/quicksort.rs 50 62";
    let sort = |line: u32| format!("plain quicksort::quicksort examples/quicksort.rs 27 {line}");
    let partition =
        |line: u32| format!("plain sorting::partition examples/src/sorting.rs 14 {line}");
    let less = "inlined sorting::less examples/src/sorting.rs 8 9";
    let swap = "library core::mem::swap library/core/src/mem/mod.rs 700 733";
    let join = "library rayon_core::join::join rayon-core-1.13.0/src/join/mod.rs 93 132";
    let around = frames(&[join, &sort(31), main]);
    let stacks = [
        (
            0,
            frames(&[
                "plain quicksort::generate examples/quicksort.rs 40 44",
                main,
            ]),
            12.0,
            12.0,
        ),
        (0, frames(&[&partition(19), &sort(30), main]), 9.0, 9.0),
        (1, frames(&[less, &partition(20), &sort(30)]), 420.0, 52.0),
        (1, frames(&[swap, &partition(23), &sort(30)]), 230.0, 19.0),
        (
            1,
            frames(&[
                "plain sorting::insertion_sort examples/src/sorting.rs 31 36",
                &sort(28),
            ]),
            390.0,
            2.0,
        ),
        (1, frames(&[&sort(30)]), 9.0, 3.0),
    ];
    samples.around_sites = vec![Vec::new(), around];
    samples.stacks = stacks
        .into_iter()
        .map(|(node, frames, on_work, on_span)| SampledStack {
            node: NodeId(node),
            frames,
            on_work,
            on_span,
            elapsed: on_span.max(on_work / 2.0),
            line: LineUse::Unknown,
        })
        .collect();
    profile.samples = Some(samples);
    profile
}

/// Three runs of one program: the first the slowest, the last without one of its sites.
pub fn runs() -> Profile {
    let run = |percent: i64, stolen: u64| {
        let mut profile = wordcount();
        let scaled = |time: Nanos| Nanos::from_nanos(time.as_nanos() * percent / 100);
        for node in &mut profile.tree {
            let (on_work, on_span) = (&mut node.on_work, &mut node.on_span);
            on_work.local_work = scaled(on_work.local_work.time()).into();
            on_work.top_span = scaled(on_work.top_span.time()).into();
            on_work.stolen += stolen;
            on_span.local_span = scaled(on_span.local_span.time()).into();
        }
        profile.span = scaled(profile.span.time()).into();
        profile.burdened_span = scaled(profile.burdened_span.time()).into();
        profile.run = Run {
            exit: Exit::Code(0),
            interrupted: false,
            still_running: Some(false),
            unfinished_tasks: 0,
            truncated_tree: false,
            clock_note: None,
            ..profile.run
        };
        profile
    };
    let mut last = run(97, 0);
    let sort = (last.sites.iter()).position(|site| site.kind == SiteKind::ParSort);
    let sort = &mut last.tree[sort.unwrap()];
    (sort.on_work, sort.on_span) = Default::default();
    repeated(vec![run(106, 12), run(100, 3), last]).unwrap()
}

/// What rayon costs on a machine.
pub fn machine_costs() -> MachineCosts {
    let around = |nanos: f64| {
        let share = |share| Cost::from_nanos(nanos * share);
        Quartiles {
            cost: Estimate {
                value: share(1.0),
                low: share(0.875),
                high: share(1.25),
            },
            samples: 400,
        }
    };
    MachineCosts {
        steal: around(520.0),
        hand_back: around(555.0),
        wake_up: around(16_598.0),
        join: around(16.3),
        spawn: around(60.4),
        scope: around(49.6),
    }
}
