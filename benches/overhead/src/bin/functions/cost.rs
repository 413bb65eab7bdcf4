//! What sampling and exact functions cost, over the benchmark suite.

use workspan_gate::Form;
use workspan_overhead::{
    Executables, Functions, Group, Launch, SUITE, Table, geometric_mean, median,
};

use crate::reading::Reading;

/// Runs of each program in each mode.
const TURNS: usize = 7;

pub(crate) fn readings(executables: &Executables) -> anyhow::Result<Vec<Reading>> {
    let mut table = Table::new(["program", "plain s", "unsampled", "sampled", "exactly"]);
    // For each mode, for each turn, the ratios of all programs.
    let mut ratios = [const { Vec::new() }; 3].map(|_: Vec<f64>| vec![Vec::new(); TURNS]);
    for program in SUITE.iter().filter(|program| !program.exact_timing) {
        let arguments: &[&str] = match program.name {
            // With exact functions the short input of the others would take minutes.
            "fib" => &["32"],
            _ => program.arguments(Form::Short),
        };
        let times = turns_of(executables, program.name, arguments)?;
        let mut cells = vec![
            program.name.to_owned(),
            format!("{:.3}", median(times.iter().map(|turn| turn[0]))),
        ];
        for (mode, ratios) in ratios.iter_mut().enumerate() {
            let over_plain = || times.iter().map(|turn| turn[mode + 1] / turn[0]);
            cells.push(format!("{:.2}", median(over_plain())));
            for (ratios, ratio) in ratios.iter_mut().zip(over_plain()) {
                ratios.push(ratio);
            }
        }
        table.add(<[String; 5]>::try_from(cells).expect("a program, a time and three ratios"));
    }
    println!("{table}");
    let means = |turns: &[Vec<f64>]| -> Vec<f64> {
        turns
            .iter()
            .map(|turn| geometric_mean(turn.iter().copied()))
            .collect()
    };
    let [unsampled, sampled, exactly] = ratios.each_ref().map(|turns| means(turns));
    let sampling = sampled
        .iter()
        .zip(&unsampled)
        .map(|(with, without)| with / without);
    Ok(vec![
        Reading::new("cost/sampling", sampling.collect()),
        Reading::new("cost/sampled", sampled),
        Reading::new("cost/exact", exactly),
    ])
}

/// For each turn, the seconds of a plain run, an unsampled one, a sampled one and one with exact
/// functions.
fn turns_of(
    executables: &Executables,
    name: &str,
    arguments: &[&str],
) -> anyhow::Result<Vec<[f64; 4]>> {
    let launch = |functions| Launch {
        functions,
        cores: 0,
        ..Launch::new(executables, Group::Suite, name, arguments)
    };
    let profiled = |functions| -> anyhow::Result<f64> {
        Ok(launch(functions).profile()?.elapsed()?.as_secs_f64())
    };
    let turn = |_| -> anyhow::Result<[f64; 4]> {
        Ok([
            launch(Functions::Off).plain()?.elapsed.as_secs_f64(),
            profiled(Functions::Off)?,
            profiled(Functions::Sampled)?,
            profiled(Functions::Exact)?,
        ])
    };
    (0..TURNS).map(turn).collect()
}
