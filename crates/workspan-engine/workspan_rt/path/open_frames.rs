//! The open frames around a frame.

use crate::path::frame::{Frame, Role};

/// The frame of the branch or task that `frame` is part of.
pub(crate) fn branch_of(frame: *mut Frame) -> *mut Frame {
    open_from(frame).last().map_or(frame, |(_, outer)| outer)
}

/// The frames from `frame` outwards up to the branch or task around it, each with its parent.
pub(crate) fn open_from(frame: *mut Frame) -> impl Iterator<Item = (*mut Frame, *mut Frame)> {
    let mut here = frame;
    std::iter::from_fn(move || {
        // SAFETY: callers pass the present frame of a thread that is in its bookkeeping or stopped:
        // it is alive, and so are its parents up to its branch's, which are blocked for it.
        let (role, parent) = unsafe { ((*here).role, (*here).parent) };
        let inner = std::mem::replace(&mut here, parent.cast_mut());
        (role != Role::Branch).then_some((inner, here))
    })
}
