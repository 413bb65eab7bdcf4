//! What the reader of a report has to know to interpret its figures.

use crate::threads::standstill::standstill;
use crate::{
    Books, Evidence, Exit, Finding, Nanos, Profile, RuntimeKind, SiteKind, SiteRow, Totals,
};

/// Voluntary waits get a note from this share of the work on.
const LONG_WAIT_SHARE: f64 = 0.05;

/// Something that the reader has to know to interpret the figures.
///
/// `row` is an index into the site rows given to [`notes`].
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// No parallel construct was executed: each thread of the program is one strand.
    NoParallelConstruct,
    /// A signal ended the run early: the figures cover the part before it.
    Interrupted,
    /// The program continued after the profile was written: the figures cover the part before that.
    StillRunning,
    /// The program failed: the figures cover the run up to that point.
    Failed(Exit),
    /// Tasks were still running when the profile was written: their strands up to that point count
    /// as work.
    UnfinishedTasks(u64),
    /// The call tree hit its size limit: what was called from the deepest nodes counts at their
    /// sites.
    TruncatedTree,
    /// Amounts, and therefore speedups, are in events rather than time.
    Counts,
    /// Much of the threads' time is not explained ([`Books`]).
    Unexplained,
    /// The better clock could not be used, for this reason.
    SecondBestClock(String),
    /// Strands spent time in voluntary waits that counts as a large part of the work.
    LongWaits {
        /// The site that waited most.
        row: usize,
        /// How long the strands of that site waited.
        blocked: Nanos,
        /// All waits of the program as a share of the work.
        share: f64,
    },
    /// The site is a `par_bridge`: its items cannot be told apart.
    ParBridge {
        /// The site.
        row: usize,
    },
    /// Constructs of a C or C++ program have no line because it was built without debug
    /// information.
    NoLines {
        /// How many sites have none.
        sites: usize,
    },
    /// A note that the site itself carries.
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
            Self::StillRunning => "still_running",
            Self::Failed(_) => "failed",
            Self::UnfinishedTasks(_) => "unfinished_tasks",
            Self::TruncatedTree => "truncated_tree",
            Self::Counts => "counts",
            Self::Unexplained => "unexplained",
            Self::SecondBestClock(_) => "second_best_clock",
            Self::LongWaits { .. } => "long_waits",
            Self::ParBridge { .. } => "par_bridge",
            Self::NoLines { .. } => "no_lines",
            Self::Site { .. } => "site",
        }
    }

    /// The site that the note is about, as an index into the site rows.
    pub const fn row(&self) -> Option<usize> {
        match self {
            Self::LongWaits { row, .. } | Self::ParBridge { row } | Self::Site { row, .. } => {
                Some(*row)
            }
            _ => None,
        }
    }
}

/// The notes on a profile, the most serious first. What `findings` say about a site is not
/// repeated.
pub fn notes(
    profile: &Profile,
    totals: &Totals,
    rows: &[SiteRow],
    findings: &[Finding],
    books: Option<&Books>,
) -> Vec<Note> {
    let is_serialised = |row: usize| {
        let mut findings = findings.iter();
        findings.any(|finding| {
            finding.row == row && matches!(finding.evidence, Evidence::Serialised(_))
        })
    };
    let run = &profile.run;
    let mut notes = Vec::new();
    let runs_threads = profile.runtime() == Some(RuntimeKind::Threads);
    let may_construct = profile.has_unseen_threads() || standstill(profile).is_some();
    if totals.constructs == 0 && !runs_threads && !may_construct {
        notes.push(Note::NoParallelConstruct);
    }
    if run.is_still_running() {
        notes.push(Note::StillRunning);
    } else if run.interrupted {
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
    if !run.metric.is_time() {
        notes.push(Note::Counts);
    }
    if books.is_some_and(Books::leave_something_open) {
        notes.push(Note::Unexplained);
    }
    notes.extend(run.clock_note.clone().map(Note::SecondBestClock));
    notes.extend(long_waits(totals, rows, is_serialised));
    notes.extend(no_lines(profile, rows));
    for (row, site) in rows.iter().enumerate() {
        if site.kind == SiteKind::ParBridge && !is_serialised(row) {
            notes.push(Note::ParBridge { row });
        }
        notes.extend(site.note.clone().map(|text| Note::Site { row, text }));
    }
    notes
}

/// Only for programs in C or C++: a rayon construct always has a place unless its caller is
/// unknown.
fn no_lines(profile: &Profile, rows: &[SiteRow]) -> Option<Note> {
    let is_of_c = profile
        .runtime()
        .is_some_and(|runtime| runtime != RuntimeKind::Rayon);
    let unplaced = rows
        .iter()
        .filter(|row| row.kind.is_parallel() && row.location.is_none());
    let sites = unplaced.count();
    (is_of_c && sites > 0).then_some(Note::NoLines { sites })
}

/// The root's waits are those of the program for its user or its files. They count like all others,
/// because they too delay everything that depends on them.
fn long_waits(totals: &Totals, rows: &[SiteRow], is_found: impl Fn(usize) -> bool) -> Option<Note> {
    let share = totals.blocked.share_of(totals.work.time());
    let (row, site) = rows
        .iter()
        .enumerate()
        .max_by_key(|(_, site)| site.on_work.blocked)?;
    let blocked = site.on_work.blocked;
    (share >= LONG_WAIT_SHARE && !is_found(row)).then_some(Note::LongWaits {
        row,
        blocked,
        share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analyse, example};

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
    fn a_program_may_succeed_after_a_signal_and_fail_after_its_profile() {
        let notes = |still_running, exit| {
            notes_after(|profile| {
                profile.run.interrupted = true;
                profile.run.still_running = still_running;
                profile.run.exit = exit;
            })
        };
        let success = Exit::Code(0);
        assert_eq!(notes(Some(true), success), [Note::StillRunning]);
        assert_eq!(notes(Some(true), Exit::Code(1)), [Note::StillRunning]);
        assert_eq!(notes(Some(false), success), [Note::Interrupted]);
        // Files that do not record whether the program was still running.
        assert_eq!(notes(None, success), [Note::StillRunning]);
        assert_eq!(notes(None, Exit::Signal(2)), [Note::Interrupted]);
    }

    #[test]
    fn a_program_without_debug_information_gets_one_note() {
        let notes = |kind| {
            notes_after(|profile| {
                profile.run.runtimes[0].kind = kind;
                profile.sites[1].kind = SiteKind::Parallel;
                profile.sites[1].location = None;
            })
        };
        assert_eq!(notes(RuntimeKind::OpenMp), [Note::NoLines { sites: 1 }]);
        assert_eq!(notes(RuntimeKind::Rayon), []);
    }

    #[test]
    fn sites_have_their_own_notes() {
        let notes = |assumed_cores| {
            notes_after(|profile| {
                profile.run.assumed_cores = assumed_cores;
                profile.sites[1].kind = SiteKind::ParBridge;
                profile.sites[1].note = Some("inlined".to_owned());
            })
        };
        let text = "inlined".to_owned();
        let own_note = Note::Site { row: 0, text };
        assert_eq!(notes(8), [Note::ParBridge { row: 0 }, own_note.clone()]);
        // On 64 cores the bridge is the limit, so it has a finding instead.
        assert_eq!(notes(64), [own_note]);
    }
}
