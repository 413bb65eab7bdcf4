//! `workspan counters`: lists what `--metric` can count on this machine.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use serde::Serialize;
use workspan_engine::counters::{Counter, Event, Linux, Problem, unit_of};

use super::metric::PLACE_LIMIT;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::sink::Sink;

/// Version of the JSON. Keys may be added within a version.
const VERSION: u32 = 1;

/// Rounds of the loop that each counter counts.
const ROUNDS: u64 = 1_000_000;
/// Number of pages that the loop touches for the first time.
const PAGES: usize = 64;
/// Size of a page in bytes.
const PAGE: usize = 4096;

#[derive(Debug, Args)]
struct Options {
    /// Write what was found as JSON, in place of the table (`-`, or nothing = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), num_args = 0..=1, default_missing_value = "-")]
    json: Option<Sink>,
    /// Tell of events that cannot be counted here, too, and why
    #[arg(long)]
    all: bool,
    /// Only these events, by their names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("counters"))
        .about("List what `--metric` can count on this machine, and test each counter")
        .long_about(format!(
            "Opens a counter of each event in turn, as each thread of a profiled program would, and has it count a loop of \
             {} rounds that touches {PAGES} new pages. An event that counts nothing there may still count something else; \
             one that cannot be opened, never. Other names of events that the processor has are raw: `r` and a number in \
             hexadecimal digits.",
            "a million",
        ))
        .after_long_help(EXIT_CODES)
}

/// Tests the counters and lists them.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let events = match options.names.as_slice() {
        [] => Event::all(),
        names => {
            let named = names.iter().map(|name| Event::named(name));
            named.collect::<Result<_, Problem>>().or_exit(USAGE)?
        }
    };
    let tested: Vec<Tested> = events.iter().map(Tested::test).collect();
    match options.json {
        Some(sink) => {
            let document = Document {
                version: VERSION,
                counters: tested,
            };
            let mut text = serde_json::to_vec_pretty(&document).or_exit(PROFILE)?;
            text.push(b'\n');
            sink.write(&text)
        }
        None => {
            let is_whole = options.all || !options.names.is_empty();
            let table = table(&tested, is_whole);
            Sink::Stdout.show(|output| output.write_all(table.as_bytes()))
        }
    }
    .or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Document {
    version: u32,
    counters: Vec<Tested>,
}

/// An event, and the result of its test.
#[derive(Serialize)]
struct Tested {
    name: String,
    kind: &'static str,
    unit: String,
    /// The count; `null` if it cannot be counted.
    count: Option<u64>,
    /// Whether the counter is read without a system call.
    read_directly: Option<bool>,
    /// Whether the counter shared its place in the processor, so that the count is an estimate.
    shared: Option<bool>,
    /// Why it cannot be counted, in short.
    reason: Option<&'static str>,
    /// Why it cannot be counted, in full.
    problem: Option<String>,
}

impl Tested {
    fn test(event: &Event) -> Self {
        let counter = Counter::open(event, Linux)
            .and_then(|counter| counter.await_place(event, PLACE_LIMIT).map(|()| counter));
        let count = counter.as_ref().ok().map(|counter| {
            let before = counter.count();
            known_loop();
            counter.count() - before
        });
        let problem = counter.as_ref().err();
        Self {
            name: event.name().to_owned(),
            kind: event.kind().name(),
            unit: unit_of(event.name()),
            count,
            read_directly: counter.as_ref().ok().map(Counter::is_read_directly),
            shared: counter.as_ref().ok().map(Counter::is_shared),
            reason: problem.map(Problem::in_short),
            problem: problem.map(ToString::to_string),
        }
    }
}

/// The loop that the counters count.
fn known_loop() {
    for round in 0..ROUNDS {
        black_box(round);
    }
    // Never freed, so that the pages are new each time.
    let memory = vec![0_u8; PAGES * PAGE].leak();
    for page in memory.chunks_mut(PAGE) {
        page[0] = 1;
    }
    black_box(memory);
}

/// Lists the events that can be counted. Then says how many others there are, or, if `is_whole`,
/// lists these with the reasons, too.
fn table(tested: &[Tested], is_whole: bool) -> String {
    let (countable, others): (Vec<&Tested>, Vec<&Tested>) =
        tested.iter().partition(|counter| counter.count.is_some());
    let width = tested.iter().map(|counter| counter.name.len());
    let width = width.max().unwrap_or(0);
    let mut text = String::new();
    for counter in countable {
        let count = counter.count.unwrap_or(0);
        let how = match (counter.shared, counter.read_directly) {
            (Some(true), _) => ", an estimate: it shared its place with other counters",
            (_, Some(true)) => ", read without a call of the kernel",
            _ => "",
        };
        let Tested {
            name, kind, unit, ..
        } = counter;
        let _ = writeln!(text, "{name:width$}  {kind:9}  {count:>12} {unit}{how}");
    }
    if is_whole {
        for counter in others {
            let problem = counter.problem.as_deref().unwrap_or_default();
            let (name, kind) = (&counter.name, counter.kind);
            let _ = writeln!(text, "{name:width$}  {kind:9}  {:>12}: {problem}", "–");
        }
        return text;
    }
    for kind in ["hardware", "software", "cache", "processor"] {
        let of_kind = || others.iter().filter(|counter| counter.kind == kind);
        if let Some(problem) = of_kind().find_map(|counter| counter.problem.as_deref()) {
            let _ = writeln!(
                text,
                "{} {kind} events cannot be counted. The first: {problem}",
                of_kind().count()
            );
        }
    }
    if !others.is_empty() {
        text.push_str("`--all` tells of each.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Page faults can be counted wherever counters are allowed.
    #[test]
    fn the_loop_is_counted() {
        let tested = Tested::test(&Event::named("page-faults").unwrap());
        match tested.count {
            Some(count) => assert!(count >= PAGES as u64, "{count}"),
            None => assert!(tested.problem.is_some()),
        }
    }

    #[test]
    fn events_that_cannot_be_counted_come_with_the_reason() {
        let counter = |name: &str, count, problem: Option<&str>| Tested {
            name: name.to_owned(),
            kind: "hardware",
            unit: unit_of(name),
            count,
            read_directly: count.map(|_| true),
            shared: count.map(|_| false),
            reason: problem.map(|_| "no counter"),
            problem: problem.map(str::to_owned),
        };
        let tested = [
            counter("cycles", Some(3), None),
            counter("instructions", None, Some("for a reason")),
            counter("branches", None, Some("for another")),
        ];
        let (short, whole) = (table(&tested, false), table(&tested, true));
        assert!(short.contains("3 cycles, read without a call"), "{short}");
        assert!(
            short.contains("2 hardware events cannot be counted. The first: for a reason"),
            "{short}"
        );
        assert!(
            whole.contains("instructions") && whole.contains(": for another"),
            "{whole}"
        );
    }
}
