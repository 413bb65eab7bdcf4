//! A small profile, its task dag, and a sweep, for demonstration and for tests.

mod quicksort_dag;
mod samples;
mod sweep;

use crate::{
    BurdenSource, Calibration, Cost, EngineCount, Exit, FrameId, Location, Lock, LockUse, Machine,
    Metric, Nanos, Node, NodeId, OnSpan, OnWork, PathPart, ProcessorUse, Profile, Queue, Run,
    Runtime, RuntimeKind, Site, SiteId, SiteKind, Span, StackFrame, ThreadShare, Timeline,
    TimelinePart, Timing, WaitCause, WaitPlace, Waits, Work,
};

pub use quicksort_dag::quicksort_dag;
pub use samples::samples;
pub use sweep::{sweep, sweep_run};

/// The [`quicksort`], whose partitions waited at line 10 in a function `inside`, as often as `count`,
/// for a time in which `any` did, and a part of it in which none was woken; line 12 woke them.
pub fn waiting(inside: &str, count: u64, any: Nanos, unwoken: Nanos) -> Profile {
    let frame = |name: &str, line| StackFrame {
        function: Some(name.to_owned()),
        location: Some(Location::new("main.rs", line, 0)),
        user_code: line > 0,
        ..StackFrame::default()
    };
    let place = |frames: [u32; 2], waited| WaitPlace {
        node: NodeId(1),
        frames: frames.map(FrameId).to_vec(),
        count,
        waited,
        open: 0,
        open_waited: Nanos::ZERO,
    };
    Profile {
        waits: Waits {
            frames: vec![
                frame(inside, 0),
                frame("app::wait", 10),
                frame("app::wake", 12),
            ],
            queues: vec![Queue {
                is_sleep: false,
                awaited: None,
                any,
                unwoken,
                waits: vec![place([0, 1], any)],
                wakes: vec![place([0, 2], Nanos::ZERO)],
            }],
            restrictions: Vec::new(),
        },
        ..quicksort()
    }
}

/// The [`quicksort`], whose serial code is most of its span, and waited so long at line 10 for
/// child processes that ran for so long in all.
pub fn of_serial_children(waited: Nanos, ran: Nanos) -> Profile {
    let mut profile = waiting("waitpid", 1, waited, Nanos::ZERO);
    profile.waits.queues[0].awaited = Some(WaitCause::ChildProcess);
    profile.waits.queues[0].waits[0].node = NodeId::ROOT;
    let serial = &mut profile.tree[0];
    serial.on_span.local_span = Span::from_nanos(80_000_000);
    serial.on_work.local_work = Work::from_nanos(80_000_000);
    serial.on_work.blocked = waited;
    profile.engine.push(EngineCount {
        name: "children_nanos".to_owned(),
        value: ran.as_nanos(),
    });
    profile
}

/// Says in `profile` on how many processors the program was started, and on how many of them it let its
/// threads run in the end.
pub fn allow_processors(profile: &mut Profile, at_start: i64, in_the_end: i64) {
    let counts = [
        ("processors_at_start", at_start),
        ("processors_allowed", in_the_end),
    ];
    profile
        .engine
        .extend(counts.map(|(name, value)| EngineCount {
            name: name.to_owned(),
            value,
        }));
}

/// The [`quicksort`] with the processor time that it took, and when: on one thread at first, then on
/// two, of which one has no task for a while.
pub fn timed_quicksort() -> Profile {
    let part = |strands, without_task| TimelinePart {
        strands: Nanos::from_nanos(strands),
        without_task: Nanos::from_nanos(without_task),
    };
    let serial = vec![part(4_000_000, 0); 6];
    let with_search = vec![part(6_000_000, 1_000_000); 14];
    let parallel = vec![part(8_000_000, 0); 121];
    let mut profile = quicksort();
    profile.run.processors = Some(ProcessorUse {
        used: Nanos::from_nanos(1_090_000_000),
        queued: None,
    });
    profile.timeline = Some(Timeline {
        part: Nanos::from_nanos(4_000_000),
        parts: [serial, with_search, parallel].concat(),
    });
    let share = |thread, ran| ThreadShare {
        node: NodeId::ROOT,
        thread,
        ran: Nanos::from_nanos(ran),
    };
    profile.shares = vec![share(1, 535_000_000), share(2, 525_000_000)];
    profile
}

/// The serial code of the [`quicksort`] alone.
pub fn serial() -> Profile {
    let mut profile = quicksort();
    profile.sites.truncate(1);
    profile.tree.truncate(1);
    profile.tree[0].path.truncate(1);
    profile
}

/// A quicksort of 10 million numbers with a serial partition (Cilkprof Fig. 1): a parallelism of
/// about 11, with three quarters of the span in the first partitions.
pub fn quicksort() -> Profile {
    let join = Site {
        location: Some(Location::new("examples/quicksort.rs", 31, 9)),
        function: Some("quicksort::quicksort".to_owned()),
        detail: Some("rayon::join".to_owned()),
        ..Site::unnamed(SiteKind::Join)
    };
    let root = Node {
        on_work: OnWork {
            local_work: Work::from_nanos(21_400_000),
            count: 1,
            top_count: 1,
            top_span: Span::from_nanos(98_000_000),
            local_span: Span::from_nanos(21_400_000),
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(21_400_000),
            count: 1,
            top_count: 1,
            top_work: Work::from_nanos(1_060_000_000),
            local_work: Work::from_nanos(21_400_000),
        },
        path: vec![
            part(NodeId::ROOT, 21_400_000, 1),
            part(NodeId(1), 76_600_000, 37),
        ],
        ..Node::new(None, SiteId::ROOT)
    };
    let sort = Node {
        on_work: OnWork {
            local_work: Work::from_nanos(1_038_600_000),
            count: 587_213,
            top_count: 1,
            top_span: Span::from_nanos(76_600_000),
            stolen: 214,
            spawns: 587_213,
            syncs: 587_213,
            local_span: Span::from_nanos(702_000_000),
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(76_600_000),
            count: 37,
            top_count: 1,
            top_work: Work::from_nanos(1_038_600_000),
            local_work: Work::from_nanos(103_000_000),
        },
        path: vec![part(NodeId(1), 76_600_000, 37)],
        ..Node::new(Some(NodeId::ROOT), SiteId(1))
    };
    Profile {
        run: Run {
            command: vec![
                "target/workspan/release/examples/quicksort".to_owned(),
                "10000000".to_owned(),
            ],
            exit: Exit::Code(0),
            started_at: 1_767_225_600,
            elapsed: Nanos::from_nanos(561_000_000),
            processors: None,
            runtimes: vec![Runtime {
                kind: RuntimeKind::Rayon,
                version: Some("1.13.0".to_owned()),
            }],
            threads: 2,
            assumed_cores: 64,
            metric: Metric::time(),
            clock: "tsc".to_owned(),
            threads_unmeasured: None,
            real_cut: None,
            plain: Vec::new(),
            clock_note: None,
            burden: Nanos::from_nanos(7_500),
            burden_source: Some(BurdenSource::Cilkview),
            unfinished_tasks: 0,
            interrupted: false,
            still_running: Some(false),
            truncated_tree: false,
            off_processor: Nanos::from_nanos(1_230_000),
            own_cost: Nanos::from_nanos(35_200_000),
            workspan_version: "0.1.0".to_owned(),
        },
        machine: Machine {
            cores: 2,
            processor: Some("Example CPU at 2.00 GHz".to_owned()),
            os: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            ticks_per_second: 2.0e9,
        },
        calibration: Calibration {
            clock_read: Cost::from_nanos(10.5),
            join: Cost::from_nanos(17.0),
            join_boundary: Cost::from_nanos(12.0),
            spawn: Cost::from_nanos(52.0),
            spawn_boundary: Cost::from_nanos(14.0),
            scope: Cost::from_nanos(96.0),
        },
        sites: vec![Site::root(), join],
        tree: vec![root, sort],
        span: Span::from_nanos(98_000_000),
        burdened_span: Span::from_nanos(98_277_500),
        timing: Timing::default(),
        engine: Vec::new(),
        repetition: None,
        samples: None,
        timeline: None,
        waits: Waits::default(),
        shares: Vec::new(),
        instances: Vec::new(),
        locks: Vec::new(),
        other_locks: Vec::new(),
    }
}

/// The same quicksort, counting swaps under a lock for 212 of 1,060 ms: the speedup is at most 5,
/// whatever the parallelism.
pub fn locked_quicksort() -> Profile {
    let mut profile = quicksort();
    profile.sites.push(Site {
        location: Some(Location::new("examples/quicksort.rs", 47, 13)),
        function: Some("quicksort::partition".to_owned()),
        ..Site::unnamed(SiteKind::Lock)
    });
    profile.locks = vec![Lock {
        uses: vec![LockUse {
            site: SiteId(profile.sites.len() as u32 - 1),
            held: Work::from_nanos(212_000_000),
            acquisitions: 4_190_000,
            waits: 310_000,
            waited: Nanos::from_nanos(95_000_000),
        }],
    }];
    profile
}

fn part(node: NodeId, nanos: i64, count: u64) -> PathPart {
    PathPart {
        node,
        local_span: Span::from_nanos(nanos),
        count,
    }
}
