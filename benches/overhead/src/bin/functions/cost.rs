//! What sampling and exact functions cost, over the benchmark suite.

use workspan_overhead::{Executables, Functions, Group, Launch, Table, Threads, Timing};

use crate::Claim;

/// The programs of the suite, with small inputs.
const PROGRAMS: [(&str, &[&str]); 18] = [
    ("fib", &["32"]),
    ("quicksort", &["3000000"]),
    ("cilksort", &["3000000"]),
    ("matmul", &["1024"]),
    ("rectmul", &["1024"]),
    ("strassen", &["1024"]),
    ("lu", &["1024"]),
    ("cholesky", &["1500"]),
    ("heat", &["40"]),
    ("fft", &["1048576"]),
    ("nqueens", &["12"]),
    ("bfs", &["160"]),
    ("mis", &["1000000"]),
    ("nbody", &["3000"]),
    ("pipeline", &["60"]),
    ("par_sort", &["3000000"]),
    ("reader", &["120000"]),
    ("spawns", &["1000000"]),
];

/// Cilkprof's geometric mean (§7).
const EXACTLY: f64 = 1.9;

/// What sampling may add, and what all may come to with it.
const SAMPLING: f64 = 1.02;
const IN_ALL: f64 = 1.05;

pub(crate) fn claims(executables: &Executables, short: bool) -> anyhow::Result<Vec<Claim>> {
    let turns = if short { 1 } else { 5 };
    let mut table = Table::new(["program", "plain s", "unsampled", "sampled", "exactly"]);
    let mut ratios = [const { Vec::new() }; 3];
    for (name, arguments) in PROGRAMS {
        let launch = |functions| Launch {
            arguments,
            threads: Threads::All,
            functions,
        };
        let plain_path = executables.plain(Group::Suite, name);
        let profiled_path = executables.profiled(Group::Suite, name);
        let workspan = executables.workspan();
        let mut times = [const { Vec::new() }; 4];
        for turn in 0..=turns {
            let mut now = vec![
                launch(Functions::Off)
                    .plain(&plain_path)?
                    .elapsed
                    .as_secs_f64(),
            ];
            for functions in [Functions::Off, Functions::Sampled, Functions::Exact] {
                let launch = launch(functions);
                let profile = launch.profile(&workspan, &profiled_path, Timing::Default, 0)?;
                now.push(profile.elapsed()?.as_secs_f64());
            }
            // The first turn warms up.
            if turn > 0 || turns == 1 {
                times
                    .iter_mut()
                    .zip(now)
                    .for_each(|(times, now)| times.push(now));
            }
        }
        let [plain, modes @ ..] = times.map(median);
        for (ratios, mode) in ratios.iter_mut().zip(modes) {
            ratios.push(mode / plain);
        }
        table.add([
            name.to_owned(),
            format!("{plain:.3}"),
            format!("{:.2}", modes[0] / plain),
            format!("{:.2}", modes[1] / plain),
            format!("{:.2}", modes[2] / plain),
        ]);
    }
    println!("{table}");
    let room = if short { 1.5 } else { 1.0 };
    let [unsampled, sampled, exactly] = ratios.map(geometric_mean);
    let claim = |what: &str, goal: f64, figure: f64| Claim {
        what: what.to_owned(),
        goal: format!("<= {goal}"),
        figure: format!("{figure:.3}"),
        is_met: figure <= goal,
        is_accepted: figure <= goal * room,
    };
    Ok(vec![
        claim(
            "sampled against unsampled, geometric mean",
            SAMPLING,
            sampled / unsampled,
        ),
        claim("sampled against plain, geometric mean", IN_ALL, sampled),
        claim(
            "exact functions against plain, geometric mean (Cilkprof 1.9)",
            EXACTLY,
            exactly,
        ),
    ])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn geometric_mean(ratios: Vec<f64>) -> f64 {
    let count = ratios.len() as f64;
    (ratios.into_iter().map(f64::ln).sum::<f64>() / count).exp()
}
