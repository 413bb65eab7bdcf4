//! Functions measured exactly: each call is a serial instance of its site, the pair of return
//! address and function.
//!
//! The compiler leaves room at the entry and the exits of functions ("sleds"). Those listed in the
//! file that `WORKSPAN_FUNCTIONS` names (`list`) are filled with calls at the start (`patch`),
//! before any other thread runs; the calls arrive here through the `trampolines`.
//!
//! A call is identified by the stack address of its return address, its *slot*, which its frame
//! keeps. Stacks grow downwards, so:
//!
//! * A function that has unwound reports nothing, but from then on its slot is below the stack, or
//!   taken by another call. It is ended at the next event, or with the branch or task around it,
//!   whichever comes first.
//! * An exit whose slot no frame has belongs to a function that was entered unseen, before the
//!   start or outside any task.
//! * A tail call ends the function that makes it; the next one has the same slot and returns to the
//!   same place.
//! * What a waiting thread runs meanwhile has frames of its own, of other tasks, on top of the same
//!   stack.
//! * Events on another stack (of a signal handler, of a coroutine) are ignored: slots there say
//!   nothing about this one.
//!
//! Functions compiled with `-finstrument-functions` report themselves by calls of hooks (`hooks`).
//!
//! Events in the engine's own work, such as those of an allocator that the program brings, find the
//! thread busy and are ignored.

mod events;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod hooks;
mod list;
mod measured;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod patch;
mod start;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod trampolines;

pub use events::{entered, left};
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub use hooks::{entered_by_hook, left_by_hook};

pub(crate) use measured::{are_measured, measured};
pub(crate) use start::{nothing, start};
