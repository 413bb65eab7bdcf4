//! What a plot shows.

use workspan_model::Estimate;

use crate::Charset;

/// Curves over numbers of threads or of copies, to be drawn as SVG, by gnuplot, or in a
/// terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) horizontal: &'static str,
    pub(crate) vertical: &'static str,
    pub(crate) scale: Scale,
    /// In the order in which they are drawn.
    pub(crate) curves: Vec<Curve>,
}

/// A curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) look: Look,
    /// From left to right.
    pub(crate) points: Vec<Point>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: f64,
    pub(crate) figure: Estimate<f64>,
}

/// How values are spaced on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From 0 on, equal differences equally far apart.
    Linear,
    /// Equal factors equally far apart.
    Logarithmic,
}

/// What a curve shows, which decides how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// What was measured.
    Measured,
    Linear,
    UpperBound,
    LowerBound,
    Predicted,
    Elision,
    Maximal,
    IdleSpecific,
    InflationSpecific,
}

impl Look {
    /// Red, green and blue of a colour that the colour-blind can tell from the others (Okabe and
    /// Ito, "Color Universal Design").
    pub(super) const fn colour(self) -> (u8, u8, u8) {
        match self {
            Self::Measured => (0x00, 0x72, 0xb2),
            Self::Linear => (0x8a, 0x8a, 0x8a),
            Self::UpperBound | Self::Maximal => (0x00, 0x9e, 0x73),
            Self::LowerBound | Self::InflationSpecific => (0xd5, 0x5e, 0x00),
            Self::Predicted | Self::IdleSpecific => (0xcc, 0x79, 0xa7),
            Self::Elision => (0xe6, 0x9f, 0x00),
        }
    }

    /// Lengths of a dash and of the gap after it, in pixels; `None` for a line without gaps.
    pub(super) const fn dashes(self) -> Option<(u32, u32)> {
        match self {
            Self::Measured | Self::UpperBound | Self::LowerBound | Self::Maximal => None,
            Self::Linear => Some((2, 4)),
            Self::Predicted | Self::IdleSpecific => Some((8, 4)),
            Self::InflationSpecific => Some((3, 3)),
            Self::Elision => Some((12, 4)),
        }
    }

    /// The character that draws it in a terminal.
    pub(super) const fn mark(self, charset: Charset) -> char {
        match self {
            Self::Measured => match charset {
                Charset::Unicode => '●',
                Charset::Ascii => '*',
            },
            Self::Linear => '.',
            Self::UpperBound => '^',
            Self::LowerBound => 'v',
            Self::Predicted => 'o',
            Self::Elision => 'e',
            Self::Maximal => 'm',
            Self::IdleSpecific => 'i',
            Self::InflationSpecific => 'w',
        }
    }

    /// Whether it consists of measured points, and not of a line that is known everywhere.
    pub(super) const fn has_points(self) -> bool {
        matches!(
            self,
            Self::Measured
                | Self::Elision
                | Self::Maximal
                | Self::IdleSpecific
                | Self::InflationSpecific
        )
    }
}
