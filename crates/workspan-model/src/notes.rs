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

impl Note {
    /// The note's name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoParallelConstruct => "no_parallel_construct",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
            Self::UnfinishedTasks(_) => "unfinished_tasks",
            Self::TruncatedTree => "truncated_tree",
            Self::SecondBestClock(_) => "second_best_clock",
            Self::LongWaits { .. } => "long_waits",
            Self::HighTaskingOverhead { .. } => "high_tasking_overhead",
            Self::ParBridge { .. } => "par_bridge",
            Self::Site { .. } => "site",
        }
    }

    /// The site that the note is about, as an index into the site rows.
    pub const fn row(&self) -> Option<usize> {
        match self {
            Self::LongWaits { row, .. }
            | Self::HighTaskingOverhead { row, .. }
            | Self::ParBridge { row }
            | Self::Site { row, .. } => Some(*row),
            _ => None,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, analyse, example};

    fn notes_after(change: impl FnOnce(&mut Profile)) -> Vec<Note> {
        let mut profile = example::quicksort();
        change(&mut profile);
        analyse(&profile).notes
    }

    #[test]
    fn waits_are_long_from_a_twentieth_of_the_work() {
        let waits = |nanos| {
            notes_after(|profile| profile.tree[1].on_work.blocked = Nanos::from_nanos(nanos))
        };
        // The work is 1060 ms.
        assert_eq!(waits(52_900_000), []);
        let blocked = Nanos::from_nanos(53_000_000);
        assert_eq!(
            waits(53_000_000),
            [Note::LongWaits {
                row: 0,
                blocked,
                share: 0.05
            }]
        );
    }

    #[test]
    fn tasking_overhead_is_high_from_a_tenth_of_the_work() {
        // 587,213 joins of 181 ns are 106.3 ms, of 180 ns 105.7 ms, of 1060 ms of work.
        let joins =
            |nanos| notes_after(|profile| profile.calibration.join = Cost::from_nanos(nanos));
        assert_eq!(joins(180.0), []);
        assert!(matches!(
            joins(181.0)[..],
            [Note::HighTaskingOverhead { row: 0, .. }]
        ));
    }

    #[test]
    fn an_interruption_explains_the_signal() {
        let notes = notes_after(|profile| {
            profile.run.interrupted = true;
            profile.run.exit = Exit::Signal(2);
            profile.run.unfinished_tasks = 3;
            profile.run.truncated_tree = true;
        });
        assert_eq!(
            notes,
            [
                Note::Interrupted,
                Note::UnfinishedTasks(3),
                Note::TruncatedTree
            ]
        );
    }

    #[test]
    fn sites_have_their_own_notes() {
        let notes = notes_after(|profile| {
            profile.sites[1].kind = SiteKind::ParBridge;
            profile.sites[1].note = Some("inlined".to_owned());
        });
        let text = "inlined".to_owned();
        assert_eq!(
            notes,
            [Note::ParBridge { row: 0 }, Note::Site { row: 0, text }]
        );
    }
}
