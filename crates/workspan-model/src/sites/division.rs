//! The part of the work that is divided by a number which follows the number of threads: with more
//! of them it would be divided further, so how long its pieces took says nothing of more cores.

use super::construct::rows_of_nodes;
use crate::{Nanos, NodeId, Profile, SiteKind, SiteRow, Span, Totals, Work, parallelism};

/// The part of a program that was divided for its number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// The threads that it was divided for; 0 if there is no such part.
    pub threads: u32,
    /// How many of these the program started itself, those that were alive at once.
    pub own_threads: u32,
    /// Its work.
    pub work: Work,
    /// What it has of the longest chain.
    pub span: Span,
    /// The part of that which the main thread did while threads that it had started were running,
    /// at least.
    pub overlap: Span,
}

/// What is divided for the number of threads changes no answer if it is less of the longest chain.
const IMMATERIAL: f64 = 0.1;

impl Division {
    /// The share of the longest chain that this part is.
    pub fn share_of_span(&self, totals: &Totals) -> f64 {
        let span = totals.span.value.time();
        self.span.time().share_of(span).clamp(0.0, 1.0)
    }

    /// The threads that it was divided for, if the answer would be another one if these were more.
    pub(crate) fn threads_that_matter(&self, totals: &Totals) -> Option<u32> {
        let is_half = totals.work > Work::ZERO && self.work + self.work >= totals.work;
        let matters = is_half || self.share_of_span(totals) >= IMMATERIAL;
        Some(self.threads).filter(|&threads| threads > 0 && matters)
    }

    /// The cores that `threads`, those that it was divided for, can use on a machine with so many. A
    /// program may start a thread for each job: how many are alive then follows from how many jobs
    /// there are, and from how long they wait for a processor.
    pub(crate) fn cores_for(&self, threads: u32, cores_of_machine: u32) -> u32 {
        if threads == self.own_threads && cores_of_machine > 1 {
            threads.min(cores_of_machine)
        } else {
            threads
        }
    }
}

/// A loop with more pieces than this for each thread is not shared out evenly among them.
const PIECES_PER_THREAD: u64 = 4;

/// A guided loop hands out 1/(2P) of what is left at a time, so of n iterations it makes at most
/// 2P(1 + ln n) pieces: with more than this for each thread, n would exceed 10⁹.
const GUIDED_PIECES_PER_THREAD: u64 = 44;

/// The part of `profile` that was divided for its number of threads. `rows` are its sites.
pub(crate) fn division(profile: &Profile, rows: &[SiteRow]) -> Division {
    let row_of_node = rows_of_nodes(profile, rows);
    let is_in_thread = nodes_in_threads(profile);
    let own_pool = profile.own_pool();
    let mut threads_of_node: Vec<Option<u32>> = Vec::with_capacity(profile.tree.len());
    let mut division = Division::default();
    let started = Started::new(profile, &is_in_thread);
    for (index, node) in profile.tree.iter().enumerate() {
        let above = node.parent.map(|parent| parent.index());
        let row = &rows[row_of_node[index]];
        let threads = if is_in_thread[index] {
            started.at_once
        } else if row.kind.is_serial() {
            above.and_then(|above| threads_of_node[above])
        } else {
            shared_out_to(profile, own_pool, row)
        };
        threads_of_node.push(threads);
        if let Some(threads) = threads {
            division.threads = division.threads.max(threads);
            division.work += node.on_work.local_work;
            division.span += node.on_span.local_span;
        }
    }
    if let Some(at_once) = started.at_once {
        division.own_threads = at_once;
        division.span += started.overlap;
        division.overlap = started.overlap;
        division.work += Work::from(started.overlap.time()) + started.off_chain;
    }
    division
}

/// The number of threads that a runtime divided the construct for: a loop or a region by those of
/// the team, a broadcast by those of the pool, and rayon's iterators in a pool whose size the program
/// chose.
fn shared_out_to(profile: &Profile, own_pool: Option<u32>, row: &SiteRow) -> Option<u32> {
    let run = &profile.run;
    let threads = Some(run.threads).filter(|&threads| threads > 0);
    match (row.kind, own_pool) {
        (kind, Some(own)) => kind.is_cut().then_some(own),
        (SiteKind::Broadcast, None) => threads,
        (SiteKind::Parallel | SiteKind::Loop, None) if run.assumed_cores == 0 => {
            threads.filter(|&threads| is_shared_out(row, threads.into()))
        }
        _ => None,
    }
}

/// Whether the construct has no more pieces than a runtime makes for so many threads, or a loop one as
/// large as the first of a guided loop.
fn is_shared_out(row: &SiteRow, threads: u64) -> bool {
    let pieces = row.on_work.spawns / row.on_work.top_count.max(1);
    let few = PIECES_PER_THREAD * threads;
    let on_span = &row.on_span;
    let on_path = (on_span.local_work).and_then(|work| parallelism(work, on_span.local_span));
    let may_be_guided = row.kind == SiteKind::Loop && pieces <= GUIDED_PIECES_PER_THREAD * threads;
    pieces <= few || may_be_guided && on_path.is_some_and(|on_path| on_path <= few as f64)
}

/// For each node, whether it is a thread that the program starts once and in which tasks are made:
/// the program's main thread by another name.
fn threads_that_divide(profile: &Profile) -> Vec<bool> {
    let mut divides = vec![false; profile.tree.len()];
    let mut has_construct = vec![false; profile.tree.len()];
    // Nodes stand behind those that they are within.
    for (index, node) in profile.tree.iter().enumerate().rev() {
        let kind = profile.site_of(node).kind;
        let is_single_thread = kind == SiteKind::Thread && node.on_work.count == 1;
        divides[index] = is_single_thread && has_construct[index];
        if let Some(parent) = node.parent {
            let is_construct = kind.is_parallel() || kind == SiteKind::Thread;
            has_construct[parent.index()] |= is_construct || has_construct[index];
        }
    }
    divides
}

/// For each node, whether it is a thread that the program started to share work out to, or within
/// one.
fn nodes_in_threads(profile: &Profile) -> Vec<bool> {
    let divides_within = threads_that_divide(profile);
    let mut is_in_thread = vec![false; profile.tree.len()];
    for (index, node) in profile.tree.iter().enumerate() {
        let above = node.parent.is_some_and(|above| is_in_thread[above.index()]);
        let is_thread = profile.site_of(node).kind == SiteKind::Thread && !divides_within[index];
        is_in_thread[index] = is_thread || above;
    }
    is_in_thread
}

/// The threads that the program started itself to share work out to.
struct Started {
    /// How many ran at once, with the main thread unless it waited meanwhile; `None` if there are
    /// none.
    at_once: Option<u32>,
    /// What the main thread did on the longest chain while they ran, at least, and off it.
    overlap: Span,
    off_chain: Work,
}

impl Started {
    fn new(profile: &Profile, is_in_thread: &[bool]) -> Self {
        let (mut count, mut work, mut chain_elsewhere) = (0, Work::ZERO, Span::ZERO);
        for (node, &is_in_thread) in profile.tree.iter().zip(is_in_thread).skip(1) {
            chain_elsewhere += node.on_span.local_span;
            if is_in_thread {
                work += node.on_work.local_work;
                if profile.site_of(node).kind == SiteKind::Thread {
                    count += node.on_work.count;
                }
            }
        }
        let ran = profile.threads_that_ran().unwrap_or(count + 1);
        // The main thread is one of those that ran.
        let others = ran.saturating_sub(1).min(count).max(1);
        // They cannot have done their work in less time. What the chain has less than that outside of
        // the main thread, it has in it meanwhile, unless that was waiting.
        let for_time = Nanos::from_nanos_f64(work.time().as_nanos() as f64 / others as f64);
        let main = &profile.tree[NodeId::ROOT.index()];
        let main_chain = main.on_span.local_span.time();
        let busy = (main_chain - main.on_work.blocked).max(Nanos::ZERO);
        let overlap = (for_time - chain_elsewhere.time())
            .max(Nanos::ZERO)
            .min(busy);
        let off_chain = main.on_work.local_work.time() - main_chain;
        let takes_part = (overlap + off_chain).share_of(work.time()) >= IMMATERIAL;
        let most = others + u64::from(takes_part);
        Self {
            at_once: (count > 0).then(|| u32::try_from(most).unwrap_or(u32::MAX).max(2)),
            overlap: overlap.into(),
            off_chain: off_chain.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EngineCount, Node, OnWork, Site, SiteId, analyse, example, site_rows};

    /// The quicksort, its join made a construct of this kind that ran once with so many pieces on two
    /// threads; nearly all of the span is its.
    fn of_kind(kind: SiteKind, pieces: u64) -> Profile {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.run.threads) = (0, 2);
        profile.run.runtimes.clear();
        profile.sites[1].kind = kind;
        profile.tree[1].on_work.spawns = pieces;
        profile.tree[1].on_work.top_count = 1;
        profile
    }

    fn threads(profile: &Profile) -> u32 {
        division(profile, &site_rows(profile)).threads
    }

    #[test]
    fn few_pieces_for_each_thread_are_for_the_threads() {
        assert_eq!(threads(&of_kind(SiteKind::Loop, 8)), 2);
        assert_eq!(threads(&of_kind(SiteKind::Parallel, 8)), 2);
        assert_eq!(threads(&of_kind(SiteKind::Task, 8)), 0);
        let mut assumed = of_kind(SiteKind::Loop, 8);
        assumed.run.assumed_cores = 64;
        assert_eq!(threads(&assumed), 0);
    }

    #[test]
    fn a_loop_may_be_guided_while_one_piece_is_large() {
        // The work of what is on the path, over its span.
        let with = |pieces: u64, times: i64| {
            let mut profile = of_kind(SiteKind::Loop, pieces);
            let on_span = &mut profile.tree[1].on_span;
            on_span.local_work = Work::from_nanos(times * on_span.local_span.time().as_nanos());
            threads(&profile)
        };
        assert_eq!(with(9, 8), 2);
        assert_eq!(with(9, 9), 0);
        assert_eq!(with(88, 8), 2);
        assert_eq!(with(89, 8), 0);
    }

    #[test]
    fn what_own_threads_run_is_divided_by_them() {
        let with = |count: u64, has_join: bool| {
            let mut profile = of_kind(SiteKind::Thread, 0);
            profile.run.assumed_cores = 64;
            profile.tree[1].on_work.count = count;
            if has_join {
                profile.sites.push(Site::unnamed(SiteKind::Join));
                let mut join = Node::new(Some(NodeId(1)), SiteId(2));
                join.on_work = OnWork {
                    local_work: Work::from_nanos(500),
                    count: 1,
                    top_count: 1,
                    ..OnWork::default()
                };
                profile.tree.push(join);
            }
            division(&profile, &site_rows(&profile))
        };
        assert_eq!(with(4, false).threads, 4);
        let of_thread = with(4, false).work;
        assert_eq!(with(4, true).work, of_thread + Work::from_nanos(500));
        // The main thread by another name.
        assert_eq!(with(1, true), Division::default());
        assert_eq!(with(1, false).threads, 2);
    }

    #[test]
    fn a_small_part_of_the_chain_changes_no_answer() {
        let matters = |share: i64| {
            let mut profile = of_kind(SiteKind::Loop, 8);
            let [all, part] = [1_000_i64, share].map(|part| part * 98_000);
            profile.tree[0].on_span.local_span = Span::from_nanos(all - part);
            profile.tree[1].on_span.local_span = Span::from_nanos(part);
            profile.tree[1].on_work.local_work = Work::from_nanos(part);
            profile.tree[0].on_work.local_work = Work::from_nanos(1_060_000_000 - part);
            analyse(&profile).verdict.divided_for
        };
        assert_eq!(matters(101), Some(2));
        assert_eq!(matters(99), None);
    }

    #[test]
    fn a_thread_that_only_starts_others_is_none_of_them() {
        // What the threads, and the main thread, do in all and on the longest chain.
        let at_once = |[work, on_chain]: [i64; 2], [main, main_on_chain]: [i64; 2]| {
            let mut profile = of_kind(SiteKind::Thread, 0);
            profile.engine.push(EngineCount {
                name: "threads".to_owned(),
                value: 5,
            });
            for (node, [all, part]) in [(0, [main, main_on_chain]), (1, [work, on_chain])] {
                let node = &mut profile.tree[node];
                node.on_work.local_work = Work::from_nanos(all);
                node.on_span.local_span = Span::from_nanos(part);
                node.on_work.count = 40;
            }
            threads(&profile)
        };
        assert_eq!(at_once([360, 100], [20, 20]), 4);
        // It does a fifth of the work: off the chain, or on it.
        assert_eq!(at_once([360, 100], [110, 20]), 5);
        assert_eq!(at_once([360, 10], [120, 120]), 5);
    }

    #[test]
    fn a_main_thread_that_works_while_three_others_do_makes_four() {
        let mut profile = of_kind(SiteKind::Thread, 0);
        profile.engine.push(EngineCount {
            name: "threads".to_owned(),
            value: 4,
        });
        profile.tree[0].on_work.local_work = Work::from_nanos(100);
        profile.tree[0].on_span.local_span = Span::from_nanos(100);
        profile.tree[1].on_work.local_work = Work::from_nanos(300);
        profile.tree[1].on_span.local_span = Span::ZERO;
        profile.tree[1].on_work.count = 3;
        assert_eq!(threads(&profile), 4);
        // It waits all the time, though not for them.
        profile.tree[0].on_work.blocked = Nanos::from_nanos(100);
        assert_eq!(threads(&profile), 3);
    }

    #[test]
    fn what_the_main_thread_does_while_its_threads_run_is_divided_too() {
        let of = |on_chain: i64| {
            let mut profile = of_kind(SiteKind::Thread, 0);
            profile.engine.push(EngineCount {
                name: "threads".to_owned(),
                value: 2,
            });
            for (node, [all, part]) in [(0, [500, 500]), (1, [400, on_chain])] {
                let node = &mut profile.tree[node];
                node.on_work.local_work = Work::from_nanos(all);
                node.on_span.local_span = Span::from_nanos(part);
            }
            division(&profile, &site_rows(&profile))
        };
        // The other thread ran for 400 at least, of which the chain was in the main thread for 300.
        let both = of(100);
        assert_eq!((both.threads, both.work), (2, Work::from_nanos(700)));
        assert_eq!([both.span, both.overlap], [400, 300].map(Span::from_nanos));
        let alone = of(400);
        assert_eq!(
            (alone.work, alone.span),
            (Work::from_nanos(400), Span::from_nanos(400))
        );
    }

    #[test]
    fn no_more_threads_divide_than_ran() {
        let mut profile = of_kind(SiteKind::Thread, 0);
        profile.engine.push(EngineCount {
            name: "threads".to_owned(),
            value: 3,
        });
        profile.tree[1].on_work.count = 40;
        // One is the main thread, which waits for the others.
        assert_eq!(threads(&profile), 2);
    }
}
