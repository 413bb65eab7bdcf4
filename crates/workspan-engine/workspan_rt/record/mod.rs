//! The record of the task dag: which strands there were, and what waited for what.
//!
//! Here are the entries, a thread's window and the file. What fills them is in
//! [`thread::recording`](crate::thread::recording): the folding, the marks, and when a window is
//! written.
//!
//! Each thread records what it executes in a [`window`] of its own: strands, and where constructs
//! begin and end. A path that one thread runs is a *lane*. A thread that waits may run something
//! else meanwhile: that is a lane nested in the lane. Lanes of other threads, and tasks, are
//! referred to by number.
//!
//! A construct that ends is replaced by one entry if it has less work than the grain and ran
//! entirely on this thread. So the number of entries grows with the number of grains in the work,
//! whatever the number of tasks. A full window goes to the [`stream`], its older half first, some
//! kilobytes at a time; what has gone there is not folded any more. The time this takes belongs to
//! no strand.
//!
//! With each [part](stream::Written::Large) of the stream the grain doubles, so that the record of
//! a long run grows with the logarithm of its work. The reader gets the last grain; nothing is
//! folded more coarsely than that. A record that cannot be folded, or that keeps every strand, ends
//! at [a limit](crate::state::recording::Recording::most_bytes).
//!
//! In a [stretch](crate::path::stretch) nothing is recorded. When it ends it becomes one folded
//! entry. If forks that began in it are still open then, a *mark* is left; when such a fork reaches
//! the end of its left branch, it names the mark, and that branch is taken to begin there. So the
//! record is off by less than the stretch took, like the profile's own estimate. The stretch in
//! which a fork began is found by stack addresses. If a task resumes on another stack they may lead
//! to another stretch or to none; the record then counts one task too many, and has the two
//! branches of the fork in sequence.
//!
//! Tasks of runtimes that report [events](crate::events) have lanes of their own kind, ordered by
//! hubs.
//!
//! # Who touches a window
//!
//! The thread that owns the data, in its [guarded](crate::state::stop) bookkeeping; and the writer
//! of the profile, after it has stopped the world and every thread has left its bookkeeping. To the
//! stream, each writes whole blocks under the stream's lock. The lane of a fork's right branch is
//! stored in the fork by the thread that runs the branch, before the runtime's latch.
//!
//! # When writing fails
//!
//! What has been written stays, as a record without an end. The session's settings tell the threads
//! to stop recording; until a thread looks there, it goes on emptying its window into nothing.
//! Nothing else changes for the program.

mod encoding;
mod item;
mod recorder;
mod stream;
mod window;

pub(crate) use encoding::encode;
pub(crate) use item::{
    Bulk, Figures, Folded, Item, Origin, Parcel, AWAITED_BY_END, AWAITED_BY_GROUP,
    AWAITED_BY_JOINER,
};
pub(crate) use recorder::Recorder;
pub(crate) use stream::{begin_stream, end_stream, go_on_in, write_events, Written};
pub(crate) use window::Window;
