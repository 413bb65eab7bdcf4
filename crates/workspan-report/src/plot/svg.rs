//! Plots as SVG.

use plotters::prelude::*;

use super::Plot;
use super::chart;

/// Other colours for dark pages.
const STYLE: &str = include_str!("dark.css");

/// Draws `plot`, with text in the reader's fonts.
pub(super) fn svg(plot: &Plot) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, chart::SIZE).into_drawing_area();
        // Writing to a string cannot fail.
        let _ = chart::draw(plot, &area);
        let _ = area.present();
    }
    let head = format!(
        "<title>{}</title>\n<style>\n{STYLE}</style>\n",
        escaped(&plot.title)
    );
    match svg.find(">\n") {
        Some(end) => {
            svg.insert_str(end + 2, &head);
            svg
        }
        None => svg,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
