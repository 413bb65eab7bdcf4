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

pub fn recurses_as_deep() {
    let file = scratch("deep");
    let idle = ("WORKSPAN_IDLE", file.to_str().expect("plain letters"));
    for variable in [ELISION, idle] {
        assert_eq!(output("deep", &[variable]), "1000\n");
    }
    let _ = std::fs::remove_file(&file);
}

pub fn gives_the_same_results() {
    let plain = output("results", &[]);
    assert!(plain.starts_with("6765\n"), "{plain}");
    assert_eq!(output("results", &[ELISION]), plain);
    assert_eq!(output("results", &[("WORKSPAN_ELISION", "0")]), plain);
    let file = scratch("results");
    let idle = ("WORKSPAN_IDLE", file.to_str().expect("plain letters"));
    assert_eq!(output("results", &[idle]), plain);
    let _ = std::fs::remove_file(&file);
}

pub fn panics_alike() {
    let file = scratch("panicking");
    let idle = ("WORKSPAN_IDLE", file.to_str().expect("plain letters"));
    for name in ["panicking", "handlers"] {
        let plain = output(name, &[]);
        assert_eq!(output(name, &[ELISION]), plain);
        assert_eq!(output(name, &[idle]), plain);
        let _ = std::fs::remove_file(&file);
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
