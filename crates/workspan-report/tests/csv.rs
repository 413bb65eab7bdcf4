//! The sites as comma-separated values.

mod profiles;

use snapbox::{Data, assert_data_eq};
use workspan_report::{Csv, Renderer};

#[test]
fn records_look_as_blessed() {
    let (_, profile) = &profiles::all()[1];
    let mut output = Vec::new();
    Csv.render(profile, &mut output).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wordcount.csv");
    let golden = Data::read_from(path.as_ref(), Some(snapbox::data::DataFormat::Text)).raw();
    assert_data_eq!(String::from_utf8(output).unwrap(), golden);
}

#[test]
fn values_with_commas_and_quotes_come_back_whole() {
    let (_, mut profile) = profiles::all()[0].clone();
    let function = "map<_, \"x\">,\nreduce";
    profile.sites[1].function = Some(function.to_owned());
    let mut output = Vec::new();
    Csv.render(&profile, &mut output).unwrap();
    let mut records = csv::Reader::from_reader(output.as_slice());
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
