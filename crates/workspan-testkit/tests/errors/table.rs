//! `ci/errors.toml`: how far off each figure of each program is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// Figures by name; the less the better.
pub type Row = BTreeMap<String, f64>;

/// By mode and program.
pub type Modes = BTreeMap<String, BTreeMap<String, Row>>;

/// The step between figures in the table, if not a hundredth of ten times as much: a tick more or less
/// in a change elsewhere shows nowhere.
const STEP: f64 = 0.1;

const HEAD: &str = "\
# How far off the engine's figures are in its default mode; crates/workspan-testkit/tests/errors says what each
# figure is, and fails if one is worse. With WORKSPAN_BLESS=1 it writes here what is better, new or gone.
";

/// The contents of the file.
#[derive(Deserialize)]
pub struct Table {
    /// What the figures are to come to.
    goal: Row,
    #[serde(flatten)]
    modes: Modes,
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
        let row = |(name, row): (&String, &Row)| {
            let figures = row
                .iter()
                .map(|(name, figure)| format!("{name} = {figure:.1}"));
            let figures: Vec<String> = figures.collect();
            format!("{name} = {{ {} }}\n", figures.join(", "))
        };
        let rows = |(mode, rows): (&String, &BTreeMap<String, Row>)| {
            format!("\n[{mode}]\n") + &rows.iter().map(row).collect::<String>()
        };
        let goal = row((&"goal".to_owned(), &self.goal));
        let text = HEAD.to_owned() + &goal + &self.modes.iter().map(rows).collect::<String>();
        std::fs::write(path(), text).expect("the table can be written");
    }

    /// How many programs miss each goal, by mode.
    pub fn misses(&self, found: &Modes) -> String {
        let of_mode = |(mode, rows): (&String, &BTreeMap<String, Row>)| {
            let misses = self.goal.iter().map(|(name, goal)| {
                let misses = rows
                    .values()
                    .filter(|row| row.get(name).is_some_and(|it| it > goal));
                format!(", {name} {}", misses.count())
            });
            let misses: String = misses.collect();
            format!("{mode}: of {} programs miss the goal{misses}\n", rows.len())
        };
        found.iter().map(of_mode).collect()
    }

    /// Has the table follow what is better than in it, new or gone. Returns what is worse, and what
    /// was followed.
    pub fn follow(&mut self, found: Modes) -> (Vec<String>, Vec<String>) {
        let (mut worse, mut followed) = (Vec::new(), Vec::new());
        let mut known = flat(std::mem::replace(&mut self.modes, found.clone()));
        for (key, found) in flat(found) {
            let [mode, program, name] = &key;
            let known = known.remove(&key);
            let change = format!("{}: {found:.3}, was {known:?}", key.join("."));
            let figure = match known {
                Some(known) if found > known => {
                    worse.push(change);
                    known
                }
                // No better than what rounding makes of it.
                Some(known) if found >= 0.9 * known - STEP => known,
                _ => {
                    followed.push(change);
                    rounded_up(name, found)
                }
            };
            let rows = self.modes.get_mut(mode).expect("it was found");
            let row = rows.get_mut(program).expect("it was found");
            row.insert(name.clone(), figure);
        }
        followed.extend(known.keys().map(|key| format!("{}: gone", key.join("."))));
        (worse, followed)
    }
}

fn flat(modes: Modes) -> BTreeMap<[String; 3], f64> {
    let mut flat = BTreeMap::new();
    for (mode, rows) in modes {
        for (program, row) in rows {
            for (name, figure) in row {
                flat.insert([mode.clone(), program.clone(), name], figure);
            }
        }
    }
    flat
}

/// To two digits; the number of misses is as it is.
fn rounded_up(name: &str, figure: f64) -> f64 {
    if name == "missed" || figure.is_infinite() {
        return figure;
    }
    let step = 10_f64.powf(figure.log10().floor() - 1.0).max(STEP);
    (figure / step).ceil().max(1.0) * step
}
