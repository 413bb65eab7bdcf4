//! What the engine costs at the events that a runtime reports.
//!
//! The clock is read once where one strand ends and the next begins. What the engine does there
//! falls into the next strand; its cost is taken off that strand, according to the event before it,
//! as is the cost of the reading. Where the costs are not known, and with exact timing, the clock
//! is read again once the engine has done its part.
//!
//! The costs are measured once, by reporting tasks that do nothing: whatever their strands seem to
//! take is the engine's own.

use super::Task;
use crate::clock::{self, Clock};
use crate::state::event_costs::{Costs, Event};
use crate::state::settings::Settings;
use crate::state::under_way;
use crate::thread::{self, aside, Thread, ASIDE};
use std::sync::Once;

impl Costs {
    /// Computes the costs from what the strands of the spawning task and of the spawned tasks take
    /// in each part of a workload, in ticks per event.
    fn of_workload([tasks, waited_tasks, waits, parents, waiting_parents]: [Strands; 5]) -> Self {
        let reading = waits.of_spawner;
        let spawn = waited_tasks.of_spawner - reading;
        let of_return = tasks.of_spawner - spawn;
        // The strands of a task that a spawned task spawns are counted with those of the spawner.
        // So in `parents` and `waiting_parents` either figure contains one whole task (spawn, turn
        // and return); the excess is what nesting the tasks costs.
        let task = tasks.of_spawner + tasks.of_tasks;
        let rounded = |ticks: f64| ticks.max(0.0).round() as i64;
        Self {
            spawn: rounded(spawn),
            first_spawn: rounded(spawn + parents.of_tasks - task),
            turn: rounded(tasks.of_tasks),
            of_return: rounded(of_return),
            return_of_parent: rounded(of_return + parents.of_spawner - task),
            return_of_waiter: rounded(of_return + waiting_parents.of_spawner - task),
            reading: rounded(reading),
        }
    }
}

impl Thread {
    /// Starts a strand at the boundary that has just ended one, after `event`.
    #[inline]
    pub(crate) fn continue_strand_after(&self, event: Event) {
        self.continue_strand();
        let settings = self.settings.get();
        if settings.event_costs.is_none() || settings.grain == 0 {
            self.begin_strand_here();
        }
        self.take_off(event);
    }

    /// Takes the engine's cost after `event` off the strand that begins.
    #[inline]
    pub(crate) fn take_off(&self, event: Event) {
        if let Some(costs) = self.settings.get().event_costs {
            let cost = costs.of(event);
            self.last.add(cost);
            self.event_cost.add(cost);
        }
    }
}

/// The events of an interface around empty tasks, each `times` times. The calling thread runs the
/// same task before and after.
pub struct Workload {
    /// The task spawns a task, [turns](Task::turn_to) to it, and [comes
    /// back](Task::end_and_turn_to) when that has ended. At the end it waits for all of them.
    pub tasks: fn(times: usize),
    /// The task spawns a task, is left to wait, and continues once that one was entered and ended.
    pub waited_tasks: fn(times: usize),
    /// The task waits for nothing.
    pub waits: fn(times: usize),
    /// As `tasks`, but each spawned task in turn does the same with one task.
    pub parents: fn(times: usize),
    /// As `parents`, but each spawned task then waits for its own, which has ended.
    pub waiting_parents: fn(times: usize),
}

/// Measures, once per process, what the engine costs at each event of an interface; from then on
/// these costs are taken off. The time this takes belongs to no strand.
pub fn calibrate_once(workload: &Workload) {
    static ONCE: Once = Once::new();
    if !under_way::active() || clock::chosen() == Clock::Virtual {
        return;
    }
    ONCE.call_once(|| {
        let begin = clock::monotonic_nanos();
        under_way::settle_rate_once();
        let paused = thread::with(|thread| {
            thread.refresh();
            thread.end_strand_if_any(0)
        });
        let costs = measure(workload);
        under_way::set_event_costs(costs, clock::monotonic_nanos() - begin);
        if paused == Some(true) {
            thread::with(|thread| thread.start_strand_after_wait());
        }
    });
}

/// What strands took, in ticks per event.
#[derive(Clone, Copy, Default)]
struct Strands {
    of_spawner: f64,
    of_tasks: f64,
}

fn measure(workload: &Workload) -> Costs {
    const TIMES: usize = 64;
    const ROUNDS: usize = 15;
    let parts = [
        workload.tasks,
        workload.waited_tasks,
        workload.waits,
        workload.parents,
        workload.waiting_parents,
    ];
    let mut rounds = [[(0, 0); ROUNDS]; 5];
    // The parts take turns, so that a slow moment of the machine affects all alike. Of all rounds
    // the least counts, which is the engine's own cost: what the machine adds would be taken off
    // strands to which it added nothing.
    for round in 0..ROUNDS {
        for (rounds, part) in rounds.iter_mut().zip(parts) {
            rounds[round] = strands_of(|| part(TIMES));
        }
    }
    let a_time =
        |ticks: [i64; ROUNDS]| ticks.into_iter().fold(i64::MAX, i64::min) as f64 / TIMES as f64;
    Costs::of_workload(rounds.map(|rounds| Strands {
        of_spawner: a_time(rounds.map(|(spawner, _)| spawner)),
        of_tasks: a_time(rounds.map(|(_, tasks)| tasks)),
    }))
}

/// The ticks of all strands of a task that runs `part`, and of those of the tasks it spawns.
fn strands_of(part: impl FnOnce()) -> (i64, i64) {
    let own = thread::with(|thread| {
        let grain = thread.settings.get().grain;
        let held = [&thread.task, &thread.serial_code].map(|held| held.replace(std::ptr::null()));
        let is_away = thread.is_away.replace(false);
        (grain, held, is_away, thread.event_cost.get())
    });
    let grain = own.map_or(0, |(grain, ..)| grain);
    let strands = aside(0, ASIDE[0], || {
        let task = Task::running()?;
        thread::with(|thread| {
            thread.settings.set(Settings {
                // The grain with which the program is going to be timed.
                grain,
                event_costs: Some(Costs::default()),
                ..thread.settings.get()
            });
        });
        let local = || thread::with(|thread| ASIDE.map(|node| thread.cell(node).local.get()));
        task.wait_for_children();
        let [spawner, tasks] = local()?;
        part();
        task.wait_for_all();
        let [spawner_after, tasks_after] = local()?;
        Some((spawner_after - spawner, tasks_after - tasks))
    });
    thread::with(|thread| {
        thread.end_task();
        if let Some((_, [task, serial_code], is_away, cost)) = own {
            thread.task.set(task);
            thread.serial_code.set(serial_code);
            thread.is_away.set(is_away);
            thread.event_cost.set(cost);
        }
    });
    strands.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_from_what_strands_around_nothing_take() {
        let strands = |of_spawner, of_tasks| Strands {
            of_spawner,
            of_tasks,
        };
        // A spawn and a return take 70 and 50 ticks in the spawner, a turn 60 in the task; a
        // reading 20 in either. The first spawn of a task costs 15 more; its end costs 40 more if
        // it leaves a task, and 5 more if it has waited.
        let costs = Costs::of_workload([
            strands(120.0, 60.0),
            strands(90.0, 20.0),
            strands(20.0, 0.0),
            strands(220.0, 195.0),
            strands(185.0, 215.0),
        ]);
        let expected = Costs {
            spawn: 70,
            first_spawn: 85,
            turn: 60,
            of_return: 50,
            return_of_parent: 90,
            return_of_waiter: 55,
            reading: 20,
        };
        assert_eq!(costs, expected);
    }
}
