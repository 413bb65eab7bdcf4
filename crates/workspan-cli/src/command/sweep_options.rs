//! The options of the commands that run a program many times.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use workspan_model::Pinning;

use crate::report_options::{name_parser, share};
use crate::sweep::{Measured, Results, Settings};

const PINNINGS: [Pinning; 3] = [Pinning::Compact, Pinning::Spread, Pinning::None];

/// The options that all these commands have.
#[derive(Debug, Args)]
pub(super) struct SweepOptions {
    #[command(flatten, next_help_heading = "Measuring")]
    measuring: Measuring,
    #[command(flatten, next_help_heading = "Results")]
    results: Results,
}

#[derive(Debug, Args)]
struct Measuring {
    /// The most runs of each thing that is measured, after one to warm up
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
    /// No more runs once the 95% interval of the median is the median plus or minus so much, which takes 6 runs at least
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = parse_precision)]
    precision: f64,
    /// Where threads may run. compact: on as many cores as there are threads, socket after socket; spread: the sockets in turn;
    /// none: wherever the system puts them. Second hardware threads of cores come last
    #[arg(long, value_name = "HOW", default_value = "compact", value_parser = name_parser(PINNINGS, Pinning::name))]
    pin: Pinning,
    /// End a run that takes longer, such as 30s, 5min or 2h; it counts as failed
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    timeout: Option<Duration>,
    /// Compare what runs print, and say with how many threads it is something else
    #[arg(long)]
    check_output: bool,
    /// Go on with the sweep in FILE, or begin it there [default: the last sweep of that program]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    resume: Option<Option<PathBuf>>,
    /// What the order of the runs is shuffled by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl SweepOptions {
    /// The settings of a sweep that measures `measured`.
    pub(super) fn settings(&self, measured: Measured) -> Settings {
        let Measuring {
            runs,
            precision,
            pin,
            timeout,
            check_output,
            resume,
            seed,
        } = &self.measuring;
        Settings {
            measured,
            runs: *runs,
            precision: *precision,
            seed: *seed,
            timeout: *timeout,
            pinning: *pin,
            threads_variable: None,
            check_output: *check_output,
            file: resume.clone().flatten(),
            resume: resume.is_some(),
            profile: None,
            home: None,
            launcher: None,
            slurm: None,
            results: self.results.clone(),
        }
    }
}

fn parse_precision(text: &str) -> Result<f64, &'static str> {
    share(text).ok_or("a percentage such as 2% is expected")
}

fn parse_timeout(text: &str) -> Result<Duration, &'static str> {
    let unit_at = text.find(|character: char| character.is_ascii_alphabetic());
    let (number, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let seconds = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXPECTED),
    };
    let number: f64 = number.trim_end().parse().map_err(|_| EXPECTED)?;
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(timeout) if timeout >= SHORTEST && timeout <= LONGEST => Ok(timeout),
        _ => Err("a time from 1 ms to 1000 hours is expected"),
    }
}

const EXPECTED: &str = "a time such as 500ms, 30s, 5min or 2h is expected";
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(3_600_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_need_a_unit() {
        assert_eq!(parse_timeout("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_timeout("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_timeout("2min"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_timeout("1000h"), Ok(LONGEST));
        for wrong in ["", "5", "s", "-1s", "NaNs", "0s", "2000h", "1 day", "1e99h"] {
            assert!(parse_timeout(wrong).is_err(), "{wrong}");
        }
    }
}
