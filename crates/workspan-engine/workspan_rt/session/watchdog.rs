//! Says of a program that goes on no more that it does not.
//!
//! It may [stand still](crate::session::standstill). With assumed cores, it may also spin: it
//! starts as many tasks as it was told there are cores, and has them wait for one another, a
//! barrier. Fewer real threads than that never get there. The signs of it: every thread that has a
//! task is in the middle of a strand, and none has reached a boundary for very long.

use crate::session::standstill::{self, Standstill};
use crate::state::{pools, stop};
use crate::system::message;
use crate::thread;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const SPINNING: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Watchdog {
    standstill: Standstill,
    progress: i64,
    since: Option<Instant>,
    told: bool,
}

impl Watchdog {
    /// Call about once a second. `writes_on_interrupt` says whether a profile is written on SIGINT.
    /// Returns whether the program has stood still for so long that it is to end.
    #[must_use]
    pub(crate) fn look(&mut self, writes_on_interrupt: bool) -> bool {
        let stood_still = Duration::from_nanos(self.standstill.look() as u64);
        if stop::mode() != stop::ON {
            return false;
        }
        let is_to_end = standstill::is_to_end(stood_still);
        if is_to_end || !self.told {
            self.speak(stood_still, writes_on_interrupt);
        }
        is_to_end
    }

    /// Says that the program goes on no more, if it does not.
    fn speak(&mut self, stood_still: Duration, writes_on_interrupt: bool) {
        let crowd = pools::assumed_cores().and_then(|cores| self.crowd(cores));
        if standstill::is_to_end(stood_still) || standstill::is_worth_a_word(stood_still) {
            self.told = true;
            message::say(format_args!(
                "the program has stood still for {} s: the threads seen wait for one another, and none runs. {} The report then \
                 shows what each thread waits for, by line.{}",
                stood_still.as_secs(),
                way_to_end(stood_still, writes_on_interrupt),
                crowd.as_ref().map_or(String::new(), Crowd::advice),
            ));
        } else if let Some(crowd) = crowd.filter(|crowd| crowd.lasted >= SPINNING) {
            self.told = true;
            message::say(format_args!(
                "no task has finished for {} s, and none can start.{}\nworkspan: Ctrl-C ends the program.",
                crowd.lasted.as_secs(),
                crowd.advice(),
            ));
        }
    }

    /// Looks once more at a program that is about to end.
    pub(crate) fn look_last(&mut self) {
        self.standstill.look();
    }

    /// The threads of the pool, if all of them are inside of tasks, fewer than `cores`.
    fn crowd(&mut self, cores: usize) -> Option<Crowd> {
        let (mut progress, mut in_task) = (0_i64, 0);
        thread::for_each(|thread, in_use| {
            progress = progress.wrapping_add(thread.last.get());
            if in_use && !thread.is_root() && thread.running.load(Ordering::Relaxed) {
                in_task += 1;
            }
        });
        let threads = pools::largest_pool();
        let is_crowded = (1..cores).contains(&threads) && in_task >= threads;
        if !is_crowded || progress != self.progress {
            self.since = None;
        }
        self.progress = progress;
        let lasted = self.since.get_or_insert_with(Instant::now).elapsed();
        is_crowded.then_some(Crowd {
            threads,
            cores,
            lasted,
        })
    }
}

/// What ends a program that has stood still for so long, as a sentence.
fn way_to_end(stood_still: Duration, writes_on_interrupt: bool) -> String {
    let limit = standstill::limit().map(|limit| limit.as_secs());
    match (limit, writes_on_interrupt) {
        _ if standstill::is_to_end(stood_still) => "`--standstill` ends it here.".to_owned(),
        (Some(limit), true) => format!("Ctrl-C ends it, or `--standstill` after {limit} s."),
        (Some(limit), false) => format!("`--standstill` ends it after {limit} s."),
        (None, true) => "Ctrl-C ends it, or `--standstill SECONDS` in another run.".to_owned(),
        (None, false) => {
            "Ctrl-C does not reach workspan here: in another run, `--standstill SECONDS` \
                          ends it in any case."
                .to_owned()
        }
    }
}

/// A pool whose threads are all inside of tasks, and reach no boundary.
struct Crowd {
    threads: usize,
    cores: usize,
    lasted: Duration,
}

impl Crowd {
    fn advice(&self) -> String {
        let Self { threads, cores, .. } = self;
        format!(
            "\nworkspan: every thread of the pool ({threads}) is inside a task. If there are as many tasks as cores, {cores} by \
             --assume-cores, and they wait for one another, `--assume-cores real` helps."
        )
    }
}
