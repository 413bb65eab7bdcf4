//! What a thread has begun and not ended, the innermost last: what the C API's calls nest in.

use crate::loops::Running;
use crate::site::{Shown, Site};
use std::cell::RefCell;
use std::ptr;
use workspan_rt::events::Task;

/// What a thread runs, or that it waits.
pub(crate) enum Inside {
    /// A task.
    Task(Task),
    /// A piece of a loop, which is only compared: it may end before its pieces, by mistake.
    Piece(*const Running, Piece),
    /// A wait, in which the thread may run tasks.
    Wait,
}

/// What is known of a piece.
pub(crate) enum Piece {
    /// That it runs, and where its loop stands.
    Begun(Task, *const Site),
    /// That it is to end.
    Ended,
}

impl Inside {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Task(a), Self::Task(b)) => a.is(b),
            (Self::Piece(a, _), Self::Piece(b, _)) => ptr::eq(*a, *b),
            (Self::Wait, Self::Wait) => true,
            _ => false,
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Task(task) => format!("the task of {}", Shown(task.tag() as *const Site)),
            Self::Piece(of, piece) => {
                let site = match piece {
                    Piece::Begun(_, site) => *site,
                    // SAFETY: who ends a piece promises that its loop has not ended.
                    Piece::Ended => unsafe { (**of).site },
                };
                format!("a piece of the loop of {}", Shown(site))
            }
            Self::Wait => "a wait".to_owned(),
        }
    }

    fn task(&self) -> Option<&Task> {
        match self {
            Self::Task(task) => Some(task),
            Self::Piece(_, Piece::Begun(piece, _)) => Some(piece),
            Self::Piece(_, Piece::Ended) | Self::Wait => None,
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

/// Leaves what the thread runs for what it does next.
pub(crate) fn begin(inside: Inside) {
    let before = Task::running();
    if let Some(task) = &before {
        task.leave();
    }
    if let Some(task) = inside.task() {
        task.enter();
    }
    // A thread that is ending has no such list; nor does it begin anything that matters.
    let _ = OPEN.try_with(|open| open.borrow_mut().push(Open { inside, before }));
}

/// Ends `inside`, and what was begun in it and has not ended, and goes on with what was before. What does not fit is
/// reported with both places: of what was to end, and of what is open.
pub(crate) fn end(inside: &Inside) {
    let _ = OPEN.try_with(|open| {
        let mut open = open.borrow_mut();
        let Some(index) = open.iter().rposition(|open| open.inside.is_same(inside)) else {
            return report(inside, open.last(), "nothing ends");
        };
        if index + 1 < open.len() {
            report(&open[index].inside, open.last(), "that ends, too");
        }
        for open in open.drain(index..).rev() {
            if let Some(task) = open.inside.task() {
                task.end();
            }
            if let Some(task) = &open.before {
                task.enter();
            }
        }
    });
}

fn report(ended: &Inside, innermost: Option<&Open>, outcome: &str) {
    let innermost = innermost.map_or("nothing".to_owned(), |open| open.inside.told());
    workspan_rt::say(format_args!(
        "{} ends on a thread that is in {innermost}: {outcome}",
        ended.told()
    ));
}
