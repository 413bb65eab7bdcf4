//! The sites as comma-separated values.

mod common;
mod profiles;
#[path = "../../../tests/skip.rs"]
mod skip;

use std::process::Command;

use common::{golden, written};
use snapbox::assert_data_eq;
use workspan_model::{Profile, analyse};
use workspan_report::{Csv, RegionsCsv, Renderer};

fn rendered(renderer: &impl Renderer, profile: &Profile) -> String {
    written(|output| renderer.render(profile, &analyse(profile), output))
}

#[test]
fn records_look_as_blessed() {
    for (name, profile) in profiles::all() {
        if ["wordcount", "functions"].contains(&name) {
            assert_data_eq!(rendered(&Csv, &profile), golden(&format!("{name}.csv")));
        }
    }
    let regions = rendered(&RegionsCsv, &profiles::regions());
    assert_data_eq!(regions, golden("regions.csv"));
}

#[test]
fn regions_have_a_header_without_any() {
    let golden = rendered(&RegionsCsv, &profiles::regions());
    let header = golden.lines().next().unwrap();
    let (_, profile) = profiles::all()[0].clone();
    assert!(analyse(&profile).regions.is_empty());
    assert_eq!(rendered(&RegionsCsv, &profile), format!("{header}\n"));
}

#[test]
fn regions_without_a_span_have_the_same_columns() {
    let profile = profiles::regions();
    let mut analysis = analyse(&profile);
    for region in &mut analysis.regions {
        region.sum.speedup.clear();
        for instance in &mut region.instances {
            instance.figures.speedup.clear();
        }
    }
    let without = written(|output| RegionsCsv.render(&profile, &analysis, output));
    let with = rendered(&RegionsCsv, &profile);
    assert_eq!(without.lines().next(), with.lines().next());
}

/// The columns of Cilkprof's tool, and those that identify the call site.
#[test]
fn every_column_of_cilkprofs_tool_is_there() {
    let output = rendered(&Csv, &profiles::functions());
    let mut records = csv::Reader::from_reader(output.as_bytes());
    let names: Vec<String> = records
        .headers()
        .unwrap()
        .iter()
        .map(ToOwned::to_owned)
        .collect();
    let mut expected = Vec::new();
    for on in ["work", "span"] {
        for measure in ["top_call_site", "top_caller", "local"] {
            for figure in ["work_ns", "span_ns", "parallelism", "count"] {
                expected.push(format!("on_{on}_{measure}_{figure}"));
            }
        }
    }
    assert_eq!(expected.len(), 24);
    let index_of = |name: &str| names.iter().position(|other| other == name).unwrap();
    for name in ["file", "line", "column", "kind", "name"] {
        index_of(name);
    }
    let measures: Vec<usize> = expected.iter().map(|name| index_of(name)).collect();
    for record in records.records() {
        let record = record.unwrap();
        let unknown = measures.iter().filter(|&&index| record[index].is_empty());
        let unknown: Vec<&str> = unknown.map(|&index| names[index].as_str()).collect();
        // On the span the outermost quicksort made no call on line 32.
        let expected: &[&str] = match &record[index_of("line")] {
            "32" => &["on_span_top_caller_parallelism"],
            _ => &[],
        };
        assert_eq!(unknown, expected);
    }
}

#[test]
fn values_with_commas_and_quotes_come_back_whole() {
    let (_, mut profile) = profiles::all()[0].clone();
    let function = "map<_, \"x\">,\nreduce";
    profile.sites[1].function = Some(function.to_owned());
    let output = rendered(&Csv, &profile);
    let mut records = csv::Reader::from_reader(output.as_bytes());
    let column = records
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "function")
        .unwrap();
    let functions: Vec<String> = records
        .records()
        .map(|record| record.unwrap()[column].to_owned())
        .collect();
    assert_eq!(functions, [function, ""]);
}

/// Python's csv module reads the same records, even with quotes and line breaks in names.
#[test]
fn records_are_read_by_python() {
    let mut profile = profiles::functions();
    for site in &mut profile.sites {
        site.function = Some("a \"quoted\", name;\r\nof two lines".to_owned());
    }
    let output = rendered(&Csv, &profile);
    let mut records = csv::ReaderBuilder::new();
    let records = records.has_headers(false).from_reader(output.as_bytes());
    let records = records.into_records();
    let records: Vec<Vec<String>> = records
        .map(|record| record.unwrap().iter().map(ToOwned::to_owned).collect())
        .collect();
    assert!(records.len() > 2);
    let file = std::env::temp_dir().join(format!("workspan-sites-{}.csv", std::process::id()));
    std::fs::write(&file, &output).unwrap();
    let script = "import csv, json, sys\n\
                  print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))))";
    let read = Command::new("python3")
        .args(["-c", script])
        .arg(&file)
        .output();
    std::fs::remove_file(&file).unwrap();
    let Ok(read) = read else {
        skip::skip("python3", "not installed");
        return;
    };
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success(), "{said}");
    let read: Vec<Vec<String>> = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(read, records);
}
