//! Plots in a terminal.

use super::axis::Extent;
use super::{Curve, Plot};
use crate::Charset;

/// How many lines the vertical axis takes.
const HEIGHT: usize = 16;

/// Width of the figures of the vertical axis.
const FIGURES: usize = 5;

/// The widest that a plot gets, so that it fits 80 columns where it is indented.
const MOST_WIDTH: usize = 78;

/// The characters of a drawing that belong to no curve.
struct Strokes {
    /// The vertical axis, and where it has a figure.
    axis: char,
    step: char,
    corner: char,
    /// The horizontal axis, and where it has a figure.
    floor: char,
    tick: char,
    /// An interval above and below a point.
    interval: char,
    /// Between measurements.
    between: char,
}

impl Strokes {
    const fn new(charset: Charset) -> Self {
        let [axis, step, corner, floor, tick, interval, between] = match charset {
            Charset::Unicode => ['│', '┤', '└', '─', '┴', '│', '·'],
            Charset::Ascii => ['|', '+', '+', '-', '+', '|', ':'],
        };
        Self {
            axis,
            step,
            corner,
            floor,
            tick,
            interval,
            between,
        }
    }
}

impl Plot {
    /// The plot as lines of text, at most `width` columns wide, with a legend.
    pub fn lines(&self, width: usize, charset: Charset) -> Vec<String> {
        let width = width.min(MOST_WIDTH) - FIGURES - 2;
        let mut canvas = Canvas::new(width - beyond_axis(self), Extent::new(self), charset);
        for curve in &self.curves {
            canvas.draw(curve);
        }
        let mut lines = vec![format!("{:FIGURES$}", self.vertical)];
        let mut figures = vec![String::new(); HEIGHT];
        for step in &canvas.extent.steps {
            figures[canvas.row(step.at)].clone_from(&step.text);
        }
        for (cells, text) in canvas.rows.iter().zip(figures) {
            let cells: String = cells.iter().collect();
            let axis = if text.is_empty() {
                canvas.strokes.axis
            } else {
                canvas.strokes.step
            };
            lines.push(format!("{text:>FIGURES$} {axis}{}", cells.trim_end()));
        }
        lines.extend(bottom(self, &canvas));
        lines.extend(legend(self, width, charset));
        lines
    }
}

/// The columns that the last figure of the horizontal axis and the axis' name take beyond its end.
fn beyond_axis(plot: &Plot) -> usize {
    let ticks = Extent::ticks(plot).into_iter();
    let figures = ticks.map(|tick| tick.to_string().len() - 1);
    figures.max().unwrap_or(0) + 1 + plot.horizontal.len()
}

/// The horizontal axis and those of its figures that have room.
fn bottom(plot: &Plot, canvas: &Canvas) -> [String; 2] {
    let Strokes {
        corner,
        floor,
        tick,
        ..
    } = canvas.strokes;
    let mut axis = vec![floor; canvas.columns];
    let mut figures = vec![' '; canvas.columns + FIGURES];
    let mut free_from = 0;
    for at in Extent::ticks(plot) {
        let column = canvas.column(at);
        axis[column] = tick;
        let text = at.to_string();
        if column >= free_from {
            for (index, digit) in text.chars().enumerate() {
                figures[column + index] = digit;
            }
            free_from = column + text.len() + 1;
        }
    }
    let axis: String = axis.into_iter().collect();
    let figures: String = figures.into_iter().collect();
    let figures = figures.trim_end();
    [
        format!("{:FIGURES$} {corner}{axis}", ""),
        format!("{:FIGURES$}  {figures} {}", "", plot.horizontal),
    ]
}

/// What the marks stand for, in as many lines as that takes.
fn legend(plot: &Plot, columns: usize, charset: Charset) -> Vec<String> {
    let mut lines = vec![String::new()];
    for curve in plot.curves.iter().rev() {
        let entry = format!("{} {}   ", curve.look.mark(charset), curve.name);
        match lines.last_mut() {
            Some(line) if line.chars().count() + entry.chars().count() <= columns => {
                line.push_str(&entry);
            }
            _ => lines.push(entry),
        }
    }
    let lines = lines.into_iter();
    lines
        .map(|line| format!("{:FIGURES$}  {}", "", line.trim_end()))
        .collect()
}

/// The row at a height from 0 to 1.
fn row_at(up: f64) -> usize {
    HEIGHT - 1 - (up.clamp(0.0, 1.0) * (HEIGHT - 1) as f64).round() as usize
}

/// The characters between the axes.
struct Canvas {
    columns: usize,
    extent: Extent,
    charset: Charset,
    strokes: Strokes,
    /// From top to bottom.
    rows: Vec<Vec<char>>,
}

impl Canvas {
    fn new(columns: usize, extent: Extent, charset: Charset) -> Self {
        Self {
            columns,
            extent,
            charset,
            strokes: Strokes::new(charset),
            rows: vec![vec![' '; columns]; HEIGHT],
        }
    }

    fn column(&self, at: f64) -> usize {
        (self.extent.across(at) * (self.columns - 1) as f64).round() as usize
    }

    fn row(&self, value: f64) -> usize {
        row_at(self.extent.up(value))
    }

    /// Draws lines between the points, dotted between measurements, then the intervals, then the
    /// points.
    fn draw(&mut self, curve: &Curve) {
        let mark = curve.look.mark(self.charset);
        let between = if curve.look.has_points() {
            self.strokes.between
        } else {
            mark
        };
        for ends in curve.points.windows(2) {
            let [from, to] = [ends[0], ends[1]];
            let [first, last] = [self.column(from.at), self.column(to.at)];
            let [low, high] = [from, to].map(|end| self.extent.up(end.figure.value));
            for column in first + 1..last {
                let share = (column - first) as f64 / (last - first) as f64;
                self.put(row_at(low + (high - low) * share), column, between);
            }
        }
        for point in &curve.points {
            let column = self.column(point.at);
            if point.figure.is_range() && curve.look.has_points() {
                for row in self.row(point.figure.high)..=self.row(point.figure.low) {
                    self.put(row, column, self.strokes.interval);
                }
            }
        }
        for point in &curve.points {
            let [row, column] = [self.row(point.figure.value), self.column(point.at)];
            self.rows[row][column] = mark;
        }
    }

    /// Puts a character in a cell; a dot between measurements only if the cell is blank.
    fn put(&mut self, row: usize, column: usize, character: char) {
        let between = self.strokes.between;
        let cell = &mut self.rows[row][column];
        if *cell == ' ' || character != between {
            *cell = character;
        }
    }
}
