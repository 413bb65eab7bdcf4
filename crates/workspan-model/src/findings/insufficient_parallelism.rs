//! WS001: a construct's tasks do not run beside one another enough for the cores.

use super::Diagnosed;
use super::evidence::Evidence;
use super::subject::Subject;

/// What is left when no closer cause is known: the construct's own code makes up the span, though it runs in
/// parallel with itself. The quicksort of Cilkview §1, with its serial partition, is of this kind.
pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.is_short_of_parallelism() {
        return None;
    }
    let evidence = Evidence::InsufficientParallelism {
        parallelism: program.totals.parallelism,
        of_site: subject.row.on_work.parallelism,
        span_share: subject.span_share(),
    };
    let after = subject.with_span_cut_to(1.0 / f64::from(program.cores));
    Some((evidence, after))
}
