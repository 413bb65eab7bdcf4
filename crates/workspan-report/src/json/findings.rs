//! Findings in the JSON report.

use workspan_model::{Analysis, Finding, Gain};

use crate::object::{Document, object};
use crate::sentences;

pub(super) fn finding(finding: &Finding, analysis: &Analysis) -> impl Document {
    let words = sentences::finding(finding, analysis);
    object! {
        /// Number of the diagnosis
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Diagnosis::ALL.map(workspan_model::Diagnosis::number))))]
        number: finding.diagnosis().number(),
        /// Name of the diagnosis
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Diagnosis::ALL.map(workspan_model::Diagnosis::name))))]
        name: finding.diagnosis().name(),
        /// What it is, where, and the evidence
        text: format!("{} {}", words.text, words.evidence),
        /// What to try; null if nothing is known that fits
        advice: words.advice,
        /// Index into `sites` of the site that it is about
        site: finding.row,
        /// Index into `sites` of the function or region within the site's code that has most of its span;
        /// null if it is the site's own code, or not known
        within: finding.within,
        /// Index into `samples.functions` of the function that the span is made of, where samples tell
        function: finding.function,
        /// Figures that show it; which of them are there depends on the diagnosis
        #[cfg_attr(test, schemars(schema_with = "super::schema::evidence"))]
        evidence: words.figures,
        /// Expected times before and after the change: (work + cost of tasks and of steals) / cores +
        /// burdened span, or + what is done under one lock if that is longer. Each is at most twice the truth
        /// where no lock limits
        gain: gain(&finding.gain),
    }
}

pub(super) fn gain(gain: &Gain) -> impl Document {
    object! {
        /// Number of cores
        cores: gain.cores,
        /// Expected time as the program is, in nanoseconds
        now_ns: gain.now.shown(),
        /// Expected time after the change, in nanoseconds
        after_ns: gain.after.shown(),
        /// `now_ns / after_ns`
        factor: gain.factor(),
        /// What tells of the program after the change: the profile, with the part of the span taken off that
        /// the change is about (`bounds`: the gain is at most this), or the task dag of the run, changed so
        /// (`what_if`)
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::EstimatedBy::ALL.map(workspan_model::EstimatedBy::name))))]
        estimate: gain.estimate.name(),
    }
}
