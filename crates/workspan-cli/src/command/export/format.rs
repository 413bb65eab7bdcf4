//! The formats of an export.

use std::fmt;

use clap::ValueEnum;

/// A format, named by the tool that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Call stacks for speedscope: open the file at <https://www.speedscope.app>, from where it is
    /// sent nowhere
    Speedscope,
    /// Call stacks for the Firefox Profiler: open the file at <https://profiler.firefox.com>, which
    /// keeps it in the browser
    Firefox,
    /// Call stacks for `go tool pprof` and what else reads its profile.proto, compressed by gzip
    Pprof,
    /// Call stacks, a line each: for flamegraph.pl, inferno and most other tools
    Collapsed,
    /// A flame graph of call stacks as SVG, for any browser
    Flamegraph,
    /// A plot of the speedups, as a picture for pages and documents
    Svg,
    /// The same as a script for gnuplot with its data, to be changed at will; it draws an SVG
    Gnuplot,
    /// What workers did over time, for <https://ui.perfetto.dev> and others that read Chrome's
    /// trace events; of a sweep measured with --factored
    Trace,
    /// The figures of all spawn sites, for spreadsheets; of a sweep, those of each number of
    /// threads
    Csv,
    /// All figures, for programs
    Json,
    /// The findings as SARIF 2.1.0, for code scanning
    Sarif,
    /// The task dag, for Graphviz
    Dot,
}

impl Format {
    /// Whether it is not text.
    pub(super) const fn is_binary(self) -> bool {
        matches!(self, Self::Pprof)
    }

    /// Whether it shows call stacks.
    pub(super) const fn shows_stacks(self) -> bool {
        matches!(
            self,
            Self::Speedscope | Self::Firefox | Self::Pprof | Self::Collapsed | Self::Flamegraph
        )
    }

    /// Whether it is a plot of speedups.
    pub(super) const fn is_plot(self) -> bool {
        matches!(self, Self::Svg | Self::Gnuplot)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(name_of(self).as_str())
    }
}

/// The name of `value` on the command line.
pub(in crate::command) fn name_of(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
