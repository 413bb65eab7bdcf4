//! The dag that scenarios are computed on, as fine as there is time for, and how often it is
//! simulated.

use std::borrow::Cow;

use super::super::folded_by_code::FoldedByCode;
use super::super::{ChangedCode, Dag};
use crate::{Scheduler, SchedulingCosts, Simulation};

/// The most simulated runs of a scenario per number of cores, as many as for a what-if.
const MAX_SEEDS: u32 = 5;

/// A dag, and the pieces of code in it.
#[derive(Debug)]
pub(super) struct Basis<'a> {
    pub(super) dag: Cow<'a, Dag>,
    pub(super) pieces: Vec<ChangedCode>,
}

impl<'a> Basis<'a> {
    /// `dag`, or a folded dag if it has more than `most` vertices.
    pub(super) fn new(dag: &'a Dag, pieces: Vec<ChangedCode>, most: usize) -> Self {
        if dag.vertices.len() > most {
            return Self::folded(&mut FoldedByCode::new(dag, &pieces), most);
        }
        Self {
            dag: Cow::Borrowed(dag),
            pieces,
        }
    }

    /// Whether the dag is not the recorded one.
    pub(super) fn is_folded(&self) -> bool {
        matches!(self.dag, Cow::Owned(_))
    }

    /// Folds until the dag has `most` vertices or fewer.
    fn folded(folding: &mut FoldedByCode<'_>, most: usize) -> Self {
        let mut rows = most.max(1);
        loop {
            folding.fold(rows);
            let dag = folding.dag();
            let vertices = dag.vertices.len();
            if vertices <= most || folding.rows() == 1 {
                return Self {
                    dag: Cow::Owned(dag),
                    pieces: folding.pieces().collect(),
                };
            }
            rows = (folding.rows() / 4)
                .max(folding.rows() * most / vertices)
                .max(1);
        }
    }
}

/// How many simulated runs of `dag` on each of `cores` there is time for, if `vertices` may be
/// simulated together.
pub(super) fn affordable_seeds(dag: &Dag, cores: &[u32], vertices: u64) -> u32 {
    let simulation = Simulation::new(dag, &SchedulingCosts::FREE, Scheduler::Rayon);
    simulation.affordable_seeds(cores, vertices, MAX_SEEDS)
}
