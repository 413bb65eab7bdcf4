//! Profiles of OpenMP programs against an oracle, which knows of each program what the runtime told of it.

mod replay;
mod told;

use std::env;
use std::fs;
use std::path::Path;

use told::Told;
use workspan_format::raw::{self, RawProfile};
use workspan_testkit::ompt::{expected, parse, Call, RUNTIME_ERROR};

/// Holds a profile against what follows from the calls; gives back how many explicit tasks there are, and how many follow others.
fn compare(calls: &[Call], profile: &RawProfile) -> Result<(usize, usize), String> {
    let expected = expected(calls, profile.burden_ticks)?;
    let expected_told = Told {
        work: expected.work,
        span: expected.span,
        burdened_span: expected.burdened_span,
        nodes: expected.nodes,
    };
    let differences = Told::by(profile)?.differences(&expected_told);
    match differences.is_empty() {
        true => Ok((expected.tasks, expected.following_tasks)),
        false => Err(differences.join("\n")),
    }
}

/// Streams of programs that ran with libomp, told again.
#[test]
fn profiles_of_recorded_streams_are_exact() {
    const BURDEN: i64 = 1_000_000;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/streams/recorded");
    let mut following = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let stream = entry.expect("the folder can be read").path();
        let text = fs::read_to_string(&stream).expect("the file can be read");
        let calls = replay::relocated(parse(&text).expect("a stream"));
        let profile =
            raw::parse(&replay::profile(&calls, BURDEN)).expect("as the engine writes it");
        match compare(&calls, &profile) {
            Ok(found) => following += found.1,
            Err(problem) => panic!("{}: {problem}", stream.display()),
        }
    }
    assert!(following > 0, "no recorded program has dependences");
}

/// Profiles that `tests/c/streams.sh` has made in the folder WORKSPAN_STREAMS, each beside the stream of its calls.
#[test]
fn profiles_of_programs_are_exact() {
    let Some(folder) = env::var_os("WORKSPAN_STREAMS") else {
        return;
    };
    let mut failed = Vec::new();
    let mut left_out = 0;
    let (mut programs, mut events, mut tasks, mut following, mut with_following, mut most) =
        (0, 0, 0, 0, 0, 0);
    for entry in fs::read_dir(&folder).expect("the folder can be read") {
        let stream = entry.expect("the folder can be read").path();
        if stream
            .extension()
            .is_none_or(|extension| extension != "stream")
        {
            continue;
        }
        let check = |stream: &Path| -> Result<_, String> {
            let read = |path: &Path| fs::read_to_string(path).map_err(|error| error.to_string());
            let calls = parse(&read(stream)?)?;
            let profile = raw::parse(&read(&stream.with_extension("raw"))?)
                .map_err(|error| error.to_string())?;
            let (tasks, following) = compare(&calls, &profile)?;
            Ok((calls.len(), tasks, following))
        };
        programs += 1;
        match check(&stream) {
            Ok(found) => {
                events += found.0;
                tasks += found.1;
                following += found.2;
                with_following += usize::from(found.2 > 0);
                most = most.max(found.1);
            }
            Err(problem) if problem.starts_with(RUNTIME_ERROR) => left_out += 1,
            Err(problem) => failed.push(format!("{}: {problem}", stream.display())),
        }
    }
    println!(
        "{programs} programs, {events} events, {tasks} tasks (at most {most}), {following} of them after others by \
         dependences (in {with_following} programs); {left_out} left out, since the runtime is wrong; {} not exact",
        failed.len()
    );
    assert!(programs > 0, "there are streams");
    assert!(left_out * 20 <= programs, "the runtime is seldom wrong");
    failed.sort_by_key(String::len);
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
