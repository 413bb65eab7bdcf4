//! Bencher Metric Format: <https://bencher.dev/docs/reference/bencher-metric-format>.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use workspan_model::{Nanos, Profile, Quantity, Spread, regions, runs};

use crate::program::program;

/// A measure's figure, with the least and the most of several runs.
#[derive(Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Metric {
    fn exactly(value: f64) -> Self {
        Self {
            value,
            lower_value: None,
            upper_value: None,
        }
    }

    fn spread(spread: Spread<f64>) -> Self {
        Self {
            value: spread.median,
            lower_value: Some(spread.least),
            upper_value: Some(spread.most),
        }
    }
}

/// The longest name of a benchmark, in characters.
const LONGEST_NAME: usize = 1_024;

/// The longest name of a measure.
const LONGEST_MEASURE: usize = 64;

type Measures = BTreeMap<String, Metric>;

/// Writes the totals of the program and of each named region as benchmarks of Bencher's JSON: that
/// of the program is named after its command, those of regions have ` / NAME` appended. Of several
/// runs, it writes the median with the least and the most. Work and spans are in nanoseconds; of
/// another metric they are its events, and measures of their own: `span-instructions`.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile is not valid.
pub fn bencher(profile: &Profile, output: &mut dyn io::Write) -> io::Result<()> {
    let program = program(&profile.run.command);
    let program = match program.as_str() {
        "" => "program",
        program => program,
    };
    let mut benchmarks: BTreeMap<String, Measures> = BTreeMap::new();
    benchmarks.insert(shortened(program), totals(profile));
    for region in regions(profile) {
        let sum = &region.sum;
        let amount = |time: Nanos| Metric::exactly(time.shown() as f64);
        let mut measures = Measures::new();
        let mut put = |quantity: Quantity, metric| {
            measures.insert(measure_name(quantity, profile), metric);
        };
        put(Quantity::Work, amount(sum.work.time()));
        put(Quantity::Span, amount(sum.span.time()));
        put(Quantity::BurdenedSpan, amount(sum.burdened_span.time()));
        if let Some(parallelism) = sum.parallelism {
            put(Quantity::Parallelism, Metric::exactly(parallelism));
        }
        // Regions of one name at several places differ by these.
        let name = format!("{program} / {}", region.name);
        let name = match (benchmarks.contains_key(&shortened(&name)), &region.location) {
            (true, Some(location)) => format!("{name} at {location}"),
            _ => name,
        };
        benchmarks.insert(shortened(&name), measures);
    }
    serde_json::to_writer_pretty(&mut *output, &benchmarks)?;
    writeln!(output)
}

fn totals(profile: &Profile) -> Measures {
    let spread = profile
        .repetition
        .as_ref()
        .and_then(runs)
        .map(|runs| runs.runs);
    let measure = |quantity: Quantity| {
        let metric = match &spread {
            Some(runs) => {
                let figures = runs.iter().map(|run| quantity.figure(&run.totals));
                Metric::spread(Spread::new(figures).expect("there are runs"))
            }
            None => Metric::exactly(quantity.figure(&workspan_model::totals(profile))),
        };
        (measure_name(quantity, profile), metric)
    };
    Quantity::ALL.into_iter().map(measure).collect()
}

/// A measure has one unit in all of its history, so amounts of a metric other than time have its
/// name appended to theirs.
fn measure_name(quantity: Quantity, profile: &Profile) -> String {
    let metric = &profile.run.metric;
    if quantity.is_to_be_high() || quantity == Quantity::Tasks || metric.is_default() {
        quantity.name().to_owned()
    } else {
        let mut name = format!("{}-{}", quantity.name(), slug(&metric.name));
        name.truncate(LONGEST_MEASURE);
        name
    }
}

/// A name of letters, digits and hyphens, as Bencher wants it.
fn slug(name: &str) -> String {
    name.to_lowercase()
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn measures_are_slugs() {
        assert_eq!(slug("instructions"), "instructions");
        assert_eq!(slug("LLC-load-misses"), "llc-load-misses");
        assert_eq!(
            slug("mem_load_retired.l3_miss:u"),
            "mem-load-retired-l3-miss-u"
        );
        assert_eq!(slug("r20d1"), "r20d1");
    }
}
