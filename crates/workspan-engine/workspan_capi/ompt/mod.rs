//! Profiles OpenMP programs: a tool for the runtime's own interface, OMPT.
//!
//! The runtime calls a function for each event ([`callbacks`]), and keeps with each region and each task a pointer to what
//! is known of it ([`region`], [`task`]). What is told to the engine is the structure that the program's text gives, not the
//! schedule that happened: a task that the runtime executes at once, because its queue is full or the team has one thread,
//! is as parallel to its parent as any other.
//!
//! Where nothing but idle time is measured, other functions are called ([`idle`]), and it is the schedule that counts.

mod abi;
mod callbacks;
mod dependences;
mod entrance;
mod idle;
mod image;
mod mutex;
mod region;
mod running_task;
mod target;
mod task;
mod taskwait;
mod tool;
mod version;
mod waiting;
mod workload;
mod worksharing;

#[cfg(test)]
mod streams_tests;
