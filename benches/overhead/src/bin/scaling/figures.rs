//! The results of `workspan scale` and `workspan bandwidth` that are shown.

use anyhow::{Context as _, ensure};
use serde_json::Value;

/// A figure and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The figures of a factored sweep on the greatest number of threads.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) threads: u32,
    /// Seconds.
    pub(crate) on_one: f64,
    pub(crate) speedup: Interval,
    pub(crate) lower: f64,
    pub(crate) predicted: f64,
    pub(crate) upper: f64,
    /// Seconds of all cores together.
    pub(crate) idle: Interval,
    /// Shares of the time of all cores.
    pub(crate) idle_share: f64,
    pub(crate) inflation_share: f64,
    pub(crate) overhead_share: f64,
    /// The time of the runs that measure idle time over that of plain ones.
    pub(crate) measuring: Option<Interval>,
    /// Runs whose times do not add up.
    pub(crate) imbalances: usize,
}

impl Figures {
    /// Reads what `workspan scale --factored --json` writes.
    pub(crate) fn parse(json: &[u8]) -> anyhow::Result<Self> {
        let value: Value = serde_json::from_slice(json).context("not JSON")?;
        let plain =
            last(&value["scaling"]["points"]).context("no number of threads was measured")?;
        let factored = last(&value["factored"]["points"]).context("nothing is factored")?;
        let threads = plain["threads"].as_u64().context("no threads")?;
        let on_one = number(&value["scaling"]["points"][0]["time"]["mean_ns"])? / 1e9;
        let gaps = value["factored"]["gaps"].as_array().context("no gaps")?;
        let cores_time = threads as f64 * number(&factored["time"]["mean_ns"])?;
        let share = |causes: &[&str]| -> anyhow::Result<f64> {
            let mut sum = 0.0;
            for gap in gaps {
                let lost_to = gap["lost_to"].as_str().unwrap_or_default();
                if gap["threads"] == threads && causes.contains(&lost_to) {
                    sum += number(&gap["time"]["value_ns"])?;
                }
            }
            Ok(sum / cores_time)
        };
        Ok(Figures {
            threads: threads as u32,
            on_one,
            speedup: interval(&plain["speedup"], ["value", "low", "high"], 1.0)?,
            lower: number(&plain["lower"])?,
            predicted: number(&plain["predicted"])?,
            upper: number(&plain["upper"])?,
            idle: interval(&factored["idle"], ["value_ns", "low_ns", "high_ns"], 1e-9)?,
            idle_share: share(&["idle_time"])?,
            inflation_share: share(&["work_inflation"])?,
            overhead_share: share(&["algorithmic_overhead", "scheduling_overhead", "overhead"])?,
            measuring: match &factored["measuring"] {
                Value::Null => None,
                measuring => Some(interval(measuring, ["value", "low", "high"], 1.0)?),
            },
            imbalances: value["factored"]["imbalances"]
                .as_array()
                .map_or(0, Vec::len),
        })
    }
}

/// How much slower copies are if they run at once, and from how many on memory is the limit.
#[derive(Debug)]
pub(crate) struct Copies {
    pub(crate) copies: u32,
    pub(crate) slowdown: Interval,
    pub(crate) limit_from: Option<u32>,
    /// Whether memory is the limit; `None` if that cannot be determined.
    pub(crate) is_limit: Option<bool>,
}

impl Copies {
    /// Reads what `workspan bandwidth --json` writes.
    pub(crate) fn parse(json: &[u8]) -> anyhow::Result<Self> {
        let value: Value = serde_json::from_slice(json).context("not JSON")?;
        let bandwidth = &value["bandwidth"];
        let most = last(&bandwidth["points"]).context("no copies were measured")?;
        Ok(Copies {
            copies: most["copies"].as_u64().context("no copies")? as u32,
            slowdown: interval(&most["slowdown"], ["value", "low", "high"], 1.0)?,
            limit_from: bandwidth["limit_from"].as_u64().map(|copies| copies as u32),
            is_limit: bandwidth["is_limit"].as_bool(),
        })
    }
}

fn last(array: &Value) -> Option<&Value> {
    array.as_array()?.last()
}

fn number(value: &Value) -> anyhow::Result<f64> {
    let number = value.as_f64().context("a figure is missing")?;
    ensure!(number.is_finite(), "a figure is infinite");
    Ok(number)
}

fn interval(value: &Value, [middle, low, high]: [&str; 3], unit: f64) -> anyhow::Result<Interval> {
    Ok(Interval {
        value: number(&value[middle])? * unit,
        low: number(&value[low])? * unit,
        high: number(&value[high])? * unit,
    })
}
