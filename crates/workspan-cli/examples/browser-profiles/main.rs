//! Writes the profiles that the browser tests make pages of: `browser-profiles FOLDER`.

mod hostile;
mod large;
#[allow(dead_code, reason = "the tests of the report use all of them")]
#[path = "../../../workspan-report/tests/sweeps/mod.rs"]
mod sweeps;

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context as _;
use workspan_format::wsp;
use workspan_model::{Dag, Nanos, Profile, Span, Sweep, example, repeated};

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).context("a folder is expected")?;
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder)?;
    let quicksort = example::quicksort();
    let dag = example::quicksort_dag();
    write(&folder, "quicksort", &quicksort, Some(&dag))?;
    // Of the same command, or the page would leave it out.
    let sweep = Sweep {
        command: quicksort.run.command.clone(),
        ..sweeps::cilksort()
    };
    fs::write(
        folder.join("quicksort.sweep.json"),
        serde_json::to_vec(&sweep)?,
    )?;
    write(&folder, "locked", &example::locked_quicksort(), Some(&dag))?;
    write(&folder, "timed", &example::timed_quicksort(), None)?;
    write(&folder, "serial", &serial(), None)?;
    write(&folder, "runs", &runs()?, None)?;
    let (profile, dag) = hostile::profile();
    write(&folder, "hostile", &profile, Some(&dag))?;
    let (profile, dag) = large::profile();
    write(&folder, "large", &profile, Some(&dag))
}

fn write(folder: &Path, name: &str, profile: &Profile, dag: Option<&Dag>) -> anyhow::Result<()> {
    profile.check()?;
    if let Some(dag) = dag {
        dag.check(profile.tree.len(), profile.sites.len())?;
    }
    wsp::write(&folder.join(format!("{name}.wsp")), profile, dag)?;
    Ok(())
}

/// A program without any parallel construct: most views have nothing to show.
fn serial() -> Profile {
    let mut profile = example::quicksort();
    profile.sites.truncate(1);
    profile.tree.truncate(1);
    profile.tree[0].path.truncate(1);
    profile.run.command = vec!["serial".to_owned()];
    profile
}

/// Three runs of a program, whose joins take longer from one to the next.
fn runs() -> anyhow::Result<Profile> {
    let run = |percent: i64| {
        let mut profile = example::quicksort();
        let local_span = &mut profile.tree[1].on_span.local_span;
        let added = Nanos::from_nanos(local_span.time().as_nanos() * percent / 100);
        for span in [local_span, &mut profile.span, &mut profile.burdened_span] {
            *span += Span::from(added);
        }
        profile
    };
    repeated(vec![run(0), run(10), run(30)]).context("there are runs")
}
