//! Threads of the program that outlive the session in which they were started.

use std::sync::mpsc::channel;
use std::thread::spawn;

use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::{self, Clock};
use workspan_rt::session::{self, Config};

use crate::lock;

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

/// A session in which a thread is started, and is under way when the session has ended. Gives back what lets the thread end.
fn leave_thread_behind() -> impl FnOnce() {
    start();
    clock::advance(1_000);
    let (begun, has_begun) = channel();
    let (end, is_to_end) = channel::<()>();
    let thread = spawn(move || {
        begun.send(()).expect("waited for");
        is_to_end.recv().expect("told so");
    });
    has_begun.recv().expect("it begins");
    assert_eq!(finish().span_ticks, 1_000);
    move || {
        end.send(()).expect("it waits");
        thread.join().expect("nothing panics there");
    }
}

#[test]
fn a_thread_that_ended_after_its_session_is_in_none() {
    let _session = lock();
    let end = leave_thread_behind();
    end();
    start();
    let profile = finish();
    assert_eq!((profile.span_ticks, profile.unfinished_tasks), (0, 0));
}

#[test]
fn a_thread_of_an_earlier_session_brings_no_path_of_that_along() {
    let _session = lock();
    let end = leave_thread_behind();
    start();
    clock::advance(10);
    end();
    let profile = finish();
    assert_eq!((profile.span_ticks, profile.unfinished_tasks), (10, 0));
}
