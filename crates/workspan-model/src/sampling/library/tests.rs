use super::*;
use crate::example;

/// The lock at which all samples have these frames, innermost first: their functions, and
/// whether they are the user's.
fn lock(frames: &[(&str, bool)]) -> Option<SampledLock> {
    let mut profile = example::quicksort();
    let frame = |(line, (function, user_code)): (usize, &(&str, bool))| StackFrame {
        function: Some((*function).to_owned()),
        location: Some(Location::new("main.rs", line as u32 + 1, 0)),
        user_code: *user_code,
        ..StackFrame::default()
    };
    let ids = 0..u32::try_from(frames.len()).unwrap();
    profile.samples = Some(Samples {
        frames: frames.iter().enumerate().map(frame).collect(),
        stacks: vec![SampledStack {
            node: NodeId::ROOT,
            frames: ids.map(FrameId).collect(),
            on_work: 10.0,
            on_span: 0.0,
            elapsed: 0.0,
            line: LineUse::Unknown,
        }],
        ..Samples::default()
    });
    sampled_lock(&profile, true)
}

#[test]
fn a_lock_is_the_users_where_it_is_acquired() {
    let lock_wait = "__lll_lock_wait";
    let found = lock(&[(lock_wait, false), ("app::add", true)]).unwrap();
    assert_eq!(found.function.as_deref(), Some("app::add"));
    assert!(!found.is_allocators);
    assert_eq!(lock(&[("app::add", true), (lock_wait, false)]), None);
}

#[test]
fn a_lock_is_that_of_the_innermost_library_which_has_one_of_its_own() {
    let library = |functions: &[&str]| {
        let frame = |(line, function): (usize, &&str)| StackFrame {
            function: Some((*function).to_owned()),
            location: Some(Location::new("main.rs", line as u32, 0)),
            user_code: function.starts_with("app::"),
            ..StackFrame::default()
        };
        let frames: Vec<StackFrame> = functions.iter().enumerate().map(frame).collect();
        let place = lock_place(frames.iter().collect());
        (
            place.library.map(str::to_owned),
            place.function.map(str::to_owned),
        )
    };
    let of = |library: Option<&str>| (library.map(str::to_owned), Some("app::check".to_owned()));
    let lock = "std::sys::sync::mutex::futex::Mutex::lock_contended";
    let (own, outer) = (
        "std::sys::backtrace::lock",
        "std::backtrace::Backtrace::create",
    );
    assert_eq!(library(&[lock, own, outer, "app::check"]), of(Some(own)));
    // These acquire it for their caller.
    for wrapper in [
        "std::sync::poison::mutex::Mutex<T>::lock",
        "<std::sync::poison::mutex::Mutex<T> as core::fmt::Debug>::fmt",
        "core::option::Option<T>::map",
        "std::mutex::lock()",
        "std::lock_guard<std::mutex>::lock_guard(std::mutex&)",
        "pthread_mutex_lock",
    ] {
        assert_eq!(
            library(&[lock, wrapper, "app::check", outer]),
            of(None),
            "{wrapper}"
        );
    }
    assert_eq!(library(&[lock, own]).0, None);
}

#[test]
fn atomics_of_a_lock_are_where_it_is_acquired() {
    let of_lines = |lock: &str, at_lock: f64, [line, other]: [LineUse; 2]| {
        let mut profile = example::quicksort();
        let functions = [
            "core::sync::atomic::AtomicU32::compare_exchange",
            lock,
            "app::draw",
        ];
        let stacks: [(u32, &[u32], f64, f64); 3] = [
            (1, &[0, 1, 2], 5.0 * at_lock, 0.0),
            (1, &[0, 1, 2], 5.0 * at_lock, 0.0),
            (1, &[2], 1_000.0 - 10.0 * at_lock, 0.0),
        ];
        let mut samples = example::samples(&functions, &stacks);
        (samples.stacks[0].line, samples.stacks[1].line) = (line, other);
        for library in 0..2 {
            samples.frames[library].user_code = false;
        }
        samples.frames[0].inlined = true;
        samples.frames[0].at_atomic = true;
        profile.samples = Some(samples);
        sampled_atomics(&profile, true, true)
    };
    let found = |lock: &str, at_lock| of_lines(lock, at_lock, [LineUse::Unknown; 2]);
    let lock = "std::sys::sync::mutex::futex::Mutex::lock_contended";
    let readers = "std::sys::sync::rwlock::futex::RwLock::read";
    assert!(found(readers, 10.0).is_some_and(|atomics| atomics.purpose == AtomicsPurpose::Lock));
    let atomics = found(lock, 60.0).unwrap();
    assert_eq!(atomics.function.as_deref(), Some("app::draw"));
    assert_eq!(atomics.purpose, AtomicsPurpose::Lock);
    assert_eq!(atomics.share, 0.6);
    // There may be many of them; but not where different threads are seen at one.
    assert_eq!(found(lock, 10.0), None);
    let shared = of_lines(lock, 10.0, [LineUse::Own, LineUse::Shared]).unwrap();
    assert_eq!((shared.share, shared.line), (0.1, LineUse::Shared));
    assert_eq!(of_lines(lock, 10.0, [LineUse::Own; 2]), None);
    // A function of another library that was not inlined.
    assert_eq!(found("queue::push", 60.0), None);
}

#[test]
fn atomics_that_are_no_locks_count_from_a_twentieth_on() {
    let found = |at_atomics: f64, others: f64| {
        let mut profile = example::quicksort();
        let stacks: [(u32, &[u32], f64, f64); 2] =
            [(1, &[0], at_atomics, 0.0), (1, &[1], others, 0.0)];
        let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
        samples.frames[0].at_atomic = true;
        profile.samples = Some(samples);
        let [many, few] = [true, false].map(|many| sampled_atomics(&profile, many, true));
        (
            many.map(|atomics| atomics.share),
            few.map(|atomics| atomics.share),
        )
    };
    assert_eq!(found(10.0, 190.0), (Some(0.05), None));
    assert_eq!(found(20.0, 80.0), (Some(0.2), Some(0.2)));
    assert_eq!(found(10.0, 191.0), (None, None));
}

/// Of a longer run they may be many, and they would show whose lines they write.
#[test]
fn a_few_atomics_of_a_short_run_leave_open_whether_threads_meet() {
    let found = |at_atomics: f64, all: f64, line: LineUse| {
        let mut profile = example::quicksort();
        let stacks: [(u32, &[u32], f64, f64); 2] =
            [(1, &[0], at_atomics, 0.0), (1, &[1], all - at_atomics, 0.0)];
        let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
        samples.frames[0].at_atomic = true;
        samples.stacks[0].line = line;
        profile.samples = Some(samples);
        few_atomics(&profile, true).map(|few| few.samples)
    };
    let unknown = |at_atomics, all| found(at_atomics, all, LineUse::Unknown);
    assert_eq!(unknown(3.0, 160.0), Some([3, 160]));
    assert_eq!(unknown(9.0, 40.0), Some([9, 40]));
    assert_eq!(unknown(1.0, 160.0), Some([1, 160]));
    assert_eq!(unknown(0.0, 160.0), None);
    // So many lines that each is used little.
    assert_eq!(unknown(10.0, 160.0), None);
    // Certainly little of the work.
    assert_eq!(unknown(9.0, 2_000.0), None);
    // Known, but too few to tell how often threads take turns.
    assert_eq!(found(9.0, 160.0, LineUse::Shared), Some([9, 160]));
    assert_eq!(found(15.0, 300.0, LineUse::Own), Some([15, 300]));
    // Those tell: they are much, if anything.
    assert_eq!(found(20.0, 300.0, LineUse::Own), None);
    assert_eq!(found(15.0, 300.0, LineUse::Shared), None);
}

/// However many they are: a thread that runs alone finds each line as it left it.
#[test]
fn threads_that_hardly_meet_leave_any_atomics_open() {
    let found = |at_atomics: f64, line: LineUse, can_meet: bool| {
        let mut profile = example::quicksort();
        let stacks: [(u32, &[u32], f64, f64); 2] =
            [(1, &[0], at_atomics, 0.0), (1, &[1], 300.0, 0.0)];
        let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
        samples.frames[0].at_atomic = true;
        samples.stacks[0].line = line;
        profile.samples = Some(samples);
        few_atomics(&profile, can_meet).is_some()
    };
    for line in [LineUse::Own, LineUse::Unknown] {
        assert!(found(40.0, line, false), "{line:?}");
        assert!(!found(40.0, line, true), "{line:?}");
    }
    // Threads that share a line in turns share it.
    assert!(!found(40.0, LineUse::Shared, false));
    // No atomics, none that wait.
    assert!(!found(0.0, LineUse::Unknown, false));
}

/// Threads that use a line in perfect alternation are found after one another half of the time.
#[test]
fn few_samples_leave_a_line_open_that_half_of_them_share() {
    let found = |own: f64, shared: f64| {
        let mut profile = example::quicksort();
        let stacks: [(u32, &[u32], f64, f64); 3] = [
            (1, &[0], own, 0.0),
            (1, &[0], shared, 0.0),
            (1, &[1], 300.0 - own - shared, 0.0),
        ];
        let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
        samples.frames[0].at_atomic = true;
        (samples.stacks[0].line, samples.stacks[1].line) = (LineUse::Own, LineUse::Shared);
        profile.samples = Some(samples);
        let much = sampled_atomics(&profile, true, true);
        (much.is_some(), few_atomics(&profile, true).is_some())
    };
    for half in 2..=5 {
        let half = f64::from(half);
        assert_eq!(found(half, half), (false, true), "{half}");
    }
    assert_eq!(found(10.0, 10.0), (true, false));
}

#[test]
fn atomics_of_a_channel_are_for_messages() {
    let mut profile = example::quicksort();
    let functions = [
        "core::sync::atomic::AtomicUsize::load",
        "crossbeam_channel::flavors::list::Channel<T>::recv",
        "app::collect",
    ];
    let stacks: [(u32, &[u32], f64, f64); 2] = [(1, &[0, 1, 2], 60.0, 0.0), (1, &[2], 40.0, 0.0)];
    let mut samples = example::samples(&functions, &stacks);
    samples.frames[0].user_code = false;
    samples.frames[0].inlined = true;
    samples.frames[0].at_atomic = true;
    // A downloaded crate's, as users' code is.
    samples.frames[1].location = Some(Location::new("crossbeam-channel-0.5.17/src/list.rs", 9, 1));
    samples.frames[2].location = Some(Location::new("src/main.rs", 4, 1));
    profile.samples = Some(samples);
    let found = sampled_atomics(&profile, true, true).unwrap();
    assert_eq!(found.purpose, AtomicsPurpose::Channel);
    assert_eq!(found.function.as_deref(), Some("app::collect"));
}

#[test]
fn threads_that_meet_at_a_cache_line_show_in_its_samples() {
    let among = |others: f64, uses: &[(LineUse, f64)], can_meet| {
        let mut profile = example::quicksort();
        let mut stacks = vec![(1, &[0][..], 0.0, 0.0); uses.len()];
        stacks.push((1, &[1], others, 0.0));
        let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
        samples.frames[0].at_atomic = true;
        for (stack, (line, weight)) in samples.stacks.iter_mut().zip(uses) {
            (stack.line, stack.on_work) = (*line, *weight);
        }
        profile.samples = Some(samples);
        [false, true].map(|many| {
            let found = sampled_atomics(&profile, many, can_meet);
            found.map(|atomics| atomics.line)
        })
    };
    let found = |uses: &[(LineUse, f64)]| among(0.0, uses, true)[0];
    let (own, shared, apart) = (LineUse::Own, LineUse::Shared, LineUse::Apart);
    let unknown = LineUse::Unknown;
    assert_eq!(found(&[(own, 100.0)]), None);
    assert_eq!(found(&[(own, 100.0), (shared, 2.0)]), None);
    assert_eq!(found(&[(own, 100.0), (shared, 6.0)]), Some(unknown));
    assert_eq!(found(&[(own, 50.0), (shared, 50.0)]), Some(shared));
    assert_eq!(found(&[(own, 50.0), (apart, 50.0)]), Some(apart));
    // Words that all of them use; and many lines.
    let several = [(own, 50.0), (apart, 44.0), (shared, 6.0)];
    assert_eq!(found(&several), Some(shared));
    let spread = [(own, 40.0), (apart, 40.0), (unknown, 81.0)];
    assert_eq!(found(&spread), Some(unknown));
    // Too few, or between the two.
    assert_eq!(found(&[(own, 9.0), (unknown, 9.0)]), Some(unknown));
    assert_eq!(
        found(&[(own, 4.0), (shared, 4.0), (unknown, 92.0)]),
        Some(unknown)
    );
    assert_eq!(found(&[(own, 71.0), (shared, 29.0)]), Some(unknown));
    assert_eq!(found(&[(unknown, 100.0)]), Some(unknown));
    // Of two threads, a fiftieth of the work says something of many more.
    let little = [(own, 10.0), (shared, 10.0)];
    assert_eq!(among(980.0, &little, true), [None, Some(shared)]);
    assert_eq!(among(981.0, &little, true), [None, None]);
    assert_eq!(among(980.0, &[(unknown, 20.0)], true), [None, None]);
    // Threads that ran in turns do not meet.
    let alone = among(0.0, &[(own, 100.0)], false);
    assert_eq!(alone, [Some(unknown), Some(unknown)]);
}

#[test]
fn threads_that_spin_wait_for_others() {
    let found = |spinning: f64, at_atomics: f64| {
        let mut profile = example::quicksort();
        let others = 1_000.0 - spinning - at_atomics;
        let stacks: [(u32, &[u32], f64, f64); 3] = [
            (1, &[0, 2], spinning, 0.0),
            (1, &[1, 2], at_atomics, 0.0),
            (1, &[2], others, 0.0),
        ];
        let functions = [
            "core::hint::spin_loop",
            "core::sync::atomic::AtomicBool::swap",
            "app::enter",
        ];
        let mut samples = example::samples(&functions, &stacks);
        for library in &mut samples.frames[..2] {
            (library.user_code, library.inlined) = (false, true);
        }
        samples.frames[0].spins = true;
        samples.frames[1].at_atomic = true;
        samples.stacks[1].line = LineUse::Own;
        profile.samples = Some(samples);
        let found = sampled_atomics(&profile, true, true)?;
        assert_eq!(found.function.as_deref(), Some("app::enter"));
        Some((found.share, found.spinning, found.line))
    };
    assert_eq!(found(20.0, 200.0), Some((0.22, 0.02, LineUse::Own)));
    assert_eq!(found(20.0, 0.0), Some((0.02, 0.02, LineUse::Unknown)));
    // That a few do says nothing against locks of which each thread has its own.
    assert_eq!(found(19.0, 0.0), None);
    assert_eq!(found(19.0, 200.0), None);
}

#[test]
fn what_rayon_does_to_schedule_tasks_is_no_code_of_the_program() {
    let found = |inner: &str| {
        let mut profile = example::quicksort();
        let stacks: &[(u32, &[u32], f64, f64)] = &[(1, &[0, 1], 100.0, 0.0)];
        let mut samples = example::samples(&[inner, "app::draw"], stacks);
        samples.frames[0].at_atomic = true;
        samples.frames[0].inlined = true;
        // The queues are a crate of their own.
        samples.frames[0].user_code = inner.starts_with("crossbeam");
        profile.samples = Some(samples);
        sampled_atomics(&profile, true, true).is_some()
    };
    assert!(!found("crossbeam_deque::deque::Worker::pop"));
    assert!(!found("rayon_core::latch::SpinLatch::set"));
    assert!(found("core::sync::atomic::AtomicU64::fetch_add"));
}

#[test]
fn atomics_of_a_downloaded_crate_are_where_the_program_calls_it() {
    let mut profile = example::quicksort();
    let mut samples = example::samples(&["queue::push", "app::draw"], &[(1, &[0, 1], 90.0, 0.0)]);
    let places = ["queue-1.0.2/src/lib.rs", "/home/me/app-2/src/main.rs"];
    for (frame, file) in samples.frames.iter_mut().zip(places) {
        frame.location = Some(Location::new(file, 7, 1));
    }
    samples.frames[0].at_atomic = true;
    profile.samples = Some(samples);
    let atomics = sampled_atomics(&profile, true, true).unwrap();
    assert_eq!(atomics.function.as_deref(), Some("app::draw"));
}

#[test]
fn what_runs_outside_of_strands_is_told_by_who_called_it() {
    let outside = |at_lock: f64, searching: f64| {
        let mut profile = example::quicksort();
        let functions = ["lock", "app::add", "crossbeam_deque::deque::Stealer::steal"];
        let mut samples = example::samples(&functions, &[]);
        samples.frames[0].user_code = false;
        let stack = |frames: &[u32], periods| OutsideStack {
            frames: frames.iter().copied().map(FrameId).collect(),
            periods,
        };
        samples.outside = vec![stack(&[0, 1], at_lock), stack(&[2], searching)];
        profile.samples = Some(samples);
        sampled_outside(&profile)
    };
    let lock = outside(30.0, 10.0).unwrap();
    assert_eq!(lock.function.as_deref(), Some("app::add"));
    assert_eq!(lock.called.as_deref(), Some("lock"));
    assert_eq!(lock.share.share.value, 0.75);
    let search = outside(10.0, 30.0).unwrap();
    assert_eq!((search.function, search.called), (None, None));
    // Fewer than twenty tell nothing.
    assert_eq!(outside(10.0, 9.0), None);
    let own_code = |function: &str| {
        let mut profile = example::quicksort();
        let mut samples = example::samples(&[function], &[]);
        samples.frames[0].user_code = false;
        let frames = vec![FrameId(0)];
        let periods = 30.0;
        samples.outside = vec![OutsideStack { frames, periods }];
        profile.samples = Some(samples);
        sampled_outside(&profile).unwrap().own_code.share.value
    };
    let of_program = own_code("__pstl::__tbb_backend::__merge_func::operator()");
    let of_runtime = own_code("tbb::detail::r1::market::process");
    assert_eq!((of_program, of_runtime), (1.0, 0.0));
}

#[test]
fn an_allocators_lock_is_named_by_who_allocates() {
    let own = [
        ("__lll_lock_wait", false),
        ("app::OneLock::alloc", true),
        ("__rustc::__rust_alloc", false),
        ("alloc::vec::Vec::with_capacity", false),
        ("app::name", true),
    ];
    let in_c = [
        ("__lll_lock_wait_private", false),
        ("_int_malloc", false),
        ("malloc", false),
        ("main", true),
    ];
    for (frames, caller) in [(&own[..], "app::name"), (&in_c[..], "main")] {
        let found = lock(frames).unwrap();
        assert_eq!(found.function.as_deref(), Some(caller));
        assert!(found.is_allocators);
    }
}

/// Of 1,000 samples, five at a lock may be fewer than one in a hundred of the time.
#[test]
fn a_few_samples_are_no_lock() {
    let mut profile = example::quicksort();
    let stack = |frame, on_work| SampledStack {
        node: NodeId::ROOT,
        frames: vec![FrameId(frame)],
        on_work,
        on_span: 0.0,
        elapsed: 0.0,
        line: LineUse::Unknown,
    };
    let mut found = |at_lock| {
        profile.samples = Some(Samples {
            frames: ["__lll_lock_wait", "app::work"]
                .map(|name| StackFrame {
                    function: Some(name.to_owned()),
                    ..StackFrame::default()
                })
                .to_vec(),
            stacks: vec![stack(0, at_lock), stack(1, 1_000.0 - at_lock)],
            ..Samples::default()
        });
        sampled_lock(&profile, true).is_some()
    };
    assert!(!found(5.0));
    assert!(found(50.0));
}
