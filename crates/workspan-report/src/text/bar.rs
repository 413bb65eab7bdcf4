//! Horizontal bars.

use crate::Screen;

/// A bar that fills `share` of `columns`, to an eighth of a column unless the screen is ASCII.
pub(super) fn bar(share: f64, columns: usize, screen: &Screen) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = share.clamp(0.0, 1.0);
    if screen.is_ascii() {
        return "#".repeat((share * columns as f64).round() as usize);
    }
    let eighths = (share * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// The lengths of the pieces of a bar of `columns`, given their shares. Rounding moves no boundary
/// by more than half a column.
pub(super) fn lengths(shares: &[f64], columns: usize) -> Vec<usize> {
    let mut before = 0.0;
    let mut boundary = 0;
    let length = |share: &f64| {
        before += share;
        let next = (before.clamp(0.0, 1.0) * columns as f64).round() as usize;
        next - std::mem::replace(&mut boundary, next)
    };
    shares.iter().map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Charset;

    #[test]
    fn bars_have_the_length_of_the_share() {
        let unicode = |share| bar(share, 6, &Screen::default());
        assert_eq!(unicode(0.0), "");
        assert_eq!(unicode(0.5), "███");
        assert_eq!(unicode(1.0), "██████");
        assert_eq!(unicode(0.6), "███▋");
        let ascii = Screen {
            charset: Charset::Ascii,
            ..Screen::default()
        };
        assert_eq!(bar(0.6, 6, &ascii), "####");
    }

    #[test]
    fn pieces_fill_the_bar() {
        assert_eq!(lengths(&[0.5, 0.3, 0.2], 10), [5, 3, 2]);
        assert_eq!(lengths(&[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], 10), [3, 4, 3]);
        assert_eq!(lengths(&[0.999, 0.001], 10), [10, 0]);
    }
}
