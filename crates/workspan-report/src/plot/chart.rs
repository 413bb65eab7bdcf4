//! Plots by plotters.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Extent;
use super::{Curve, Look, Plot};

/// Size of a picture, in units of length.
const SIZE: (u32, u32) = (800, 500);

const TEXT: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const BACKGROUND: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Distances between the axes and the edges of the picture: left, right, above, below.
const MARGINS: [i32; 4] = [56, 24, 84, 48];

/// Heights of the title, of the legend and of the name of the vertical axis.
const TITLE: i32 = 20;
const LEGEND: i32 = 44;
const VERTICAL_NAME: i32 = 68;

/// Height of text.
const TEXT_SIZE: u32 = 12;
const TITLE_SIZE: u32 = 16;

/// Approximate width of a character: the real one depends on the reader's font.
const CHARACTER: i32 = 8;

/// A line of the legend, and the gap between entries.
const LEGEND_LINE: i32 = 24;
const LEGEND_GAP: i32 = 14;

/// Half of the width of the ends of an interval.
const INTERVAL_END: i32 = 4;

const POINT_RADIUS: i32 = 3;

/// The shortest piece of a line, except the last.
const NEAR: f64 = 12.0;

/// plotters divides sizes of text by this before it writes them.
const PLOTTERS_TEXT: f64 = 1.24;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Draws `plot` over all of `area`.
fn draw(plot: &Plot, area: &Area<'_>) -> Drawn {
    area.fill(&BACKGROUND)?;
    let chart = Chart {
        area,
        extent: Extent::new(plot),
    };
    chart.axes(plot)?;
    chart.words(plot)?;
    plot.curves.iter().try_for_each(|curve| chart.line(curve))?;
    plot.curves.iter().try_for_each(|curve| chart.points(curve))
}

struct Chart<'a, 'b> {
    area: &'a Area<'b>,
    extent: Extent,
}

impl Chart<'_, '_> {
    /// Where a point of the plane is in the picture, in pixels.
    fn place(&self, at: f64, value: f64) -> (f64, f64) {
        let [left, right, above, below] = MARGINS.map(f64::from);
        let (width, height) = (
            f64::from(SIZE.0) - left - right,
            f64::from(SIZE.1) - above - below,
        );
        (
            left + width * self.extent.across(at),
            above + height * (1.0 - self.extent.up(value)),
        )
    }

    fn path(&self, points: &[(f64, f64)], colour: RGBColor, width: u32) -> Drawn {
        let points: Vec<(i32, i32)> = points.iter().map(|&point| rounded(point)).collect();
        let style = colour.stroke_width(width);
        self.area.draw(&PathElement::new(points, style))
    }

    fn text(&self, text: &str, place: (i32, i32), anchor: HPos, size: u32) -> Drawn {
        let size = f64::from(size) * PLOTTERS_TEXT;
        let style = TextStyle::from(("sans-serif", size).into_font())
            .color(&TEXT)
            .pos(Pos::new(anchor, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), place, style))
    }

    /// The grid and its figures.
    fn axes(&self, plot: &Plot) -> Drawn {
        let (left, right) = self.extent.horizontal;
        let (bottom, top) = self.extent.vertical;
        for step in &self.extent.steps {
            let ends = [self.place(left, step.at), self.place(right, step.at)];
            self.path(&ends, GRID, 1)?;
            let place = (ends[0].0 as i32 - 8, ends[0].1 as i32);
            self.text(&step.text, place, HPos::Right, TEXT_SIZE)?;
        }
        let mut free_from = i32::MIN;
        for tick in Extent::ticks(plot) {
            let ends = [self.place(tick, bottom), self.place(tick, top)];
            self.path(&ends, GRID, 1)?;
            let text = tick.to_string();
            let half = text.len() as i32 * CHARACTER / 2;
            let at = ends[0].0 as i32;
            if at - half >= free_from {
                self.text(&text, (at, ends[0].1 as i32 + 14), HPos::Center, TEXT_SIZE)?;
                free_from = at + half + CHARACTER;
            }
        }
        let corner = [
            self.place(left, top),
            self.place(left, bottom),
            self.place(right, bottom),
        ];
        self.path(&corner, TEXT, 1)
    }

    /// Title, names of the axes, legend.
    fn words(&self, plot: &Plot) -> Drawn {
        let [left, right, _, _] = MARGINS;
        let (width, height) = (SIZE.0 as i32, SIZE.1 as i32);
        let most = ((width - left) / (CHARACTER + 2)) as usize;
        let title = shortened(&plot.title, most);
        self.text(&title, (left, TITLE), HPos::Left, TITLE_SIZE)?;
        self.text(plot.vertical, (left, VERTICAL_NAME), HPos::Left, TEXT_SIZE)?;
        let middle = (left + width - right) / 2;
        self.text(
            plot.horizontal,
            (middle, height - 14),
            HPos::Center,
            TEXT_SIZE,
        )?;
        let mut at = left;
        for curve in &plot.curves {
            let ends = [at, at + LEGEND_LINE].map(|at| (f64::from(at), f64::from(LEGEND)));
            self.styled(&ends, curve.look)?;
            if curve.look.has_points() {
                let middle = f64::from(at + LEGEND_LINE / 2);
                self.dot((middle, f64::from(LEGEND)), curve.look)?;
            }
            at += LEGEND_LINE + 6;
            self.text(curve.name, (at, LEGEND), HPos::Left, TEXT_SIZE)?;
            at += curve.name.len() as i32 * CHARACTER + LEGEND_GAP;
        }
        Ok(())
    }

    fn line(&self, curve: &Curve) -> Drawn {
        let places = curve
            .points
            .iter()
            .map(|point| self.place(point.at, point.figure.value));
        self.styled(&thinned(places), curve.look)
    }

    /// A line that looks like that of a curve.
    fn styled(&self, points: &[(f64, f64)], look: Look) -> Drawn {
        let colour = colour(look);
        match look.dashes() {
            None => self.path(points, colour, 2),
            Some(lengths) => {
                let mut pieces = dashes(points, lengths).into_iter();
                pieces.try_for_each(|piece| self.path(&piece, colour, 2))
            }
        }
    }

    /// The points of measurements with their intervals.
    fn points(&self, curve: &Curve) -> Drawn {
        if !curve.look.has_points() {
            return Ok(());
        }
        for point in &curve.points {
            if point.figure.is_range() {
                let [low, high] = (point.figure.ends()).map(|value| self.place(point.at, value));
                let end = |(at, height): (f64, f64)| {
                    let half = f64::from(INTERVAL_END);
                    [(at - half, height), (at + half, height)]
                };
                for piece in [[low, high], end(low), end(high)] {
                    self.path(&piece, colour(curve.look), 1)?;
                }
            }
            self.dot(self.place(point.at, point.figure.value), curve.look)?;
        }
        Ok(())
    }

    fn dot(&self, place: (f64, f64), look: Look) -> Drawn {
        let dot = Circle::new(rounded(place), POINT_RADIUS, colour(look).filled());
        self.area.draw(&dot)
    }
}

fn rounded((horizontal, vertical): (f64, f64)) -> (i32, i32) {
    (horizontal.round() as i32, vertical.round() as i32)
}

/// The places of a line, without those so near the one before that, rounded to pixels, the piece
/// between them could point anywhere. The first and the last stay.
fn thinned(places: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut places = places.peekable();
    while let Some(place) = places.next() {
        let is_near = |last: &(f64, f64)| (place.0 - last.0).hypot(place.1 - last.1) < NEAR;
        if places.peek().is_none() || !kept.last().is_some_and(is_near) {
            kept.push(place);
        }
    }
    kept
}

const fn colour(look: Look) -> RGBColor {
    let (red, green, blue) = look.colour();
    RGBColor(red, green, blue)
}

/// `text`, or as much of its start as `most` characters hold.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{kept}...")
}

/// Other colours for dark pages.
const STYLE: &str = include_str!("dark.css");

impl Plot {
    /// The plot as a self-contained SVG of 800 × 500, for light and dark pages.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            // Writing to a string cannot fail.
            let _ = draw(self, &area);
            let _ = area.present();
        }
        let head = format!(
            "<title>{}</title>\n<style>\n{STYLE}</style>\n",
            escaped(&self.title)
        );
        match svg.find(">\n") {
            Some(end) => {
                svg.insert_str(end + 2, &head);
                svg
            }
            None => svg,
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

type Place = (f64, f64);

/// The dashes of a line through `points`: pieces of the first length with gaps of the second
/// between them. The pattern continues around corners.
pub(super) fn dashes(points: &[Place], (dash, gap): (u32, u32)) -> Vec<Vec<Place>> {
    let lengths = [f64::from(dash), f64::from(gap)];
    let mut pieces = Vec::new();
    let mut piece: Vec<Place> = points.first().copied().into_iter().collect();
    let mut is_gap = false;
    let mut left = lengths[0];
    for ends in points.windows(2) {
        let [mut from, to] = [ends[0], ends[1]];
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if !is_gap {
                    piece.push(to);
                }
                break;
            }
            let share = left / length;
            from = (
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            );
            if is_gap {
                piece = vec![from];
            } else {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            }
            is_gap = !is_gap;
            left = lengths[usize::from(is_gap)];
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let corner = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        assert_eq!(
            dashes(&corner, (4, 2)),
            [vec![(0.0, 0.0), (4.0, 0.0)], vec![(5.0, 1.0), (5.0, 5.0)],]
        );
        assert_eq!(
            dashes(&corner, (6, 2)),
            [
                vec![(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)],
                vec![(5.0, 3.0), (5.0, 5.0)],
            ]
        );
        assert!(dashes(&[(1.0, 1.0)], (4, 2)).is_empty());
    }
}
