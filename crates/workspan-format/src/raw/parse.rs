//! Reading a raw profile. A line that is not understood is an error: it means that writer and reader
//! are not the same version. Stacks alone are what the program has made of its memory: one that is not understood is
//! counted and left out.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use workspan_model::{EngineCount, Runtime, RuntimeKind, TimingKind};

use super::fields::{Fields, Problem};
use super::locks::Locks;
use super::program::{RawProgram, unknown};
use super::settings::Settings;
use super::{
    Ended, RawCalibration, RawInstance, RawProfile, RawRegion, RawSpan, RawStack, RawWork,
    StackCopy,
};

/// Start of the first line; the version follows.
const FIRST_LINE: &str = "workspan-raw ";

/// Version of the raw profile that this crate reads.
const VERSION: &str = "4";

/// Why a raw profile could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// The file could not be read.
    #[error(
        "cannot read the raw profile {}: {error}; did the program reach its end, and may it write there?",
        .path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The text does not start as a raw profile.
    #[error("this is not a raw profile of workspan; remove the file and run the program again")]
    Foreign,
    /// The program was built by another version of workspan.
    #[error(
        "the raw profile has version {found}, this workspan reads {VERSION}: the program was built \
         by another workspan; build it again (`rm -r target/workspan` if that does not help)"
    )]
    OtherVersion {
        /// The version in the first line.
        found: String,
    },
    /// The text ends too early.
    #[error(
        "the raw profile is truncated after line {lines}: the program could not write all of it; \
         check the space on the disk and run it again"
    )]
    Truncated {
        /// How many lines there are.
        lines: usize,
    },
    /// A line is not understood.
    #[error(
        "line {line} of the raw profile is not understood: {problem}; build the program again with \
         this workspan (`rm -r target/workspan` first), and report the line if it stays"
    )]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A record that has to be there is not.
    #[error(
        "the raw profile has no record `{0}`; build the program again with this workspan \
         (`rm -r target/workspan` first)"
    )]
    Missing(&'static str),
}

/// Reads the raw profile file `path`. Bytes that are no UTF-8 are replaced.
///
/// # Errors
/// Every [`RawError`].
pub fn read(path: &Path) -> Result<RawProfile, RawError> {
    let bytes = crate::read_file(path).map_err(|error| RawError::Read {
        path: path.to_owned(),
        error,
    })?;
    parse(&String::from_utf8_lossy(&bytes))
}

/// Reads the text of a raw profile.
///
/// # Errors
/// Every [`RawError`] but `Read`.
pub fn parse(text: &str) -> Result<RawProfile, RawError> {
    let first = text.lines().next().unwrap_or_default();
    let Some(found) = first.strip_prefix(FIRST_LINE) else {
        let cut = FIRST_LINE.starts_with(text);
        return Err(if cut {
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
    // With its line end: `end` alone may be the start of a record.
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

/// The records read so far.
#[derive(Default)]
struct Records<'a> {
    settings: Settings<'a>,
    calibration: RawCalibration,
    engine: Vec<EngineCount>,
    runtimes: Vec<Runtime>,
    command: Vec<String>,
    program: RawProgram,
    instances: Vec<RawInstance>,
    locks: Locks,
    stacks: Vec<RawStack>,
    damaged_stacks: u64,
    /// Nodes that have their figures on the work, on the span.
    with_work: HashSet<usize>,
    with_span: HashSet<usize>,
}

impl<'a> Records<'a> {
    fn add(&mut self, line: usize, record: &'a str) -> Result<(), Problem> {
        let mut fields = Fields::of(record);
        let name = fields.word("the record's name")?;
        if RawProgram::has(name) {
            return self.program.add(name, fields);
        }
        match name {
            "calibration" => self.calibration(fields),
            "engine" => self.engine(fields),
            "runtime" => self.runtime(fields),
            "word" => {
                self.command.push(fields.text("the word")?.to_owned());
                Ok(())
            }
            "work" => self.work(fields),
            "span" => self.span(fields),
            "region" => self.region(fields),
            "path" => self.path(fields),
            "instance" => self.instance(fields),
            "lock" => self.locks.add(fields, &self.program.sites),
            "stack" => {
                match self.stack(fields) {
                    Ok(stack) => self.stacks.push(stack),
                    Err(_) => self.damaged_stacks += 1,
                }
                Ok(())
            }
            name => self.settings.add(name, line, fields),
        }
    }

    fn calibration(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let cost = match fields.word("the operation")? {
            "clock_read" => &mut self.calibration.clock_read,
            "join" => &mut self.calibration.join,
            "join_boundary" => &mut self.calibration.join_boundary,
            "spawn" => &mut self.calibration.spawn,
            "spawn_boundary" => &mut self.calibration.spawn_boundary,
            "scope" => &mut self.calibration.scope,
            other => return Err(format!("the operation `{other}` is not known")),
        };
        *cost = fields.float("the cost")?;
        fields.finish()
    }

    fn engine(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let name = fields.word("the count's name")?;
        if !is_snake_case(name) {
            return Err(format!("the count's name `{name}` is not in snake_case"));
        }
        if self.engine.iter().any(|count| count.name == name) {
            return Err(format!("the engine has two counts `{name}`"));
        }
        self.engine.push(EngineCount {
            name: name.to_owned(),
            value: fields.number("the count")?,
        });
        fields.finish()
    }

    fn runtime(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let name = fields.word("the runtime")?;
        let kind = RuntimeKind::of_name(name);
        let kind = kind.ok_or_else(|| format!("the runtime `{name}` is not known"))?;
        if self.runtimes.iter().any(|runtime| runtime.kind == kind) {
            return Err(format!("the runtime `{name}` is told of twice"));
        }
        let version = fields.text("the version")?;
        self.runtimes.push(Runtime {
            kind,
            version: (version != "-").then(|| version.to_owned()),
        });
        Ok(())
    }

    fn work(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let id: usize = fields.number("the node's id")?;
        let node = self
            .program
            .nodes
            .get_mut(id)
            .ok_or_else(|| unknown("node", id))?;
        if !self.with_work.insert(id) {
            return Err(format!("node {id} has two records `work`"));
        }
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
        fields.finish()
    }

    fn span(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let id: usize = fields.number("the node's id")?;
        let node = self
            .program
            .nodes
            .get_mut(id)
            .ok_or_else(|| unknown("node", id))?;
        if !self.with_span.insert(id) {
            return Err(format!("node {id} has two records `span`"));
        }
        node.span = RawSpan {
            local_ticks: fields.number("the local span")?,
            count: fields.number("the count")?,
            top_count: fields.number("the top count")?,
            top_work_ticks: fields.number("the top work")?,
            local_work_ticks: fields.number("the local work")?,
        };
        fields.finish()
    }

    fn region(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let id = self.node_id(&mut fields)?;
        self.program.nodes[id as usize].region = RawRegion {
            burdened_span_ticks: fields.number("the burdened span")?,
            open_ticks: fields.number("how far the spans are open")?,
            spawns: fields.number("the spawns")?,
            syncs: fields.number("the syncs")?,
        };
        fields.finish()
    }

    fn path(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        let id = self.node_id(&mut fields)?;
        let part = self.node_id(&mut fields)?;
        let ticks = fields.number("the local span")?;
        let count = fields.number("the count")?;
        self.program.nodes[id as usize]
            .path
            .push((part, ticks, count));
        fields.finish()
    }

    fn instance(&mut self, mut fields: Fields<'a>) -> Result<(), Problem> {
        self.instances.push(RawInstance {
            node: self.node_id(&mut fields)?,
            number: fields.number("the instance's number")?,
            start_ticks: fields.number("the start")?,
            work_ticks: fields.number("the work")?,
            span_ticks: fields.number("the span")?,
            burdened_span_ticks: fields.number("the burdened span")?,
            open_ticks: fields.number("how far the spans are open")?,
            spawns: fields.number("the spawns")?,
            syncs: fields.number("the syncs")?,
        });
        fields.finish()
    }

    fn stack(&self, mut fields: Fields<'a>) -> Result<RawStack, Problem> {
        Ok(RawStack {
            node: self.node_id(&mut fields)?,
            on_work: fields.float("the samples on the work")?,
            on_span: fields.float("the samples on the span")?,
            copy: StackCopy::parse(fields)?,
        })
    }

    /// The number of a node that has been read.
    fn node_id(&self, fields: &mut Fields<'a>) -> Result<u32, Problem> {
        let id: u32 = fields.number("the node's id")?;
        match self.program.nodes.get(id as usize) {
            Some(_) => Ok(id),
            None => Err(unknown("node", id as usize)),
        }
    }

    fn finish(self) -> Result<RawProfile, RawError> {
        let settings = &self.settings;
        if self.program.sites.is_empty() {
            return Err(RawError::Missing("site 0"));
        }
        if self.program.nodes.is_empty() {
            return Err(RawError::Missing("node 0"));
        }
        Ok(RawProfile {
            metric: settings.get_or_default("metric", Fields::metric)?,
            metric_problem: settings.optional_text("metric_problem")?,
            clock: settings.text("clock")?,
            clock_note: settings.optional_text("clock_note")?,
            ticks_per_second: settings.get("ticks_per_second", Fields::rate)?,
            elapsed_ticks: settings.number("elapsed_ticks")?,
            threads: settings.number("threads")?,
            assumed_cores: settings.number("assumed_cores")?,
            machine_cores: settings.number("machine_cores")?,
            burden_ticks: settings.number("burden_ticks")?,
            runtimes: self.runtimes,
            pid: settings.number("pid")?,
            ended: settings.get("ended", ended)?,
            command: self.command,
            started_at: settings
                .get_or_default("started_at", |fields| fields.number("the time"))?,
            unfinished_tasks: settings.number("unfinished_tasks")?,
            off_processor_ticks: settings.number("off_processor_ticks")?,
            own_cost_ticks: settings.number("own_cost_ticks")?,
            span_ticks: settings.number("span_ticks")?,
            burdened_span_ticks: settings.number("burdened_span_ticks")?,
            truncated_tree: settings.get("truncated_tree", |fields| fields.flag("the mark"))?,
            timing: settings.get_or_default("timing", timing)?,
            span_open_ticks: settings.number_or_zero("span_open_ticks")?,
            burdened_span_open_ticks: settings.number_or_zero("burdened_span_open_ticks")?,
            shared_ticks: settings.number_or_zero("shared_ticks")?,
            calibration: self.calibration,
            engine: self.engine,
            modules: self.program.modules,
            sites: self.program.sites,
            nodes: self.program.nodes,
            instances: self.instances,
            locks: self.locks.apart,
            other_locks: self.locks.others,
            sampling: settings
                .get_or_default("sampling", |fields| fields.number("the rate").map(Some))?,
            sampling_note: settings.optional_text("sampling_note")?,
            stacks: self.stacks,
            damaged_stacks: self.damaged_stacks + self.program.damaged_stacks,
        })
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

fn ended(fields: &mut Fields<'_>) -> Result<Ended, Problem> {
    match fields.word("how the run ended")? {
        "exit" => Ok(Ended::Exit),
        "not" => Ok(Ended::Not),
        "signal" => fields.number("the signal").map(Ended::Signal),
        other => Err(format!("`{other}` is no way for a run to end")),
    }
}
