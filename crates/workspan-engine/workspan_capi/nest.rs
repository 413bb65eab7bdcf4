//! What a thread has begun and not ended, the innermost last: what the C API's calls nest in.

use crate::handles::Handle;
use crate::running_loop::RunningLoop;
use crate::site::{Shown, Site};
use std::cell::RefCell;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;
use workspan_rt::events::Task;

/// What a thread has begun.
pub(crate) enum Inside {
    /// A task, which the thread runs.
    Task(Handle<c_void>, Task),
    /// A piece of a loop, which the thread runs.
    Piece(Handle<RunningLoop>, Task, Arc<RunningLoop>),
    /// A call that another thread may run; this one waits for it.
    Call(Handle<c_void>, Task),
    /// A wait, in which the thread may run tasks.
    Wait,
    /// A block that awaits its tasks, of the task that runs.
    Scope(*const Site),
}

/// Which of them is to end.
#[derive(Clone, Copy)]
pub(crate) enum Ended {
    Task(Handle<c_void>),
    Piece(Handle<RunningLoop>),
    Call(Handle<c_void>),
    Wait,
    Scope,
}

impl Ended {
    fn is_of(self, inside: &Inside) -> bool {
        match (self, inside) {
            (Self::Task(a), Inside::Task(b, _)) | (Self::Call(a), Inside::Call(b, _)) => a == *b,
            (Self::Piece(a), Inside::Piece(b, ..)) => a == *b,
            (Self::Wait, Inside::Wait) | (Self::Scope, Inside::Scope(_)) => true,
            _ => false,
        }
    }
}

impl Inside {
    /// The task that the thread runs in it.
    fn task(&self) -> Option<&Task> {
        match self {
            Self::Task(_, task) | Self::Piece(_, task, _) => Some(task),
            Self::Call(..) | Self::Wait | Self::Scope(_) => None,
        }
    }

    /// Ends the task that the thread runs in it. Of a block that ends out of turn nothing ends: its tasks are left to what is
    /// around it.
    fn end(&self) {
        match self {
            Self::Task(handle, task) => {
                task.end();
                if let Some(raw) = handle.take() {
                    // SAFETY: a handle can be taken once, so this is the one count that it had, by
                    // `Task::into_raw`.
                    drop(unsafe { Task::from_raw(raw) });
                }
            }
            Self::Piece(_, piece, of) => of.end_piece(piece),
            Self::Call(..) | Self::Wait | Self::Scope(_) => {}
        }
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Task(task, _) => Ended::Task(*task).fmt(f),
            Self::Piece(of, ..) => Ended::Piece(*of).fmt(f),
            Self::Call(called, _) => Ended::Call(*called).fmt(f),
            Self::Wait => Ended::Wait.fmt(f),
            Self::Scope(site) => write!(f, "the block of {}", Shown(*site)),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Task(task) => write!(f, "the task of {}", Shown(task.site())),
            Self::Piece(of) => write!(f, "a piece of the loop of {}", Shown(of.site())),
            Self::Call(called) => write!(f, "the call of {}", Shown(called.site())),
            Self::Wait => f.write_str("a wait"),
            Self::Scope => f.write_str("a block"),
        }
    }
}

struct Open {
    inside: Inside,
    /// What the thread goes on with afterwards.
    before: Option<Task>,
}

thread_local! {
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
}

/// Leaves what the thread runs for what it does next. A block is a part of what runs.
pub(crate) fn begin(inside: Inside) {
    let mut before = None;
    if !matches!(inside, Inside::Scope(_)) {
        before = Task::running();
        if let Some(task) = &before {
            task.leave();
        }
        if let Some(task) = inside.task() {
            task.enter();
        }
    }
    // A thread that is ending has no such list; nor does it begin anything that matters.
    let _ = OPEN.try_with(|open| open.borrow_mut().push(Open { inside, before }));
}

/// Has the thread begun it, and not ended it?
pub(crate) fn is_open(what: Ended) -> bool {
    OPEN.try_with(|open| open.borrow().iter().any(|open| what.is_of(&open.inside)))
        .unwrap_or(false)
}

/// Ends `what`, and all that was begun in it and has not ended, and goes on with what was before. What does not fit is reported
/// with both places: of what was to end, and of what is open. Gives back what has ended.
pub(crate) fn end(what: Ended) -> Option<Inside> {
    let ended = OPEN.try_with(|open| {
        let mut open = open.borrow_mut();
        let Some(index) = open.iter().rposition(|open| what.is_of(&open.inside)) else {
            report(&format_args!("{what} ends"), open.last(), "nothing ends");
            return None;
        };
        if index + 1 < open.len() {
            let what = &open[index].inside;
            report(&format_args!("{what} ends"), open.last(), "that ends, too");
        }
        let mut ended = None;
        for open in open.drain(index..).rev() {
            open.inside.end();
            if let Some(task) = &open.before {
                task.enter();
            }
            ended = Some(open.inside);
        }
        ended
    });
    ended.ok().flatten()
}

/// Reports `what` the program tells, which does not fit to where the calling thread is, and what becomes of it.
pub(crate) fn misfit(what: &dyn fmt::Display, outcome: &str) {
    let _ = OPEN.try_with(|open| report(what, open.borrow().last(), outcome));
}

fn report(what: &dyn fmt::Display, innermost: Option<&Open>, outcome: &str) {
    let innermost = innermost.map_or("nothing".to_owned(), |open| open.inside.to_string());
    workspan_rt::say(format_args!(
        "{what} on a thread that is in {innermost}: {outcome}"
    ));
}
