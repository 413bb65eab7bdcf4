//! The record of the task dag: what a profiled program writes while it runs.
//!
//! Blocks of events of each thread, with the sites and nodes that they are of; `docs/format.md` describes them. Each
//! block stands alone, so that of a program that was killed the dag of what came before can be had.
//!
//! Threads tell of *lanes*, paths that one thread runs: `lanes` follows each thread through its events and makes vertices
//! of them, `loose` finds a place for lanes whose joins never ended, `links` and `hubs` tie the lanes of different threads
//! together, and `order` numbers the vertices.

mod block;
mod draft;
mod event;
mod hubs;
mod lanes;
mod links;
mod loose;
mod order;
mod places;
mod profile;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use workspan_model::{Dag, Metric};

use crate::raw::fields::Fields;
use crate::raw::program::RawProgram;
use crate::raw::{RawModule, RawNode, RawSite};
use block::{Block, Blocks};
use draft::Draft;
use event::Event;
use lanes::Lanes;
use links::Links;
use order::Numbered;
use places::Places;

/// Start of the first line; the version follows.
const FIRST_LINE: &str = "workspan-dag ";

/// Version of the record that this crate reads.
const VERSION: &str = "4";

/// What a record tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The dag, which is valid. Its nodes and sites are those of the raw profile of the same run.
    pub dag: Dag,
    /// What its ticks are of.
    pub metric: Metric,
    /// The executable mappings of the process.
    pub modules: Vec<RawModule>,
    /// The sites, as far as the record tells of them; index = id, the root first.
    pub sites: Vec<RawSite>,
    /// The call tree without figures, as far as the record tells of it; index = id, the root first.
    pub nodes: Vec<RawNode>,
}

/// Why a record could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The file could not be read.
    #[error("cannot read the record of the task dag {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file is something else.
    #[error("this is not a record of a task dag")]
    Foreign,
    /// The program was built by another version of workspan.
    #[error(
        "the record of the task dag has version {found}, this workspan reads {VERSION}: the program was built \
         by another workspan; build it again (`rm -r target/workspan` if that does not help)"
    )]
    OtherVersion {
        /// The version in the first line.
        found: String,
    },
    /// A block is not understood.
    #[error(
        "the record of the task dag is damaged (block {block}: {problem}); run the program again, and report this if \
         it stays"
    )]
    Damaged {
        /// The block, from 1; 0 if it is none of them alone.
        block: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// Reads the record `path`. One that ends early gives the dag of what it has, which says so.
///
/// # Errors
/// Every [`StreamError`].
pub fn read(path: &Path) -> Result<Recording, StreamError> {
    let reading = |error| StreamError::Read {
        path: path.to_owned(),
        error,
    };
    let file = File::open(path).map_err(reading)?;
    decode(BufReader::with_capacity(1 << 16, file)).map_err(|error| match error {
        Undecoded::Unread(error) => reading(error),
        Undecoded::Wrong(error) => error,
    })
}

/// The same of a record in memory.
///
/// # Errors
/// Every [`StreamError`] but `Read`.
pub fn parse(bytes: &[u8]) -> Result<Recording, StreamError> {
    decode(bytes).map_err(|error| match error {
        Undecoded::Unread(error) => unreachable!("memory can be read: {error}"),
        Undecoded::Wrong(error) => error,
    })
}

/// Why bytes could not be decoded.
enum Undecoded {
    /// They could not be read.
    Unread(io::Error),
    Wrong(StreamError),
}

impl From<io::Error> for Undecoded {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

impl From<StreamError> for Undecoded {
    fn from(error: StreamError) -> Self {
        Self::Wrong(error)
    }
}

/// How many strands, and subtrees in place of their strands, the record `path` tells of. Takes no memory to speak of. What
/// is not understood ends the count.
///
/// # Errors
/// When the file cannot be read.
pub fn count_strands(path: &Path) -> io::Result<u64> {
    let mut blocks = Blocks::of(BufReader::with_capacity(1 << 16, File::open(path)?));
    blocks.first_line()?;
    let mut strands = 0;
    while let Some(Ok(block)) = blocks.next()? {
        let Block::Events { mut events, .. } = block else {
            continue;
        };
        while let Ok(event) = Event::next(&mut events) {
            strands += u64::from(event.is_piece());
        }
    }
    Ok(strands)
}

fn decode(bytes: impl BufRead) -> Result<Recording, Undecoded> {
    let mut blocks = Blocks::of(bytes);
    let mut lanes = Lanes::default();
    let mut header = Header::default();
    let mut is_whole = false;
    let first = blocks.first_line()?;
    match first.strip_prefix(FIRST_LINE) {
        _ if !first.ends_with('\n') && is_cut(&first) => return Ok(finish(lanes, &header, false)?),
        None => return Err(StreamError::Foreign.into()),
        Some(found) if found.trim_end() != VERSION => {
            let found = found.trim_end().to_owned();
            return Err(StreamError::OtherVersion { found }.into());
        }
        Some(_) => {}
    }
    while let Some(block) = blocks.next()? {
        let taken = match block {
            Ok(_) if is_whole => Err("it follows the end".to_owned()),
            Ok(Block::Header(text)) => header.read(&text, &mut lanes.places.program),
            Ok(Block::Program(text)) => add_records(&text, &mut lanes),
            Ok(Block::Events { thread, events }) => lanes.follow(thread, events),
            Ok(Block::End) => {
                is_whole = true;
                Ok(())
            }
            Err(problem) => Err(problem),
        };
        taken.map_err(|problem| StreamError::Damaged {
            block: blocks.count(),
            problem,
        })?;
    }
    Ok(finish(lanes, &header, is_whole)?)
}

/// Whether the first line is the beginning of the right one.
fn is_cut(first: &str) -> bool {
    format!("{FIRST_LINE}{VERSION}").starts_with(first)
}

fn add_records(text: &str, lanes: &mut Lanes) -> Result<(), String> {
    for line in text.lines() {
        let mut fields = Fields::of(line);
        let name = fields.word("the record's name")?;
        lanes.places.program.add(name, fields)?;
    }
    lanes.places.measure_depths();
    Ok(())
}

fn finish(mut lanes: Lanes, header: &Header, is_whole: bool) -> Result<Recording, StreamError> {
    let damaged = |problem| StreamError::Damaged { block: 0, problem };
    lanes.finish().map_err(damaged)?;
    let Lanes {
        draft,
        links,
        mut places,
        ..
    } = lanes;
    places.add_root();
    let (vertices, successors, regions) = assembled(draft, links, &places).map_err(damaged)?;
    let RawProgram {
        modules,
        sites,
        nodes,
        ..
    } = places.program;
    let dag = Dag {
        ticks_per_second: header.ticks_per_second,
        grain: header.grain,
        burden: header.burden,
        is_truncated: !is_whole,
        vertices,
        successors,
        regions,
    };
    dag.check(nodes.len(), sites.len())
        .map_err(|error| damaged(error.to_string()))?;
    Ok(Recording {
        dag,
        metric: header.metric.clone(),
        modules,
        sites,
        nodes,
    })
}

/// The dag of `draft`, tied together by `links`.
fn assembled(mut draft: Draft, mut links: Links, places: &Places) -> Result<Numbered, String> {
    let assemble = |mut draft: Draft, links: Links| {
        let first = links.tie(&mut draft, places)?;
        order::numbered(draft, first)
    };
    let loose = links.loose();
    if loose.is_empty() {
        return assemble(draft, links);
    }
    let (as_told, told_links) = (draft.clone(), links.clone());
    links.tie_loose(loose, &mut draft, places);
    // Where the guess is impossible, loose lanes begin with the program.
    assemble(draft, links).or_else(|_| assemble(as_told, told_links))
}

/// What holds for the whole record. A later header replaces an earlier one.
#[derive(Debug)]
struct Header {
    metric: Metric,
    ticks_per_second: f64,
    grain: i64,
    burden: i64,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            metric: Metric::time(),
            ticks_per_second: 1e9,
            grain: 0,
            burden: 0,
        }
    }
}

impl Header {
    fn read(&mut self, text: &str, program: &mut RawProgram) -> Result<(), String> {
        program.modules.clear();
        for line in text.lines() {
            let mut fields = Fields::of(line);
            match fields.word("the record's name")? {
                "ticks_per_second" => self.ticks_per_second = fields.rate()?,
                "grain_ticks" => self.grain = fields.number("the grain")?,
                "metric" => self.metric = fields.metric()?,
                "burden_ticks" => self.burden = fields.number("the burden")?,
                "module" => {
                    program.add("module", fields)?;
                    continue;
                }
                other => return Err(format!("the record `{other}` is not known")),
            }
            fields.finish()?;
        }
        Ok(())
    }
}
