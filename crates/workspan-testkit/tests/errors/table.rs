//! `ci/errors.toml`: how far off each figure of each program is.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use serde::Deserialize;

/// Figures by name; the less the better.
pub type Row = BTreeMap<String, f64>;

/// What a figure may be at least, so that a change elsewhere by a tick shows nowhere.
const LEAST: f64 = 0.1;

const HEAD: &str = "\
# How far off the engine's figures are, in its default mode, on the programs of
# crates/workspan-testkit/tests/errors, which say what each figure is. That test holds them against this file:
# none may be worse. With WORKSPAN_BLESS=1 it writes what is better, new or gone.
";

/// The contents of the file.
#[derive(Deserialize)]
pub struct Table {
    /// What the figures are to come to.
    pub goal: Row,
    /// By mode and program.
    #[serde(flatten)]
    pub modes: BTreeMap<String, BTreeMap<String, Row>>,
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../ci/errors.toml")
}

impl Table {
    pub fn read() -> Self {
        let text = std::fs::read_to_string(path()).expect("the table is there");
        toml::from_str(&text).expect("the table is TOML")
    }

    pub fn write(&self) {
        let mut text = HEAD.to_owned();
        let row = |row: &Row| -> String {
            let figures = row
                .iter()
                .map(|(name, figure)| format!("{name} = {}", shown(*figure)));
            figures.collect::<Vec<_>>().join(", ")
        };
        writeln!(text, "goal = {{ {} }}", row(&self.goal)).expect("a string takes any text");
        for (mode, programs) in &self.modes {
            writeln!(text, "\n[{mode}]").expect("a string takes any text");
            for (program, figures) in programs {
                writeln!(text, "{program} = {{ {} }}", row(figures))
                    .expect("a string takes any text");
            }
        }
        std::fs::write(path(), text).expect("the table can be written");
    }

    /// Compares what was `found` with the table, and has that follow what is better, new or gone.
    /// Returns what is worse, and what has followed.
    pub fn follow(
        &mut self,
        found: BTreeMap<String, BTreeMap<String, Row>>,
    ) -> (Vec<String>, Vec<String>) {
        let (mut worse, mut followed) = (Vec::new(), Vec::new());
        let before = std::mem::take(&mut self.modes);
        for (mode, programs) in &before {
            let is_gone = |program: &&String| {
                !found
                    .get(mode)
                    .is_some_and(|found| found.contains_key(*program))
            };
            followed.extend(
                programs
                    .keys()
                    .filter(is_gone)
                    .map(|program| format!("{mode}.{program} is gone")),
            );
        }
        for (mode, programs) in found {
            for (program, figures) in programs {
                let known = before.get(&mode).and_then(|known| known.get(&program));
                let mut row = Row::new();
                for (name, found) in figures {
                    let known = known.and_then(|known| known.get(&name)).copied();
                    let change =
                        format!("{mode}.{program}.{name}: {found:.3}, in the table {known:?}");
                    let figure = match known {
                        Some(known) if found > known => {
                            worse.push(change);
                            known
                        }
                        // As much as rounding up makes of it.
                        Some(known) if found >= 0.9 * known - LEAST => known,
                        _ => {
                            followed.push(change);
                            rounded_up(found)
                        }
                    };
                    row.insert(name, figure);
                }
                self.modes
                    .entry(mode.clone())
                    .or_default()
                    .insert(program, row);
            }
        }
        (worse, followed)
    }
}

/// Two digits.
fn rounded_up(figure: f64) -> f64 {
    if figure.fract() == 0.0 || figure.is_infinite() {
        return figure;
    }
    let unit = 10_f64.powf(figure.log10().floor() - 1.0).max(LEAST);
    (figure / unit).ceil() * unit
}

fn shown(figure: f64) -> String {
    if figure.fract() == 0.0 && figure.is_finite() {
        format!("{figure:.1}")
    } else {
        let digits = usize::from(figure < 10.0);
        format!("{figure:.digits$}")
    }
}
