//! What was on the longest paths of top instances.

use super::Thread;
use crate::path::frame::Frame;
use crate::path::log::{self, Others, Part};
use crate::path::segment::Segment;

/// How many path entries the end of an instance may cost in the long run. The first
/// [`FIRST_CREDIT`](super::FIRST_CREDIT) are free.
const ENTRIES_AN_INSTANCE: i64 = 8;

impl Thread {
    /// Counts a top instance of `node` that has ended, with a path of `ticks`: that of `longest`
    /// since `origin` ([`Frame::for_each_since`]).
    pub(crate) fn record_top(
        &self,
        node: u32,
        ticks: i64,
        longest: &mut Frame,
        origin: *const Segment,
    ) {
        self.count_top(node, ticks);
        // An instance may end in many others, each of which would go through its whole path again.
        // So there is a budget of some entries an instance. What exceeds it is left out; the sum of
        // the entries shows how much that is.
        let credit = self.path_credit.get() + ENTRIES_AN_INSTANCE;
        if credit < longest.entries() as i64 {
            return self.path_credit.set(credit);
        }
        let mut entries = 0;
        longest.for_each_since(origin, |on_path, part| {
            entries += 1;
            self.add_to_paths(node, on_path, part);
        });
        self.path_credit.set(credit - entries);
    }

    /// As [`Thread::record_top`], for an instance whose path stayed at its node.
    pub(crate) fn record_top_at(&self, node: u32, path: Part) {
        self.count_top(node, path.local);
        self.add_to_paths(node, node, path);
    }

    fn count_top(&self, node: u32, ticks: i64) {
        let cell = self.cell(node);
        cell.top_count.add(1);
        cell.top_span.add(ticks);
    }

    fn add_to_paths(&self, node: u32, on_path: u32, part: Part) {
        if log::stack_of(on_path).is_some() {
            return;
        }
        let mut paths = self.paths.take();
        if paths.len() <= node as usize {
            paths.resize_with(node as usize + 1, Others::default);
        }
        paths[node as usize].add(on_path, part);
        self.paths.set(paths);
    }

    /// Forgets what was counted for `node`, the last node there is.
    pub(crate) fn forget_all_of(&self, node: u32) {
        self.cell(node).set_values(Default::default());
        let mut paths = self.paths.take();
        paths.truncate(node as usize);
        self.paths.set(paths);
    }

    /// Calls `visit(node, on_path, part)` for everything on the longest paths of top instances. The
    /// world is stopped.
    pub(crate) fn for_each_on_paths(&self, mut visit: impl FnMut(u32, u32, Part)) {
        let paths = self.paths.take();
        for (node, path) in (0..).zip(&paths) {
            path.for_each(|on_path, part| visit(node, on_path, part));
        }
        self.paths.set(paths);
    }
}
