//! Tasks that bring their paths to a sync.

use super::{extended, whole};
use crate::executed::Executed;
use crate::frame::Frame;
use crate::longest::Longest;
use crate::segment::Chain;
use crate::sync::check;
use loom::sync::Arc;
use loom::thread::spawn;

/// Depth, burdened and open length of each task; the greatest of each is another task's.
const TASKS: [(i64, i64, i64); 3] = [(30, 31, 1), (20, 90, 2), (10, 12, 7)];

#[test]
fn the_greatest_of_each_survives() {
    check(3, || {
        let longest = Arc::new(Longest::new());
        longest.take();
        longest.take_executed();
        let offer = |longest: &Longest, task: usize| {
            let (depth, burdened, open) = TASKS[task];
            let node = task as u32;
            let path = extended(Chain::default(), node);
            longest.add(Executed {
                work: depth,
                ..Executed::default()
            });
            longest.offer(Frame::at(depth, burdened, open, node, path));
        };
        let tasks = [1, 2].map(|task| {
            let longest = longest.clone();
            spawn(move || offer(&longest, task))
        });
        offer(&longest, 0);
        // The runtime's latch.
        tasks.into_iter().for_each(|task| task.join().unwrap());
        let (frame, burdened, open) = longest.take();
        let mut frame = frame.unwrap();
        assert_eq!((frame.depth, burdened, open), (30, 90, 7));
        assert_eq!(longest.take_executed().0.work, 60);
        // SAFETY: the frame has no parent.
        let path = unsafe { frame.freeze() };
        assert_eq!(whole(&path).get(&0), Some(&1));
        assert!(longest.take().0.is_none());
    });
}
