//! What the tests of several reports need.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::fs;
use std::io;

use serde_json::Value;
use snapbox::Data;
use snapbox::data::DataFormat;
use workspan_report::{Charset, Screen};

/// A screen of 80 columns that shows ASCII alone.
pub const ASCII: Screen = Screen {
    width: 80,
    colour: false,
    charset: Charset::Ascii,
};

/// A screen of 80 columns with colours.
pub const COLOURED: Screen = Screen {
    width: 80,
    colour: true,
    charset: Charset::Unicode,
};

/// A golden file. `SNAPSHOTS=overwrite` blesses what is compared with it.
pub fn golden(name: &str) -> Data {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    Data::read_from(path.as_ref(), Some(DataFormat::Text)).raw()
}

/// The bytes that `write` writes.
pub fn bytes(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
    let mut output = Vec::new();
    write(&mut output).unwrap();
    output
}

/// The text that `write` writes.
pub fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    String::from_utf8(bytes(write)).unwrap()
}

/// The JSON that `write` writes.
pub fn json_of(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Value {
    serde_json::from_slice(&bytes(write)).unwrap()
}

/// `text` without the escapes that set colours.
pub fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

/// The words of `text`, with one space between two.
pub fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The schema of this name in `docs`.
pub fn schema(name: &str) -> Value {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let text = fs::read_to_string(format!("{docs}/{name}.schema.json")).unwrap();
    let schema = serde_json::from_str(&text).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    schema
}

/// Where `document` does not follow `schema`.
pub fn complaints(schema: &Value, document: &Value) -> Vec<String> {
    complaints_of(&jsonschema::draft202012::new(schema).unwrap(), document)
}

/// Where `document` does not follow `schema`, which is of an older draft.
pub fn complaints_of_draft_7(schema: &str, document: &Value) -> Vec<String> {
    let schema = serde_json::from_str(schema).unwrap();
    complaints_of(&jsonschema::draft7::new(&schema).unwrap(), document)
}

fn complaints_of(validator: &jsonschema::Validator, document: &Value) -> Vec<String> {
    let errors = validator.iter_errors(document);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
