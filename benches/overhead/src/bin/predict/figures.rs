//! What is measured and predicted of one program.

use anyhow::Context as _;
use serde_json::Value;
use workspan_overhead::{median, range};

/// By how much the measured speedup may differ from the predicted one.
const GOAL: f64 = 0.10;

/// Work that a run on several cores has beyond that of one core, from which on the program counts as one that is bound by
/// what its cores share: memory, caches, and the units of a core that two of them are threads of.
const INFLATION: f64 = 0.05;

/// What is measured and predicted of one program.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) program: &'static str,
    /// Seconds of plain runs on one thread.
    pub(crate) one: Vec<f64>,
    /// Work of the recorded run, in seconds.
    pub(crate) work: f64,
    /// One for each number of cores that was measured.
    pub(crate) measured: Vec<Measured>,
    /// The predictions, in ascending order of cores.
    pub(crate) predicted: Vec<Predicted>,
}

/// Runs on a number of cores.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) cores: u32,
    /// Speedups over the run on one thread beside each.
    pub(crate) speedups: Vec<f64>,
    /// Work of a profiled run on so many threads over that on one, less 1.
    pub(crate) inflation: f64,
}

/// One prediction, as `workspan predict --json` writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicted {
    pub(crate) cores: u32,
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
}

impl Figures {
    /// By what share the recorded work is more than the time of a plain run on one thread.
    pub(crate) fn work_off(&self) -> f64 {
        self.work / median(self.one.iter().copied()) - 1.0
    }

    pub(crate) fn predicted_on(&self, cores: u32) -> Option<&Predicted> {
        self.predicted.iter().find(|one| one.cores == cores)
    }
}

impl Measured {
    pub(crate) fn median(&self) -> f64 {
        median(self.speedups.iter().copied())
    }

    pub(crate) fn range(&self) -> (f64, f64) {
        range(self.speedups.iter().copied())
    }

    /// By what share the measured speedup is above the predicted one.
    pub(crate) fn off(&self, predicted: &Predicted) -> f64 {
        self.median() / predicted.median - 1.0
    }

    /// Whether the goal is met; `None` where there is none, since the cores slow one another down.
    pub(crate) fn is_met(&self, predicted: &Predicted) -> Option<bool> {
        (self.inflation < INFLATION).then(|| self.off(predicted).abs() <= GOAL)
    }
}

impl Predicted {
    /// Those of a document that `workspan predict --json` wrote.
    ///
    /// # Errors
    /// It lacks something.
    pub(crate) fn all(document: &[u8]) -> anyhow::Result<Vec<Self>> {
        let document: Value = serde_json::from_slice(document).context("no JSON")?;
        let rows = document["speedup"].as_array().context("no predictions")?;
        let one = |row: &Value| {
            let figure = |name: &str| {
                let figure = row[name].as_f64();
                figure.with_context(|| format!("no {name} in a prediction"))
            };
            Ok(Self {
                cores: figure("cores")? as u32,
                lower: figure("lower")?,
                median: figure("median")?,
                upper: figure("upper")?,
            })
        };
        rows.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &[u8] =
        br#"{"speedup": [{"cores": 2, "lower": 1.5, "median": 1.8, "upper": 2.0}]}"#;

    #[test]
    fn a_prediction_is_met_within_a_tenth_unless_the_work_grows() {
        let predicted = Predicted::all(DOCUMENT).unwrap()[0];
        let measured = |speedup, inflation| Measured {
            cores: 2,
            speedups: vec![0.1, speedup, 9.0],
            inflation,
        };
        assert_eq!(measured(1.7, 0.0).is_met(&predicted), Some(true));
        assert_eq!(measured(1.6, 0.0).is_met(&predicted), Some(false));
        assert_eq!(measured(1.99, 0.0).is_met(&predicted), Some(false));
        assert_eq!(measured(1.2, 0.4).is_met(&predicted), None);
        assert_eq!(measured(1.6, 0.0).range(), (0.1, 9.0));
    }

    #[test]
    fn a_document_without_a_figure_is_refused() {
        assert!(Predicted::all(b"{}").is_err());
        let error = Predicted::all(br#"{"speedup": [{"cores": 2}]}"#).unwrap_err();
        assert_eq!(error.to_string(), "no lower in a prediction");
    }
}
