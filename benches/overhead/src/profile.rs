//! The figures of a profile that are compared, from the report for programs.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

/// What `workspan run --json` wrote.
#[derive(Clone, Debug)]
pub struct Profile {
    report: Value,
}

/// Work and span of all outermost instances of a spawn site.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Sum of their work.
    pub work: Duration,
    /// Sum of their spans.
    pub span: Duration,
}

impl Site {
    /// Work over span.
    pub fn parallelism(&self) -> f64 {
        self.work.as_secs_f64() / self.span.as_secs_f64()
    }
}

impl Profile {
    /// Reads the report.
    ///
    /// # Errors
    /// It is no JSON.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let report = serde_json::from_str(text).context("the profile is no JSON")?;
        Ok(Profile { report })
    }

    /// The work of the whole program.
    ///
    /// # Errors
    /// The report lacks it.
    pub fn work(&self) -> anyhow::Result<Duration> {
        nanoseconds(&self.report["totals"], "work_ns")
    }

    /// Work and span of the whole program.
    ///
    /// # Errors
    /// The report lacks them.
    pub fn whole(&self) -> anyhow::Result<Site> {
        site(&self.report["totals"])
    }

    /// How many tasks the program created.
    ///
    /// # Errors
    /// The report lacks it.
    pub fn tasks(&self) -> anyhow::Result<u64> {
        number(&self.report["totals"], "spawns")
    }

    /// The computation alone: the scope with the most work, which every program of the suite wraps
    /// around it.
    ///
    /// # Errors
    /// The report has no scope, or lacks a figure.
    pub fn computation(&self) -> anyhow::Result<Site> {
        let sites = self.report["sites"].as_array();
        let scopes = sites
            .into_iter()
            .flatten()
            .filter(|site| site["kind"] == "scope");
        let largest = scopes
            .max_by_key(|site| site["on_work"]["work_ns"].as_i64())
            .context("the profile has no scope")?;
        site(&largest["on_work"])
    }
}

fn site(figures: &Value) -> anyhow::Result<Site> {
    Ok(Site {
        work: nanoseconds(figures, "work_ns")?,
        span: nanoseconds(figures, "span_ns")?,
    })
}

fn nanoseconds(figures: &Value, key: &str) -> anyhow::Result<Duration> {
    Ok(Duration::from_nanos(number(figures, key)?))
}

fn number(figures: &Value, key: &str) -> anyhow::Result<u64> {
    figures[key]
        .as_u64()
        .with_context(|| format!("the profile has no {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{
        "totals": {"work_ns": 900, "span_ns": 300, "spawns": 7},
        "sites": [
            {"kind": "join", "on_work": {"work_ns": 850, "span_ns": 50}},
            {"kind": "scope", "on_work": {"work_ns": 10, "span_ns": 10}},
            {"kind": "scope", "on_work": {"work_ns": 800, "span_ns": 100}}
        ]
    }"#;

    #[test]
    fn the_computation_is_the_largest_scope() {
        let profile = Profile::parse(REPORT).unwrap();
        assert_eq!(profile.computation().unwrap().parallelism(), 8.0);
        assert_eq!(profile.whole().unwrap().parallelism(), 3.0);
        assert_eq!(profile.work().unwrap(), Duration::from_nanos(900));
        assert_eq!(profile.tasks().unwrap(), 7);
    }

    #[test]
    fn a_missing_figure_is_named() {
        let profile = Profile::parse(r#"{"totals": {}}"#).unwrap();
        let error = profile.tasks().unwrap_err();
        assert_eq!(error.to_string(), "the profile has no spawns");
        assert!(profile.computation().is_err());
    }
}
