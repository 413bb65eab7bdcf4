//! Parses a raw profile.
//!
//! A malformed line is an error: it means that writer and reader differ in version. Stacks and what
//! waits refer to are the exception: stacks' contents come from the program's memory, so a malformed
//! one is counted and left out.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use workspan_model::{EngineCount, LineUse, Runtime, RuntimeKind, TimingKind, WaitCause};

use super::error::RawError;
use super::fields::{Fields, Problem};
use super::program::{RawProgram, unknown};
use super::{
    Ended, RawInstance, RawLockUse, RawNode, RawProfile, RawQueue, RawRegion, RawShare, RawSpan,
    RawStack, RawTimeline, RawWait, RawWork, StackCopy, VERSION,
};

/// Start of the first line; the version follows.
const FIRST_LINE: &str = "workspan-raw ";

/// Reads the raw profile in the file `path`. Replaces invalid UTF-8.
///
/// # Errors
/// Any [`RawError`].
pub fn read(path: &Path) -> Result<RawProfile, RawError> {
    let bytes = crate::read_file(path).map_err(|error| RawError::Read {
        path: path.to_owned(),
        error,
    })?;
    parse(&String::from_utf8_lossy(&bytes))
}

/// Parses the text of a raw profile.
///
/// # Errors
/// Any [`RawError`] except [`RawError::Read`].
pub fn parse(text: &str) -> Result<RawProfile, RawError> {
    let first = text.lines().next().unwrap_or_default();
    let Some(found) = first.strip_prefix(FIRST_LINE) else {
        return Err(if FIRST_LINE.starts_with(text) {
            RawError::Truncated { lines: 0 }
        } else {
            RawError::Foreign
        });
    };
    if found != VERSION {
        return Err(RawError::OtherVersion {
            found: found.to_owned(),
        });
    }
    // With its line end: `end` alone may be the beginning of `ended`.
    let body = text.strip_suffix("\nend\n");
    let body = body.ok_or_else(|| RawError::Truncated {
        lines: text.lines().count(),
    })?;
    let mut records = Records::default();
    for (line, record) in (1..).zip(body.lines()).skip(1) {
        records
            .add(line, record)
            .map_err(|problem| RawError::Malformed { line, problem })?;
    }
    records.finish()
}

/// The records that every profile has.
const REQUIRED: [&str; 15] = [
    "clock",
    "ticks_per_second",
    "elapsed_ticks",
    "threads",
    "assumed_cores",
    "machine_cores",
    "burden_ticks",
    "pid",
    "ended",
    "unfinished_tasks",
    "off_processor_ticks",
    "own_cost_ticks",
    "span_ticks",
    "burdened_span_ticks",
    "truncated_tree",
];

/// The records read so far.
#[derive(Default)]
struct Records<'a> {
    /// The profile, without what is in `program`.
    raw: RawProfile,
    program: RawProgram,
    /// The lines of the records that appear at most once, by name.
    lines: HashMap<&'a str, usize>,
    /// The records that a node has at most once: their names, and the nodes' ids.
    of_nodes: HashSet<(&'a str, u32)>,
    /// The indices of the queues, by number: those left out have none.
    queues: HashMap<usize, usize>,
}

impl<'a> Records<'a> {
    fn add(&mut self, line: usize, record: &'a str) -> Result<(), Problem> {
        let mut fields = Fields::new(record);
        let name = fields.word("the record's name")?;
        if self.program.add(name, fields.clone())? {
            return Ok(());
        }
        match name {
            "calibration" => self.calibration(&mut fields)?,
            "engine" => self.engine(&mut fields)?,
            "runtime" => self.runtime(&mut fields)?,
            "word" => self.raw.command.push(fields.text("the word")?),
            "work" => self.work(&mut fields)?,
            "span" => self.span(&mut fields)?,
            "region" => self.region(&mut fields)?,
            "path" => self.path(&mut fields)?,
            "share" => self.share(&mut fields)?,
            "instance" => self.instance(&mut fields)?,
            "lock" => self.lock(&mut fields)?,
            "stack" | "outside" | "queue" | "wait" | "wake" | "restriction" => {
                if self.seen(name, fields).is_err() {
                    self.raw.damaged_stacks += 1;
                }
                return Ok(());
            }
            _ => {
                self.setting(name, &mut fields)?;
                if let Some(first) = self.lines.insert(name, line) {
                    return Err(format!("`{name}` stands on line {first} already"));
                }
            }
        }
        fields.finish()
    }

    fn calibration(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let cost = match fields.word("the operation")? {
            "clock_read" => &mut self.raw.calibration.clock_read,
            "join" => &mut self.raw.calibration.join,
            "join_boundary" => &mut self.raw.calibration.join_boundary,
            "spawn" => &mut self.raw.calibration.spawn,
            "spawn_boundary" => &mut self.raw.calibration.spawn_boundary,
            "scope" => &mut self.raw.calibration.scope,
            other => return Err(format!("the operation `{other}` is not known")),
        };
        *cost = fields.float("the cost")?;
        Ok(())
    }

    fn engine(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let name = fields.word("the count's name")?;
        if !is_snake_case(name) {
            return Err(format!("the count's name `{name}` is not in snake_case"));
        }
        if self.raw.engine.iter().any(|count| count.name == name) {
            return Err(format!("the engine has two counts `{name}`"));
        }
        self.raw.engine.push(EngineCount {
            name: name.to_owned(),
            value: fields.number("the count")?,
        });
        Ok(())
    }

    fn runtime(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let name = fields.word("the runtime")?;
        let kind = RuntimeKind::from_name(name);
        let kind = kind.ok_or_else(|| format!("the runtime `{name}` is not known"))?;
        if self.raw.runtimes.iter().any(|runtime| runtime.kind == kind) {
            return Err(format!("the runtime `{name}` is told of twice"));
        }
        let version = fields.text("the version")?;
        self.raw.runtimes.push(Runtime {
            kind,
            version: (version != "-").then_some(version),
        });
        Ok(())
    }

    fn work(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let node = self.node_without("work", fields)?;
        node.work = RawWork {
            local_ticks: fields.number("the local work")?,
            blocked_ticks: fields.number("the blocked time")?,
            count: fields.number("the count")?,
            top_count: fields.number("the top count")?,
            top_span_ticks: fields.number("the top span")?,
            stolen: fields.number("the stolen tasks")?,
            spawns: fields.number("the spawns")?,
            syncs: fields.number("the syncs")?,
            local_span_ticks: fields.number("the local span")?,
        };
        Ok(())
    }

    fn span(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let node = self.node_without("span", fields)?;
        node.span = RawSpan {
            local_ticks: fields.number("the local span")?,
            count: fields.number("the count")?,
            top_count: fields.number("the top count")?,
            top_work_ticks: fields.number("the top work")?,
            local_work_ticks: fields.number("the local work")?,
        };
        Ok(())
    }

    fn region(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let id = self.node_id(fields)?;
        self.program.nodes[id as usize].region = RawRegion {
            burdened_span_ticks: fields.number("the burdened span")?,
            open_ticks: fields.number("how far the spans are open")?,
            spawns: fields.number("the spawns")?,
            syncs: fields.number("the syncs")?,
        };
        Ok(())
    }

    fn path(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let id = self.node_id(fields)?;
        let part = self.node_id(fields)?;
        let ticks = fields.number("the local span")?;
        let count = fields.number("the count")?;
        let node = &mut self.program.nodes[id as usize];
        node.path.push((part, ticks, count));
        Ok(())
    }

    fn share(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        self.raw.shares.push(RawShare {
            node: self.node_id(fields)?,
            thread: fields.number("the thread")?,
            ran_ticks: fields.number("the time")?,
        });
        Ok(())
    }

    fn instance(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        self.raw.instances.push(RawInstance {
            node: self.node_id(fields)?,
            number: fields.number("the instance's number")?,
            start_ticks: fields.number("the start")?,
            work_ticks: fields.number("the work")?,
            span_ticks: fields.number("the span")?,
            burdened_span_ticks: fields.number("the burdened span")?,
            open_ticks: fields.number("how far the spans are open")?,
            spawns: fields.number("the spawns")?,
            syncs: fields.number("the syncs")?,
        });
        Ok(())
    }

    /// Reads a record without which the others mean the same.
    fn seen(&mut self, name: &str, mut fields: Fields<'a>) -> Result<(), Problem> {
        match name {
            "stack" => {
                let stack = self.stack(fields)?;
                self.raw.stacks.push(stack);
            }
            "outside" => {
                let periods = fields.float("the samples")?;
                self.raw.outside.push((periods, StackCopy::parse(fields)?));
            }
            "queue" => self.queue(fields)?,
            "restriction" => {
                let restriction = self.place(name, fields)?;
                self.raw.restrictions.push(restriction);
            }
            _ => self.wait(name, fields)?,
        }
        Ok(())
    }

    fn stack(&self, mut fields: Fields<'a>) -> Result<RawStack, Problem> {
        Ok(RawStack {
            node: self.node_id(&mut fields)?,
            on_work: fields.float("the samples on the work")?,
            on_span: fields.float("the samples on the span")?,
            elapsed: fields.float("the elapsed time of the samples")?,
            line: line_use(&mut fields)?,
            copy: StackCopy::parse(fields)?,
        })
    }

    fn queue(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let number: usize = fields.number("the queue's number")?;
        let (is_sleep, cause) = match fields.word("the queue's kind")? {
            "futex" => (false, None),
            "sleep" => (true, None),
            "call" => (false, Some(WaitCause::Runtime)),
            "thread" => (false, Some(WaitCause::Thread)),
            "outside" => (false, Some(WaitCause::InputOutput)),
            "child" => (false, Some(WaitCause::ChildProcess)),
            other => return Err(format!("the kind of queue `{other}` is not known")),
        };
        let queue = RawQueue {
            is_sleep,
            cause,
            any_nanos: fields.number("the time in which any waited")?,
            unwoken_nanos: fields.number("the time in which none was woken")?,
            ..RawQueue::default()
        };
        fields.finish()?;
        let Entry::Vacant(index) = self.queues.entry(number) else {
            return Err(format!("there is a queue {number} already"));
        };
        index.insert(self.raw.queues.len());
        self.raw.queues.push(queue);
        Ok(())
    }

    fn wait(&mut self, name: &str, mut fields: Fields<'a>) -> Result<(), Problem> {
        let number: usize = fields.number("the queue's number")?;
        let index = self.queues.get(&number);
        let index = *index.ok_or_else(|| unknown("queue", number))?;
        let place = self.place(name, fields)?;
        let queue = &mut self.raw.queues[index];
        match name {
            "wait" => queue.waits.push(place),
            _ => queue.wakes.push(place),
        }
        Ok(())
    }

    /// Reads where threads waited, woke others or were restricted.
    fn place(&self, name: &str, mut fields: Fields<'a>) -> Result<RawWait, Problem> {
        let node = self.node_id(&mut fields)?;
        let count = fields.number("the count")?;
        let (nanos, open) = match name {
            "wait" => (
                fields.number("the time waited")?,
                (
                    fields.number("the waits under way")?,
                    fields.number("the time that they lasted")?,
                ),
            ),
            _ => (0, (0, 0)),
        };
        Ok(RawWait {
            node,
            count,
            nanos,
            open,
            copy: StackCopy::parse(fields)?,
        })
    }

    /// Reads the id of a node that has been read before.
    fn node_id(&self, fields: &mut Fields<'a>) -> Result<u32, Problem> {
        let id: u32 = fields.number("the node's id")?;
        match self.program.nodes.get(id as usize) {
            Some(_) => Ok(id),
            None => Err(unknown("node", id as usize)),
        }
    }

    /// Reads the id of a node that has no record `name` yet, and marks it as having one.
    fn node_without(
        &mut self,
        name: &'a str,
        fields: &mut Fields<'a>,
    ) -> Result<&mut RawNode, Problem> {
        let id = self.node_id(fields)?;
        if !self.of_nodes.insert((name, id)) {
            return Err(format!("node {id} has two records `{name}`"));
        }
        Ok(&mut self.program.nodes[id as usize])
    }

    fn lock(&mut self, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let number: Option<usize> = fields.optional("the lock's number", Fields::number)?;
        let site: u32 = fields.number("the site")?;
        let known = self.program.sites.get(site as usize);
        let known = known.ok_or_else(|| unknown("site", site as usize))?;
        if !known.kind.is_lock() {
            return Err(format!("site {site} acquires no lock"));
        }
        let lock = RawLockUse {
            site,
            held_ticks: fields.number("the time held")?,
            acquisitions: fields.number("the acquisitions")?,
            waits: fields.number("the waits")?,
            waited_ticks: fields.number("the time waited")?,
        };
        let locks = &mut self.raw.locks;
        let next = locks.len();
        let uses = match number {
            None => &mut self.raw.other_locks,
            Some(number) if number == next => {
                locks.push(Vec::new());
                &mut locks[number]
            }
            Some(number) if next.checked_sub(1) == Some(number) => &mut locks[number],
            Some(number) => return Err(format!("lock {number} where {next} is next")),
        };
        if uses.iter().any(|one| one.site == site) {
            return Err(format!("a lock has two records of site {site}"));
        }
        uses.push(lock);
        Ok(())
    }

    /// Reads a record that appears at most once.
    fn setting(&mut self, name: &str, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let raw = &mut self.raw;
        match name {
            "metric" => raw.metric = fields.metric()?,
            "metric_problem" => raw.metric_problem = Some(fields.text(name)?),
            "clock" => raw.clock = fields.text(name)?,
            "clock_note" => raw.clock_note = Some(fields.text(name)?),
            "ticks_per_second" => raw.ticks_per_second = fields.rate()?,
            "elapsed_ticks" => raw.elapsed_ticks = fields.number(name)?,
            "processor_nanos" => raw.processor_nanos = Some(fields.number(name)?),
            "queued_nanos" => raw.queued_nanos = Some(fields.number(name)?),
            "threads" => raw.threads = fields.number(name)?,
            "assumed_cores" => raw.assumed_cores = fields.number(name)?,
            "machine_cores" => raw.machine_cores = fields.number(name)?,
            "burden_ticks" => raw.burden_ticks = fields.number(name)?,
            "pid" => raw.pid = fields.number(name)?,
            "ended" => raw.ended = ended(fields)?,
            "started_at" => raw.started_at = fields.number("the time")?,
            "unfinished_tasks" => raw.unfinished_tasks = fields.number(name)?,
            "off_processor_ticks" => raw.off_processor_ticks = fields.number(name)?,
            "own_cost_ticks" => raw.own_cost_ticks = fields.number(name)?,
            "span_ticks" => raw.span_ticks = fields.number(name)?,
            "burdened_span_ticks" => raw.burdened_span_ticks = fields.number(name)?,
            "truncated_tree" => raw.truncated_tree = fields.flag("the mark")?,
            "timing" => raw.timing = timing(fields)?,
            "span_open_ticks" => raw.span_open_ticks = fields.number(name)?,
            "burdened_span_open_ticks" => raw.burdened_span_open_ticks = fields.number(name)?,
            "shared_ticks" => raw.shared_ticks = fields.number(name)?,
            "sampling" => raw.sampling = Some(fields.number("the rate")?),
            "timeline" => raw.timeline = Some(timeline(fields)?),
            "sampling_note" => raw.sampling_note = Some(fields.text(name)?),
            _ => return Err(format!("the record `{name}` is not known")),
        }
        Ok(())
    }

    fn finish(self) -> Result<RawProfile, RawError> {
        let Self {
            raw,
            program,
            lines,
            ..
        } = self;
        if program.sites.is_empty() {
            return Err(RawError::Missing("site 0"));
        }
        if program.nodes.is_empty() {
            return Err(RawError::Missing("node 0"));
        }
        match REQUIRED.into_iter().find(|name| !lines.contains_key(*name)) {
            Some(missing) => Err(RawError::Missing(missing)),
            None => Ok(RawProfile {
                modules: program.modules,
                sites: program.sites,
                nodes: program.nodes,
                damaged_stacks: raw.damaged_stacks + program.damaged_stacks,
                ..raw
            }),
        }
    }
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

fn timing(fields: &mut Fields<'_>) -> Result<TimingKind, Problem> {
    match fields.word("the timing")? {
        "exact" => Ok(TimingKind::Exact),
        "shared" => Ok(TimingKind::Shared),
        other => Err(format!("the timing `{other}` is not known")),
    }
}

fn timeline(fields: &mut Fields<'_>) -> Result<RawTimeline, Problem> {
    let part_nanos = fields.number("the length of a part")?;
    if part_nanos < 1 {
        return Err("parts of the timeline have no length".to_owned());
    }
    let mut parts = Vec::new();
    while !fields.is_empty() {
        let in_strands = fields.number("the samples in strands")?;
        parts.push((in_strands, fields.number("the samples outside")?));
    }
    Ok(RawTimeline { part_nanos, parts })
}

fn line_use(fields: &mut Fields<'_>) -> Result<LineUse, Problem> {
    match fields.word("the use of a cache line")? {
        "-" => Ok(LineUse::Unknown),
        "own" => Ok(LineUse::Own),
        "shared" => Ok(LineUse::Shared),
        "apart" => Ok(LineUse::Apart),
        other => Err(format!("the use `{other}` of a cache line is not known")),
    }
}

fn ended(fields: &mut Fields<'_>) -> Result<Ended, Problem> {
    match fields.word("how the run ended")? {
        "exit" => Ok(Ended::Exit),
        "not" => Ok(Ended::Not),
        "signal" => fields.number("the signal").map(Ended::Signal),
        other => Err(format!("`{other}` is no way for a run to end")),
    }
}
