//! `WORKSPAN_ELISION=1`.

use crate::idle::Account;
use crate::{printed, program, scratch};

const ELISION: (&str, &str) = ("WORKSPAN_ELISION", "1");

fn output(name: &str, variables: &[(&str, &str)]) -> String {
    printed(&program(name, variables).output().expect("it starts"))
}

pub fn starts_no_thread() {
    assert_eq!(output("threads", &[ELISION]), "0 threads more\n");
}

/// What a program prints while its idle time is measured.
fn output_of_measured(name: &str) -> String {
    let file = scratch(name);
    let file_name = file.to_str().expect("plain letters");
    let output = output(name, &[("WORKSPAN_IDLE", file_name)]);
    let _ = std::fs::remove_file(&file);
    output
}

pub fn recurses_as_deep() {
    assert_eq!(output("deep", &[ELISION]), "1000\n");
    assert_eq!(output_of_measured("deep"), "1000\n");
}

pub fn gives_the_same_results() {
    let plain = output("results", &[]);
    assert!(plain.starts_with("6765\n"), "{plain}");
    assert_eq!(output("results", &[ELISION]), plain);
    assert_eq!(output("results", &[("WORKSPAN_ELISION", "0")]), plain);
    assert_eq!(output_of_measured("results"), plain);
}

pub fn panics_alike() {
    for name in ["panicking", "handlers"] {
        let plain = output(name, &[]);
        assert_eq!(output(name, &[ELISION]), plain);
        assert_eq!(output_of_measured(name), plain);
    }
    let aborted = program("panics", &[ELISION]).output().expect("it starts");
    assert_eq!(aborted.status.code(), Some(101));
}

pub fn never_idles() {
    let (account, _) = Account::of("spins", &[ELISION]);
    assert_eq!((account.threads, account.idle), (1, 0));
    assert_eq!(account.work, account.elapsed);
    assert!(account.elapsed >= 800_000_000);
}
