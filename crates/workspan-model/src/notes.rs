//! What the reader of a report has to know to read its figures right.

use crate::{Exit, Nanos, Profile, SiteKind, SiteRow, TaskingOverhead, Totals};

/// Voluntary waits are worth a note from this share of the work.
const LONG_WAIT_SHARE: f64 = 0.05;

/// Tasking overhead is worth a note from this share of the work.
const HIGH_TASKING_SHARE: f64 = 0.1;

/// Something that the reader has to know to read the figures right.
///
/// `row` is an index into the site rows given to [`notes`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// No parallel construct of rayon was executed: the program is one strand a thread.
    NoParallelConstruct,
    /// A signal ended the run early: the figures are of the part before it.
    Interrupted,
    /// The program failed: the figures are of the run up to there.
    Failed(Exit),
    /// Tasks were still running when the profile was written: their strands up to there count as work.
    UnfinishedTasks(u64),
    /// The call tree hit its size limit: what was called from the deepest nodes counts at their sites.
    TruncatedTree,
    /// The better clock could not be used, for this reason.
    SecondBestClock(String),
    /// Strands waited of their own will for a large part of the work, which counts as work.
    LongWaits {
        /// The site that waited most.
        row: usize,
        /// How long the strands of that site waited.
        blocked: Nanos,
        /// How much of the work all waiting is.
        share: f64,
    },
    /// Creating and scheduling tasks costs a large part of the work.
    HighTaskingOverhead {
        /// The site that costs most.
        row: usize,
        /// The cost over the whole program.
        overhead: TaskingOverhead,
    },
    /// The site is a `par_bridge`: its items cannot be told apart.
    ParBridge {
        /// The site.
        row: usize,
    },
    /// A note of the site's own.
    Site {
        /// The site.
        row: usize,
        /// The note.
        text: String,
    },
}

/// The notes on a profile, the gravest first.
pub fn notes(profile: &Profile, totals: &Totals, rows: &[SiteRow]) -> Vec<Note> {
    let run = &profile.run;
    let mut notes = Vec::new();
    if totals.constructs == 0 {
        notes.push(Note::NoParallelConstruct);
    }
    if run.interrupted {
        notes.push(Note::Interrupted);
    } else if run.exit != Exit::Code(0) {
        notes.push(Note::Failed(run.exit));
    }
    if run.unfinished_tasks > 0 {
        notes.push(Note::UnfinishedTasks(run.unfinished_tasks));
    }
    if run.truncated_tree {
        notes.push(Note::TruncatedTree);
    }
    notes.extend(run.clock_note.clone().map(Note::SecondBestClock));
    notes.extend(long_waits(totals, rows));
    notes.extend(high_tasking_overhead(totals, rows));
    for (row, site) in rows.iter().enumerate() {
        if site.kind == SiteKind::ParBridge {
            notes.push(Note::ParBridge { row });
        }
        notes.extend(site.note.clone().map(|text| Note::Site { row, text }));
    }
    notes
}

/// Waits of the root are the program waiting for its user or its files: they count like the others,
/// because they too hold up everything that depends on them.
fn long_waits(totals: &Totals, rows: &[SiteRow]) -> Option<Note> {
    let share = totals.blocked.share_of(totals.work.time());
    let (row, site) = rows
        .iter()
        .enumerate()
        .max_by_key(|(_, site)| site.on_work.blocked)?;
    let blocked = site.on_work.blocked;
    (share >= LONG_WAIT_SHARE).then_some(Note::LongWaits {
        row,
        blocked,
        share,
    })
}

fn high_tasking_overhead(totals: &Totals, rows: &[SiteRow]) -> Option<Note> {
    let overhead = totals.tasking_overhead;
    let cost = |site: &SiteRow| site.on_work.tasking_overhead.time;
    let (row, _) = rows.iter().enumerate().max_by_key(|(_, site)| cost(site))?;
    (overhead.share >= HIGH_TASKING_SHARE).then_some(Note::HighTaskingOverhead { row, overhead })
}
