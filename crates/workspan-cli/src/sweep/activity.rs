//! What the processors did, whoever it was for: as the kernel counts it, in ticks of 10 ms mostly.

use std::collections::BTreeMap;
use std::fs;

use rustix::param::clock_ticks_per_second;
use workspan_model::Nanos;

/// What each processor has done since the machine was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Activity(BTreeMap<usize, Ticks>);

/// Ticks of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticks {
    pub(super) busy: u64,
    pub(super) idle: u64,
    /// Those that other virtual machines had.
    pub(super) stolen: u64,
}

impl Activity {
    /// Until now; `None` where the kernel does not tell.
    pub(super) fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// That in the text of `/proc/stat`.
    fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("cpu"));
        // The first line is of all together.
        let each = lines.filter(|line| !line.starts_with(' '));
        let processors: BTreeMap<usize, Ticks> = each.map(processor).collect::<Option<_>>()?;
        (!processors.is_empty()).then_some(Self(processors))
    }

    /// What has been done since `before`, by the processors of these numbers, or by all.
    pub(super) fn since(&self, before: &Self, processors: Option<&[usize]>) -> Ticks {
        let is_meant = |number: &usize| processors.is_none_or(|meant| meant.contains(number));
        let meant = self.0.iter().filter(|(number, _)| is_meant(number));
        meant.fold(Ticks::default(), |sum, (number, after)| {
            let before = before.0.get(number).unwrap_or(after);
            Ticks {
                busy: sum.busy + after.busy.saturating_sub(before.busy),
                idle: sum.idle + after.idle.saturating_sub(before.idle),
                stolen: sum.stolen + after.stolen.saturating_sub(before.stolen),
            }
        })
    }

    /// How many processors there are.
    pub(super) fn processors(&self) -> usize {
        self.0.len()
    }
}

fn processor(line: &str) -> Option<(usize, Ticks)> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    // Guests, which come after, are in the first two again.
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
    /// The time in which somebody had the processors.
    pub(super) fn taken(self) -> Nanos {
        let ticks = (self.busy + self.stolen) as f64;
        Nanos::from_nanos_f64(ticks * 1e9 / clock_ticks_per_second() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_one_by_one() {
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
    fn this_machine_tells() {
        let activity = Activity::now().unwrap();
        assert!(activity.processors() >= 1);
    }
}
