//! The dag that scenarios are computed on, as fine as there is time for, and how often it is run.

use std::borrow::Cow;

use super::super::folded_by_code::FoldedByCode;
use super::super::{ChangedCode, Dag};
use crate::{Scheduler, SchedulingCosts, Simulation};

/// The most runs of a scenario on a number of cores, as of a what-if by itself.
const MOST_SEEDS: u32 = 5;

/// A dag, and the pieces of code in it.
#[derive(Debug)]
pub(super) struct Basis<'a> {
    pub(super) dag: Cow<'a, Dag>,
    pub(super) pieces: Vec<ChangedCode>,
}

impl<'a> Basis<'a> {
    /// `dag`, or if that has more than `most` vertices a folded one that has not.
    pub(super) fn of(dag: &'a Dag, pieces: Vec<ChangedCode>, most: usize) -> Self {
        match dag.vertices.len() <= most {
            true => Self {
                dag: Cow::Borrowed(dag),
                pieces,
            },
            false => Self::folded(&mut FoldedByCode::new(dag, &pieces), most),
        }
    }

    /// Whether it is not the dag that was recorded.
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

/// Simulated runs of the changed dag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    /// How often on each number of cores; 0 if there is no time for that.
    pub(super) seeds: u32,
}

impl Runs {
    /// As many of `dag` on each of `cores` as may take about `most` vertices.
    pub(super) fn of(dag: &Dag, cores: &[u32], most: u64) -> Self {
        let vertices = Simulation::new(dag, &SchedulingCosts::FREE, Scheduler::Rayon).vertices();
        let of_one_seed = (vertices * cores.len()).max(1) as u64;
        Self {
            seeds: (most / of_one_seed).min(MOST_SEEDS.into()) as u32,
        }
    }
}
