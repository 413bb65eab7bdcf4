//! WS004: one branch has nearly all of the work, again and again.

use super::evidence::{Evidence, SkewedBy};
use super::finding::Diagnosed;
use super::gain::Expectation;
use super::subject::Subject;
use crate::{Dag, Nanos, Side, SiteKind, StrandRegion, VertexKind};

/// The critical path of a random binary recursion goes through about 2.4 log₂ n of n instances, and
/// the longest of all paths through 4.3 ln n = 3 log₂ n of them (L. Devroye, *A note on the height
/// of binary search trees*, JACM 33, 1986). From this multiple of log₂ n on, the imbalance is no
/// coincidence.
const DEPTH_OVER_BALANCED: f64 = 6.0;

/// Nor is a piece that takes this many times as long as all would if they were even; of n pieces
/// fewer than 16, √n times; of two, which are often one for each thread, a quarter longer.
const LONGEST_OVER_EVEN: f64 = 4.0;

/// Threads that the program shares its work out to are meant to take the same; the longest takes this
/// many times as long as all would.
const LONGEST_THREAD_OVER_EVEN: f64 = 1.25;

/// Rayon's default splitting makes this many pieces per core.
pub(super) const PIECES_PER_CORE: f64 = 2.0;

/// A recursion whose critical path goes through many more instances than halving would.
pub(super) fn diagnose_depth(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.lacks_parallelism() || !subject.row.kind.is_parallel() {
        return None;
    }
    let (tasks, depth) = (subject.tasks(), subject.depth()?);
    let balanced = tasks.max(2.0).log2();
    if depth < DEPTH_OVER_BALANCED * balanced || subject.is_pipeline() {
        return None;
    }
    let evidence = Evidence::SkewedChildren(SkewedBy::Depth {
        depth,
        balanced,
        tasks,
    });
    let part = balanced / depth;
    let burden = subject.burden_on_span().shown() as f64 * (1.0 - part);
    let steals = subject
        .program
        .times_burden(subject.row.on_work.stolen as f64 * (1.0 - part));
    let after = subject.with_span_cut_to(part);
    let after = Expectation {
        steals: (after.steals - steals).max(Nanos::ZERO),
        ..after
    };
    Some((
        evidence,
        after.with_less_span(Nanos::from_nanos_f64(burden)),
    ))
}

/// A parallel iterator or other loop with enough pieces, one of which is much longer than the
/// others.
///
/// What `fold` and `reduce` do on the way up lies on the path as well. Only the task dag can tell it
/// from the pieces. The same holds for a loop that is called a reduction or a scan.
pub(super) fn diagnose_pieces(subject: &Subject<'_>) -> Option<Diagnosed> {
    let (program, row) = (subject.program, subject.row);
    let combines = |detail: &str| {
        let words = ["fold", "reduce", "scan"];
        words.iter().any(|word| detail.contains(word))
    };
    let is_plain = match row.kind {
        // Tasks that spawn none of their kind.
        kind if kind.is_task() => row.on_work.count == row.on_work.top_count,
        SiteKind::ParIter => row.detail.as_deref().is_some_and(|text| !combines(text)),
        _ if row.may_divide_by_code() => true,
        kind => kind.has_pieces() && !row.detail.as_deref().is_some_and(combines),
    };
    // Of several calls, the longest piece may be one of the longest call.
    let is_single = row.on_work.top_count == 1;
    let in_dag = if row.kind == SiteKind::ParIter && !is_plain && is_single {
        program.dag.and_then(|dag| longest_piece(subject, dag))
    } else {
        None
    };
    if !program.lacks_parallelism() || !is_plain && in_dag.is_none() {
        return None;
    }
    let tops = row.on_span.top_call_site.count?.max(1) as f64;
    let most = PIECES_PER_CORE * f64::from(program.cores);
    let pieces = subject.tasks().min(most);
    let work = subject.construct.work.time().shown() as f64;
    let even = if row.kind.is_task() {
        work / row.on_work.count.max(1) as f64
    } else {
        work / row.on_work.top_count.max(1) as f64 / pieces
    };
    let path = subject.construct.span.time().shown() as f64 / tops;
    let longest = in_dag.map_or(path, |longest| longest.shown() as f64);
    let usual = if pieces <= 2.0 {
        LONGEST_THREAD_OVER_EVEN
    } else {
        pieces.sqrt()
    };
    let is_usual = longest < LONGEST_OVER_EVEN.min(usual) * even;
    let is_few = pieces < f64::from(program.cores) && !one_piece_is_most(subject);
    if is_usual || longest < path / 2.0 || is_few {
        return None;
    }
    let evidence = Evidence::SkewedChildren(SkewedBy::Pieces {
        longest: Nanos::from_nanos_f64(longest),
        even: Nanos::from_nanos_f64(even),
    });
    Some((evidence, subject.with_span_cut_to(even / longest)))
}

/// Whether a parallel iterator has several pieces, and spends most of its time in one of them.
pub(super) fn one_piece_is_most(subject: &Subject<'_>) -> bool {
    let (span, work) = (subject.construct.span, subject.construct.work);
    let share = span.time().share_of(work.time());
    subject.row.kind == SiteKind::ParIter && subject.tasks() > 2.0 && share > 0.5
}

/// Threads that the program started at one place, one of which has more to do than the others.
pub(super) fn diagnose_threads(subject: &Subject<'_>) -> Option<Diagnosed> {
    let row = subject.row;
    let threads = row.on_work.count;
    if row.kind != SiteKind::Thread || threads < 2 || row.on_span.top_call_site.count != Some(1) {
        return None;
    }
    let even = subject.construct.work.time().shown() as f64 / threads as f64;
    let longest = subject.construct.span.time().shown() as f64;
    if longest < LONGEST_THREAD_OVER_EVEN * even {
        return None;
    }
    let evidence = Evidence::SkewedChildren(SkewedBy::Pieces {
        longest: Nanos::from_nanos_f64(longest),
        even: Nanos::from_nanos_f64(even),
    });
    Some((evidence, subject.with_span_cut_to(even / longest)))
}

/// The longest piece of a parallel iterator: a strand that a branch of its joins begins and ends
/// with.
fn longest_piece(subject: &Subject<'_>, dag: &Dag) -> Option<Nanos> {
    let row_of_node = &subject.program.row_of_node;
    let is_of_branch = |side: Side| matches!(side, Side::Left | Side::Right);
    let is_piece = |region: &StrandRegion| {
        row_of_node[region.node.index()] == subject.index
            && region.from.site == region.to.site
            && is_of_branch(region.from.side)
            && is_of_branch(region.to.side)
    };
    let strands = dag.vertices.iter().filter(|vertex| {
        vertex.kind == VertexKind::Strand && is_piece(&dag.regions[vertex.region.index()])
    });
    strands
        .map(|vertex| vertex.work)
        .max()
        .map(|longest| dag.time_of(longest))
}
