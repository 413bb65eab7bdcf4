//! What a program would be like if parts of it were changed.

use super::coarsen::{Coarsening, coarsened};
use super::{Dag, StrandRegionId, Vertex};
use crate::SiteId;

/// A change that a person might make to a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Code is made parallel: what it contributes to a path is divided by `factor`, its work stays (TaskProf, dissertation
    /// §4.2, Algorithm 10).
    Parallelise {
        /// The code.
        regions: Vec<StrandRegionId>,
        /// From 1 on.
        factor: f64,
    },
    /// Code is made faster: its work is divided by `factor`, too.
    SpeedUp {
        /// The code.
        regions: Vec<StrandRegionId>,
        /// More than 0; below 1 the code is slower.
        factor: f64,
    },
    /// So many tasks that sites make run as one, as a longer loop in each task or a cutoff would have it.
    Coarsen {
        /// The sites.
        sites: Vec<SiteId>,
        /// How many tasks become one, from 2 on.
        factor: u32,
        /// What making a task costs, in ticks: what each task saves that is no more.
        cost: i64,
    },
}

impl Dag {
    /// The dag of the program with all of `changes`; they are applied in their order, to what those before have left.
    ///
    /// A vertex that was made parallel holds more work than span, as folded ones do. Its burdened span counts one burden for
    /// each halving of its strand, since the parts have to get to other workers, but is at most what it was before: who makes
    /// code parallel leaves alone what does not pay.
    pub fn with_changes(&self, changes: &[Change]) -> Self {
        let mut dag = self.clone();
        for change in changes {
            match change {
                Change::Parallelise { regions, factor } => {
                    let mut factors = Factors::none(&dag);
                    factors.multiply(regions, *factor);
                    dag.change_vertices(|vertex, burden| factors.parallelised(vertex, burden));
                }
                Change::SpeedUp { regions, factor } => {
                    let mut factors = Factors::none(&dag);
                    factors.multiply(regions, *factor);
                    dag.change_vertices(|vertex, _| factors.sped_up(vertex));
                }
                Change::Coarsen {
                    sites,
                    factor,
                    cost,
                } => {
                    let coarsening = Coarsening {
                        sites,
                        factor: *factor,
                        cost: *cost,
                    };
                    dag = coarsened(&dag, coarsening);
                }
            }
        }
        dag
    }

    fn change_vertices(&mut self, changed: impl Fn(&Vertex, i64) -> Vertex) {
        for vertex in &mut self.vertices {
            *vertex = changed(vertex, self.burden);
        }
    }
}

/// A factor for each strand region of a dag.
#[derive(Clone, Debug)]
pub(super) struct Factors(Vec<Factor>);

#[derive(Clone, Copy, Debug)]
struct Factor {
    factor: f64,
    /// How often a strand is halved for parts that many times shorter.
    halvings: i64,
}

impl Factors {
    /// That change nothing.
    pub(super) fn none(dag: &Dag) -> Self {
        let factor = Factor {
            factor: 1.0,
            halvings: 0,
        };
        Self(vec![factor; dag.regions.len()])
    }

    pub(super) fn multiply(&mut self, regions: &[StrandRegionId], factor: f64) {
        for region in regions {
            let of_region = &mut self.0[region.index()];
            of_region.factor *= factor;
            of_region.halvings = of_region.factor.max(1.0).log2().ceil().min(64.0) as i64;
        }
    }

    /// The vertex, were its code parallel.
    pub(super) fn parallelised(&self, vertex: &Vertex, burden: i64) -> Vertex {
        let Factor { factor, halvings } = self.0[vertex.region.index()];
        let span = divided(vertex.span, factor);
        let within = vertex.burdened_span - vertex.span;
        let burdened_span = span + within + halvings * burden;
        Vertex {
            span,
            burdened_span: burdened_span.min(vertex.burdened_span).max(span),
            ..*vertex
        }
    }

    /// The vertex, were its code faster.
    fn sped_up(&self, vertex: &Vertex) -> Vertex {
        let factor = self.0[vertex.region.index()].factor;
        let span = divided(vertex.span, factor);
        Vertex {
            work: divided(vertex.work, factor),
            span,
            burdened_span: span + (vertex.burdened_span - vertex.span),
            ..*vertex
        }
    }
}

fn divided(ticks: i64, factor: f64) -> i64 {
    match factor == 1.0 {
        true => ticks,
        false => (ticks as f64 / factor).round() as i64,
    }
}
