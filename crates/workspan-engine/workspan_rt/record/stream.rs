//! The file of the record, described in `docs/format.md`.
//!
//! It grows by whole blocks, each written at once, so that a program that is killed leaves a
//! readable prefix.

use super::encoding::put;
use crate::clock::metric::Metric;
use crate::clock::Mark;
use crate::state::settings::Settings;
use crate::system::output::{without_signals, Output};
use crate::system::{mappings, message};
use crate::tree;
use crate::tree::text::{write_node, write_site};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The session's stream. Lock order: whoever holds this may lock the call tree, never the reverse.
static STREAM: Mutex<Option<Stream>> = Mutex::new(None);

/// After how many bytes the grain doubles.
const PART: u64 = 16 << 20;

const FIRST_LINE: &[u8] = b"workspan-dag 4\n";

fn lock() -> MutexGuard<'static, Option<Stream>> {
    STREAM.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Stream {
    output: Output,
    /// The session's start, from which the clock's rate follows.
    start: Mark,
    /// What a tick counts.
    metric: Metric,
    /// How many sites and nodes have been written.
    sites: usize,
    nodes: usize,
    /// Grain and burden in the last header written.
    told: Option<(i64, i64)>,
    bytes: u64,
    /// The most bytes the file may take, as the user set it.
    most: u64,
    /// File size at which the grain next doubles.
    large: u64,
}

/// Begins the stream in a new file. If that fails, reports why on standard error and returns false.
/// Only [`thread::recording`](crate::thread::recording) calls this: it begins the whole record.
pub(crate) fn begin_stream(path: &Path, most: u64, start: Mark, metric: &Metric) -> bool {
    let output = Output::create(path).and_then(|output| {
        output.append(FIRST_LINE)?;
        Ok(output)
    });
    match output {
        Ok(output) => {
            *lock() = Some(Stream {
                output,
                start,
                metric: metric.clone(),
                sites: 0,
                nodes: 0,
                told: None,
                bytes: FIRST_LINE.len() as u64,
                most,
                large: PART,
            });
            true
        }
        Err(error) => {
            let path = path.display();
            message::say(format_args!(
                "the task dag is not recorded in {path}: {error}"
            ));
            false
        }
    }
}

/// What became of a thread's events.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Written {
    /// Written.
    Well,
    /// Written, and the stream has grown so large that what follows is to be twice as coarse.
    Large,
    /// Not written: the stream has ended, or ends here because writing failed.
    Not,
}

pub(crate) fn write_events(thread: u32, events: &[u8], settings: &Settings) -> Written {
    let mut is_large = false;
    let is_written = with(|stream| {
        stream.write_events(thread, events, settings)?;
        is_large = stream.bytes > stream.large;
        if is_large {
            stream.large += PART;
        }
        Ok(())
    });
    match (is_written, is_large) {
        (false, _) => Written::Not,
        (true, true) => Written::Large,
        (true, false) => Written::Well,
    }
}

/// Ends the stream. Returns its length in bytes. Only
/// [`thread::recording`](crate::thread::recording) calls this, once every thread has written what
/// is left.
pub(crate) fn end_stream(settings: &Settings) -> u64 {
    let mut bytes = 0;
    with(|stream| {
        stream.write_header(settings)?;
        stream.write_block(b'Z', b"")?;
        bytes = stream.bytes;
        Ok(())
    });
    *lock() = None;
    bytes
}

/// In a copy of the process: continues the stream in a file of its own, `copy`, which begins with
/// what was written before the copy.
pub(crate) fn go_on_in(copy: &Path) -> io::Result<()> {
    let mut guard = lock();
    let Some(stream) = guard.as_mut() else {
        return Ok(());
    };
    let mut written = File::open(stream.output.path())?.take(stream.bytes);
    let output = Output::create(copy)?;
    let mut file = File::options().append(true).open(copy)?;
    without_signals(|| io::copy(&mut written, &mut file))?;
    stream.output = output;
    Ok(())
}

fn with(write: impl FnOnce(&mut Stream) -> io::Result<()>) -> bool {
    let mut guard = lock();
    let Some(stream) = guard.as_mut() else {
        return false;
    };
    let written = write(stream);
    if let Err(error) = &written {
        let path = stream.output.path().display();
        message::say(format_args!(
            "the task dag is recorded no further in {path}: {error}"
        ));
        *guard = None;
    }
    written.is_ok()
}

impl Stream {
    fn write_events(&mut self, thread: u32, events: &[u8], settings: &Settings) -> io::Result<()> {
        if self.told != Some(figures_of(settings)) {
            self.write_header(settings)?;
        }
        self.write_tree()?;
        let mut payload = Vec::with_capacity(events.len() + 5);
        put(&mut payload, thread.into());
        payload.extend_from_slice(events);
        self.write_block(b'E', &payload)
    }

    fn write_header(&mut self, settings: &Settings) -> io::Result<()> {
        let (grain, burden) = figures_of(settings);
        self.told = Some((grain, burden));
        let mut text = format!(
            "ticks_per_second {}\ngrain_ticks {grain}\nburden_ticks {burden}\n",
            self.start.ticks_per_second()
        );
        if !self.metric.is_time() {
            let _ = writeln!(text, "metric {}", self.metric);
        }
        for line in mappings::modules() {
            let _ = writeln!(text, "module {line}");
        }
        self.write_block(b'H', text.as_bytes())
    }

    /// Writes the sites and nodes that are new.
    fn write_tree(&mut self) -> io::Result<()> {
        let mut text = String::new();
        let tree = tree::lock();
        for (id, site) in tree.sites.iter().enumerate().skip(self.sites) {
            write_site(&mut text, id, site);
        }
        for (id, node) in tree.nodes.iter().enumerate().skip(self.nodes) {
            write_node(&mut text, id, node);
        }
        (self.sites, self.nodes) = (tree.sites.len(), tree.nodes.len());
        drop(tree);
        if text.is_empty() {
            return Ok(());
        }
        self.write_block(b'T', text.as_bytes())
    }

    fn write_block(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let mut block = Vec::with_capacity(payload.len() + 9);
        block.push(kind);
        block.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        block.extend_from_slice(payload);
        block.extend_from_slice(&checksum(&block).to_le_bytes());
        self.bytes += block.len() as u64;
        if self.bytes > self.most {
            return Err(io::Error::other(format!(
                "it would have more than {} bytes (--record-limit)",
                self.most
            )));
        }
        self.output.append(&block)
    }
}

fn figures_of(settings: &Settings) -> (i64, i64) {
    (settings.record_grain.unwrap_or(0), settings.burden)
}

/// 32-bit FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}
