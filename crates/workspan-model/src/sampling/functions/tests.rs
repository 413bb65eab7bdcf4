use super::*;
use crate::{
    FrameId, LineUse, Nanos, Node, NodeId, SampledStack, Samples, Site, SiteId, SiteKind,
    StackFrame, example,
};

fn at(line: u32) -> Option<Location> {
    Some(Location::new("src/main.rs", line, 5))
}

/// Stacks written as functions with the lines that they were in.
#[derive(Default)]
struct Stacks {
    samples: Samples,
}

impl Stacks {
    /// A frame by its name and its line: `std::…` and `rayon::…` are libraries, `[name]` is
    /// inlined. A function's definition is on the line numbered like the first letter of its name.
    fn frame(&mut self, name: &str, line: u32) -> FrameId {
        let plain = name.trim_matches(['[', ']']);
        let frame = StackFrame {
            function: Some(plain.to_owned()),
            location: at(line),
            definition: at(u32::from(plain.as_bytes()[0])),
            inlined: name.starts_with('['),
            user_code: !plain.starts_with("std::") && !plain.starts_with("rayon::"),
            ..StackFrame::default()
        };
        let frames = &mut self.samples.frames;
        let index = frames.iter().position(|known| *known == frame);
        let index = index.unwrap_or_else(|| {
            frames.push(frame);
            frames.len() - 1
        });
        FrameId(index as u32)
    }

    fn frames(&mut self, frames: &[(&str, u32)]) -> Vec<FrameId> {
        let frames = frames.iter();
        frames.map(|&(name, line)| self.frame(name, line)).collect()
    }

    fn add(&mut self, node: u32, frames: &[(&str, u32)], on_work: f64, on_span: f64) -> &mut Self {
        let frames = self.frames(frames);
        self.samples.stacks.push(SampledStack {
            node: NodeId(node),
            frames,
            on_work,
            on_span,
            elapsed: on_span.max(on_work / 2.0),
            line: LineUse::Unknown,
        });
        self
    }

    /// The quicksort, whose join at line 31 is in `quicksort`.
    fn profile(&mut self) -> Profile {
        let mut profile = example::quicksort();
        profile.sites[1].function = Some("quicksort".to_owned());
        profile.sites[1].location = at(31);
        self.samples.rate = 1_000;
        profile.samples = Some(std::mem::take(&mut self.samples));
        assert_eq!(profile.check(), Ok(()));
        profile
    }
}

/// A sort below `main`, with 100 samples on the span and 400 on the work.
fn sorting() -> Stacks {
    let mut stacks = Stacks::default();
    let around = stacks.frames(&[("rayon::join", 1), ("quicksort", 31), ("main", 60)]);
    stacks.samples.around_sites = vec![Vec::new(), around];
    let join = [
        ("quicksort::{closure}", 32),
        ("rayon::join", 1),
        ("quicksort", 31),
    ];
    stacks
        .add(0, &[("read", 70), ("main", 59)], 10.0, 10.0)
        .add(
            1,
            &[
                ("std::mem::swap", 1),
                ("[less]", 22),
                ("partition", 21),
                ("quicksort", 30),
            ],
            100.0,
            50.0,
        )
        // Below another join, not stolen.
        .add(
            1,
            &[&[("partition", 23), ("quicksort", 30)][..], &join].concat(),
            100.0,
            12.0,
        )
        .add(
            1,
            &[("insertion", 40), ("insertion", 41), ("quicksort", 29)],
            150.0,
            8.0,
        )
        .add(1, &[("quicksort", 28)], 30.0, 15.0)
        .add(1, &[("std::drop", 1)], 10.0, 5.0);
    stacks
}

fn row<'a>(functions: &'a Functions, name: &str) -> &'a FunctionRow {
    let mut rows = functions.rows.iter();
    rows.find(|row| row.function.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn what_ran_alone_kept_other_threads_idle() {
    let mut stacks = Stacks::default();
    let mut profile = stacks
        .add(0, &[("alone", 70)], 60.0, 60.0)
        .add(1, &[("together", 40), ("quicksort", 29)], 100.0, 0.0)
        .profile();
    let [alone, together] = [60.0, 50.0];
    let stacks = &mut profile.samples.as_mut().unwrap().stacks;
    assert_eq!((stacks[0].elapsed, stacks[1].elapsed), (alone, together));
    let of = |profile: &Profile| functions(profile).unwrap();
    let all = of(&profile);
    // Two threads had 120 ms while it ran for 60.
    assert_eq!(all.idle.time, Nanos::from_nanos(60_000_000));
    assert_eq!(all.idle.effective, 60.0);
    assert_eq!(row(&all, "together").idle.share.value, 0.0);
    let names = |all: &Functions| -> Vec<_> {
        let rows = all.keep_others_idle().into_iter();
        rows.map(|row| row.function.clone().unwrap()).collect()
    };
    assert_eq!(names(&all), ["alone"]);
    let line = |name: &str| row(&all, name).idle_line.as_ref().map(|line| line.line);
    assert_eq!((line("alone"), line("together")), (Some(70), None));

    // On eight, six were idle while two strands ran, 300 ms, and seven while one did, 420 ms.
    profile.run.threads = 8;
    profile.machine.cores = 8;
    let all = of(&profile);
    assert_eq!(all.idle.time, Nanos::from_nanos(720_000_000));
    assert_eq!(all.idle.effective, 720.0 / 7.0);
    assert_eq!(names(&all), ["alone", "together"]);

    // An older profile does not tell.
    for stack in &mut profile.samples.as_mut().unwrap().stacks {
        stack.elapsed = 0.0;
    }
    let all = of(&profile);
    assert_eq!(all.idle.time, Nanos::ZERO);
    assert!(names(&all).is_empty());
}

/// Samples on the work and on the span.
fn samples(both: OnBoth) -> (f64, f64) {
    (both.on_work.samples, both.on_span.samples)
}

#[test]
fn serial_functions_and_parallel_ones_own_code_make_up_the_span() {
    let functions = functions(&sorting().profile()).unwrap();
    let serial: Vec<_> = functions
        .rows
        .iter()
        .map(|row| (row.function.as_deref().unwrap(), samples(row.serial)))
        .filter(|(_, samples)| *samples != (0.0, 0.0))
        .collect();
    assert_eq!(
        serial,
        [
            ("partition", (200.0, 62.0)),
            ("read", (10.0, 10.0)),
            ("quicksort", (40.0, 20.0)),
            ("insertion", (150.0, 8.0)),
        ]
    );
    let shares = functions
        .rows
        .iter()
        .map(|row| row.serial.on_span.share.value);
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-12);
    let parallel = |name| row(&functions, name).parallel;
    assert!(parallel("main") && parallel("quicksort") && parallel("quicksort::{closure}"));
    assert!(!parallel("partition") && !parallel("insertion") && !parallel("less"));
}

#[test]
fn libraries_run_for_their_callers() {
    let functions = functions(&sorting().profile()).unwrap();
    // `std::mem::swap` counts for `less`, and `std::drop` in a stolen task for the function at its
    // spawn site.
    assert_eq!(samples(row(&functions, "less").own), (100.0, 50.0));
    assert_eq!(samples(row(&functions, "partition").own), (100.0, 12.0));
    assert_eq!(samples(row(&functions, "quicksort").own), (40.0, 20.0));
    let own: f64 = functions
        .rows
        .iter()
        .map(|row| row.own.on_work.share.value)
        .sum();
    assert!((own - 1.0).abs() < 1e-12);
}

#[test]
fn a_function_is_counted_once_a_stack_and_outside_of_its_tasks() {
    let functions = functions(&sorting().profile()).unwrap();
    assert_eq!(samples(row(&functions, "insertion").total), (150.0, 8.0));
    assert_eq!(samples(row(&functions, "quicksort").total), (390.0, 90.0));
    assert_eq!(samples(row(&functions, "main").total), (400.0, 100.0));
}

#[test]
fn callers_have_the_place_of_the_call() {
    let functions = functions(&sorting().profile()).unwrap();
    let callers = |name| -> Vec<_> {
        let callers = row(&functions, name).callers.iter();
        callers
            .map(|caller| {
                let line = caller.location.as_ref().unwrap().line;
                (
                    caller.function.as_deref().unwrap(),
                    line,
                    samples(caller.share),
                )
            })
            .collect()
    };
    assert_eq!(callers("partition"), [("quicksort", 30, (200.0, 62.0))]);
    // The recursion is folded.
    assert_eq!(callers("insertion"), [("quicksort", 29, (150.0, 8.0))]);
    assert_eq!(callers("quicksort"), [("main", 60, (390.0, 90.0))]);
    assert_eq!(callers("main"), []);
}

#[test]
fn machine_code_counts_what_is_inlined_into_it() {
    let functions = functions(&sorting().profile()).unwrap();
    let partition = row(&functions, "partition");
    assert_eq!(samples(partition.physical_own), (200.0, 62.0));
    let less = row(&functions, "less");
    assert_eq!(samples(less.physical_total), (0.0, 0.0));
    assert_eq!(
        samples(row(&functions, "quicksort").physical_own),
        (40.0, 20.0)
    );
    // A stack has no machine code outside of its task.
    assert_eq!(
        samples(row(&functions, "main").physical_total),
        (10.0, 10.0)
    );
}

#[test]
fn the_hottest_function_inside_is_named() {
    let functions = functions(&sorting().profile()).unwrap();
    let (index, share) = row(&functions, "partition").hottest.unwrap();
    assert_eq!(functions.rows[index].function.as_deref(), Some("less"));
    assert_eq!(share.samples, 50.0);
    let (index, _) = row(&functions, "read").hottest.unwrap();
    assert_eq!(functions.rows[index].function.as_deref(), Some("read"));
    assert!(row(&functions, "less").hottest.is_none());
}

#[test]
fn the_line_to_look_at_is_of_the_outermost_serial_function() {
    let functions = functions(&sorting().profile()).unwrap();
    let at = |name: &str| {
        let row = row(&functions, name);
        let lines = [row.main_call(true), row.main_line(true)];
        lines.map(|line| line.map(|line| line.line))
    };
    // `less`, which it calls from line 21, takes most of it.
    assert_eq!(at("partition"), [Some(30), Some(21)]);
    // None of its own lines has most of it for certain.
    assert_eq!(at("quicksort"), [Some(60), None]);
}

#[test]
fn waits_count_for_no_function() {
    let mut profile = sorting().profile();
    let (span, work) = (98_000_000, 1_060_000_000);
    let time = |profile: &Profile| {
        let functions = functions(profile).unwrap();
        let total = row(&functions, "main").total;
        (total.on_work.time.as_nanos(), total.on_span.time.as_nanos())
    };
    assert_eq!(time(&profile), (work, span));
    // The root has nothing off the path, so its 4 ms of waits lie on it. The sort has far more time
    // off the path than it waited.
    profile.tree[0].on_work.blocked = Nanos::from_nanos(4_000_000);
    profile.tree[1].on_work.blocked = Nanos::from_nanos(60_000_000);
    assert_eq!(time(&profile), (work - 64_000_000, span - 4_000_000));
}

#[test]
fn samples_of_a_site_stand_for_its_time() {
    let functions = functions(&sorting().profile()).unwrap();
    // 10 samples of the root stand for its 21.4 ms of span, and 62 of 90 for that part of the
    // sort's 76.6 ms.
    let time = |name| row(&functions, name).serial.on_span.time.as_nanos();
    assert_eq!(time("read"), 21_400_000);
    assert_eq!(
        time("partition"),
        (76_600_000.0 * 62.0 / 90.0_f64).round() as i64
    );
    let share = row(&functions, "read").serial.on_span.share.value;
    assert!((share - 21.4 / 98.0).abs() < 1e-9, "{share}");
    assert_eq!(functions.on_span.time, Nanos::from_nanos(98_000_000));
}

#[test]
fn sites_without_samples_are_left_out() {
    let mut stacks = sorting();
    stacks.samples.stacks.remove(0);
    let functions = functions(&stacks.profile()).unwrap();
    assert_eq!(functions.on_span.time, Nanos::from_nanos(76_600_000));
    assert_eq!(functions.on_span.effective, 90.0);
}

#[test]
fn a_bottleneck_has_to_be_clear() {
    let clear = |stacks: &mut Stacks, taken| {
        stacks.samples.taken = taken;
        functions(&stacks.profile()).unwrap().bottleneck()
    };
    assert_eq!(clear(&mut sorting(), None), Some(0));
    // 98² / (21.4²/10 + 76.6²/90) = 86.5 samples on the span if each stands for one period, 20.1 if
    // each stands for 4.3, and 19.9 for 4.35.
    assert_eq!(clear(&mut sorting(), Some(93)), Some(0));
    assert_eq!(clear(&mut sorting(), Some(92)), None);
    // 62 against 60 is too close.
    let mut close = sorting();
    close.add(1, &[("insertion", 40), ("quicksort", 29)], 52.0, 52.0);
    assert_eq!(clear(&mut close, None), None);
    assert_eq!(clear(&mut Stacks::default(), None), None);
}

#[test]
fn what_calls_a_parallel_function_is_parallel() {
    let mut stacks = Stacks::default();
    // `helper` calls `sort`, which calls `quicksort`; their order of appearance does not matter.
    stacks
        .add(0, &[("work", 1), ("helper", 2), ("main", 3)], 1.0, 1.0)
        .add(0, &[("sort", 4), ("helper", 5), ("main", 3)], 1.0, 1.0)
        .add(0, &[("quicksort", 6), ("sort", 7)], 1.0, 1.0);
    let functions = functions(&stacks.profile()).unwrap();
    let parallel: Vec<_> = functions
        .rows
        .iter()
        .filter(|row| row.parallel)
        .map(|row| row.function.as_deref().unwrap())
        .collect();
    assert_eq!(parallel, ["sort", "quicksort", "helper", "main"]);
    assert_eq!(samples(row(&functions, "work").serial), (1.0, 1.0));
}

#[test]
fn code_without_a_caller_belongs_to_no_function() {
    let mut stacks = Stacks::default();
    stacks.add(0, &[("std::rt::cleanup", 1)], 2.0, 1.0);
    stacks.add(0, &[], 1.0, 0.0);
    let functions = functions(&stacks.profile()).unwrap();
    assert_eq!(functions.rows.len(), 1);
    let row = &functions.rows[0];
    assert_eq!(
        (row.function.as_deref(), samples(row.own)),
        (None, (3.0, 1.0))
    );
    assert_eq!(samples(row.total), (3.0, 1.0));
    assert_eq!(functions.bottleneck(), None);
}

#[test]
fn the_same_name_in_two_places_is_two_functions() {
    let mut stacks = Stacks::default();
    stacks
        .add(0, &[("f", 1)], 1.0, 1.0)
        .add(0, &[("f", 2)], 2.0, 2.0);
    stacks.samples.frames[1].definition = at(7);
    // One without debug information counts as the first of them.
    stacks.add(0, &[("f", 3)], 4.0, 4.0);
    stacks.samples.frames[2].definition = None;
    let functions = functions(&stacks.profile()).unwrap();
    let rows: Vec<_> = functions
        .rows
        .iter()
        .map(|row| {
            (
                row.definition.as_ref().unwrap().line,
                row.own.on_work.samples,
            )
        })
        .collect();
    assert_eq!(rows, [(u32::from(b'f'), 5.0), (7, 2.0)]);
}

#[test]
fn a_site_without_a_stack_is_in_its_function() {
    let mut stacks = Stacks::default();
    stacks.add(1, &[("work", 1)], 1.0, 1.0);
    let mut profile = stacks.profile();
    profile.sites.push(Site {
        function: Some("spawner".to_owned()),
        location: at(99),
        ..Site::unnamed(SiteKind::Spawn)
    });
    profile.tree.push(Node::new(Some(NodeId(1)), SiteId(2)));
    profile.samples.as_mut().unwrap().stacks[0].node = NodeId(2);
    let functions = functions(&profile).unwrap();
    let callers = &row(&functions, "work").callers;
    assert_eq!(callers[0].function.as_deref(), Some("spawner"));
    assert_eq!(callers[0].location, at(99));
    assert_eq!(samples(row(&functions, "quicksort").total), (1.0, 1.0));
}

#[test]
fn hot_functions_count_the_samples_that_were_taken() {
    let hot = |taken| {
        let mut stacks = sorting();
        stacks.samples.taken = taken;
        let profile = stacks.profile();
        let nodes = (0..).take(profile.tree.len()).map(NodeId).collect();
        hot_functions(&profile, &[nodes], 1).remove(0).remove(0)
    };
    let (timely, late) = (hot(None), hot(Some(100)));
    assert_eq!((timely.samples, late.samples), (100.0, 25.0));
    assert_eq!(timely.share, late.share);
}
