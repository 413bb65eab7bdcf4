use super::{Language, serial_elision};

mod forms;
mod lexing;
mod places;
mod problems;

/// The output for `text` in a file `f.c`, without the line before the source's first.
fn elision_in(language: Language, text: &str) -> String {
    let output = serial_elision(text, "f.c", language, &|_| None);
    let output = output.unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let output = output
        .strip_prefix("#include <workspan/cilk.h>\n")
        .unwrap_or(&output);
    let (header, rest) = output.split_once('\n').expect("a header line");
    assert!(header.starts_with("#line 1 \"f.c\" "), "{header}");
    rest.to_owned()
}

/// The output in short words: `SPAWN` for a macro with its name, without the place.
fn short_in(language: Language, text: &str) -> String {
    let mut rest = elision_in(language, text);
    let mut short = String::new();
    while let Some(at) = rest.find("WORKSPAN_CILK_") {
        short.push_str(&rest[..at]);
        let of_macro = rest[at + "WORKSPAN_CILK_".len()..].to_owned();
        let end = of_macro.find(");").expect("the macro's end");
        let call = of_macro[..end].replace("workspan_", "");
        let own = call
            .find(", \"")
            .map_or(call.as_str(), |place| &call[..place]);
        short.push_str(&format!("{own});"));
        rest = of_macro[end + 2..].to_owned();
    }
    (short + &rest).replace("workspan_", "")
}

fn short(text: &str) -> String {
    short_in(Language::C, text)
}

/// What a function's body becomes, without the frame that it gets.
fn body(text: &str) -> String {
    body_in(Language::C, text)
}

fn body_in(language: Language, text: &str) -> String {
    let output = short_in(language, &format!("void m() {{{text}}}"));
    let inner = output
        .strip_prefix("void m() {")
        .and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.unwrap_or_else(|| panic!("{output}"));
    inner
        .strip_prefix(" FRAME(frame_0);")
        .unwrap_or(inner)
        .to_owned()
}

/// The problems of `text`, a line each.
fn problems(text: &str) -> String {
    let problems = serial_elision(text, "f.c", Language::Cpp, &|_| None).expect_err(text);
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
