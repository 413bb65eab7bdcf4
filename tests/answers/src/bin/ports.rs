//! Asks every port for its variables by running a command for it (fork + exec), as a
//! ports tree builder does.
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::process::Command;

fn port_vars(port: u32) -> (u32, u64) {
    let script = format!("BEGIN {{ s = {port}; for (i = 0; i < 160000; i++) s = (s * 31 + i) % 65521; print s }}");
    let out = Command::new("awk").arg(&script).output().expect("awk");
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    (port, text.trim().parse().unwrap())
}

fn main() {
    let ports: Vec<u32> = (1..=192).collect();
    let vars: BTreeMap<u32, u64> = ports.par_iter().with_max_len(1).map(|&p| port_vars(p)).collect();
    println!("{} ports, {}", vars.len(), vars.values().sum::<u64>());
}
