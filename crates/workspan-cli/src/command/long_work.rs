//! What long work is at.

use workspan_model::Dag;

use crate::message;

/// Vertices from which analyses of a dag take seconds.
const LONG: usize = 2_000_000;

/// Tells on the terminal what the work on a large dag is at, until it is dropped.
pub(super) struct LongWork {
    is_long: bool,
}

impl LongWork {
    pub(super) fn on(dag: &Dag) -> Self {
        let is_long = dag.vertices.len() >= LONG;
        Self { is_long }
    }

    /// What comes next.
    pub(super) fn at(&self, step: &str) {
        if self.is_long {
            message::progress(step);
        }
    }
}

impl Drop for LongWork {
    fn drop(&mut self) {
        if self.is_long {
            message::progress_ended();
        }
    }
}
