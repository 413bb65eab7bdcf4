//! What tools show at lines of the source: findings, limits that do not hold, and what has become
//! worse.

mod github;
mod sarif;

use workspan_model::{
    Analysis, ChangeKind, Checked, Comparison, Diagnosis, FigureChange, Finding, Location,
    Quantity, Run, SiteChange, ThresholdOutcome,
};

use crate::notation::place::phrase;
use crate::sentences::comparison::{amount, figure, growth, limit, noun};
use crate::sentences::{FindingText, capitalised, filled, finding, said, words};

pub use github::annotations;
pub use sarif::sarif;

/// Something to show at a line of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    /// What it is about.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// Where; `None` if it is of the whole program, and no line is to blame.
    pub location: Option<Location>,
    /// What is wrong, in sentences.
    pub text: String,
}

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A finding.
    Finding(Diagnosis),
    /// A figure that is beyond its limit, or worse than before.
    Figure(Quantity),
}

impl Rule {
    /// `WS001`, or the name of the figure.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finding(diagnosis) => diagnosis.number(),
            Self::Figure(quantity) => quantity.name(),
        }
    }
}

/// How bad an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The command fails because of it.
    Error,
    /// It is worth a look.
    Warning,
}

impl Severity {
    /// The name that both GitHub and SARIF use.
    const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One alert for each finding of a profile.
pub fn finding_alerts(analysis: &Analysis) -> Vec<Alert> {
    let alert = |found: &Finding| {
        let FindingText {
            text,
            evidence,
            advice,
            gain,
            ..
        } = finding(found, analysis);
        let advice = advice.map(|advice| format!(" {}", capitalised(&advice)));
        Alert {
            rule: Rule::Finding(found.diagnosis()),
            severity: Severity::Warning,
            location: location(found, analysis).cloned(),
            text: format!(
                "{} {}{} Gain: {gain}",
                capitalised(&text),
                capitalised(&evidence),
                advice.unwrap_or_default()
            ),
        }
    };
    analysis.findings.iter().map(alert).collect()
}

/// Where the site of a finding is, or the line that samples show most of its code at.
fn location<'a>(finding: &Finding, analysis: &'a Analysis) -> Option<&'a Location> {
    let by_samples = || {
        let function = &analysis.functions.as_ref()?.rows[finding.function?];
        function.main_line(true).or(function.definition.as_ref())
    };
    let site = &analysis.sites[finding.row];
    site.location.as_ref().or_else(by_samples)
}

/// One alert for each threshold on `run` that is exceeded or may be; `comparison` is that with the
/// baseline, if there is one.
pub fn check_alerts(
    checked: &[Checked],
    run: &Run,
    is_strict: bool,
    comparison: Option<&Comparison>,
) -> Vec<Alert> {
    let alert = |checked: &Checked| {
        let threshold = &checked.threshold;
        let quantity = threshold.quantity;
        let of_site = threshold.site.as_ref().map(|site| format!(" of {site}"));
        let value = |name: &str| match name {
            "quantity" => {
                Some(capitalised(noun(quantity)) + of_site.as_deref().unwrap_or_default())
            }
            "now" => Some(figure(quantity, checked.after, run)),
            "limit" => Some(limit(checked, run)),
            _ => Some(figure(quantity, checked.before?, run)),
        };
        let text = filled(words("alert", checked.outcome.name()), &value);
        let grown = comparison
            .filter(|_| threshold.site.is_none())
            .and_then(|comparison| grown_most(comparison, quantity));
        let severity = match checked.fails(is_strict) {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let alert = Alert {
            rule: Rule::Figure(quantity),
            severity,
            location: checked.location.clone(),
            text,
        };
        alert.at(grown, run)
    };
    let beyond = |checked: &&Checked| checked.outcome != ThresholdOutcome::Held;
    checked.iter().filter(beyond).map(alert).collect()
}

/// One alert for each total that has certainly become worse; `run` is that of after.
pub fn comparison_alerts(comparison: &Comparison, run: &Run) -> Vec<Alert> {
    let is_worse = |(quantity, change): &(Quantity, &FigureChange)| {
        Quantity::COSTS.contains(quantity) && change.kind == ChangeKind::Grown
    };
    let alert = |(quantity, change): (Quantity, &FigureChange)| {
        let alert = Alert {
            rule: Rule::Figure(quantity),
            severity: Severity::Warning,
            location: None,
            text: said!(
                "alert",
                "worse",
                quantity = capitalised(noun(quantity)),
                growth = growth(change.growth.value),
                before = figure(quantity, change.before, run),
                after = figure(quantity, change.after, run),
            ),
        };
        alert.at(grown_most(comparison, quantity), run)
    };
    comparison.certain().filter(is_worse).map(alert).collect()
}

/// A site, and how the part of its own code in a total has changed.
type Grown<'a> = (&'a SiteChange, &'a FigureChange);

/// The site whose own code has certainly grown most in what `quantity` depends on.
fn grown_most(comparison: &Comparison, quantity: Quantity) -> Option<Grown<'_>> {
    if quantity == Quantity::Tasks {
        // No figure of a site's own code counts them.
        return None;
    }
    let grown = comparison.sites.iter().map(|site| match quantity {
        Quantity::Work => (site, &site.own_work),
        _ => (site, &site.on_span),
    });
    grown
        .filter(|(_, change)| change.kind == ChangeKind::Grown)
        .max_by(|(_, one), (_, other)| one.growth.value.total_cmp(&other.growth.value))
}

impl Alert {
    /// With the site that has grown most.
    fn at(mut self, grown: Option<Grown<'_>>, run: &Run) -> Self {
        if let Some((site, change)) = grown {
            let place = said!(
                "alert",
                "grown_most",
                site = phrase(site.row()),
                before = amount(change.before, run),
                after = amount(change.after, run),
            );
            self.text += &format!(" {place}");
            self.location = site.row().location.clone();
        }
        self
    }
}
