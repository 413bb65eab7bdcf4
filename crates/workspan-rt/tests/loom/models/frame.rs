//! Branches that freeze the frames that they continue, at the same time.

use super::{whole, Carried};
use crate::frame::Frame;
use crate::segment::Chain;
use crate::sync::{check, live};
use loom::thread::spawn;
use std::collections::BTreeMap;
use std::ptr;

/// Freezes the path of a branch of `ticks` at `node` after `parent`, on any thread.
fn branch(parent: *const Frame, node: u32, ticks: i64) -> Frame {
    // SAFETY: the model keeps the parent blocked until both branches have ended.
    unsafe {
        let mut branch = Frame::after(parent, node, 0);
        branch.add_strand(ticks);
        let frozen = branch.freeze();
        assert_eq!(whole(&frozen).get(&node), Some(&ticks));
        branch
    }
}

fn blocked(parent: *const Frame, node: u32, ticks: i64) -> Box<Frame> {
    let mut frame = if parent.is_null() {
        Frame::at(0, 0, 0, node, Chain::default())
    } else {
        // SAFETY: as in `branch`.
        unsafe { Frame::after(parent, node, 0) }
    };
    frame.add_strand(ticks);
    Box::new(frame)
}

#[test]
fn both_branches_of_a_fork() {
    check(4, || {
        let root = blocked(ptr::null(), 1, 5);
        let mut parent = blocked(&*root, 2, 7);
        let at = Carried(ptr::from_ref(&*parent));
        let right = spawn(move || Carried(branch(at.get(), 4, 30)));
        let left = branch(&*parent, 3, 20);
        let mut right = right.join().unwrap().get();
        assert_eq!(live(), 4, "one segment for each frame");
        // SAFETY: the parents are blocked.
        let (left_path, right_path) = unsafe { ({ left }.freeze(), right.freeze()) };
        assert_eq!(whole(&left_path), BTreeMap::from([(1, 5), (2, 7), (3, 20)]));
        assert_eq!(
            whole(&right_path),
            BTreeMap::from([(1, 5), (2, 7), (4, 30)])
        );
        // The parent goes on after the longer branch and is frozen again.
        parent.continue_after(&mut right, Default::default());
        parent.add_strand(1);
        // SAFETY: the root is blocked.
        let path = unsafe { parent.freeze() };
        assert_eq!(whole(&path), BTreeMap::from([(1, 5), (2, 8), (4, 30)]));
    });
}

#[test]
fn branches_at_two_depths() {
    check(4, || {
        let root = blocked(ptr::null(), 1, 5);
        let parent = blocked(&*root, 2, 7);
        let (near, far) = (
            Carried(ptr::from_ref(&*parent)),
            Carried(ptr::from_ref(&*root)),
        );
        let outer = spawn(move || Carried(branch(far.get(), 4, 30)));
        let inner = branch(near.get(), 3, 20);
        let outer = outer.join().unwrap().get();
        assert_eq!(live(), 4, "one segment for each frame");
        // SAFETY: the parents are blocked.
        let (inner, outer) = unsafe { ({ inner }.freeze(), { outer }.freeze()) };
        assert_eq!(whole(&inner), BTreeMap::from([(1, 5), (2, 7), (3, 20)]));
        assert_eq!(whole(&outer), BTreeMap::from([(1, 5), (4, 30)]));
    });
}
