//! Whether a thread has entered a task, and who frees a task that has ended.
//!
//! A runtime may not tell that a thread leaves an untied task, and tell another one of the task's end meanwhile: the thread that
//! has left it learns of that only when it turns to another task. Which of the two ends the task and frees it hangs on who comes
//! first, so that both make their mark and look for the other's in one step on one word:
//!
//! * The one told of the end sets [`ENDED`]. If [`ENTERED`] was set, it touches the task no more, and the other one frees it.
//! * The one that has left takes [`ENTERED`] away. If [`ENDED`] was set, it frees the task; else it touches it no more.
//!
//! All steps on a word are in one order, so one of the two comes second, and only that one frees the task. A step acquires what
//! the earlier one has released: all that the first has done with the task comes before it is freed.

use std::sync::atomic::{AtomicU8, Ordering};

const ENTERED: u8 = 1;
const ENDED: u8 = 2;

#[derive(Default)]
pub(super) struct Entrance(AtomicU8);

impl Entrance {
    /// The calling thread, the only one with the task, enters it.
    pub fn enter(&mut self) {
        *self.0.get_mut() |= ENTERED;
    }

    /// The calling thread leaves it, and is told so. Tells whether any had entered it.
    pub fn take(&mut self) -> bool {
        let word = self.0.get_mut();
        let is_entered = *word & ENTERED != 0;
        *word &= !ENTERED;
        is_entered
    }

    /// Has any thread entered it? If not, what the last one did there comes before.
    pub fn is_entered(&self) -> bool {
        self.0.load(Ordering::Acquire) & ENTERED != 0
    }

    /// Has another thread been told of the end, and left it to the one that has entered it?
    pub fn is_ended(&self) -> bool {
        self.0.load(Ordering::Acquire) & ENDED != 0
    }

    /// The thread that has entered it has left it untold. Tells whether it frees the task.
    pub fn leave(&self) -> bool {
        self.0.fetch_and(!ENTERED, Ordering::AcqRel) & ENDED != 0
    }

    /// The calling thread, which has not entered it, is told of the end. Tells whether the one that has frees the task.
    pub fn is_left_at_end(&self) -> bool {
        self.0.fetch_or(ENDED, Ordering::AcqRel) & ENTERED != 0
    }
}

#[cfg(test)]
mod tests {
    use super::Entrance;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn the_second_frees_the_task() {
        let entered = || {
            let mut entrance = Entrance::default();
            entrance.enter();
            entrance
        };
        let first = entered();
        assert!(!first.leave());
        assert!(!first.is_left_at_end());
        let first = entered();
        assert!(first.is_left_at_end());
        assert!(first.is_ended());
        assert!(first.leave());
    }

    #[test]
    fn one_of_two_threads_frees_the_task() {
        for _ in 0..2_000 {
            let mut entrance = Entrance::default();
            entrance.enter();
            let barrier = Barrier::new(2);
            let frees = |free: &(dyn Fn() -> bool + Sync)| {
                barrier.wait();
                free()
            };
            let (left, told) = thread::scope(|scope| {
                let left = scope.spawn(|| frees(&|| entrance.is_ended() || entrance.leave()));
                (frees(&|| !entrance.is_left_at_end()), left.join().unwrap())
            });
            assert_ne!(left, told);
        }
    }
}
