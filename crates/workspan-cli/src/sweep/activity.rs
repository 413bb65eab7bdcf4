//! The activity of processors for all programs, as the kernel counts it: in ticks, mostly of 10 ms.

use std::collections::BTreeMap;
use std::fs;

use rustix::param::clock_ticks_per_second;
use workspan_model::Nanos;

/// The ticks of each processor since the machine was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Activity(BTreeMap<usize, Ticks>);

/// Ticks of one or more processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticks {
    pub(super) busy: u64,
    pub(super) idle: u64,
    /// Used by other virtual machines.
    pub(super) stolen: u64,
}

impl Activity {
    /// The activity until now; `None` if the kernel does not count it.
    pub(super) fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// Parses the text of `/proc/stat`.
    fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("cpu"));
        // The first line is the sum of all.
        let each = lines.filter(|line| !line.starts_with(' '));
        let processors: BTreeMap<usize, Ticks> =
            each.map(parse_processor).collect::<Option<_>>()?;
        (!processors.is_empty()).then_some(Self(processors))
    }

    /// The ticks since `before` of the processors with these numbers, or of all.
    pub(super) fn since(&self, before: &Self, processors: Option<&[usize]>) -> Ticks {
        let is_chosen = |number: &usize| processors.is_none_or(|chosen| chosen.contains(number));
        let chosen = self.0.iter().filter(|(number, _)| is_chosen(number));
        chosen.fold(Ticks::default(), |sum, (number, after)| {
            let before = before.0.get(number).unwrap_or(after);
            Ticks {
                busy: sum.busy + after.busy.saturating_sub(before.busy),
                idle: sum.idle + after.idle.saturating_sub(before.idle),
                stolen: sum.stolen + after.stolen.saturating_sub(before.stolen),
            }
        })
    }

    /// The number of processors.
    pub(super) fn processors(&self) -> usize {
        self.0.len()
    }
}

fn parse_processor(line: &str) -> Option<(usize, Ticks)> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    // The times of guests come later, but are part of the first two.
    let [
        user,
        nice,
        system,
        idle,
        waiting_for_disks,
        interrupts,
        soft_interrupts,
        stolen,
    ] = *ticks.first_chunk()?;
    let ticks = Ticks {
        busy: user + nice + system + interrupts + soft_interrupts,
        idle: idle + waiting_for_disks,
        stolen,
    };
    Some((number, ticks))
}

impl Ticks {
    /// The time in which the processors were in use, by whatever machine.
    pub(super) fn taken(self) -> Nanos {
        let ticks = (self.busy + self.stolen) as f64;
        Nanos::from_nanos_f64(ticks * 1e9 / clock_ticks_per_second() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_processor_has_its_own_ticks() {
        let text = |busy: u64, stolen: u64| {
            format!(
                "cpu  900 0 0 900 0 0 0 0 0 0\ncpu0 100 1 50 1000 10 2 3 5 0 0\n\
                 cpu1 {busy} 0 0 70 0 0 0 {stolen} 9 9\nintr 5\n"
            )
        };
        let before = Activity::parse(&text(20, 3)).unwrap();
        assert_eq!(before.processors(), 2);
        let of_first = Ticks {
            busy: 156,
            idle: 1010,
            stolen: 5,
        };
        assert_eq!(before.0[&0], of_first);
        let after = Activity::parse(&text(60, 5)).unwrap();
        let grown = Ticks {
            busy: 40,
            idle: 0,
            stolen: 2,
        };
        assert_eq!(after.since(&before, None), grown);
        assert_eq!(after.since(&before, Some(&[1, 7])), grown);
        assert_eq!(after.since(&before, Some(&[0])), Ticks::default());
        assert_eq!(Activity::parse("nothing"), None);
        assert_eq!(Activity::parse("cpu0 1 2 3\n"), None);
    }

    #[test]
    fn this_machine_has_activity() {
        let activity = Activity::now().unwrap();
        assert!(activity.processors() >= 1);
    }
}
