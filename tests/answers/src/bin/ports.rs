//! Asks every port for its variables by running a command for it (fork + exec), as a
//! ports tree builder does.
//! usage: ports commands|serial     serial: one command after another
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::process::Command;

fn port_vars(port: u32) -> (u32, u64) {
    let script = format!("BEGIN {{ s = {port}; for (i = 0; i < 160000; i++) s = (s * 31 + i) % 65521; print s }}");
    let out = Command::new("awk").arg(&script).output().expect("awk"); //@ here
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    (port, text.trim().parse().unwrap())
}

fn main() {
    let ports: Vec<u32> = (1..=192).collect();
    if std::env::args().nth(1).is_some_and(|s| s == "serial") {
        let vars: BTreeMap<u32, u64> = ports.iter().map(|&p| port_vars(p)).collect(); //@ here
        let sum: u64 = vars.par_iter().map(|(_, var)| var).sum();
        return println!("{} ports, {sum}", vars.len());
    }
    let vars: BTreeMap<u32, u64> = ports.par_iter().with_max_len(1).map(|&p| port_vars(p)).collect();
    println!("{} ports, {}", vars.len(), vars.values().sum::<u64>());
}
