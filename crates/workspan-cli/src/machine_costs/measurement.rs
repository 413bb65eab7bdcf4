//! Measures the costs of rayon's operations on this machine.

use std::thread;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use workspan_model::{Cost, MachineCosts, Quartiles};

use super::constructs;
use super::switches::Switches;
use super::transfer::{Transfer, spin_for};
use crate::machine;

/// The pause between bursts, long enough for the taker to fall asleep. The giver sleeps too, so
/// that other programs have their turn then and not during a burst.
const REST: Duration = Duration::from_millis(1);
/// The number of steals in a burst.
const BURST: usize = 20;
/// The pause between steals: long enough for the taker to look for work again, too short for it to
/// fall asleep.
const BETWEEN_STEALS: Duration = Duration::from_micros(2);
/// Enough samples.
const STEALS: usize = 2_000;
const WAKE_UPS: usize = 200;
/// The time for all bursts, and the longer time if there are too few samples for a median until
/// then.
const LIMIT: Duration = Duration::from_secs(4);
const LAST_LIMIT: Duration = Duration::from_secs(10);
/// The fewest samples for a meaningful median.
const FEWEST: usize = 20;

/// Why the costs could not be measured, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeasurementError {
    #[error(
        "moving a task cannot be measured on one core: it needs two; give the cost by --burden, such as \
         `--burden 15000cycles`"
    )]
    OneCore,
    #[error("no threads could be started: {0}")]
    Pool(#[from] ThreadPoolBuildError),
    #[error(
        "the machine is too busy to measure {what}: {samples} of {tried} samples were left alone by other programs, \
         {FEWEST} are needed; try again when it is quieter, or give the cost by --burden"
    )]
    Busy {
        what: &'static str,
        samples: usize,
        tried: usize,
    },
}

/// Measures for a few seconds at most. Calls `report` with a description of each step.
///
/// # Errors
/// If there is only one core, or if other programs keep the cores too busy.
pub(super) fn measure(report: impl Fn(&str)) -> Result<MachineCosts, MeasurementError> {
    if machine::cores() < 2 {
        return Err(MeasurementError::OneCore);
    }
    report("measuring steals and wake-ups …");
    let Transfers {
        steals,
        hand_backs,
        wake_ups,
        tried,
    } = pool(2)?.install(transfers);
    report("measuring joins, spawns and scopes …");
    let one = pool(1)?;
    let constructs = |samples: fn() -> Vec<Cost>| {
        let samples = one.install(samples);
        quartiles("rayon's constructs", samples.len(), samples)
    };
    Ok(MachineCosts {
        steal: quartiles("steals", tried, steals)?,
        hand_back: quartiles("steals", tried, hand_backs)?,
        wake_up: quartiles("wake-ups", tried, wake_ups)?,
        join: constructs(constructs::joins)?,
        spawn: constructs(constructs::spawns)?,
        scope: constructs(constructs::scopes)?,
    })
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// The samples of tasks that were passed from one worker to another.
#[derive(Default)]
struct Transfers {
    steals: Vec<Cost>,
    hand_backs: Vec<Cost>,
    wake_ups: Vec<Cost>,
    /// The number of tasks that were offered.
    tried: usize,
}

fn transfers() -> Transfers {
    let start = Instant::now();
    let mut samples = Transfers::default();
    loop {
        samples.burst();
        let limit = if samples.has(FEWEST, FEWEST) {
            LIMIT
        } else {
            LAST_LIMIT
        };
        if samples.has(STEALS, WAKE_UPS) || start.elapsed() > limit {
            return samples;
        }
    }
}

impl Transfers {
    fn has(&self, steals: usize, wake_ups: usize) -> bool {
        self.steals.len() >= steals && self.wake_ups.len() >= wake_ups
    }

    /// Samples a wake-up, and the steals that follow while the taker is awake.
    fn burst(&mut self) {
        let asleep = Transfer::give();
        thread::sleep(REST);
        let rested = Switches::of_this_thread();
        let mut before = Transfer::give();
        if let (Some(asleep), Some(woken)) = (&asleep, &before)
            && woken.giver == rested
            && woken.taker.voluntary > asleep.taker.voluntary
        {
            self.wake_ups.push(cost(woken.taken_after));
        }
        for _ in 0..BURST {
            spin_for(BETWEEN_STEALS);
            let now = Transfer::give();
            // Neither thread has left its processor: the taker was awake, and nothing interfered.
            if let (Some(before), Some(now)) = (&before, &now)
                && now.giver == before.giver
                && now.taker == before.taker
            {
                self.steals.push(cost(now.taken_after));
                self.hand_backs.push(cost(before.back_after));
            }
            before = now;
        }
        self.tried += BURST + 2;
    }
}

fn cost(time: Duration) -> Cost {
    Cost::from_nanos(time.as_nanos() as f64)
}

fn quartiles(
    what: &'static str,
    tried: usize,
    samples: Vec<Cost>,
) -> Result<Quartiles, MeasurementError> {
    let found = samples.len();
    Quartiles::from_samples(samples)
        .filter(|_| found >= FEWEST)
        .ok_or(MeasurementError::Busy {
            what,
            samples: found,
            tried,
        })
}
