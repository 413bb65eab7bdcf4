//! The measured and predicted figures of one program.

use anyhow::Context as _;
use serde_json::Value;
use workspan_overhead::median;

/// The measured and predicted figures of one program.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) program: &'static str,
    pub(crate) turns: Vec<Turn>,
}

/// One run of each kind, one after the other.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Seconds of a plain run on one thread.
    pub(crate) one: f64,
    /// Work of a recorded run on one thread, in seconds.
    pub(crate) work: f64,
    /// Runs on several cores, by ascending number of cores.
    pub(crate) several: Vec<Several>,
    /// Predictions from the recorded run, by ascending number of cores.
    pub(crate) predicted: Vec<Predicted>,
}

/// A plain and a profiled run on a number of cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Several {
    pub(crate) cores: u32,
    /// Seconds of the plain run.
    pub(crate) seconds: f64,
    /// Work of the profiled run, in seconds.
    pub(crate) work: f64,
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
    /// A figure of each turn.
    pub(crate) fn each(&self, figure: impl Fn(&Turn) -> f64) -> Vec<f64> {
        self.turns.iter().map(figure).collect()
    }

    /// The median of a figure over the turns.
    pub(crate) fn median(&self, figure: impl Fn(&Turn) -> f64) -> f64 {
        median(self.turns.iter().map(figure))
    }

    /// The numbers of cores it was measured on.
    pub(crate) fn cores(&self) -> impl Iterator<Item = u32> {
        let first = self.turns.first().into_iter();
        first.flat_map(|turn| turn.several.iter().map(|several| several.cores))
    }
}

impl Turn {
    /// How many times faster the plain program is on `cores` cores than on one.
    pub(crate) fn speedup(&self, cores: u32) -> f64 {
        self.one / self.on(cores).seconds
    }

    /// The measured speedup over the predicted one.
    pub(crate) fn speedup_over_predicted(&self, cores: u32) -> f64 {
        self.speedup(cores) / self.predicted_on(cores).median
    }

    /// How many percent the measured speedup is above the predicted range, or below it (negative);
    /// 0 within it.
    pub(crate) fn beyond_range(&self, cores: u32) -> f64 {
        let (measured, predicted) = (self.speedup(cores), self.predicted_on(cores));
        let nearest = measured.clamp(predicted.lower, predicted.upper.max(predicted.lower));
        100.0 * (measured / nearest - 1.0)
    }

    /// How many percent the work grows by on `cores` cores.
    pub(crate) fn inflation(&self, cores: u32) -> f64 {
        100.0 * (self.on(cores).work / self.work - 1.0)
    }

    /// # Panics
    /// If no run used that many cores.
    fn on(&self, cores: u32) -> Several {
        let found = self.several.iter().find(|several| several.cores == cores);
        *found.expect("every turn runs on each number of cores")
    }

    /// # Panics
    /// If there is no prediction for that many cores.
    pub(crate) fn predicted_on(&self, cores: u32) -> Predicted {
        let found = self.predicted.iter().find(|one| one.cores == cores);
        *found.expect("every number of cores measured is predicted")
    }
}

impl Predicted {
    /// Reads the output of `workspan predict --json`.
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
    fn a_turn_compares_with_its_own_prediction() {
        let turn = Turn {
            one: 2.0,
            work: 2.2,
            several: vec![Several {
                cores: 2,
                seconds: 1.25,
                work: 2.75,
            }],
            predicted: Predicted::all(DOCUMENT).unwrap(),
        };
        // 2 s / 1.25 s = 1.6, and 1.6 / 1.8 = 0.889.
        assert_eq!(turn.speedup(2), 1.6);
        assert!((turn.speedup_over_predicted(2) - 0.889).abs() < 1e-3);
        assert!((turn.inflation(2) - 25.0).abs() < 1e-9);
        assert_eq!(turn.beyond_range(2), 0.0);
    }

    #[test]
    fn a_document_without_a_figure_is_refused() {
        assert!(Predicted::all(b"{}").is_err());
        let error = Predicted::all(br#"{"speedup": [{"cores": 2}]}"#).unwrap_err();
        assert_eq!(error.to_string(), "no lower in a prediction");
    }
}
