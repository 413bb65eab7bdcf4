//! Programs at the limits: very many tasks, and very deep recursion. Prints the largest resident
//! memory in KiB.

use std::process::ExitCode;

const USAGE: &str = "usage: limits tasks NUMBER | deep LEVELS";

/// A recursion with `number` leaves, and a tenth as many tasks spawned into scopes.
fn tasks(number: u64) -> u64 {
    fn split(leaves: u64) -> u64 {
        if leaves < 2 {
            return leaves;
        }
        let (left, right) = rayon::join(|| split(leaves / 2), || split(leaves - leaves / 2));
        left + right
    }
    for _ in 0..number / 1_000 {
        rayon::scope(|scope| (0..100).for_each(|_| scope.spawn(|_| ())));
    }
    split(number)
}

/// Joins nested `levels` deep.
fn deep(levels: u64) -> u64 {
    if levels == 0 {
        return 0;
    }
    let (below, here) = rayon::join(|| deep(levels - 1), || 1);
    below + here
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, number] = &arguments[..] else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let result = match (name.as_str(), number.parse()) {
        ("tasks", Ok(number)) => tasks(number),
        ("deep", Ok(levels)) => deep(levels),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    eprintln!("{name} {number}: {result}");
    println!("{}", resident_kib());
    ExitCode::SUCCESS
}
