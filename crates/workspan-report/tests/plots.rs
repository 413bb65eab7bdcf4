//! Plots of sweeps and of profiles, against golden files and read by other programs.
//! `SNAPSHOTS=overwrite` blesses what is drawn.

mod common;
mod profiles;
#[path = "../../../tests/skip.rs"]
mod skip;
mod sweeps;

use std::path::Path;
use std::process::Command;

use snapbox::{Data, assert_data_eq};
use sweeps::samples::{SAMPLES, Sample};
use unicode_width::UnicodeWidthStr;
use workspan_model::{analyse, analyse_with_dag, example};
use workspan_report::{Charset, Plot};

/// The colour of upper bounds and of maximal speedups.
const GREEN: [u8; 3] = [0x00, 0x9e, 0x73];
/// The colour of measured points.
const BLUE: [u8; 3] = [0x00, 0x72, 0xb2];
/// The colour of words and axes.
const GREY: [u8; 3] = [0x33; 3];
const WHITE: [u8; 3] = [0xff; 3];

/// The plots of all sweeps.
fn sweep_plots() -> Vec<(String, Plot)> {
    let named = |sample: &Sample| {
        let plots = sample.report().plots().into_iter();
        let name = sample.name;
        plots
            .map(|(plot, drawn)| (format!("{name}-{plot}"), drawn))
            .collect::<Vec<_>>()
    };
    SAMPLES.iter().flat_map(named).collect()
}

/// The plot of a profile with a prediction, without and with what a sweep measured.
fn quicksort_plots() -> [(String, Plot); 2] {
    let (mut profile, dag) = (example::quicksort(), example::quicksort_dag());
    profile.run.assumed_cores = 300;
    let analysis = analyse_with_dag(&profile, Some(&dag));
    let measured = SAMPLES[0].scaling.as_ref();
    [("expected", None), ("measured", measured)].map(|(name, measured)| {
        let plot = Plot::from_profile(&profile, &analysis, measured);
        (format!("quicksort-{name}"), plot)
    })
}

/// The plots of the quicksort and those of profiles without parallelism and with more than 256
/// cores can use.
fn profile_plots() -> Vec<(String, Plot)> {
    let profiles = profiles::all().into_iter();
    let extreme = profiles.filter(|(name, _)| ["serial", "fib"].contains(name));
    let plots = extreme.map(|(name, profile)| {
        let plot = Plot::from_profile(&profile, &analyse(&profile), None);
        (format!("profile-{name}"), plot)
    });
    plots.chain(quicksort_plots()).collect()
}

fn golden(name: &str) -> Data {
    common::golden(&format!("plots/{name}"))
}

#[test]
fn pictures_look_as_blessed() {
    for (name, plot) in sweep_plots().into_iter().chain(quicksort_plots()) {
        assert_data_eq!(plot.svg(), golden(&format!("{name}.svg")));
        let data = format!("{name}.dat");
        let script = plot.gnuplot(&data, &format!("{name}.gnuplot.svg"));
        assert_data_eq!(script, golden(&format!("{name}.gnuplot")));
        assert_data_eq!(plot.gnuplot_data(), golden(&data));
    }
}

#[test]
fn drawings_look_as_blessed() {
    for (name, plot) in quicksort_plots() {
        for (charset, extension) in [(Charset::Unicode, "txt"), (Charset::Ascii, "ascii.txt")] {
            let drawing = plot.lines(78, charset).join("\n") + "\n";
            assert_data_eq!(drawing, golden(&format!("{name}.{extension}")));
        }
    }
}

#[test]
fn drawings_have_no_other_characters_and_are_no_wider() {
    for (name, plot) in sweep_plots().into_iter().chain(profile_plots()) {
        let [unicode, ascii] =
            [Charset::Unicode, Charset::Ascii].map(|charset| plot.lines(60, charset));
        assert!(
            ascii.iter().all(|line| line.is_ascii()),
            "{name}: {ascii:#?}"
        );
        assert_eq!(unicode.len(), ascii.len(), "{name}");
        for (line, plain) in unicode.iter().zip(&ascii) {
            assert!(line.width() <= 60, "{name}: {line}");
            assert_eq!(line.width(), plain.width(), "{name}: {line}");
        }
    }
}

/// How many pixels of a picture have each of `colours`.
fn pixels_of<const N: usize>(picture: &[u8], colours: [[u8; 3]; N]) -> [usize; N] {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
    decoder.set_transformations(png::Transformations::STRIP_16 | png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1600, 1000));
    let pixels = pixels.chunks(info.color_type.samples());
    colours.map(|colour| pixels.clone().filter(|pixel| pixel[..3] == colour).count())
}

/// Asserts that a picture of a plot has its curves, words and axes. Pixels change with versions of
/// the libraries, so the rest is for people to look at.
fn assert_shows(name: &str, picture: &[u8]) {
    let [green, blue, grey, white] = pixels_of(picture, [GREEN, BLUE, GREY, WHITE]);
    let expected = if name.starts_with("profile") || name.ends_with("expected") {
        (green, "upper bound")
    } else {
        (blue, "measured points")
    };
    assert!(expected.0 > 200, "{name}: {}", expected.1);
    assert!(grey > 1_000, "{name}: words and axes");
    assert!(white > 1_300_000, "{name}: background");
}

/// A folder that is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("workspan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Runs `program` there. `None`, and a skip, if there is no such program.
    fn run(&self, program: &str, arguments: &[&str], package: &str) -> Option<()> {
        let ran = Command::new(program)
            .args(arguments)
            .current_dir(&self.0)
            .output();
        let Ok(ran) = ran else {
            skip::skip(
                program,
                &format!("not installed (apt-get install {package})"),
            );
            return None;
        };
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(
            ran.status.success() && said.is_empty(),
            "{arguments:?}: {said}"
        );
        Some(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind is no failure.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Real gnuplot runs the scripts unchanged, with the data in a file and in the script.
#[test]
fn gnuplot_draws_the_scripts() {
    let folder = Folder::new("gnuplot");
    for (name, plot) in sweep_plots().into_iter().chain(profile_plots()) {
        let [data, picture] = [format!("{name}.dat"), format!("{name}.svg")];
        let mut pictures = Vec::new();
        for script in [
            plot.gnuplot(&data, &picture),
            plot.gnuplot_with_data(&picture),
        ] {
            // Only one of the scripts reads the file.
            if script.contains(&data) {
                std::fs::write(folder.0.join(&data), plot.gnuplot_data()).unwrap();
            } else {
                std::fs::remove_file(folder.0.join(&data)).unwrap();
            }
            std::fs::write(folder.0.join("script.gnuplot"), script).unwrap();
            if folder
                .run("gnuplot", &["script.gnuplot"], "gnuplot-nox")
                .is_none()
            {
                return;
            }
            pictures.push(std::fs::read_to_string(folder.0.join(&picture)).unwrap());
        }
        assert!(pictures[0] == pictures[1], "{name}");
        let words = ["measured", "actual", "upper bound"];
        assert!(
            words.iter().any(|word| pictures[0].contains(word)),
            "{name}"
        );
    }
}

#[test]
fn librsvg_draws_the_pictures() {
    let folder = Folder::new("rsvg");
    for (name, plot) in sweep_plots().into_iter().chain(profile_plots()) {
        std::fs::write(folder.0.join("plot.svg"), plot.svg()).unwrap();
        let arguments = ["--width=1600", "--output=plot.png", "plot.svg"];
        if folder
            .run("rsvg-convert", &arguments, "librsvg2-bin")
            .is_none()
        {
            return;
        }
        let picture = std::fs::read(folder.0.join("plot.png")).unwrap();
        if let Some(pictures) = std::env::var_os("WORKSPAN_PICTURES") {
            std::fs::write(Path::new(&pictures).join(format!("{name}.png")), &picture).unwrap();
        }
        assert_shows(&name, &picture);
    }
}
