//! Analyses of task dags: computed by hand on small ones, compared with brute force on random ones.

#[path = "../random_dag/mod.rs"]
mod random_dag;

mod advice;
mod brute_force;
mod changes;
mod fills;
mod folding;
mod locks;
mod naming;
mod phases;
mod ready;
mod sampled;
mod task_prof;
