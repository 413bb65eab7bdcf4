//! The plots of a profile or a sweep.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use workspan_model::{Dag, Profile, Sweep, analyse_with_dag};
use workspan_report::{Plot, ScalingReport};

use super::format::{Format, name_of};
use crate::exit_code::{Failure, OrExit as _, PROFILE};
use crate::message;
use crate::sink::Sink;
use crate::sweep::{Figures, expected_of, sweep_of};

/// The options of plots.
#[derive(Debug, Args)]
pub(super) struct PlotOptions {
    /// Which plot to draw of a sweep that has several [default: the first of these]
    #[arg(long, value_name = "NAME")]
    plot: Option<Name>,
    /// Draw what this sweep has measured over what a profile leads to expect [default: the one beside the profile, if it is of
    /// the same command]
    #[arg(long, value_name = "FILE.sweep.json")]
    sweep: Option<PathBuf>,
    /// Draw what a sweep has measured over what this profile leads to expect [default: the one beside the sweep, if it is of
    /// the same command]
    #[arg(long, value_name = "FILE.wsp")]
    profiled: Option<PathBuf>,
}

/// A plot that `--plot` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// The speedup: bounds, prediction and what was measured
    Speedup,
    /// What the speedup is lost to, of a sweep measured with --factored
    Factored,
    /// What copies at once do together, of a sweep measured with --bandwidth
    Bandwidth,
}

/// A plot in `format`, given with its name. A gnuplot script names its picture after the file in
/// `sink`.
pub(super) fn written(
    format: Format,
    (name, plot): &Named,
    sink: &Sink,
) -> Result<Vec<u8>, Failure> {
    match format {
        Format::Gnuplot => Ok(plot.gnuplot_with_data(&picture(sink, name)).into_bytes()),
        _ => Ok(plot.svg().into_bytes()),
    }
}

/// A plot and its name.
type Named = (&'static str, Plot);

/// The requested plot of the profile in `file`.
pub(super) fn of_profile(
    profile: &Profile,
    dag: Option<&Dag>,
    file: &Path,
    options: &PlotOptions,
) -> Result<Named, Failure> {
    let sweep = sweep_of(profile, file, options.sweep.as_deref()).or_exit(PROFILE)?;
    let figures = sweep.map(|sweep| Figures::new(&sweep, None));
    let measured = figures.as_ref().and_then(Figures::scaling);
    let analysis = analyse_with_dag(profile, dag);
    let speedup = Plot::from_profile(profile, &analysis, measured);
    chosen(vec![("speedup", speedup)], options.plot, file)
}

/// The figures of the sweep in `file`, with what its profile leads to expect.
pub(super) fn figures_of(
    sweep: &Sweep,
    file: &Path,
    options: &PlotOptions,
) -> Result<Figures, Failure> {
    let expected = expected_of(sweep, file, options.profiled.as_deref())?;
    Ok(Figures::new(sweep, expected.as_ref()))
}

/// The requested plot of the sweep in `file`.
pub(super) fn of_sweep(
    report: &ScalingReport<'_>,
    file: &Path,
    options: &PlotOptions,
) -> Result<Named, Failure> {
    chosen(report.plots(), options.plot, file)
}

/// The `wanted` plot, or the first.
fn chosen(plots: Vec<Named>, wanted: Option<Name>, file: &Path) -> Result<Named, Failure> {
    let names: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| name_of(&wanted) == name);
    let several = plots.len() > 1 && wanted.is_none();
    let found = plots.into_iter().find(|(name, _)| is_wanted(name));
    if let (true, Some((name, _))) = (several, &found) {
        message::note(format_args!("drawn is {name}; --plot chooses of {names}"));
    }
    found.ok_or_else(|| {
        let file = file.display();
        let error = match wanted {
            Some(wanted) if !names.is_empty() => anyhow!(
                "{file} has no plot {}, but {names}; a sweep has factored if it is measured by `workspan scale --factored`, and \
                 bandwidth by `workspan bandwidth`",
                name_of(&wanted)
            ),
            _ => anyhow!("{file} has nothing to draw: no run on one thread that ended well"),
        };
        Failure::new(PROFILE, error)
    })
}

/// Name of the picture that a script in `sink` draws: that of the script, or else of the plot.
fn picture(sink: &Sink, name: &str) -> String {
    let stem = match sink {
        Sink::File(script) => script.file_stem(),
        Sink::Stdout | Sink::Stderr => None,
    };
    let stem = stem.map_or(name.into(), |stem| stem.to_string_lossy());
    format!("{stem}.svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_name_of_its_script() {
        let script = Sink::File("/some/where/app.gnuplot".into());
        assert_eq!(picture(&script, "speedup"), "app.svg");
        assert_eq!(picture(&Sink::Stdout, "speedup"), "speedup.svg");
    }
}
