//! The file of the idle time, described in `docs/format.md`.

use super::account::Account;
use super::records::{all, outside_account, LOCAL, MOST, START};
use crate::clock::{self, Mark};
use crate::state::mode::{self, Mode};
use crate::state::{environment, pools, process};
use crate::system::process_end::Ending;
use crate::system::{message, output};
use std::ffi::c_int;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// How far the sum of the parts of the time may be off, relative to the time.
const BALANCE: f64 = 0.01;

/// Where to write, and when the program started; `None` once it is written.
static UNDER_WAY: Mutex<Option<(PathBuf, Mark)>> = Mutex::new(None);

/// Begins to measure, on the main thread.
pub(crate) fn start(output: PathBuf) {
    environment::choose_clock_of_environment();
    process::note_process();
    let now = clock::now();
    START.store(now, Ordering::Relaxed);
    outside_account().since = Some(now);
    LOCAL.with(|local| local.is_outside.set(true));
    *lock() = Some((output, Mark::now()));
    type Handler = extern "C" fn();
    extern "C" {
        fn atexit(handler: Handler) -> c_int;
        fn pthread_atfork(
            before: Option<Handler>,
            after: Option<Handler>,
            child: Option<Handler>,
        ) -> c_int;
    }
    // SAFETY: atexit(3) and pthread_atfork(3) only keep pointers, to functions that take nothing
    // and are there as long as the program.
    unsafe {
        atexit(finish_at_exit);
        pthread_atfork(None, None, Some(begin_copy));
    }
}

/// In a child of fork(2), which is not measured: any lock of this module may be held by a thread
/// that does not exist there.
extern "C" fn begin_copy() {
    mode::choose(Mode::Plain);
}

fn lock() -> std::sync::MutexGuard<'static, Option<(PathBuf, Mark)>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Is idle time being measured, and not written yet?
pub(crate) fn is_under_way() -> bool {
    process::is_ours() && lock().is_some()
}

extern "C" fn finish_at_exit() {
    // A panic here would end the program by SIGABRT after all its own work.
    if std::panic::catch_unwind(|| finish(Ending::Exit)).is_err() {
        message::say(format_args!(
            "there is no idle time: the engine has failed (please report it)"
        ));
    }
}

/// Writes the file. Reports a failure on standard error.
pub(crate) fn finish(ending: Ending) {
    // A child of a fork has its parent's account, which is not its own to write.
    if !process::is_ours() {
        return;
    }
    let now = clock::now();
    // A second caller waits until the file is written: it may be about to end the process.
    let mut under_way = lock();
    let Some((path, start)) = under_way.take() else {
        return;
    };
    let text = text(now, start.ticks_per_second(), ending);
    if let Err(error) = output::write_whole(&path, &text) {
        message::say(format_args!(
            "the idle time could not be written to {}: {error}",
            path.display()
        ));
    }
}

fn text(now: i64, ticks_per_second: f64, ending: Ending) -> String {
    let nanos = |ticks: i64| (ticks as f64 * 1e9 / ticks_per_second) as i64;
    let start = START.load(Ordering::Relaxed);
    let elapsed = now - start;
    let outside = {
        let mut outside = outside_account();
        outside.stop(now);
        outside.sum
    };
    let records: Vec<_> = all().iter().map(|(record, _)| *record).collect();
    let told = pools::default_threads().unwrap_or(1);
    let threads = MOST.load(Ordering::Relaxed).max(told);
    let (mut workers, mut intervals) = (String::new(), String::new());
    let (mut busy, mut idle, mut scheduling) = (0, 0, 0);
    for (number, record) in records.iter().enumerate() {
        let mut account = record.account();
        if let Some(since) = record.search.idle_since() {
            account.wait(since);
        }
        account.bring_to(now);
        let Account {
            busy: own_busy,
            idle: own_idle,
            scheduling: own_scheduling,
            ..
        } = *account;
        busy += own_busy;
        idle += own_idle;
        scheduling += own_scheduling;
        let _ = writeln!(
            workers,
            "worker {number} {} {} {}",
            nanos(own_busy),
            nanos(own_idle),
            nanos(own_scheduling)
        );
        for interval in account.timeline.intervals() {
            let _ = writeln!(
                intervals,
                "interval {number} {} {} {}",
                nanos(interval.begin - start),
                nanos(interval.end - start),
                nanos(interval.waited)
            );
        }
    }
    // Workers that never ran anything have no record; threads that ended have left theirs waiting.
    for number in records.len()..threads {
        let _ = writeln!(workers, "worker {number} 0 {} 0", nanos(elapsed));
        let _ = writeln!(intervals, "interval {number} 0 {0} {0}", nanos(elapsed));
    }
    let idle = idle + (threads as i64 - records.len() as i64) * elapsed - outside;
    let work = busy + outside;
    let balance = (work + scheduling + idle) as f64 / (threads as f64 * elapsed.max(1) as f64);
    if (balance - 1.0).abs() > BALANCE {
        message::say(format_args!(
            "work, scheduling and idle time are {balance:.3} of the time of {threads} cores: the idle time is not right"
        ));
    }
    format!(
        "workspan-idle 1\nelapsed {}\nthreads {threads}\nended {ending}\nwork {}\nscheduling {}\nidle {}\noutside {}\n\
         balance {balance:.6}\n{workers}{intervals}end\n",
        nanos(elapsed),
        nanos(work),
        nanos(scheduling),
        nanos(idle),
        nanos(outside),
    )
}
