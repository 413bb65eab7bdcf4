//! What the reader of a report has to know to read its figures right.

use crate::{Evidence, Exit, Finding, Nanos, Profile, RuntimeKind, SiteKind, SiteRow, Totals};

/// Voluntary waits are worth a note from this share of the work.
const LONG_WAIT_SHARE: f64 = 0.05;

/// Something that the reader has to know to read the figures right.
///
/// `row` is an index into the site rows given to [`notes`].
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// No parallel construct was executed: the program is one strand a thread.
    NoParallelConstruct,
    /// A signal ended the run early: the figures are of the part before it.
    Interrupted,
    /// The program went on after the profile was written: the figures are of the part before it.
    StillRunning,
    /// The program failed: the figures are of the run up to there.
    Failed(Exit),
    /// Tasks were still running when the profile was written: their strands up to there count as work.
    UnfinishedTasks(u64),
    /// The call tree hit its size limit: what was called from the deepest nodes counts at their sites.
    TruncatedTree,
    /// Amounts are counts of events, not times, and so are speedups.
    Counts,
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
    /// The site is a `par_bridge`: its items cannot be told apart.
    ParBridge {
        /// The site.
        row: usize,
    },
    /// Constructs of a C or C++ program have no line, because it was built without debug information.
    NoLines {
        /// How many sites have none.
        sites: usize,
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
            Self::StillRunning => "still_running",
            Self::Failed(_) => "failed",
            Self::UnfinishedTasks(_) => "unfinished_tasks",
            Self::TruncatedTree => "truncated_tree",
            Self::Counts => "counts",
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

/// The notes on a profile, the gravest first. What `findings` say of a site is not noted again.
pub fn notes(
    profile: &Profile,
    totals: &Totals,
    rows: &[SiteRow],
    findings: &[Finding],
) -> Vec<Note> {
    let is_serialised = |row: usize| {
        let mut findings = findings.iter();
        findings.any(|finding| {
            finding.row == row && matches!(finding.evidence, Evidence::Serialised(_))
        })
    };
    let run = &profile.run;
    let mut notes = Vec::new();
    if totals.constructs == 0 {
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

/// Constructs of rayon know their places, or are called from where nobody knows.
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

/// Waits of the root are the program waiting for its user or its files: they count like the others,
/// because they too hold up everything that depends on them.
fn long_waits(totals: &Totals, rows: &[SiteRow], is_told: impl Fn(usize) -> bool) -> Option<Note> {
    let share = totals.blocked.share_of(totals.work.time());
    let (row, site) = rows
        .iter()
        .enumerate()
        .max_by_key(|(_, site)| site.on_work.blocked)?;
    let blocked = site.on_work.blocked;
    (share >= LONG_WAIT_SHARE && !is_told(row)).then_some(Note::LongWaits {
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
        // Files that do not tell.
        assert_eq!(notes(None, success), [Note::StillRunning]);
        assert_eq!(notes(None, Exit::Signal(2)), [Note::Interrupted]);
    }

    #[test]
    fn programs_without_debug_information_are_told_once() {
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
        let of_site = Note::Site { row: 0, text };
        assert_eq!(notes(8), [Note::ParBridge { row: 0 }, of_site.clone()]);
        // A finding tells of the bridge where it is what limits.
        assert_eq!(notes(64), [of_site]);
    }
}
