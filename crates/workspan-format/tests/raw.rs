//! The raw profile: every record is read, and every malformed line is reported by its number.

use proptest::prelude::*;
use workspan_format::raw::{
    Ended, Launch, RawCall, RawError, RawProfile, RawQueue, RawSite, RawTimeline, RawWait, RawWord,
    StackCopy, parse,
};
use workspan_model::{
    Exit, LineUse, LockUse, Nanos, NodeId, ProcessorUse, Profile, Runtime, RuntimeKind, SiteKind,
    Span, Timing, TimingKind, WaitCause, Work, analyse,
};

const EXAMPLE: &str = include_str!("example.raw");

fn example() -> RawProfile {
    parse(EXAMPLE).unwrap()
}

fn launch() -> Launch {
    Launch {
        command: vec!["app".to_owned()],
        exit: Exit::Code(0),
        started_at: 1_767_225_600,
        processor: None,
        os: "linux".to_owned(),
        architecture: "x86_64".to_owned(),
        workspan_version: "0.1.0".to_owned(),
    }
}

fn profile(raw: RawProfile) -> Profile {
    let sites = raw.sites.iter().map(|site| site.to_site()).collect();
    raw.into_profile(launch(), sites)
}

/// The example with the first line that starts with `start` replaced.
fn with_line(start: &str, replacement: &str) -> String {
    let mut lines: Vec<&str> = EXAMPLE.lines().collect();
    let line = lines.iter().position(|line| line.starts_with(start));
    lines[line.unwrap()] = replacement;
    lines.join("\n") + "\n"
}

/// The lines of the example that `is_kept`.
fn lines_where(is_kept: impl Fn(&str) -> bool) -> String {
    let lines = EXAMPLE.split_inclusive('\n');
    lines.filter(|line| is_kept(line)).collect()
}

/// The error of [`with_line`].
fn error_with(start: &str, replacement: &str) -> RawError {
    parse(&with_line(start, replacement)).unwrap_err()
}

#[track_caller]
fn assert_malformed(start: &str, replacement: &str, what: &str) {
    let expected = 1 + EXAMPLE
        .lines()
        .position(|line| line.starts_with(start))
        .unwrap();
    match error_with(start, replacement) {
        RawError::Malformed { line, problem } => {
            assert_eq!(line, expected, "{problem}");
            assert!(problem.contains(what), "{problem}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_record_is_read() {
    let raw = example();
    assert_eq!(raw.clock, "tsc");
    assert_eq!(
        raw.clock_note.as_deref(),
        Some("the kernel marks it as unstable")
    );
    assert_eq!(
        (raw.threads, raw.assumed_cores, raw.machine_cores, raw.pid),
        (2, 64, 4, 4711)
    );
    let rayon = Runtime {
        kind: RuntimeKind::Rayon,
        version: Some("1.13.0".to_owned()),
    };
    assert_eq!(raw.runtimes, [rayon]);
    assert_eq!(raw.ended, Ended::Exit);
    assert_eq!(raw.calibration.join_boundary, 20.25);
    assert_eq!(raw.modules[0].path, "/home/user/my program/target/app");
    assert_eq!(raw.modules[0].file_offset, 0x1000);
    assert!(
        raw.modules[0].contains(0x55d0_c0a0_1234) && !raw.modules[0].contains(0x55d0_c0b0_0000)
    );
    assert_eq!(raw.sites[0].location, None);
    assert_eq!(
        raw.sites[1].location.as_ref().unwrap().to_string(),
        "src/my main.rs:12:5"
    );
    let stack = raw.sites[1].stack.as_ref().unwrap();
    assert_eq!((stack.instruction, stack.size), (0x55d0_c0a0_1234, 9));
    assert_eq!((stack.frame, stack.link), (Some(3), None));
    assert_eq!(stack.word(0), Some(RawWord::Code(0x55d0_c0a0_ffff)));
    assert_eq!(
        (stack.word(3), stack.word(1)),
        (Some(RawWord::Place(5)), None)
    );
    assert_eq!(
        raw.sites[1].type_name.as_deref(),
        Some("(app::a::{{closure}}, app::b::{{closure}})")
    );
    assert!(raw.sites[2].internal && raw.sites[2].kind == SiteKind::Join);
    assert_eq!(
        (raw.nodes[1].work.blocked_ticks, raw.nodes[1].span.count),
        (-6, 3)
    );
    assert!(raw.nodes[2].recursive);
    assert_eq!(
        (
            raw.nodes[1].work.local_span_ticks,
            raw.nodes[1].span.top_count
        ),
        (900, 1)
    );
    assert_eq!(raw.nodes[1].span.top_work_ticks, 2_040);
    assert_eq!(raw.nodes[1].span.local_work_ticks, 1_800);
    assert_eq!(raw.nodes[1].path, [(1, 700, 3), (3, 100, 1)]);
}

#[test]
fn calls_regions_and_samples_are_read() {
    let raw = example();
    assert_eq!(raw.sites[3].kind, SiteKind::Function);
    let call = Some(RawCall {
        from: 0x55d0_c0a0_5678,
        to: 0x55d0_c0a0_4000,
        code: 0,
    });
    assert_eq!((raw.sites[3].call, raw.sites[1].call), (call, None));
    assert_eq!(raw.sites[4].kind, SiteKind::Region);
    assert_eq!(raw.sites[4].name.as_deref(), Some("the whole sort"));
    let (first, second) = (raw.instances[0], raw.instances[1]);
    assert_eq!((first.node, first.number, first.start_ticks), (4, 0, 220));
    assert_eq!((first.work_ticks, first.span_ticks), (500, 300));
    assert_eq!((first.burdened_span_ticks, first.open_ticks), (15_300, 20));
    assert_eq!((first.spawns, first.syncs, second.number), (7, 7, 1));
    let shares = raw.shares.iter();
    let shares: Vec<_> = shares
        .map(|share| (share.node, share.thread, share.ran_ticks))
        .collect();
    assert_eq!(shares, [(0, 1, 500), (4, 2, -3)]);
    let sums = raw.nodes[4].region;
    assert_eq!((sums.burdened_span_ticks, sums.open_ticks), (15_340, 20));
    assert_eq!((sums.spawns, sums.syncs), (7, 8));
    assert_eq!(raw.sampling, Some(1000));
    assert_eq!(
        raw.sampling_note.as_deref(),
        Some("another library took the timer")
    );
    let timeline = RawTimeline {
        part_nanos: 4_000_000,
        parts: vec![(3, 0), (12, 5)],
    };
    assert_eq!(raw.timeline, Some(timeline));
    let parts = profile(raw.clone()).timeline.unwrap().parts;
    // Periods of a millisecond.
    let nanos = parts
        .iter()
        .map(|part| [part.strands, part.without_task].map(Nanos::as_nanos));
    assert_eq!(
        nanos.collect::<Vec<_>>(),
        [[3_000_000, 0], [12_000_000, 5_000_000]]
    );
    let stack = &raw.stacks[0];
    assert_eq!((stack.node, stack.on_work, stack.on_span), (3, 12.5, 4.25));
    assert_eq!((stack.elapsed, stack.line), (2.0, LineUse::Shared));
    let copy = StackCopy {
        instruction: 0x55d0_c0a0_4010,
        size: 12,
        frame: None,
        link: Some(0x55d0_c0a0_5678),
        words: vec![
            (0, RawWord::Code(0x55d0_c0a0_1234)),
            (11, RawWord::Code(0x55d0_c0a0_1238)),
        ],
    };
    assert_eq!(stack.copy, copy);
    let instruction_alone = StackCopy {
        instruction: 0x55d0_c0a0_4014,
        ..StackCopy::default()
    };
    assert_eq!(raw.stacks[1].copy, instruction_alone);
    assert_eq!(raw.damaged_stacks, 0);
}

#[test]
fn waits_and_stacks_outside_of_strands_are_read() {
    let raw = example();
    let copy = |instruction, size, frame, words: &[(u32, u64)]| {
        let words = words.iter();
        StackCopy {
            instruction,
            size,
            frame,
            link: None,
            words: words
                .map(|&(place, to)| (place, RawWord::Code(to)))
                .collect(),
        }
    };
    let outside = copy(0x55d0_c0a0_4018, 9, None, &[(4, 0x55d0_c0a0_1300)]);
    assert_eq!(raw.outside, [(2.5, outside)]);
    let wait = |node, count, nanos, open, copy| RawWait {
        node,
        count,
        nanos,
        open,
        copy,
    };
    let locking = copy(0x55d0_c0a0_4020, 9, Some(3), &[(0, 0x55d0_c0a0_1234)]);
    let lock = RawQueue {
        is_sleep: false,
        cause: None,
        any_nanos: 700,
        unwoken_nanos: 200,
        waits: vec![wait(1, 5, 640, (2, 300), locking)],
        wakes: vec![wait(3, 4, 0, (0, 0), copy(0x55d0_c0a0_4024, 0, None, &[]))],
    };
    let sleep = RawQueue {
        is_sleep: true,
        cause: None,
        any_nanos: 90,
        unwoken_nanos: 90,
        waits: vec![wait(0, 2, 90, (0, 0), copy(0x55d0_c0a0_4028, 0, None, &[]))],
        wakes: Vec::new(),
    };
    assert_eq!(raw.queues, [lock, sleep]);
    let restricting = copy(0x55d0_c0a0_402c, 0, None, &[]);
    assert_eq!(raw.restrictions, [wait(0, 3, 0, (0, 0), restricting)]);
}

#[test]
fn queues_of_calls_have_what_is_awaited() {
    for (kind, cause) in [
        ("thread", WaitCause::Thread),
        ("call", WaitCause::Runtime),
        ("outside", WaitCause::InputOutput),
        ("child", WaitCause::ChildProcess),
    ] {
        let text = EXAMPLE.replace("queue 1 sleep", &format!("queue 1 {kind}"));
        let queue = &parse(&text).unwrap().queues[1];
        assert_eq!(
            (queue.cause, queue.is_sleep),
            (Some(cause), false),
            "{kind}"
        );
    }
}

#[test]
fn ticks_become_nanoseconds() {
    let profile = profile(example());
    assert_eq!(profile.check(), Ok(()));
    assert_eq!(profile.span.time(), Nanos::from_nanos(700));
    assert_eq!(profile.burdened_span.time(), Nanos::from_nanos(15_700));
    assert_eq!(profile.run.elapsed, Nanos::from_nanos(2_000));
    let processors = Some(ProcessorUse {
        used: Nanos::from_nanos(3_100),
        queued: Some(Nanos::from_nanos(40)),
    });
    assert_eq!(profile.run.processors, processors);
    assert_eq!(profile.run.burden, Nanos::from_nanos(7_500));
    assert_eq!(profile.calibration.clock_read.as_nanos(), 20.75);
    assert_eq!(
        profile.tree[1].on_work.local_work.time(),
        Nanos::from_nanos(1_000)
    );
    assert_eq!(profile.tree[1].on_work.blocked, Nanos::from_nanos(-3));
    assert_eq!(
        profile.tree[1].on_work.top_span.time(),
        Nanos::from_nanos(400)
    );
    assert_eq!(
        analyse(&profile).totals.work.time(),
        Nanos::from_nanos(1_320)
    );
    let join = &profile.tree[1];
    assert_eq!(join.on_work.local_span, Span::from_nanos(450));
    assert_eq!(join.on_span.top_work, Work::from_nanos(1_020));
    assert_eq!(join.on_span.local_work, Work::from_nanos(900));
    assert_eq!(join.on_span.top_count, 1);
    assert_eq!(join.path[1].node, NodeId(3));
    assert_eq!(join.path[1].local_span, Span::from_nanos(50));
    let share = profile.shares[0];
    assert_eq!((share.node, share.thread), (NodeId(0), 1));
    assert_eq!(share.ran, Nanos::from_nanos(250));
    let region = &profile.instances[0];
    assert_eq!((region.node, region.number), (NodeId(4), 0));
    assert_eq!(region.start, Nanos::from_nanos(110));
    assert_eq!(region.burdened_span, Span::from_nanos(7_650));
    assert_eq!(region.open, Nanos::from_nanos(10));
    let sums = profile.tree[4].on_work;
    assert_eq!(sums.top_burdened_span, Span::from_nanos(7_670));
    assert_eq!(sums.top_open, Nanos::from_nanos(10));
    assert_eq!((sums.top_spawns, sums.top_syncs), (7, 8));
}

#[test]
fn locations_inside_rayon_are_not_the_users() {
    let profile = profile(example());
    assert_eq!(profile.sites[0].kind, SiteKind::Root);
    assert!(profile.sites[1].location.is_some());
    assert_eq!(profile.sites[2].location, None);
    assert_eq!(profile.sites[4].name.as_deref(), Some("the whole sort"));
}

#[test]
fn timing_is_exact_by_default() {
    let raw = example();
    assert_eq!(raw.timing, TimingKind::Exact);
    assert_eq!(profile(raw).timing, Timing::default());
}

#[test]
fn shared_timing_makes_the_span_uncertain() {
    let records =
        "timing shared\nspan_open_ticks 140\nburdened_span_open_ticks 150\nshared_ticks 528\n";
    let raw = parse(&EXAMPLE.replace("span_ticks 1400\n", &format!("span_ticks 1400\n{records}")));
    let profile = profile(raw.unwrap());
    let expected = Timing {
        kind: TimingKind::Shared,
        span_open: Nanos::from_nanos(70),
        burdened_span_open: Nanos::from_nanos(75),
        shared_work: Work::from_nanos(264),
    };
    assert_eq!(profile.timing, expected);
    let totals = analyse(&profile).totals;
    assert_eq!(totals.span.low, Span::from_nanos(630));
    assert_eq!(totals.shared_share, 0.2);
}

#[test]
fn ticks_may_measure_another_metric_than_time() {
    assert!(parse(EXAMPLE).unwrap().metric.is_default());
    let records = "metric page-faults page faults\nmetric_problem no room\n";
    let raw = parse(&EXAMPLE.replace("span_ticks 1400\n", &format!("span_ticks 1400\n{records}")));
    let raw = raw.unwrap();
    assert_eq!(raw.metric.name, "page-faults");
    assert_eq!(raw.metric.unit, "page faults");
    assert_eq!(raw.metric.noun(), "page faults");
    assert_eq!(raw.metric_problem.as_deref(), Some("no room"));
}

#[test]
fn counts_of_the_engine_keep_their_order() {
    let records = "engine threads 3\nengine of_a_later_version -5\nengine boundaries 21\n";
    let raw = parse(&EXAMPLE.replace("clock tsc\n", &format!("clock tsc\n{records}"))).unwrap();
    let names: Vec<(&str, i64)> = raw
        .engine
        .iter()
        .map(|count| (count.name.as_str(), count.value))
        .collect();
    assert_eq!(
        names,
        [
            ("threads", 3),
            ("of_a_later_version", -5),
            ("boundaries", 21)
        ]
    );
    let twice = EXAMPLE.replace("clock tsc\n", "clock tsc\nengine a 1\nengine a 2\n");
    let error = parse(&twice).unwrap_err().to_string();
    assert!(
        error.contains("line 4") && error.contains("two counts `a`"),
        "{error}"
    );
    // The join was executed 7 times.
    assert_eq!(analyse(&profile(raw)).engine.boundaries_per_task, Some(3.0));
}

#[test]
fn a_signal_is_an_interruption() {
    let raw = parse(&EXAMPLE.replace("ended exit", "ended signal 15")).unwrap();
    assert_eq!(raw.ended, Ended::Signal(15));
    let run = profile(raw).run;
    assert!(run.interrupted && !run.is_still_running());
}

#[test]
fn a_program_that_goes_on_reports_its_command_and_start() {
    let goes_on = "ended not\nstarted_at 1700000000\nword ./a b\nword c";
    let raw = parse(&EXAMPLE.replace("ended exit", goes_on)).unwrap();
    assert_eq!((raw.ended, raw.started_at), (Ended::Not, 1_700_000_000));
    assert_eq!(raw.command, ["./a b", "c"]);
    let run = profile(raw).run;
    assert!(run.interrupted && run.is_still_running());
}

#[test]
fn figures_and_notes_may_be_absent() {
    let absent = "work |span |clock_note|calibration|module|sitestack|sitetype|sitecall|sitename|\
                  path|instance|region|sampl|timeline|stack";
    let text = lines_where(|line| !absent.split('|').any(|start| line.starts_with(start)));
    let raw = parse(&text).unwrap();
    assert_eq!(raw.nodes[1].work.count, 0);
    assert_eq!(raw.clock_note, None);
    assert_eq!((raw.sampling, raw.sites[4].name.as_deref()), (None, None));
    assert!(!profile(raw).has_paths());
}

#[test]
fn damaged_stacks_are_counted_and_left_out() {
    let whole = example();
    for damaged in [
        "stack 9 3 0 2 - 55d0c0a04014 0 - -",
        "stack 0 NaN 0 2 - 55d0c0a04014 0 - -",
        "stack 0 3 0 2 - 5g 0 - -",
        "stack 0 3 0 2 mine 55d0c0a04014 0 - -",
        "stack 0 3 0 2 - 55d0c0a04014 -1 - -",
        "stack 0 3 0 2 - 55d0c0a04014 4 18446744073709551615 -",
        "stack 0 3 0 2 - 55d0c0a04014 4 - -1",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 1",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 1=5",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 1:g",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 1>18446744073709551615",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 2:5 1:5",
        "stack 0 3 0 2 - 55d0c0a04014 4 - - 4:5",
        "stack 0 3 0",
        "stack",
    ] {
        let raw = parse(&with_line("stack 0", damaged)).unwrap();
        assert_eq!(raw.damaged_stacks, 1, "{damaged}");
        assert_eq!(raw.stacks, whole.stacks[..1], "{damaged}");
        assert_eq!(raw.nodes, whole.nodes);
    }
    let raw = parse(&with_line("sitestack", "sitestack 1 12 0 - - 5")).unwrap();
    assert_eq!((raw.damaged_stacks, &raw.sites[1].stack), (1, &None));
}

#[test]
fn damaged_waits_are_counted_and_left_out() {
    let whole = example();
    // Those of an unknown queue are damaged, too.
    for (start, damaged, count) in [
        ("queue 0", "queue 0 pipe 700 200", 3),
        ("queue 0", "queue 0 futex 700", 3),
        ("queue 0", "queue 0 futex 700 2.5", 3),
        ("queue 0", "queue 0 futex 700 200 1", 3),
        ("queue 0", "queue -1 futex 700 200", 3),
        ("queue 1", "queue 0 sleep 90 90", 2),
        ("queue 1", "queue", 2),
        ("wait 1", "wait 2 0 2 90 0 0 55d0c0a04028 0 - -", 1),
        ("wait 1", "wait 1 9 2 90 0 0 55d0c0a04028 0 - -", 1),
        ("wait 1", "wait 1 0 -2 90 0 0 55d0c0a04028 0 - -", 1),
        ("wait 1", "wait 1 0 2 long 0 0 55d0c0a04028 0 - -", 1),
        ("wait 1", "wait 1 0 2 90 5g 0 - -", 1),
        ("wait 1", "wait 1 0 2", 1),
        ("wait 1", "wait", 1),
        ("wake 0", "wake 9 3 4 55d0c0a04024 0 - -", 1),
        ("wake 0", "wake 0 9 4 55d0c0a04024 0 - -", 1),
        ("wake 0", "wake 0 3 few 55d0c0a04024 0 - -", 1),
        ("wake 0", "wake 0 3 4 55d0c0a04024 0 -", 1),
        ("restriction", "restriction 9 3 55d0c0a0402c 0 - -", 1),
        ("restriction", "restriction 0 55d0c0a0402c 0 - -", 1),
        ("outside", "outside inf 55d0c0a04018 0 - -", 1),
        ("outside", "outside 2.5", 1),
    ] {
        let raw = parse(&with_line(start, damaged)).unwrap();
        assert_eq!(raw.damaged_stacks, count, "{damaged}");
        let mut expected = whole.clone();
        match start {
            "queue 0" => drop(expected.queues.remove(0)),
            "queue 1" => drop(expected.queues.remove(1)),
            "wait 1" => expected.queues[1].waits.clear(),
            "wake 0" => expected.queues[0].wakes.clear(),
            "restriction" => expected.restrictions.clear(),
            _ => expected.outside.clear(),
        }
        expected.damaged_stacks = count;
        assert_eq!(raw, expected, "{damaged}");
    }
}

#[test]
fn malformed_lines_are_reported() {
    assert_malformed("clock tsc", "clack tsc", "`clack` is not known");
    assert_malformed("threads", "threads two", "`two`");
    assert_malformed("threads", "threads -1", "`-1`");
    assert_malformed("threads", "threads 2 3", "too much");
    assert_malformed("threads", "threads", "missing");
    assert_malformed("threads", "", "name is empty");
    assert_malformed("ticks_per_second", "ticks_per_second 0", "not positive");
    assert_malformed("ticks_per_second", "ticks_per_second inf", "not finite");
    assert_malformed("ended", "ended well", "`well`");
    assert_malformed("truncated_tree", "truncated_tree 2", "neither 0 nor 1");
    assert_malformed("calibration join ", "calibration jump 3", "`jump`");
    assert_malformed("calibration join ", "calibration join NaN", "not finite");
    assert_malformed("clock_note", "timing vague", "`vague`");
    assert_malformed("clock_note", "span_open_ticks some", "`some`");
    assert_malformed("clock_note", "engine Boundaries 3", "snake_case");
    assert_malformed("clock_note", "engine boundaries 3.5", "`3.5`");
    assert_malformed("clock_note", "engine boundaries", "missing");
    assert_malformed("module", "module 1g 2 3 /x", "hexadecimal");
    assert_malformed("site 1", "site 3 join 0 1 1 a.rs", "where 1 is next");
    assert_malformed("site 1", "site 1 root 0 1 1 a.rs", "the root");
    assert_malformed("site 1", "site 1 jump 0 1 1 a.rs", "`jump`");
    assert_malformed("sitetype", "sitetype 9 x", "no site 9");
    assert_malformed("sitestack", "siteaddr 1 12 ", "is too much");
    assert_malformed("sitestack", "sitestack 9 12 0 - -", "no site 9");
    assert_malformed("node 0", "node 0 0 0 0", "has a parent");
    assert_malformed("node 1", "node 1 - 1 0", "no parent");
    assert_malformed("node 1", "node 1 1 1 0", "no node 1");
    assert_malformed("node 1", "node 1 0 9 0", "no site 9");
    assert_malformed("node 1", "node 1 0 0 0", "site 0");
    assert_malformed("work 1", "work 9 1 1 1 1 1 1 1 1 1", "no node 9");
    assert_malformed("work 1", "work 0 1 1 1 1 1 1 1 1 1", "two records");
    assert_malformed("work 1", "work 1 1 1 1 1 1 1 1 1", "local span is missing");
    assert_malformed(
        "work 1",
        "work 1 99999999999999999999 1 1 1 1 1 1 1 1",
        "in range",
    );
    assert_malformed("span 1", "span 0 1 1 1 1 1", "two records");
    assert_malformed("span 1", "span 1 1 1 1", "top work is missing");
    assert_malformed("sitecall", "sitecall 9 1 2", "no site 9");
    assert_malformed("sitecall", "sitecall 3 1", "function's address is missing");
    assert_malformed("sitename", "sitename 9 x", "no site 9");
    assert_malformed("path 3", "path 9 3 40 2", "no node 9");
    assert_malformed("path 3", "path 3 9 40 2", "no node 9");
    assert_malformed("path 3", "path 3 3 40", "count is missing");
    assert_malformed("share 4", "share 9 2 -3", "no node 9");
    assert_malformed("share 4", "share 4 2", "time is missing");
    assert_malformed(
        "instance 4 1",
        "instance 9 1 900 40 40 40 0 0 0",
        "no node 9",
    );
    assert_malformed("instance 4 1", "instance 4 1 900 40 40 40 0 0", "missing");
    assert_malformed("region 4", "region 9 1 1 0 0", "no node 9");
    assert_malformed("region 4", "region 4 1 1 0", "missing");
    assert_malformed("sampling ", "sampling often", "`often`");
    assert_malformed("timeline", "timeline 1 2", "outside is missing");
    assert_malformed("timeline", "timeline 1 2 -3", "`-3`");
    assert_malformed("timeline", "timeline 0 1 2", "no length");
    assert_malformed("pid", "threads 2", "line 8 already");
}

#[test]
fn missing_records_are_reported() {
    for name in ["clock", "threads", "ended", "span_ticks", "truncated_tree"] {
        let text = lines_where(|line| line.split(' ').next() != Some(name));
        assert!(
            matches!(parse(&text), Err(RawError::Missing(missing)) if missing == name),
            "{name}"
        );
    }
    let (header, _) = EXAMPLE.split_once("site 0").unwrap();
    let header = format!("{header}end\n");
    assert!(matches!(parse(&header), Err(RawError::Missing("site 0"))));
}

#[test]
fn every_cut_is_detected() {
    for length in 0..EXAMPLE.len() {
        let error = parse(&EXAMPLE[..length]).unwrap_err();
        let whole_first_line = length >= EXAMPLE.find('\n').unwrap();
        match error {
            RawError::Truncated { .. } => {}
            RawError::OtherVersion { .. } if !whole_first_line => {}
            other => panic!("{length} bytes: {other}"),
        }
    }
}

#[test]
fn other_versions_and_files_say_what_to_do() {
    let text = error_with("workspan-raw", "workspan-raw 2").to_string();
    assert!(
        text.contains("version 2") && text.contains("rm -r target/workspan"),
        "{text}"
    );
    assert!(matches!(parse("\u{7f}ELF"), Err(RawError::Foreign)));
    let malformed = error_with("threads", "threads two").to_string();
    assert!(
        malformed.contains("line 8") && malformed.contains("rm -r target/workspan"),
        "{malformed}"
    );
}

#[test]
fn missing_files_are_reported() {
    let error = workspan_format::raw::read("no/such.raw".as_ref()).unwrap_err();
    assert!(error.to_string().contains("no/such.raw"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutations_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..10),
    ) {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok(raw) = parse(&String::from_utf8_lossy(&bytes)) {
            analyse(&profile(raw));
        }
    }

    #[test]
    fn shuffled_lines_never_panic(lines in Just(EXAMPLE.lines().collect::<Vec<_>>()).prop_shuffle()) {
        if let Ok(raw) = parse(&format!("workspan-raw 11\n{}\nend\n", lines.join("\n"))) {
            analyse(&profile(raw));
        }
    }
}

/// The raw profile of a C program.
const OPENMP: &str = include_str!("openmp.raw");

/// That profile with `records` of locks, and with sites 7 and 8, which acquire locks.
fn with_locks(records: &str) -> Result<RawProfile, RawError> {
    let sites =
        "site 7 critical 0 0 0 -\nsiteaddr 7 55d0c0a01340\nsite 8 lock 0 20 0 src/sum.cpp\nnode 0 ";
    let text = OPENMP.replacen("node 0 ", sites, 1);
    parse(&text.replace("\nend\n", &format!("\n{records}end\n")))
}

#[test]
fn locks_are_read_by_site() {
    let records =
        "lock 0 8 2000 3 1 500\nlock 0 7 1000 2 0 0\nlock 1 7 400 1 0 0\nlock - 8 6 6 0 0\n";
    let raw = with_locks(records).unwrap();
    let sites: Vec<_> = raw.sites.iter().map(RawSite::to_site).collect();
    assert_eq!(sites[7].kind, SiteKind::Critical);
    let profile = raw.into_profile(launch(), sites);
    // Two ticks a nanosecond.
    let held = |uses: &[LockUse]| -> Vec<(u32, i64, u64)> {
        let uses = uses.iter();
        uses.map(|one| (one.site.0, one.held.time().as_nanos(), one.acquisitions))
            .collect()
    };
    let locks: Vec<_> = profile.locks.iter().map(|lock| held(&lock.uses)).collect();
    assert_eq!(locks, [vec![(8, 1000, 3), (7, 500, 2)], vec![(7, 200, 1)]]);
    assert_eq!(held(&profile.other_locks), [(8, 3, 6)]);
    let first = profile.locks[0].uses[0];
    assert_eq!((first.waits, first.waited.as_nanos()), (1, 250));
}

#[test]
fn records_of_locks_that_do_not_fit_are_refused() {
    for (records, expected) in [
        ("lock 1 7 1 1 0 0\n", "lock 1 where 0 is next"),
        ("lock 18446744073709551615 7 1 1 0 0\n", "where 0 is next"),
        ("lock 0 5 1 1 0 0\n", "site 5 acquires no lock"),
        ("lock 0 9 1 1 0 0\n", "no site 9"),
        ("lock 0 7 1 1 0\n", "missing"),
        ("lock 0 7 1 1 0 0 0\n", "lock 0 7"),
        (
            "lock 0 7 1 1 0 0\nlock 0 7 1 1 0 0\n",
            "two records of site 7",
        ),
        (
            "lock 0 7 1 1 0 0\nlock 1 7 1 1 0 0\nlock 0 8 1 1 0 0\n",
            "lock 0 where 2 is next",
        ),
    ] {
        let error = with_locks(records).unwrap_err();
        let is_malformed = matches!(error, RawError::Malformed { .. });
        let text = error.to_string();
        assert!(is_malformed, "{text}");
        assert!(text.contains(expected) || expected == "lock 0 7", "{text}");
    }
}

#[test]
fn constructs_of_openmp_and_tbb_keep_their_kinds() {
    let raw = parse(OPENMP).unwrap();
    let sites: Vec<_> = raw.sites.iter().map(RawSite::to_site).collect();
    let kinds: Vec<SiteKind> = sites.iter().map(|site| site.kind).collect();
    assert_eq!(
        kinds,
        [
            SiteKind::Root,
            SiteKind::Parallel,
            SiteKind::Loop,
            SiteKind::Sections,
            SiteKind::Taskgroup,
            SiteKind::Task,
            SiteKind::Loop,
        ]
    );
    // What was called is a detail of the construct, not a name as that of a region.
    assert_eq!(sites[6].detail.as_deref(), Some("tbb::parallel_reduce"));
    assert_eq!(sites[6].name, None);
    assert_eq!(sites[6].location.as_ref().unwrap().line, 12);
    let profile = raw.into_profile(launch(), sites);
    let shown: Vec<String> = profile
        .run
        .runtimes
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(shown, ["the C interface", "OpenMP (LLVM 16.0.6)"]);
    assert_eq!(profile.runtime(), Some(RuntimeKind::OpenMp));
    let totals = analyse(&profile).totals;
    assert_eq!(totals.work, Work::from_nanos(6_500));
    assert_eq!(totals.spawns, 2 + 8 + 2 + 3);
    assert_eq!(totals.constructs, 1 + 2 + 1 + 1 + 3);
}

#[test]
fn runtimes_behind_the_c_interface_are_recognised() {
    let runtimes = |text: &str| {
        let raw = parse(text).unwrap();
        let sites = raw.sites.iter().map(RawSite::to_site).collect();
        let profile = raw.into_profile(launch(), sites);
        let shown = profile.run.runtimes.iter().map(ToString::to_string);
        (shown.collect::<Vec<_>>(), profile.runtime())
    };
    let c = OPENMP.replace("runtime openmp LLVM 16.0.6\n", "");
    assert_eq!(runtimes(&c).1, Some(RuntimeKind::C));
    let tbb = c.replace("/home/user/loops", "/usr/lib/libtbb.so.12.8");
    let expected = vec!["the C interface".to_owned(), "oneTBB 2021.8".to_owned()];
    assert_eq!(runtimes(&tbb), (expected, Some(RuntimeKind::Tbb)));
    let cilk = c.replace("tbb::parallel_reduce", "cilk_for");
    assert_eq!(runtimes(&cilk).1, Some(RuntimeKind::Cilk));
}

#[test]
fn unknown_and_repeated_runtimes_are_refused() {
    let with = |line: &str| {
        let text = OPENMP.replace("runtime c -", line);
        parse(&text).unwrap_err().to_string()
    };
    assert!(with("runtime openmp 5").contains("`openmp` is told of twice"));
    assert!(with("runtime fortran 90").contains("`fortran` is not known"));
}
