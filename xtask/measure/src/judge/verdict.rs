//! The verdict on a gate.

use std::fmt;

use super::{Bounds, Estimate};

/// The share of its figure by which an accepted miss may become worse.
const ROOM: f64 = 0.25;

/// The verdict on a gate, as the module's documentation defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Missed,
    Obsolete,
    Unknown,
    Undecided,
    Accepted,
    Met,
}

impl Verdict {
    /// Every verdict, the failures first.
    pub(crate) const ALL: [Verdict; 6] = [
        Verdict::Missed,
        Verdict::Obsolete,
        Verdict::Unknown,
        Verdict::Undecided,
        Verdict::Accepted,
        Verdict::Met,
    ];

    /// Judges an estimate by its goal and the figure of an accepted miss, which is obsolete when it
    /// meets the goal, unless it sometimes `may_be_met`.
    pub(crate) fn new(
        estimate: &Estimate,
        goal: &Bounds,
        miss: Option<f64>,
        may_be_met: bool,
        disturbed: bool,
    ) -> Self {
        let allowed = miss.map_or_else(|| goal.clone(), |known| with_miss(goal, known));
        let is_within = goal.hold(estimate.low) && goal.hold(estimate.high);
        let is_outside = estimate.high < allowed.least || estimate.low > allowed.most;
        let verdict = if miss.is_some() && is_within && !may_be_met {
            Verdict::Obsolete
        } else if goal.hold(estimate.figure) {
            Verdict::Met
        } else if allowed.hold(estimate.figure) {
            Verdict::Accepted
        } else if is_outside {
            Verdict::Missed
        } else {
            Verdict::Undecided
        };
        if verdict.fails() && disturbed {
            Verdict::Unknown
        } else {
            verdict
        }
    }

    /// Whether it fails the run.
    pub(crate) fn fails(self) -> bool {
        matches!(self, Verdict::Missed | Verdict::Obsolete)
    }
}

/// The goal, widened on the side of the known miss to what is accepted. For a deviation in percent
/// the room is at most a quarter of what is left to −100 %, which is a reading of 0.
fn with_miss(goal: &Bounds, known: f64) -> Bounds {
    let mut room = ROOM * known.abs();
    if goal.unit == "%" && (-100.0..0.0).contains(&known) {
        room = room.min(ROOM * (known + 100.0));
    }
    Bounds {
        least: goal.least.min(known - room),
        most: goal.most.max(known + room),
        ..goal.clone()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Missed => "MISSED",
            Verdict::Obsolete => "OBSOLETE",
            Verdict::Unknown => "unknown",
            Verdict::Undecided => "undecided",
            Verdict::Accepted => "accepted",
            Verdict::Met => "met",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal() -> Bounds {
        Bounds::of_percent(-2.0, 2.0)
    }

    fn judged(readings: &[f64], miss: Option<f64>) -> Verdict {
        let estimate = Estimate::from_readings(readings);
        Verdict::new(&estimate, &goal(), miss, false, false)
    }

    #[test]
    fn without_a_known_miss_the_goal_decides() {
        assert_eq!(judged(&[-3.0, 1.0, 1.5], None), Verdict::Met);
        assert_eq!(judged(&[1.0, 3.0, 4.0], None), Verdict::Undecided);
        assert_eq!(judged(&[2.1, 3.0, 4.0], None), Verdict::Missed);
        // An engine that reports zero is 100 % too low.
        assert_eq!(judged(&[-100.0; 5], None), Verdict::Missed);
    }

    #[test]
    fn a_known_miss_may_be_worse_by_a_quarter_only_on_its_own_side() {
        assert_eq!(judged(&[55.0, 59.0, 61.0], Some(48.0)), Verdict::Accepted);
        assert_eq!(judged(&[59.0, 61.0, 62.0], Some(48.0)), Verdict::Undecided);
        assert_eq!(judged(&[60.5, 61.0, 62.0], Some(48.0)), Verdict::Missed);
        assert_eq!(judged(&[-50.0, -40.0, -3.0], Some(48.0)), Verdict::Missed);
        assert_eq!(judged(&[-49.0, -45.0], Some(-40.0)), Verdict::Accepted);
        assert_eq!(judged(&[-60.0, -51.0], Some(-40.0)), Verdict::Missed);
        // 10 % of the truth is left, so it may be worse by 2.5.
        assert_eq!(judged(&[-92.0], Some(-90.0)), Verdict::Accepted);
        assert_eq!(judged(&[-100.0], Some(-90.0)), Verdict::Missed);
    }

    #[test]
    fn a_known_miss_that_is_met_has_to_go() {
        assert_eq!(judged(&[-1.0, 0.0, 1.0], Some(48.0)), Verdict::Obsolete);
        assert_eq!(judged(&[-1.0, 0.0, 5.0], Some(48.0)), Verdict::Met);
    }

    #[test]
    fn a_disturbed_machine_fails_no_gate_and_can_meet_goals() {
        let judged = |reading: f64| {
            let estimate = Estimate::from_readings(&[reading]);
            Verdict::new(&estimate, &goal(), None, false, true)
        };
        assert_eq!(judged(9.0), Verdict::Unknown);
        assert_eq!(judged(1.0), Verdict::Met);
    }

    #[test]
    fn an_occasional_miss_stays_when_it_is_met() {
        let judged = |readings: &[f64], disturbed| {
            let estimate = Estimate::from_readings(readings);
            Verdict::new(&estimate, &goal(), Some(48.0), true, disturbed)
        };
        assert_eq!(judged(&[1.0], false), Verdict::Met);
        assert_eq!(judged(&[1.0], true), Verdict::Met);
        assert_eq!(judged(&[55.0], false), Verdict::Accepted);
        assert_eq!(judged(&[61.0], false), Verdict::Missed);
    }
}
