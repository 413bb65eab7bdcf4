//! WS001: the tasks of a construct do not run in parallel enough for the cores.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::subject::Subject;

/// The diagnosis if no more specific cause is known: the construct's own code makes up the span,
/// though it runs in parallel with itself. The quicksort of Cilkview §1, with its serial partition,
/// is an example.
pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    if !program.lacks_parallelism() || subject.is_library_work() {
        return None;
    }
    let evidence = Evidence::InsufficientParallelism {
        parallelism: program.totals.parallelism.value,
        of_site: subject.row.on_work.parallelism,
        span_share: subject.span_share(),
    };
    let after = subject.with_span_cut_to(1.0 / f64::from(program.cores));
    Some((evidence, after))
}
