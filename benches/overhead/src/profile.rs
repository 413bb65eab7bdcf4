//! The figures of a profile that are compared, read from the JSON report.

use std::collections::BTreeMap;
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

/// A call of a function, with Cilkprof's measures in nanoseconds.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// The function called and the place of the call.
    pub place: String,
    called: String,
    caller: String,
    /// Work of its instances that no other of the same call site contains.
    pub top_call_site_work: f64,
    /// Their span.
    pub top_call_site_span: f64,
    /// Work of its instances that no other call from the same function contains.
    pub top_caller_work: f64,
    /// Work of all its instances without their callees.
    pub local_work: f64,
    /// Span of all its instances on the critical path without their callees.
    pub local_span_on_span: f64,
    /// Sum of the parts of its own longest path.
    pub path_span: f64,
}

impl CallSite {
    /// Whether the function called has this name, without its module.
    pub fn calls(&self, name: &str) -> bool {
        last_name(&self.called) == name
    }

    /// Whether the call is in the function of this name or in a closure in it.
    pub fn stands_in(&self, name: &str) -> bool {
        last_name(without_closures(&self.caller)) == name
    }
}

fn last_name(function: &str) -> &str {
    function.rsplit("::").next().unwrap_or(function)
}

/// The function that contains a closure.
fn without_closures(function: &str) -> &str {
    function.split("::{closure").next().unwrap_or(function)
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
    /// It is not JSON.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let report = serde_json::from_str(text).context("the profile is no JSON")?;
        Ok(Profile { report })
    }

    /// Work and span of the whole program.
    ///
    /// # Errors
    /// The report lacks them.
    pub fn whole(&self) -> anyhow::Result<Site> {
        site(&self.report["totals"])
    }

    /// Number of tasks that the program created.
    ///
    /// # Errors
    /// The report lacks it.
    pub fn tasks(&self) -> anyhow::Result<u64> {
        number(&self.report["totals"], "spawns")
    }

    /// The time from the program's start to the writing of the profile.
    ///
    /// # Errors
    /// The report lacks it.
    pub fn elapsed(&self) -> anyhow::Result<Duration> {
        nanoseconds(&self.report["totals"], "elapsed_ns")
    }

    /// The calls of functions that were measured.
    ///
    /// # Errors
    /// The report has no sites.
    pub fn call_sites(&self) -> anyhow::Result<Vec<CallSite>> {
        let calls = self
            .sites()?
            .iter()
            .filter(|site| site["kind"] == "function");
        Ok(calls
            .map(|site| {
                let (work, span) = (&site["on_work"], &site["on_span"]);
                let nanos = |figure: &Value| figure.as_f64().unwrap_or(0.0);
                let path = site["path"].as_array();
                let place = format!("{} at {}", text(&site["name"]), text(&site["location"]));
                CallSite {
                    place,
                    called: text(&site["name"]),
                    caller: text(&site["function"]),
                    top_call_site_work: nanos(&work["top_call_site"]["work_ns"]),
                    top_call_site_span: nanos(&work["top_call_site"]["span_ns"]),
                    top_caller_work: nanos(&work["top_caller"]["work_ns"]),
                    local_work: nanos(&work["local"]["work_ns"]),
                    local_span_on_span: nanos(&span["local"]["span_ns"]),
                    path_span: path
                        .into_iter()
                        .flatten()
                        .map(|part| nanos(&part["local_span_ns"]))
                        .sum(),
                }
            })
            .collect())
    }

    /// Parallelism of the outermost instances of the first site of a kind in a function.
    ///
    /// # Errors
    /// There is no such site.
    pub fn parallelism_of(&self, kind: &str, function: &str) -> anyhow::Result<f64> {
        let sites = self.sites()?.iter();
        let mut sites = sites.filter(|site| {
            site["kind"] == kind
                && last_name(without_closures(&text(&site["function"]))) == function
        });
        sites
            .next()
            .and_then(|site| site["on_work"]["parallelism"].as_f64())
            .with_context(|| format!("the profile has no {kind} in {function}"))
    }

    /// Shares of the span by function in a run with exact functions. The strands of a construct
    /// count for the function around it.
    ///
    /// # Errors
    /// The report has no sites.
    pub fn shares_of_functions_exactly(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut shares = BTreeMap::new();
        for site in self.sites()? {
            let function = match site["kind"].as_str() {
                Some("function") => text(&site["name"]),
                Some("root") => "(outside)".to_owned(),
                _ => text(&site["function"]),
            };
            let share = site["on_span"]["share"].as_f64().unwrap_or(0.0);
            *shares
                .entry(without_closures(&function).to_owned())
                .or_default() += share;
        }
        Ok(shares)
    }

    /// Shares of the span by function from samples. Each sample counts for the function whose
    /// machine code ran, or for its caller if that function is not among those `measured`, which
    /// leave out tiny functions.
    ///
    /// # Errors
    /// There are no samples.
    pub fn shares_of_functions_sampled(
        &self,
        measured: &BTreeMap<String, f64>,
    ) -> anyhow::Result<BTreeMap<String, f64>> {
        let functions = self.report["samples"]["functions"].as_array();
        let mut shares = BTreeMap::new();
        for function in functions.context("the profile has no samples")? {
            let name = without_closures(&text(&function["function"])).to_owned();
            let caller = text(&function["callers"][0]["function"]);
            let name = if measured.contains_key(&name) {
                name
            } else {
                without_closures(&caller).to_owned()
            };
            let share = function["physical_self"]["on_span"]["share"]
                .as_f64()
                .unwrap_or(0.0);
            *shares.entry(name).or_default() += share;
        }
        Ok(shares)
    }

    /// Samples on the span.
    ///
    /// # Errors
    /// There are no samples.
    pub fn samples_on_span(&self) -> anyhow::Result<f64> {
        let samples = self.report["samples"]["on_span"]["samples"].as_f64();
        samples.context("the profile has no samples")
    }

    fn sites(&self) -> anyhow::Result<&Vec<Value>> {
        let sites = self.report["sites"].as_array();
        sites.context("the profile has no sites")
    }

    /// The computation alone: the scope with the most work, in which every program of the suite
    /// runs its computation.
    ///
    /// # Errors
    /// The report has no scope, or lacks a figure.
    pub fn computation(&self) -> anyhow::Result<Site> {
        let sites = self.sites()?.iter();
        let largest = sites
            .filter(|site| site["kind"] == "scope")
            .max_by_key(|site| site["on_work"]["work_ns"].as_i64())
            .context("the profile has no scope")?;
        site(&largest["on_work"])
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("(unknown)").to_owned()
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
        assert_eq!(profile.whole().unwrap().work, Duration::from_nanos(900));
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
