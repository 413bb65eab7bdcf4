//! Pages about a task dag, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod common;

use std::collections::BTreeMap;

use common::{ASCII, written};
use snapbox::{Data, assert_data_eq};
use unicode_width::UnicodeWidthStr;
use workspan_model::{
    Change, Code, Dag, DagFigures, Diagnosis, Execution, Goal, Nanos, Profile, SchedulingCosts,
    SpeedupCurve, Until, advise, analyse_with_dag, example, find_code, find_sites, totals, what_if,
};
use workspan_report::{
    AdviceText, Charset, CodeView, DagText, Predictions, Renderer, Screen, Text, WhatIfText,
    diagnoses, explanation, in_charset,
};

const CORES: [u32; 4] = [2, 8, 64, 256];

/// The example and its dag.
struct Example {
    profile: Profile,
    dag: Dag,
    code: Code,
    sources: BTreeMap<String, String>,
}

impl Example {
    fn new() -> Self {
        Self::from_profile(example::quicksort())
    }

    fn from_profile(profile: Profile) -> Self {
        let dag = example::quicksort_dag();
        let lines =
            (1..=60).map(|line| format!("    let line_{line} = \"↻\"; // of the example\n"));
        Self {
            code: Code::new(&profile, &dag),
            sources: BTreeMap::from([("examples/quicksort.rs".to_owned(), lines.collect())]),
            profile,
            dag,
        }
    }

    fn view<'a>(
        &'a self,
        hot: &'a BTreeMap<usize, Vec<workspan_model::HotFunction>>,
    ) -> CodeView<'a> {
        CodeView {
            profile: &self.profile,
            code: &self.code,
            hot,
            sources: &self.sources,
            span: totals(&self.profile).span,
            is_truncated: false,
        }
    }

    fn dag(&self, screen: Screen) -> String {
        let totals = totals(&self.profile);
        let page = DagText {
            screen,
            shape: &self.dag.shape(),
            figures: &DagFigures::new(&self.dag, &self.code),
            measured: Some(&totals),
            grain: self.dag.time_of(self.dag.grain),
            bytes: 4_096,
        };
        written(|output| page.render(&self.view(&BTreeMap::new()), output))
    }

    /// With the join four times as parallel, and half of the tasks.
    fn what_if(&self, screen: Screen) -> String {
        let site = "quicksort.rs:31";
        let code = find_code(&self.profile, &self.dag, &self.code, site).unwrap();
        let sites = find_sites(&self.profile, &self.dag, site).unwrap();
        let changes = [
            (
                site.to_owned(),
                Change::Coarsen {
                    sites,
                    factor: 2,
                    cost: 20,
                },
            ),
            (site.to_owned(), Change::Parallelise { code, factor: 4.0 }),
        ];
        self.answer(&changes, None, screen)
    }

    /// With the join faster, in a program that does much under a lock.
    fn what_if_locked(&self, screen: Screen) -> String {
        let locked = Self::from_profile(example::locked_quicksort());
        let site = "quicksort.rs:31";
        let code = find_code(&locked.profile, &locked.dag, &locked.code, site).unwrap();
        let change = Change::SpeedUp { code, factor: 1.1 };
        locked.answer(&[(site.to_owned(), change)], None, screen)
    }

    fn advise_locked(&self, screen: Screen) -> String {
        Self::from_profile(example::locked_quicksort()).advise(screen)
    }

    fn until(&self, screen: Screen) -> String {
        let words = "root";
        let code = find_code(&self.profile, &self.dag, &self.code, words).unwrap();
        let until = self
            .dag
            .parallelised_until(std::slice::from_ref(&code), 1e6);
        let factor = until.factor();
        let changes = [(words.to_owned(), Change::Parallelise { code, factor })];
        self.answer(&changes, Some((1e6, until)), screen)
    }

    fn answer(
        &self,
        changes: &[(String, Change)],
        until: Option<(f64, Until)>,
        screen: Screen,
    ) -> String {
        let plain: Vec<Change> = changes.iter().map(|(_, change)| change.clone()).collect();
        let costs = SchedulingCosts::default();
        let answer = what_if(
            &self.dag,
            &self.code,
            &plain,
            Execution::new(&self.profile, &self.dag, &costs, &CORES),
        );
        let page = WhatIfText {
            screen,
            changes,
            until,
        };
        written(|output| page.render(&answer, &self.view(&BTreeMap::new()), output))
    }

    fn advise(&self, screen: Screen) -> String {
        let goal = Goal {
            target: 128.0,
            factor: 16.0,
            least_strand: Nanos::from_nanos(100_000),
            locked: totals(&self.profile).locked,
        };
        let advice = advise(&self.dag, &self.code, goal);
        let changes = advice.changes(&self.code);
        let costs = SchedulingCosts::default();
        let gain = what_if(
            &self.dag,
            &self.code,
            &changes,
            Execution::new(&self.profile, &self.dag, &costs, &CORES),
        );
        let page = AdviceText {
            screen,
            goal,
            file: "target/workspan/quicksort.wsp",
        };
        written(|output| page.render(&advice, &gain, &self.view(&BTreeMap::new()), output))
    }

    fn curve(&self) -> SpeedupCurve {
        let analysis = analyse_with_dag(&self.profile, Some(&self.dag));
        analysis.predicted.unwrap()
    }

    fn predict(&self, screen: Screen) -> String {
        let predictions = Predictions {
            profile: &self.profile,
            dag: &self.dag,
            curve: &self.curve(),
        };
        written(|output| predictions.text(screen, output))
    }

    /// The report of a run that recorded its dag.
    fn report(&self, screen: Screen) -> String {
        let analysis = analyse_with_dag(&self.profile, Some(&self.dag));
        let text = Text {
            screen,
            ..Text::default()
        };
        written(|output| text.render(&self.profile, &analysis, output))
    }
}

type Page = fn(&Example, Screen) -> String;

const PAGES: [(&str, Page); 8] = [
    ("dag", Example::dag),
    ("whatif", Example::what_if),
    ("whatif-until", Example::until),
    ("whatif-locked", Example::what_if_locked),
    ("advise", Example::advise),
    ("advise-locked", Example::advise_locked),
    ("predict", Example::predict),
    ("report", Example::report),
];

fn golden(name: &str) -> Data {
    common::golden(&format!("dag/{name}"))
}

#[test]
fn pages_look_as_blessed() {
    let example = Example::new();
    for (name, page) in PAGES {
        for width in [80, 200] {
            let text = page(&example, Screen::default().with_width(width));
            assert_data_eq!(text, golden(&format!("{name}.{width}.txt")));
        }
        assert_data_eq!(page(&example, ASCII), golden(&format!("{name}.ascii.txt")));
    }
}

#[test]
fn lines_fit_the_width() {
    let example = Example::new();
    for (name, page) in PAGES {
        for width in [40, 60, 79, 80, 100, 120, 200] {
            for line in page(&example, Screen::default().with_width(width)).lines() {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
        }
    }
}

/// Except lines of source, which keep their characters.
#[test]
fn ascii_pages_are_ascii() {
    let example = Example::new();
    for (name, page) in PAGES {
        for line in page(&example, ASCII).lines() {
            let is_source = line.contains("of the example");
            assert!(
                line.is_ascii() || is_source && line.contains('↻'),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn the_list_of_findings_looks_as_blessed() {
    assert_data_eq!(diagnoses(), golden("explain.txt"));
    for diagnosis in Diagnosis::ALL {
        let text = explanation(diagnosis);
        assert_eq!(in_charset(&text, Charset::Unicode), text);
        let ascii = in_charset(&text, Charset::Ascii);
        assert_eq!(ascii.lines().count(), text.lines().count());
        let left: String = ascii.chars().filter(|letter| !letter.is_ascii()).collect();
        assert!(left.chars().all(char::is_alphabetic), "{diagnosis}: {left}");
    }
}
