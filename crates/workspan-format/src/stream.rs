//! Reads the record of the task dag, which a profiled program writes while it runs.
//!
//! A record is a sequence of blocks: settings, sites and call tree nodes, or events of one thread.
//! `docs/format.md` describes them. A block is written in one go and carries its own checksum, so
//! the record of a killed program can be read up to its last complete block.
//!
//! # Terms
//!
//! - *Lane*: a path through the dag that one thread runs. Lanes nest: a thread that waits may run
//!   another lane meanwhile.
//! - *Piece*: a strand, or a *folded* part of the dag, recorded without its structure.
//! - *Name*: a number above 0, unique in the process, of a lane, group, point, call, mark or hub.
//! - *Link*: a reference by name from one lane to another. It may be recorded before its target.
//! - *Mark*: the end of a folded piece in which joins had begun that were not over. The left branch
//!   of such a join ends with a *late middle*, and is taken to begin at the mark.
//! - *Group*: a scope, whose *body* is a lane, or a broadcast, whose *members* are lanes.
//! - *Point*: the place in a lane where tasks are spawned. Spawns in quick succession share a
//!   point; each of their tasks is spawned so many ticks *later* than the point.
//! - *Bulk*: tasks of a point that one thread ran one after another, recorded as one piece.
//! - *Handoff*: the place where a lane waits for a *call*, a lane that goes on in its stead.
//! - *Hub*: a point of the dag that orders lanes: those that *arrive* at it come before those that
//!   *depart* from it. A *lead* puts one hub after another.
//! - *Parcel*: tasks or parts of a construct, recorded as one piece, from a point or hub to a hub.
//! - *Open*: begun and not ended, at the current place in the events of a thread.
//! - *Loose*: the lane of a branch or call to which nothing refers, because the join or handoff
//!   that would is not in the record.
//!
//! # Steps of decoding
//!
//! 1. `block` splits the record into blocks, and `event` decodes events.
//! 2. `lanes` follows each thread through its events and adds vertices to a `draft` of the dag;
//!    `places` holds the sites and nodes that they refer to.
//! 3. `loose` guesses where loose lanes belong.
//! 4. `links` and `hubs` connect the lanes of different threads.
//! 5. `order` numbers the vertices.
//!
//! `profile` derives a raw profile from a record, for a program that left none.

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

/// The only version of the record that this crate reads.
const VERSION: &str = "4";

/// A decoded record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The dag, already checked. The raw profile of the same run uses the same ids of sites and
    /// nodes.
    pub dag: Dag,
    /// What the dag's ticks measure.
    pub metric: Metric,
    /// The executable mappings of the process.
    pub modules: Vec<RawModule>,
    /// The sites that the record has, indexed by id; the root comes first.
    pub sites: Vec<RawSite>,
    /// The nodes of the call tree that the record has, indexed by id; the root comes first. Their
    /// figures are unset.
    pub nodes: Vec<RawNode>,
}

/// Why a record could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Opening or reading the file failed.
    #[error("cannot read the record of the task dag {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file is not a record.
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
    /// A block is corrupt, or its contents do not fit the rest of the record.
    #[error(
        "the record of the task dag is damaged (block {block}: {problem}); run the program again, and report this if \
         it stays"
    )]
    Damaged {
        /// Number of the block, from 1; 0 if the problem is not in a single block.
        block: usize,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the record in the file `path`.
///
/// A record that ends early gives the dag up to there, with [`Dag::is_truncated`] set.
///
/// # Errors
/// Any [`StreamError`].
pub fn read(path: &Path) -> Result<Recording, StreamError> {
    let read_error = |error| StreamError::Read {
        path: path.to_owned(),
        error,
    };
    let file = File::open(path).map_err(read_error)?;
    decode(BufReader::with_capacity(1 << 16, file), read_error)
}

/// Like [`read`], for a record in memory.
///
/// # Errors
/// Any [`StreamError`] except [`StreamError::Read`].
pub fn parse(bytes: &[u8]) -> Result<Recording, StreamError> {
    decode(bytes, |error| unreachable!("memory can be read: {error}"))
}

/// Counts the strands in the record `path`. An event for a folded subtree, or for several tasks at
/// once, counts as one.
///
/// Builds no dag and holds one block at a time. The count ends at the first damaged block; an
/// unreadable event ends the count of its own block only. The version is not checked.
///
/// # Errors
/// When the file cannot be opened or read.
pub fn count_strands(path: &Path) -> io::Result<u64> {
    let mut blocks = Blocks::new(BufReader::with_capacity(1 << 16, File::open(path)?));
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

fn decode(
    bytes: impl BufRead,
    read_error: impl Fn(io::Error) -> StreamError,
) -> Result<Recording, StreamError> {
    let mut blocks = Blocks::new(bytes);
    let mut lanes = Lanes::default();
    let mut header = Header::default();
    let mut is_whole = false;
    let first = blocks.first_line().map_err(&read_error)?;
    match first.strip_prefix(FIRST_LINE) {
        _ if !first.ends_with('\n') && begins_first_line(&first) => {
            return into_recording(lanes, &header, false);
        }
        None => return Err(StreamError::Foreign),
        Some(found) if found.trim_end() != VERSION => {
            let found = found.trim_end().to_owned();
            return Err(StreamError::OtherVersion { found });
        }
        Some(_) => {}
    }
    while let Some(block) = blocks.next().map_err(&read_error)? {
        let outcome = match block {
            Ok(_) if is_whole => Err("it follows the end".to_owned()),
            Ok(Block::Header(text)) => header.read(&text, &mut lanes.places.program),
            Ok(Block::Program(text)) => add_program(&text, &mut lanes.places),
            Ok(Block::Events { thread, events }) => lanes.follow(thread, events),
            Ok(Block::End) => {
                is_whole = true;
                Ok(())
            }
            Err(problem) => Err(problem),
        };
        outcome.map_err(|problem| StreamError::Damaged {
            block: blocks.count(),
            problem,
        })?;
    }
    into_recording(lanes, &header, is_whole)
}

/// Whether the record was cut off within a valid first line: `first` is a prefix of that line.
fn begins_first_line(first: &str) -> bool {
    format!("{FIRST_LINE}{VERSION}").starts_with(first)
}

/// Adds the sites and nodes in the text of a [`Block::Program`].
fn add_program(text: &str, places: &mut Places) -> Result<(), String> {
    for line in text.lines() {
        let mut fields = Fields::new(line);
        let name = fields.word("the record's name")?;
        if !places.program.add(name, fields)? {
            return Err(format!("the record `{name}` is not known"));
        }
    }
    places.update_depths();
    Ok(())
}

/// Puts the dag together once all blocks have been read. `is_whole`: the end block was there.
fn into_recording(
    mut lanes: Lanes,
    header: &Header,
    is_whole: bool,
) -> Result<Recording, StreamError> {
    let damaged = |problem| StreamError::Damaged { block: 0, problem };
    lanes.finish().map_err(damaged)?;
    let Lanes {
        draft,
        links,
        mut places,
        ..
    } = lanes;
    places.add_root();
    let (vertices, successors, regions) = assemble(draft, links, &places).map_err(damaged)?;
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

/// Connects the lanes of `draft` by `links`, and numbers the vertices.
fn assemble(mut draft: Draft, mut links: Links, places: &Places) -> Result<Numbered, String> {
    let connect_and_number = |mut draft: Draft, links: Links| {
        let first_vertex = links.connect(&mut draft, places)?;
        order::number_vertices(draft, first_vertex)
    };
    let loose = links.loose_lanes();
    if loose.is_empty() {
        return connect_and_number(draft, links);
    }
    let (recorded_draft, recorded_links) = (draft.clone(), links.clone());
    links.assign_loose(loose, &mut draft, places);
    // The guess can make vertices wait for themselves. Without it, loose lanes begin with the
    // program.
    connect_and_number(draft, links).or_else(|_| connect_and_number(recorded_draft, recorded_links))
}

/// Settings of the whole record.
///
/// A later header overrides each setting that it names, and replaces all modules.
#[derive(Debug)]
struct Header {
    metric: Metric,
    ticks_per_second: f64,
    /// In ticks: subtrees of less work were folded into one vertex. 0: none were.
    grain: i64,
    /// Burden of a stealable edge, in ticks.
    burden: i64,
}

impl Default for Header {
    /// The settings of a record that ends before its first header.
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
    /// Takes over the settings in the text of a [`Block::Header`]; modules go to `program`.
    fn read(&mut self, text: &str, program: &mut RawProgram) -> Result<(), String> {
        program.modules.clear();
        for line in text.lines() {
            let mut fields = Fields::new(line);
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
