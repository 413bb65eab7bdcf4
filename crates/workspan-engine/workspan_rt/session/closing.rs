//! The end of a session.

use super::cutoff::Cutoff;
use super::file::tell_that_nothing_is_written;
use super::root::root;
use crate::clock::{self, own_counter};
use crate::constructs::{serial, user_thread};
use crate::path::frame::Frame;
use crate::path::segment::Chain;
use crate::path::{open_frames, to_end};
use crate::session::raw::{self, Outcome};
use crate::state::pools;
use crate::state::process::is_ours;
use crate::state::settings::settings;
use crate::state::stop::{self, Stop};
use crate::state::under_way::{lock, Session};
use crate::system::message;
use crate::system::process_end::Ending;
use crate::{record, sampler, thread};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::Ordering;

/// Ends the session and returns the raw profile, which `workspan-format` reads. `None` if no
/// session is under way.
pub fn finish() -> Option<String> {
    finish_as(Ending::Exit).map(|(text, _)| text)
}

/// Ends the session, for the reason that `ending` gives.
pub(crate) fn finish_as(ending: Ending) -> Option<(String, Option<PathBuf>)> {
    // A child of a fork has its parent's session, which is not the child's to end.
    if !is_ours() {
        return None;
    }
    let cut = Cutoff::here();
    match stop::stop(others_busy) {
        Stop::Stopped => {}
        Stop::Off => return None,
        Stop::Stuck => {
            message::say(format_args!(
                "there is no profile: a thread has been writing its part of the task dag for {} s, to a disk that does not answer, \
                 or is held by a debugger",
                stop::PATIENCE.as_secs()
            ));
            tell_that_nothing_is_written();
            return None;
        }
    }
    let session = lock().take()?;
    sampler::stop();
    let text = tell(&session, &cut, ending);
    thread::for_each(|thread, _| {
        thread.end_root();
    });
    stop::turn_off();
    // The root's frame stays, and stays reachable: a thread that was stopped inside a construct may
    // still point at it.
    Some((text, session.output))
}

/// Whether any thread but the calling one is in the middle of its bookkeeping, or any is taking a
/// sample.
pub(crate) fn others_busy() -> bool {
    let this = thread::current();
    let mut busy = false;
    thread::for_each(|t, in_use| {
        busy |= in_use && !ptr::eq(t, this) && t.busy.load(Ordering::Acquire);
        busy |= t.samples.taking.load(Ordering::Acquire);
    });
    busy
}

/// The profile up to `cut`, in a copy of the process that ends afterwards: what is under way is
/// ended for it. The task dag goes to `record`. `None` if there is no session.
pub(crate) fn tell_of_copy(cut: &Cutoff, record: &Path) -> Option<String> {
    let mut session = lock().take()?;
    if session.config.recording.is_some() {
        if let Err(error) = record::go_on_in(record) {
            let path = record.display();
            message::say(format_args!("the task dag is not kept in {path}: {error}"));
            session.config.recording = None;
        }
    }
    Some(tell(&session, cut, Ending::Not))
}

/// When the last of what is accounted for ended: other threads go on from the cut until the world
/// is stopped, which is long where a processor is taken from one of them.
fn last_boundary(cut: &Cutoff) -> i64 {
    let this = thread::current();
    let mut last = cut.ticks;
    thread::for_each(|thread, _| {
        if !ptr::eq(thread, this) {
            last = last.max(thread.last.get());
        }
    });
    last
}

/// Ends what is under way, and returns the text of the profile. The world is stopped.
fn tell(session: &Session, cut: &Cutoff, ending: Ending) -> String {
    let last = last_boundary(cut);
    let outcome = close_paths(thread::current(), cut);
    if session.config.recording.is_some() {
        thread::recording::end(&settings());
    }
    let (began, ended) = match session.config.clock.tells_when() {
        true => (session.start_ticks, last),
        false => (session.start.nanos(), cut.nanos),
    };
    let elapsed = ended - began;
    raw::write(&raw::Profile {
        metric: &session.config.metric,
        clock: session.config.clock,
        clock_note: session
            .config
            .clock_note
            .as_deref()
            .or(own_counter::limit()),
        metric_problem: own_counter::problem(),
        ticks_per_second: session.start.ticks_per_second(),
        elapsed,
        processors: cut.processors,
        threads: pools::pool_threads(),
        assumed_cores: pools::assumed(),
        burden: settings().burden,
        grain: session.config.grain,
        runtimes: &session.runtimes,
        ending,
        calibration: &session.calibration,
        function_cost: settings().function_cost,
        start_nanos: session.start_nanos,
        began,
        instances: settings().instances,
        end_nanos: cut.nanos,
        outcome,
    })
}

/// Ends every strand that is still running at `cut`, and finds the longest path. The world is
/// stopped.
fn close_paths(this: *const thread::Thread, cut: &Cutoff) -> Outcome {
    let root = root();
    let is_of_thread = clock::chosen().is_of_thread();
    let mut unfinished = to_end::running();
    let mut leaves = vec![root];
    let mut branches = 0;
    let mut running = Vec::new();
    thread::for_each(|thread, in_use| {
        let frame = thread.frame.load(Ordering::Relaxed);
        if !in_use || frame.is_null() {
            return;
        }
        // Where each thread has a clock of its own, what others run at the end cannot be measured.
        if thread.running.load(Ordering::Relaxed) && (!is_of_thread || ptr::eq(thread, this)) {
            thread.end_strand(cut.since(thread));
            running.push(thread);
        } else if cut.was_running && ptr::eq(thread, this) {
            running.push(thread);
        }
        // Ending a strand in a stretch may have left another frame on top.
        let frame = thread.present();
        if frame != root {
            leaves.push(frame);
        }
        if open_frames::branch_of(frame) != root {
            branches += 1;
            unfinished = unfinished.max(branches);
        }
    });
    user_thread::offer_ended();
    thread::for_each(|thread, _| thread.leave_tasks_to_end());
    let (detached, mut burdened, mut open) = to_end::take();
    let mut depth = i64::MIN;
    let mut chain = Chain::default();
    let mut consider = |frame: &mut Frame, tops: &[(u32, i64)]| {
        burdened = burdened.max(frame.burdened());
        open = open.max(frame.open.get());
        if frame.depth > depth {
            depth = frame.depth;
            for (node, work) in tops {
                frame.add_top(*node, *work);
            }
            // SAFETY: the world is stopped, so nobody writes this frame or its parents, which are
            // blocked.
            chain = unsafe { frame.freeze() };
        }
    };
    for leaf in leaves {
        // SAFETY: the root's frame is never freed, and the present one of a thread is alive; the
        // world is stopped, so nobody else touches them.
        consider(unsafe { &mut *leaf }, &serial::open_tops(leaf));
    }
    if let Some(mut frame) = detached {
        let ended = frame.ended();
        let top = (frame.node, ended.top_work);
        let tops = if ended.top_count != 0 {
            &[top][..]
        } else {
            &[]
        };
        consider(&mut frame, tops);
    }
    running.into_iter().for_each(serial::end_all);
    Outcome {
        span: depth,
        burdened_span: burdened,
        open: open + to_end::escaped(),
        path: chain,
        unfinished,
    }
}
