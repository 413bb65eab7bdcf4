//! The shape of three tables of the Cilkprof paper (Schardl et al., SPAA 2015), for the examples of
//! this repository.

use anyhow::Context as _;
use workspan_overhead::{CallSite, Executables, Functions, Group, Launch, Profile};

use crate::reading::Reading;

pub(crate) fn readings(executables: &Executables, short: bool) -> anyhow::Result<Vec<Reading>> {
    for (example, least) in [("fib", "1"), ("matmul", "32"), ("quicksort", "1")] {
        executables.build_example(example, &[least])?;
    }
    let mut readings = fib(executables, if short { "25" } else { "30" }, short)?;
    readings.extend(matmul(executables, "512")?);
    readings.extend(quicksort(
        executables,
        if short { "1000000" } else { "10000000" },
    )?);
    Ok(readings)
}

/// An example's profile with exact functions.
fn profile(executables: &Executables, example: &str, argument: &str) -> anyhow::Result<Profile> {
    let arguments = [argument];
    let launch = Launch {
        threads: Some(1),
        functions: Functions::Exact,
        cores: 0,
        ..Launch::new(executables, Group::Examples, example, &arguments)
    };
    launch
        .profile()
        .with_context(|| format!("{example} cannot be profiled"))
}

/// The call sites of a function within another, the one with the most top-caller work first.
fn calls(profile: &Profile, name: &str, from: &str) -> anyhow::Result<Vec<CallSite>> {
    let mut calls: Vec<CallSite> = profile
        .call_sites()?
        .into_iter()
        .filter(|site| site.calls(name) && site.stands_in(from))
        .collect();
    calls.sort_by(|a, b| b.top_caller_work.total_cmp(&a.top_caller_work));
    Ok(calls)
}

fn print(title: &str, sites: &[CallSite]) {
    println!("{title}");
    println!(
        "  {:<44} {:>15} {:>15} {:>15} {:>15}",
        "call, ns", "top-call-site", "top-caller", "local work", "local span/span"
    );
    for site in sites {
        println!(
            "  {:<44} {:>15.0} {:>15.0} {:>15.0} {:>15.0}",
            site.place,
            site.top_call_site_work,
            site.top_caller_work,
            site.local_work,
            site.local_span_on_span
        );
    }
    println!();
}

/// Fig. 7: the top-caller works of the two recursive calls are in the golden ratio; the
/// top-call-site work of each is nearly all of the work, and cannot distinguish them.
///
/// A call of `fib` takes a few nanoseconds, and the hooks around it many times as long: in some
/// runs nothing is left after subtracting them. There is a gate for this. If it happens in most
/// runs, the ratios of the others would be noise.
fn fib(executables: &Executables, n: &str, short: bool) -> anyhow::Result<Vec<Reading>> {
    let runs = if short { 7 } else { 15 };
    let (mut ratios, mut alike, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let recursive = calls(&profile(executables, "fib", n)?, "fib", "fib")?;
        let [larger, smaller] = &recursive[..] else {
            anyhow::bail!("fib has {} recursive calls, not 2", recursive.len());
        };
        let has_work = larger.top_caller_work > 0.0 && smaller.top_caller_work > 0.0;
        empty.push(if has_work { 0.0 } else { 100.0 });
        if has_work {
            if ratios.is_empty() {
                print(&format!("fib({n}), as Cilkprof Fig. 7"), &recursive);
            }
            ratios.push(larger.top_caller_work / smaller.top_caller_work);
            alike.push(larger.top_call_site_work / smaller.top_call_site_work);
        }
    }
    let mut readings = vec![Reading::new("fib/empty", empty)];
    if 2 * ratios.len() > runs {
        readings.push(Reading::new("fib/top-caller-ratio", ratios));
        readings.push(Reading::new("fib/top-call-site-ratio", alike));
    }
    Ok(readings)
}

/// Fig. 10: `base` is never called by a top-level instance of the multiplication, and has nearly
/// all of the local work.
fn matmul(executables: &Executables, size: &str) -> anyhow::Result<Vec<Reading>> {
    let profile = profile(executables, "matmul", size)?;
    let base = calls(&profile, "multiply_base", "multiply")?;
    let mut shown = base.clone();
    shown.extend(calls(&profile, "multiply", "multiply")?);
    shown.extend(calls(&profile, "multiply", "main")?);
    print(&format!("matmul {size}, as Cilkprof Fig. 10"), &shown);
    let whole = calls(&profile, "multiply", "main")?;
    let work: f64 = whole.iter().map(|site| site.top_call_site_work).sum();
    let top_caller: f64 = base.iter().map(|site| site.top_caller_work).sum();
    let local: f64 = base.iter().map(|site| site.local_work).sum();
    anyhow::ensure!(work > 0.0, "main calls no `multiply` in the profile");
    anyhow::ensure!(!base.is_empty(), "`multiply` calls no base case");
    Ok(vec![
        Reading::new("matmul/base-top-caller", vec![top_caller]),
        Reading::new("matmul/base-local", vec![100.0 * local / work]),
    ])
}

/// Fig. 2: the local spans on the span of all call sites below the sort add up to its span, and
/// `partition` has nearly all of it.
fn quicksort(executables: &Executables, numbers: &str) -> anyhow::Result<Vec<Reading>> {
    let profile = profile(executables, "quicksort", numbers)?;
    let whole = calls(&profile, "quicksort", "sort_random_numbers")?;
    let [sort] = &whole[..] else {
        anyhow::bail!(
            "the example calls quicksort at {} places, not 1",
            whole.len()
        );
    };
    let partition = calls(&profile, "partition", "quicksort")?;
    let mut shown = partition.clone();
    shown.extend(calls(&profile, "quicksort", "quicksort")?);
    shown.push(sort.clone());
    print(&format!("quicksort {numbers}, as Cilkprof Fig. 2"), &shown);
    let sum = sort.path_span;
    let partition_span: f64 = partition.iter().map(|site| site.local_span_on_span).sum();
    let span = sort.top_call_site_span;
    Ok(vec![
        Reading::new("quicksort/path-over-span", vec![sum / span]),
        Reading::new(
            "quicksort/partition-share",
            vec![100.0 * partition_span / span],
        ),
    ])
}
