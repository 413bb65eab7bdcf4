//! Annotations of GitHub's workflows.
//!
//! The commands, and what is escaped in them, are those of
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>.

use std::io;

use super::Alert;

/// Writes alerts as commands that annotate the lines of a pull request, one a line.
///
/// # Errors
/// Any error from writing to `output`.
///
/// ```
/// # use workspan_report::{Alert, Rule, Severity, annotations};
/// let alert = Alert {
///     rule: Rule::Figure(workspan_model::Quantity::Span),
///     severity: Severity::Error,
///     location: Some(workspan_model::Location::new("src/main.rs", 31, 9)),
///     text: "50% longer".to_owned(),
/// };
/// let mut output = Vec::new();
/// annotations(&[alert], &mut output).unwrap();
/// let command = "::error file=src/main.rs,line=31,col=9,title=workspan%3A span::50%25 longer\n";
/// assert_eq!(String::from_utf8(output).unwrap(), command);
/// ```
pub fn annotations(alerts: &[Alert], output: &mut dyn io::Write) -> io::Result<()> {
    for alert in alerts {
        write!(output, "::{} ", alert.severity.name())?;
        if let Some(location) = &alert.location {
            let file = property(&location.file);
            write!(output, "file={file},line={},", location.line)?;
            if location.column > 0 {
                write!(output, "col={},", location.column)?;
            }
        }
        let title = property(&format!("workspan: {}", alert.rule.name()));
        writeln!(output, "title={title}::{}", data(&alert.text))?;
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
