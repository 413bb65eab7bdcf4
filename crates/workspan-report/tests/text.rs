//! The report as text, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod common;
mod profiles;

use common::{ASCII, COLOURED, golden, joined, without_escapes, written};
use snapbox::assert_data_eq;
use unicode_width::UnicodeWidthStr;
use workspan_model::{
    BurdenSource, Dag, MeasureKind, Nanos, On, Profile, Samples, SiteRow, analyse,
    analyse_with_dag, example, select_rows,
};
use workspan_report::{
    MeasuredProgram, Predictions, Renderer, Screen, SiteColumn, SiteTable, Text, machine_costs,
    measured_programs,
};

fn rendered(profile: &Profile, text: Text) -> String {
    written(|output| text.render(profile, &analyse(profile), output))
}

/// The report, laid out for a screen.
fn on(screen: Screen) -> Text {
    Text {
        screen,
        ..Text::default()
    }
}

fn of_width(width: usize) -> Screen {
    Screen::default().with_width(width)
}

#[test]
fn reports_look_as_blessed() {
    for (name, profile) in profiles::all() {
        for width in [80, 200] {
            let text = rendered(&profile, on(of_width(width)));
            assert_data_eq!(text, golden(&format!("{name}.{width}.txt")));
        }
    }
}

/// The table of `sites` in a report, from its heading on.
fn sites(profile: &Profile, sites: SiteTable) -> String {
    let text = Text {
        sites,
        ..Text::default()
    };
    let report = rendered(profile, text);
    let (_, table) = report.split_once("sites, by ").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    format!("{table}\n")
}

fn columns(names: &str) -> Vec<SiteColumn> {
    let names = names.split(',');
    names.map(|name| name.parse().unwrap()).collect()
}

#[test]
fn tables_of_sites_look_as_blessed() {
    // Cilkprof Fig. 2.
    let figure_2 = "location,kind,work-on-work,span-on-work,parallelism-on-work,work-on-span,span-on-span,\
                    local-work-on-span,local-span-on-span";
    let tables = [
        (
            "figure-2",
            SiteTable {
                columns: columns(figure_2),
                filter: Some("FN".to_owned()),
                ..SiteTable::default()
            },
        ),
        (
            "top-caller",
            SiteTable {
                sort: SiteColumn::WORK,
                measure: Some(MeasureKind::TopCaller),
                ..SiteTable::default()
            },
        ),
        (
            "local-on-span",
            SiteTable {
                measure: Some(MeasureKind::Local),
                on: Some(On::Span),
                filter: Some("Partition".to_owned()),
                most: None,
                ..SiteTable::default()
            },
        ),
        (
            "by-name",
            SiteTable {
                columns: columns("name,kind,location,function,count,spawns,syncs,stolen,blocked"),
                sort: "name".parse().unwrap(),
                most: Some(3),
                ..SiteTable::default()
            },
        ),
        (
            "nothing-left",
            SiteTable {
                filter: Some("no such thing".to_owned()),
                ..SiteTable::default()
            },
        ),
    ];
    for (name, table) in tables {
        let text = sites(&profiles::functions(), table);
        assert_data_eq!(text, golden(&format!("sites.{name}.txt")));
    }
}

#[test]
fn what_an_older_profile_lacks_is_not_shown_as_zero() {
    let (_, old) = &profiles::all()[1];
    let table = SiteTable {
        columns: columns("location,work,local-span,work-on-span,span-on-span"),
        ..SiteTable::default()
    };
    assert_data_eq!(sites(old, table), golden("sites.older.txt"));
    let path = Text {
        path_of: Some(vec![1]),
        ..Text::default()
    };
    let text = rendered(old, path);
    assert!(text.contains("this profile does not tell"), "{text}");
}

#[test]
fn options_hold_for_several_runs_too() {
    let table = SiteTable {
        sort: "stolen".parse().unwrap(),
        columns: columns("location,stolen,local-work"),
        filter: Some("src/".to_owned()),
        ..SiteTable::default()
    };
    let text = Text {
        sites: table,
        ..Text::default()
    };
    let report = rendered(&profiles::runs(), text);
    let (_, tables) = report.split_once("Spawn sites, by ").unwrap();
    let (tables, _) = tables.split_once("\nNotes\n").unwrap();
    assert_data_eq!(tables, golden("sites.runs.txt"));
}

#[test]
fn the_call_tree_looks_as_blessed() {
    for (name, profile, threshold, width) in [
        ("functions", profiles::functions(), 0.01, 80),
        ("functions-whole", profiles::functions(), 0.0, 200),
        ("runs", profiles::runs(), 0.05, 80),
    ] {
        let text = Text {
            tree: Some(threshold),
            ..on(of_width(width))
        };
        assert_data_eq!(
            rendered(&profile, text),
            golden(&format!("tree.{name}.txt"))
        );
    }
}

#[test]
fn paths_of_sites_look_as_blessed() {
    let profile = profiles::functions();
    let rows = analyse(&profile).sites;
    for (name, words, most) in [
        ("region", "sort", None),
        ("left", "quicksort.rs:32", Some(2)),
        ("partition", "quicksort::partition", None),
        ("calls", "function at quicksort", None),
        ("root", "root", None),
    ] {
        let text = Text {
            path_of: Some(select_rows(&rows, words).unwrap()),
            sites: SiteTable {
                most,
                ..SiteTable::default()
            },
            ..Text::default()
        };
        assert_data_eq!(
            rendered(&profile, text),
            golden(&format!("path.{name}.txt"))
        );
    }
}

#[test]
fn a_path_known_in_part_says_so() {
    let mut profile = profiles::functions();
    let text = |profile: &Profile| {
        let partition = Text {
            path_of: Some(vec![0]),
            ..Text::default()
        };
        rendered(profile, partition)
    };
    assert!(!text(&profile).contains("is told"));
    for node in &mut profile.tree[1..] {
        node.path.retain(|part| part.node.0 != 16);
    }
    let text = text(&profile);
    assert!(text.contains("66.9% of the span is told"), "{text}");
    assert!(text.contains(" 100%"), "{text}");
}

#[test]
fn colour_looks_as_blessed() {
    let (_, profile) = &profiles::all()[1];
    let text = rendered(profile, on(COLOURED));
    assert_data_eq!(text, golden("wordcount.colour.txt"));
}

#[test]
fn the_cost_of_the_engine_looks_as_blessed() {
    let text = Text {
        engine: true,
        ..Text::default()
    };
    for (name, profile) in [
        ("fib", profiles::fib()),
        ("quicksort", example::quicksort()),
    ] {
        let whole = rendered(&profile, text.clone());
        let (_, engine) = whole.split_once("What the engine cost\n").unwrap();
        assert_data_eq!(engine, golden(&format!("{name}.engine.txt")));
        assert!(!rendered(&profile, Text::default()).contains("What the engine cost"));
    }
}

/// The section on functions, its lines joined.
fn functions_of(profile: &Profile) -> String {
    let text = rendered(profile, Text::default());
    let heading = ["What the span is made of", "What the work is made of"];
    let (_, section) = heading
        .iter()
        .find_map(|heading| text.split_once(heading))
        .unwrap();
    joined(section.split_once("\n\n").unwrap().0)
}

#[test]
fn reports_say_why_samples_name_no_function() {
    let with = |change: fn(&mut Samples)| {
        let mut profile = profiles::sampled();
        change(profile.samples.as_mut().unwrap());
        functions_of(&profile)
    };
    let few = with(|samples| samples.taken = Some(100));
    assert!(
        few.contains("samples on the critical path: too few to tell what the span"),
        "{few}"
    );
    let fewer = with(|samples| samples.taken = Some(10));
    assert!(fewer.contains("too few to tell functions apart"), "{fewer}");
    let none = with(|samples| {
        samples.stacks.clear();
        samples.note = Some("another profiler uses SIGPROF".to_owned());
    });
    assert_eq!(none, "No samples: another profiler uses SIGPROF.");
    let some = with(|samples| samples.note = Some("some threads were not sampled".to_owned()));
    assert!(
        some.contains("About the sampling: some threads were not sampled."),
        "{some}"
    );
    let unknown = with(|samples| {
        for frame in &mut samples.frames {
            frame.user_code = false;
        }
    });
    assert!(
        unknown.contains("library code whose caller is not known"),
        "{unknown}"
    );
}

#[test]
fn waits_are_in_no_function() {
    let mut profile = profiles::sampled();
    profile.tree[0].on_work.blocked = Nanos::from_nanos(9_000_000);
    let text = functions_of(&profile);
    assert!(
        text.contains("waits, about 9.00 ms of the span, are in no function"),
        "{text}"
    );
}

#[test]
fn the_answers_name_the_function_that_makes_up_the_span_or_else_the_work() {
    let verdict = |profile: &Profile| {
        let text = rendered(profile, Text::default());
        joined(text.split_once("\n\n").unwrap().0)
    };
    let mut profile = profiles::sampled();
    let partition = "of the span is in sorting::partition (examples/src/sorting.rs:14), called at \
                     examples/quicksort.rs:30.";
    assert!(verdict(&profile).contains(partition));
    profile.samples.as_mut().unwrap().taken = Some(100);
    assert!(verdict(&profile).contains("of the work is in sorting::"));
}

#[test]
fn instances_look_as_blessed() {
    let text = Text {
        instances: true,
        ..Text::default()
    };
    let mut few = text.clone();
    few.sites.most = Some(2);
    let few = rendered(&profiles::regions(), few);
    assert!(
        few.contains("\n  and 1 more; --limit all shows them"),
        "{few}"
    );
    assert!(few.contains("  2, at 200 ms  ") && !few.contains("  3, at "));
    let whole = rendered(&profiles::regions(), text.clone());
    let (_, instances) = whole.split_once("\nInstances").unwrap();
    let (instances, _) = instances.split_once("\nCall sites").unwrap();
    assert_data_eq!(instances, golden("regions.instances.txt"));
    let quicksort = example::quicksort();
    assert_eq!(
        rendered(&quicksort, text),
        rendered(&quicksort, Text::default())
    );
}

#[test]
fn a_narrow_interval_of_the_span_is_not_shown() {
    // Counts are exact but for what tiny tasks leave open.
    let mut profile = profiles::fib();
    profile.run.metric.unit = "instructions".to_owned();
    profile.timing.span_open = Nanos::from_nanos(9);
    profile.timing.burdened_span_open = Nanos::from_nanos(2_000);
    let text = rendered(&profile, Text::default());
    assert!(!text.contains("--exact narrows"), "{text}");
    profile.timing.span_open = Nanos::from_nanos(2_000);
    let text = rendered(&profile, Text::default());
    assert!(text.contains("--exact narrows"), "{text}");
    assert!(text.contains("at least 14,096"), "{text}");
}

#[test]
fn the_costs_of_a_machine_look_as_blessed() {
    let text = |screen| written(|output| machine_costs(&profiles::machine_costs(), screen, output));
    assert_data_eq!(text(Screen::default()), golden("machine-costs.txt"));
    assert!(text(ASCII).is_ascii());
    for width in [40, 60, 200] {
        let text = text(of_width(width));
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
    }
}

#[test]
fn the_burden_has_a_source() {
    let burden = |source| {
        let mut profile = example::quicksort();
        profile.run.burden_source = source;
        let text = rendered(&profile, Text::default());
        let (_, burden) = text.split_once("  Burden     ").unwrap();
        joined(burden.split_once("\n\nFindings").unwrap().0)
    };
    assert!(burden(Some(BurdenSource::Cilkview)).contains("Cilkview's figure, 15,000 cycles"));
    assert!(burden(Some(BurdenSource::Given)).ends_with("given by --burden"));
    assert!(burden(None).ends_with("set by --burden"));
    let measured = burden(Some(BurdenSource::Measured(profiles::machine_costs())));
    assert!(
        measured.ends_with("a steal 520 ns, the way back 555 ns; a wake-up takes 16.6 µs"),
        "{measured}"
    );
}

#[test]
fn lines_fit_the_width() {
    for (name, profile) in profiles::all() {
        for width in (40..=130).chain([200]) {
            for text in [
                on(of_width(width)),
                Text {
                    tree: Some(0.0),
                    engine: true,
                    instances: true,
                    ..on(of_width(width))
                },
                Text {
                    path_of: Some(vec![0]),
                    ..on(of_width(width))
                },
            ] {
                for line in rendered(&profile, text).lines() {
                    assert!(line.width() <= width, "{name} at {width}: {line}");
                }
            }
        }
    }
}

#[test]
fn a_narrow_screen_has_all_that_a_wide_one_has() {
    for (name, profile) in profiles::all() {
        let digits_of_totals = |text: &str| -> String {
            let (_, totals) = text.split_once("Parallelism profile\n").unwrap();
            let (totals, _) = totals.split_once("\n\n").unwrap();
            totals.chars().filter(char::is_ascii_digit).collect()
        };
        let narrow = rendered(&profile, on(of_width(40)));
        let usual = rendered(&profile, on(of_width(80)));
        assert_eq!(
            digits_of_totals(&narrow),
            digits_of_totals(&usual),
            "{name}"
        );
    }
}

#[test]
fn the_first_screen_answers_the_three_questions() {
    const QUESTIONS: [&str; 3] = [
        "Is there enough parallelism?",
        "What makes up the span?",
        "What to try?",
    ];
    for (name, profile) in profiles::all() {
        let text = rendered(&profile, Text::default());
        let mut lines = text.lines();
        assert!(lines.next().unwrap().contains("workspan"));
        let answers: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let first_screen = 24;
        assert!(answers.len() < first_screen - 1, "{name}: {answers:?}");
        let starts = QUESTIONS.map(|question| {
            let place = answers.iter().position(|line| line.starts_with(question));
            place.unwrap_or_else(|| panic!("{name}: no `{question}`"))
        });
        assert_eq!(starts[0], 0, "{name}");
        assert!(starts.is_sorted(), "{name}");
        // Each is followed by a sentence.
        for (start, end) in starts
            .into_iter()
            .zip([starts[1], starts[2], answers.len()])
        {
            assert!(end > start + 1, "{name}: {answers:?}");
        }
    }
}

#[test]
fn narrow_screens_look_as_blessed() {
    for name in ["wordcount", "functions", "regions", "runs"] {
        let mut all = profiles::all().into_iter();
        let (_, profile) = all.find(|(found, _)| *found == name).unwrap();
        let text = rendered(&profile, on(of_width(40)));
        assert_data_eq!(text, golden(&format!("{name}.40.txt")));
    }
}

#[test]
fn ascii_looks_as_blessed() {
    for name in ["quicksort", "wordcount", "runs", "sampled"] {
        let mut all = profiles::all().into_iter();
        let (_, profile) = all.find(|(found, _)| *found == name).unwrap();
        let text = rendered(&profile, on(ASCII));
        assert_data_eq!(text, golden(&format!("{name}.ascii.txt")));
    }
}

#[test]
fn ascii_reports_are_ascii() {
    for (name, profile) in profiles::all() {
        for text in [
            on(ASCII),
            Text {
                engine: true,
                instances: true,
                ..on(ASCII)
            },
            Text {
                tree: Some(0.0),
                ..on(ASCII)
            },
            Text {
                path_of: Some(vec![0]),
                ..on(ASCII)
            },
        ] {
            for line in rendered(&profile, text).lines() {
                assert!(line.is_ascii(), "{name}: {line}");
            }
        }
    }
}

#[test]
fn names_stay_in_ascii_and_cannot_control_the_terminal() {
    let mut profile = profiles::sampled();
    for site in &mut profile.sites {
        if let Some(location) = &mut site.location {
            location.file = "größe/数/\u{1b}[2Ja.rs".to_owned();
        }
    }
    let text = rendered(&profile, on(ASCII));
    assert!(text.contains("größe/数/\\u{1b}[2Ja.rs"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn colour_changes_nothing_but_the_escapes() {
    for (name, profile) in profiles::all() {
        let plain = rendered(&profile, Text::default());
        let coloured = rendered(&profile, on(COLOURED));
        assert!(coloured.contains('\u{1b}'), "{name}");
        assert_eq!(without_escapes(&coloured), plain, "{name}");
    }
}

#[test]
fn the_table_of_sites_stops_at_the_limit_and_says_so() {
    let (_, profile) = &profiles::all()[1];
    let text = rendered(
        profile,
        Text {
            sites: SiteTable {
                most: Some(2),
                ..SiteTable::default()
            },
            ..Text::default()
        },
    );
    let rows: Vec<SiteRow> = analyse(profile).sites;
    assert_eq!(rows.len(), 7);
    assert!(
        text.contains("and 5 more with at most 11.7% of the span each"),
        "{text}"
    );
    let (_, table) = text.split_once("Spawn sites").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    assert!(!table.contains("main.rs:77:14"), "{table}");
}

#[test]
fn predictions_stand_between_the_bounds() {
    let profile = example::quicksort();
    let analysis = analyse_with_dag(&profile, Some(&example::quicksort_dag()));
    let text = written(|output| Text::default().render(&profile, &analysis, output));
    let row = |name: &str| {
        let place = text
            .lines()
            .position(|line| line.trim_start().starts_with(name));
        place.unwrap_or_else(|| panic!("no {name} in {text}"))
    };
    assert_eq!(
        [row("lower"), row("upper")],
        [row("predicted") - 1, row("predicted") + 1]
    );
    assert!(text.contains("median of 9 simulated runs"), "{text}");
}

#[test]
fn predictions_say_where_the_report_has_other_bounds() {
    let dag = example::quicksort_dag();
    let text_of = |profile: &Profile| {
        let curve = analyse_with_dag(profile, Some(&dag)).predicted.unwrap();
        let predictions = Predictions {
            profile,
            dag: &dag,
            curve: &curve,
        };
        written(|output| predictions.text(Screen::default(), output))
    };
    let mut profile = example::quicksort();
    assert!(text_of(&profile).contains("The span is known to be within"));
    // Counts are exact.
    profile.run.metric.unit = "instructions".to_owned();
    assert!(!text_of(&profile).contains("The span is known to be within"));
}

#[test]
fn errors_of_the_output_are_passed_on() {
    let mut full: &mut [u8] = &mut [0; 100];
    let (_, profile) = &profiles::all()[0];
    let error = Text::default()
        .render(profile, &analyse(profile), &mut full)
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WriteZero);
}

#[test]
fn a_wide_interval_without_tiny_tasks_is_the_machines() {
    let (profile, dag) = (example::quicksort(), example::quicksort_dag());
    let report = |dag: Option<&Dag>| {
        let analysis = analyse_with_dag(&profile, dag);
        written(|output| on(of_width(200)).render(&profile, &analysis, output))
    };
    let with_dag = report(Some(&dag));
    assert!(with_dag.contains("cannot tell a strand that was delayed"));
    assert!(!with_dag.contains("were timed in groups"));
    assert!(report(None).contains("was not recorded in full"));
}

#[test]
fn programs_of_one_command_stand_in_one_table() {
    let program = |(name, profile): (&str, Profile)| {
        let file = format!("target/workspan/test/{name}.wsp");
        MeasuredProgram::new(name.to_owned(), file, &analyse(&profile))
    };
    let programs: Vec<MeasuredProgram> = profiles::all().into_iter().map(program).collect();
    let table = written(|output| measured_programs(&programs, Screen::default(), output));
    assert_data_eq!(table, golden("programs.80.txt"));
}
