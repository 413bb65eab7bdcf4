//! Progress of long work on a task dag.

use workspan_model::Dag;

use crate::message;

/// Number of vertices from which analyses of a dag take seconds.
const LONG: usize = 2_000_000;

/// Shows on the terminal which step of the work on a large dag is running, until it is dropped.
pub(super) struct LongWork {
    is_long: bool,
}

impl LongWork {
    pub(super) fn on_dag(dag: &Dag) -> Self {
        let is_long = dag.vertices.len() >= LONG;
        Self { is_long }
    }

    /// Shows the next step.
    pub(super) fn begin(&self, step: &str) {
        if self.is_long {
            message::progress(step);
        }
    }
}

impl Drop for LongWork {
    fn drop(&mut self) {
        if self.is_long {
            message::clear_progress();
        }
    }
}
