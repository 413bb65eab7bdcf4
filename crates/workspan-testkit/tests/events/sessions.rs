//! Sessions that end in the middle of what the program does, on all of its threads.

use std::fs;
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::Instant;

use workspan_format::raw::{self, RawProfile};
use workspan_format::stream;
use workspan_rt::clock::{self, Clock};
use workspan_rt::events::Team;
use workspan_rt::session::{self, Config};
use workspan_rt::{Kind, snapshot};

use crate::{at, lock, node_at, record, running};

fn start() {
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
}

fn finish() -> RawProfile {
    let text = session::finish().expect("a session is under way");
    raw::parse(&text).expect("as the engine writes it")
}

/// Runs a session that starts a thread, which outlives the session. Returns what lets the thread
/// end.
fn leave_thread_behind() -> impl FnOnce() {
    start();
    clock::advance(1_000);
    let (begun, has_begun) = channel();
    let (end, is_to_end) = channel::<()>();
    let thread = spawn(move || {
        begun.send(()).expect("waited for");
        is_to_end.recv().expect("asked to");
    });
    has_begun.recv().expect("it begins");
    assert_eq!(finish().span_ticks, 1_000);
    move || {
        end.send(()).expect("it waits");
        thread.join().expect("nothing panics there");
    }
}

/// The threads of the profile are those that the test harness has started meanwhile, if any.
fn assert_only_own_threads_are_unfinished(profile: &RawProfile) {
    let is_thread =
        |node: &&raw::RawNode| profile.sites[node.site as usize].kind == raw::RawKind::Thread;
    let threads = profile.nodes.iter().filter(is_thread);
    let started: u64 = threads.map(|node| node.work.count).sum();
    assert!(profile.unfinished_tasks <= started, "{profile:?}");
}

#[test]
fn a_thread_that_ended_after_its_session_is_in_none() {
    let _session = lock();
    let end = leave_thread_behind();
    end();
    start();
    let profile = finish();
    assert_eq!(profile.span_ticks, 0);
    assert_only_own_threads_are_unfinished(&profile);
}

#[test]
fn a_thread_of_an_earlier_session_brings_no_path_along() {
    let _session = lock();
    let end = leave_thread_behind();
    start();
    clock::advance(10);
    end();
    let profile = finish();
    assert_eq!(profile.span_ticks, 10);
    assert_only_own_threads_are_unfinished(&profile);
}

/// Small phases of a region are recorded when the region or the program ends, and also in a
/// snapshot before that.
#[test]
fn a_region_in_which_the_program_ends_is_recorded() {
    let _session = lock();
    session::start(Config {
        clock: Clock::Virtual,
        recording: record::to(1_000),
        ..Config::default()
    });
    let program = running();
    let team = Team::begin(&program, &at(Kind::Parallel, 1), 2).expect("a team");
    let members = [0, 1].map(|index| team.member(index));
    for member in &members {
        member.enter();
        clock::advance(10);
        team.arrive(member);
    }
    team.pass(&members[0]);
    clock::advance(5);
    let so_far = record::path().with_extension("so-far.raw");
    assert!(snapshot::write(&so_far).expect("written"));
    let partial = stream::read(&so_far.with_extension("dag")).expect("as the engine writes it");
    clock::advance(2);
    finish();
    let whole = stream::read(&record::path()).expect("as the engine writes it");
    let figures = [partial, whole].map(|recording| {
        let totals = recording.dag.totals();
        (totals.work, totals.span)
    });
    assert_eq!(figures, [(25, 15), (27, 17)]);
    for file in [so_far.clone(), so_far.with_extension("dag")] {
        let _ = fs::remove_file(file);
    }
}

/// The strand that a thread runs when a profile is written ends at the moment of the profile, not
/// when the writer gets to that thread.
#[test]
fn strands_of_all_threads_end_at_one_moment() {
    const SITE: usize = 4_711;
    let _session = lock();
    let file = record::path().with_extension("moment.raw");
    session::start(Config {
        clock: Clock::Monotonic,
        ..Config::default()
    });
    // The session began earlier: when the strand begins, at least the time since then has passed.
    let started = Instant::now();
    let (begun, has_begun) = channel();
    let (end, is_to_end) = channel::<()>();
    let thread = spawn(move || {
        let task = running();
        let gone = started.elapsed().as_nanos() as i64;
        task.begin_scope(Some(&at(Kind::Taskgroup, SITE)));
        begun.send(gone).expect("waited for");
        // It spins: a wait would be another matter.
        while is_to_end.try_recv().is_err() {
            std::hint::spin_loop();
        }
        task.end_scope();
    });
    let gone = has_begun.recv().expect("it begins");
    assert!(snapshot::write(&file).expect("written"));
    let text = fs::read_to_string(&file).expect("just written");
    end.send(()).expect("it waits");
    thread.join().expect("nothing panics there");
    session::finish();
    let _ = fs::remove_file(&file);
    let profile = raw::parse(&text).expect("as the engine writes it");
    let length = node_at(&profile, SITE as u64).work.local_ticks;
    assert!(
        length <= profile.elapsed_ticks - gone,
        "{length} of {} - {gone}",
        profile.elapsed_ticks
    );
}
