//! Conditions that make measurements on this machine doubtful, detected before they begin
//! (Cilkview §4: a quiet system, no hyper-threads, no power saving).

use std::fmt;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use workspan_model::Condition;

use super::activity::{Activity, Ticks};
use super::processors::Processors;
use crate::machine;

/// How long to watch what other programs do.
const WATCH_TIME: Duration = Duration::from_millis(300);
/// The number of processors that others may use without it being reported.
const NEGLIGIBLE: f64 = 0.1;
/// Where the kernel describes processors and batteries.
const PROCESSORS: &str = "/sys/devices/system/cpu";
const POWER: &str = "/sys/class/power_supply";

/// The current conditions of this machine. Sleeps for [`WATCH_TIME`].
pub(super) fn detect(processors: &Processors) -> Vec<Condition> {
    let mut found = activity();
    let system = Path::new(PROCESSORS);
    found.extend(governor(system));
    found.extend(boost(system).then_some(Condition::Boost));
    found.extend((processors.cores() < processors.count()).then_some(Condition::HyperThreads));
    found.extend(machine::is_virtual().then_some(Condition::Virtual));
    found.extend(on_battery(Path::new(POWER)).then_some(Condition::Battery));
    found
}

/// Warnings about `numbers` of threads or copies (`noun`) that have too few processors or cores.
pub(super) fn shortage_warnings(
    processors: &Processors,
    noun: &str,
    numbers: &[u32],
) -> Vec<String> {
    let (cores, count) = (processors.cores(), processors.count());
    let within = |least: usize, most: usize| -> Vec<u32> {
        let within = |&number: &u32| (least..=most).contains(&(number as usize));
        numbers.iter().copied().filter(within).collect()
    };
    let sharing = within(cores + 1, count);
    let waiting = within(count + 1, usize::MAX);
    let mut warnings = Vec::new();
    if !sharing.is_empty() {
        warnings.push(format!(
            "the {count} processors are hardware threads of {cores} cores: with {} {noun} some share a core, and are slower \
             than on one of their own",
            Listed(&sharing)
        ));
    }
    if !waiting.is_empty() {
        warnings.push(format!(
            "{} {noun} are more than the processors that this process may use, which are {count}: they will take turns, and \
             that is no scaling",
            Listed(&waiting)
        ));
    }
    warnings
}

/// The processors that other programs and other virtual machines use, watched for a moment.
fn activity() -> Vec<Condition> {
    let before = Activity::now();
    thread::sleep(WATCH_TIME);
    let watched = before.zip(Activity::now());
    watched.map_or_else(Vec::new, |(before, after)| {
        conditions_in(after.since(&before, None), after.processors())
    })
}

fn conditions_in(ticks: Ticks, processors: usize) -> Vec<Condition> {
    let whole = (ticks.busy + ticks.stolen + ticks.idle).max(1) as f64;
    let share = |ticks: u64| {
        let processors = ticks as f64 / whole * processors as f64;
        (processors > NEGLIGIBLE).then_some(processors)
    };
    let busy = share(ticks.busy).map(|processors| Condition::Busy { processors });
    let stolen = share(ticks.stolen).map(|processors| Condition::Stolen { processors });
    busy.into_iter().chain(stolen).collect()
}

fn governor(system: &Path) -> Option<Condition> {
    let governor = fs::read_to_string(system.join("cpu0/cpufreq/scaling_governor")).ok()?;
    let governor = governor.trim();
    (governor != "performance").then(|| Condition::ClockVaries {
        governor: governor.to_owned(),
    })
}

fn boost(system: &Path) -> bool {
    holds(&system.join("intel_pstate/no_turbo"), "0") || holds(&system.join("cpufreq/boost"), "1")
}

fn on_battery(power: &Path) -> bool {
    let Ok(supplies) = fs::read_dir(power) else {
        return false;
    };
    supplies.flatten().any(|supply| {
        let supply = supply.path();
        // Mice and keyboards have batteries, too.
        holds(&supply.join("type"), "Battery")
            && !holds(&supply.join("scope"), "Device")
            && holds(&supply.join("status"), "Discharging")
    })
}

fn holds(file: &Path, value: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.trim() == value)
}

/// Displays numbers as a list in a sentence.
struct Listed<'a>(&'a [u32]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.0.len().saturating_sub(1);
        for (index, number) in self.0.iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index == last => " and ",
                _ => ", ",
            };
            write!(formatter, "{before}{number}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_use_is_a_condition_unless_negligible() {
        let ticks = |busy, idle, stolen| Ticks { busy, idle, stolen };
        assert_eq!(conditions_in(ticks(0, 0, 0), 2), []);
        assert_eq!(conditions_in(ticks(2, 58, 0), 2), []);
        assert_eq!(
            conditions_in(ticks(30, 15, 15), 2),
            [
                Condition::Busy { processors: 1.0 },
                Condition::Stolen { processors: 0.5 }
            ]
        );
    }

    #[test]
    fn clock_rates_and_batteries_are_read_from_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        assert_eq!(governor(folder.path()), None);
        assert!(!boost(folder.path()) && !on_battery(folder.path()));
        write("cpu0/cpufreq/scaling_governor", "powersave\n");
        let governor_found = Condition::ClockVaries {
            governor: "powersave".to_owned(),
        };
        assert_eq!(governor(folder.path()), Some(governor_found));
        write("cpu0/cpufreq/scaling_governor", "performance\n");
        assert_eq!(governor(folder.path()), None);
        write("intel_pstate/no_turbo", "0\n");
        assert!(boost(folder.path()));
        write("BAT0/type", "Battery\n");
        write("BAT0/status", "Charging\n");
        assert!(!on_battery(folder.path()));
        write("BAT0/status", "Discharging\n");
        assert!(on_battery(folder.path()));
        write("BAT0/scope", "Device\n");
        assert!(!on_battery(folder.path()));
    }

    #[test]
    fn numbers_are_listed_as_in_a_sentence() {
        assert_eq!(Listed(&[]).to_string(), "");
        assert_eq!(Listed(&[3]).to_string(), "3");
        assert_eq!(Listed(&[3, 4, 8]).to_string(), "3, 4 and 8");
    }
}
