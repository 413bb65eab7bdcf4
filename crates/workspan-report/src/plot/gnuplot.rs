//! Plots by gnuplot.

use std::fmt::Write;

use workspan_model::Estimate;

use super::axis::Extent;
use super::{Curve, Plot, Scale};

/// Where the script gets its data from.
enum Source<'a> {
    /// A file that holds [`Plot::gnuplot_data`].
    File(&'a str),
    /// The script itself.
    Script,
}

/// Ends the data in a script; no line of data looks like it.
const END_OF_DATA: &str = "END_OF_DATA";

impl Plot {
    /// The script with which gnuplot 5 draws the plot from the file `data`, which holds
    /// [`gnuplot_data`](Self::gnuplot_data), to the file `picture`, an SVG. The names are relative
    /// to where gnuplot runs.
    pub fn gnuplot(&self, data: &str, picture: &str) -> String {
        script(self, &Source::File(data), picture)
    }

    /// The same script with the data in it.
    pub fn gnuplot_with_data(&self, picture: &str) -> String {
        script(self, &Source::Script, picture)
    }

    /// The data that the script of [`gnuplot`](Self::gnuplot) draws: a block for each curve, a line
    /// for each point.
    pub fn gnuplot_data(&self) -> String {
        // Gnuplot numbers blocks with two empty lines between them from 0.
        let mut data = String::new();
        for (index, curve) in self.curves.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            // Writing to a string cannot fail.
            let _ = writeln!(
                data,
                "{gap}# {}: {}, value, low, high",
                curve.name, self.horizontal
            );
            for point in &curve.points {
                let Estimate { value, low, high } = point.figure;
                let _ = writeln!(data, "{} {value} {low} {high}", point.at);
            }
        }
        data
    }
}

/// The script. All it needs of gnuplot is its terminal `svg`, which every build has.
fn script(plot: &Plot, source: &Source<'_>, picture: &str) -> String {
    let extent = Extent::new(plot);
    let (left, right) = extent.horizontal;
    let (bottom, top) = extent.vertical;
    let (scale, room, steps) = match plot.scale {
        Scale::Linear => {
            let margin = (right - left) / 50.0;
            let step = extent.steps[1].at - extent.steps[0].at;
            ("", (left - margin, right + margin), step.to_string())
        }
        Scale::Logarithmic => {
            let factor = (right / left).powf(1.0 / 50.0);
            let steps: Vec<&str> = extent.steps.iter().map(|step| step.text.as_str()).collect();
            let room = (left / factor, right * factor);
            (
                "set logscale xy 2\n",
                room,
                format!("({})", steps.join(", ")),
            )
        }
    };
    let ticks: Vec<String> = Extent::ticks(plot).iter().map(f64::to_string).collect();
    let data = source.name();
    let numbered = || plot.curves.iter().enumerate();
    // Bars come before the curves, since gnuplot blanks out what is around the points of bars.
    let bars = numbered().filter_map(|(index, curve)| bars(index, curve, data));
    let curves = numbered().map(|(index, curve)| line(index, curve, data));
    let curves: Vec<String> = bars.chain(curves).collect();
    let looks: String = numbered()
        .map(|(index, curve)| style(index, curve))
        .collect();
    format!(
        "set terminal svg size 800,500 enhanced background rgb 'white'\n\
         set output {picture}\n\
         set title {title} noenhanced\n\
         set xlabel {horizontal}\n\
         set ylabel {vertical}\n\
         {scale}set xrange [{}:{}]\n\
         set yrange [{bottom}:{top}]\n\
         set xtics ({})\n\
         set ytics {steps}\n\
         set grid linecolor rgb '#dddddd'\n\
         set key top left\n\
         {looks}\
         {source}\
         plot {}\n",
        room.0,
        room.1,
        ticks.join(", "),
        curves.join(", \\\n     "),
        picture = quoted(picture),
        title = quoted(&plot.title),
        horizontal = quoted(plot.horizontal),
        vertical = quoted(plot.vertical),
        source = source.definition(plot),
    )
}

impl Source<'_> {
    /// Its name in the script.
    const fn name(&self) -> &'static str {
        match self {
            Self::File(_) => "data",
            Self::Script => "$data",
        }
    }

    /// The lines of the script that define it.
    fn definition(&self, plot: &Plot) -> String {
        match self {
            Self::File(file) => format!("data = {}\n", quoted(file)),
            Self::Script => format!(
                "$data << {END_OF_DATA}\n{}{END_OF_DATA}\n",
                plot.gnuplot_data()
            ),
        }
    }
}

fn style(index: usize, curve: &Curve) -> String {
    let (red, green, blue) = curve.look.colour();
    let dashes = match curve.look.dashes() {
        None => "solid".to_owned(),
        Some((dash, gap)) => format!("({dash},{gap})"),
    };
    format!(
        "set style line {} linecolor rgb '#{red:02x}{green:02x}{blue:02x}' linewidth 2 dashtype {dashes} pointtype 7 pointsize 0.6\n",
        index + 1
    )
}

fn line(index: usize, curve: &Curve, data: &str) -> String {
    let style = index + 1;
    let with = if curve.look.has_points() {
        "linespoints"
    } else {
        "lines"
    };
    format!(
        "{data} index {index} using 1:2 with {with} linestyle {style} title {}",
        quoted(curve.name)
    )
}

/// The intervals of a curve that has some.
fn bars(index: usize, curve: &Curve, data: &str) -> Option<String> {
    let has_intervals = curve.points.iter().any(|point| point.figure.is_range());
    let style = index + 1;
    has_intervals.then(|| {
        format!(
            "{data} index {index} using 1:2:3:4 with yerrorbars linestyle {style} dashtype solid linewidth 1 pointtype 0 notitle"
        )
    })
}

/// Text in quotes, which gnuplot takes literally.
fn quoted(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(quoted("it's\na file"), "'it''sa file'");
    }
}
