//! SARIF 2.1.0, the format of code scanning
//! (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).

use std::io;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use workspan_model::{Diagnosis, Location, Quantity};

use super::{Alert, Rule};
use crate::sentences::comparison::noun;
use crate::sentences::explanation::{explanation, title};
use crate::sentences::{capitalised, said};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The folder that relative paths start from, as GitHub and others name it.
const ROOT: &str = "%SRCROOT%";

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What stands in a path for something else, or not at all (RFC 3986, 3.3).
const NOT_IN_PATHS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Writes alerts as SARIF, with what is known of every rule. Those without a place are left out: GitHub
/// refuses a file with one.
///
/// # Errors
/// Any error from writing to `output`.
pub fn sarif(alerts: &[Alert], output: &mut dyn io::Write) -> io::Result<()> {
    let findings = Diagnosis::ALL.map(Rule::Finding).into_iter();
    let rules = findings.chain(Quantity::ALL.map(Rule::Figure));
    let results = alerts.iter().filter_map(result);
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "workspan",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": REPOSITORY,
                    "rules": rules.map(rule).collect::<Vec<_>>(),
                },
            },
            "results": results.collect::<Vec<_>>(),
        }],
    });
    serde_json::to_writer_pretty(&mut *output, &document)?;
    writeln!(output)
}

fn rule(rule: Rule) -> Value {
    let (title, help, page) = match rule {
        Rule::Finding(diagnosis) => {
            let page = format!("findings/{}", diagnosis.number().to_lowercase());
            (title(diagnosis), explanation(diagnosis), page)
        }
        Rule::Figure(quantity) => {
            let title = said!("alert", "title", quantity = capitalised(noun(quantity)));
            let help = said!("alert", "help", quantity = noun(quantity));
            (title, help, "ci".to_owned())
        }
    };
    json!({
        "id": rule.name(),
        "shortDescription": { "text": title },
        "help": { "text": help, "markdown": help },
        "helpUri": format!("{REPOSITORY}/blob/main/docs/{page}.md"),
    })
}

fn result(alert: &Alert) -> Option<Value> {
    let place = location(alert.location.as_ref()?);
    Some(json!({
        "ruleId": alert.rule.name(),
        "level": alert.severity.name(),
        "message": { "text": alert.text },
        "locations": [place],
    }))
}

fn location(location: &Location) -> Value {
    let path = utf8_percent_encode(&location.file, NOT_IN_PATHS);
    let artifact = match location.file.starts_with('/') {
        true => json!({ "uri": format!("file://{path}") }),
        false => json!({ "uri": path.to_string(), "uriBaseId": ROOT }),
    };
    let region = match location.column {
        0 => json!({ "startLine": location.line }),
        column => json!({ "startLine": location.line, "startColumn": column }),
    };
    json!({ "physicalLocation": { "artifactLocation": artifact, "region": region } })
}
