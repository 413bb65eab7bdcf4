//! What a program would be like if parts of it were changed.

use super::coarsen::{Coarsening, coarsened};
use super::{ChangedCode, Dag, Vertex};
use crate::SiteId;

/// A change that a person might make to a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Code is made parallel: what it contributes to a path is divided by `factor`, its work stays (TaskProf, dissertation
    /// §4.2, Algorithm 10).
    Parallelise {
        /// The code; of vertices that are it in part only that part changes.
        code: ChangedCode,
        /// From 1 on.
        factor: f64,
    },
    /// Code is made faster: its work is divided by `factor`, too.
    SpeedUp {
        /// The code; of vertices that are it in part only that part changes.
        code: ChangedCode,
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

impl Change {
    /// The code that it makes parallel or faster.
    pub const fn code(&self) -> Option<&ChangedCode> {
        match self {
            Self::Parallelise { code, .. } | Self::SpeedUp { code, .. } => Some(code),
            Self::Coarsen { .. } => None,
        }
    }

    /// The same change of other code.
    pub(super) fn with_code(&self, changed: impl FnOnce(&ChangedCode) -> ChangedCode) -> Self {
        let mut change = self.clone();
        if let Self::Parallelise { code, .. } | Self::SpeedUp { code, .. } = &mut change {
            *code = changed(code);
        }
        change
    }
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
                Change::Parallelise { code, factor } => {
                    let mut factors = Factors::none(&dag);
                    factors.multiply(code, *factor);
                    dag.change_vertices(|vertex, burden| factors.parallelised(vertex, burden));
                }
                Change::SpeedUp { code, factor } => {
                    let mut factors = Factors::none(&dag);
                    factors.multiply(code, *factor);
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

/// Factors for each strand region of a dag.
#[derive(Clone, Debug)]
pub(super) struct Factors(Vec<Factor>);

#[derive(Clone, Copy, Debug)]
struct Factor {
    /// What the work of the whole region is divided by when its code is faster.
    on_work: f64,
    /// What its span is divided by.
    on_span: f64,
    /// By how much its code changes.
    factor: f64,
    /// How often a strand is halved for parts that many times shorter.
    halvings: i64,
}

impl Factors {
    /// That change nothing.
    pub(super) fn none(dag: &Dag) -> Self {
        let factor = Factor {
            on_work: 1.0,
            on_span: 1.0,
            factor: 1.0,
            halvings: 0,
        };
        Self(vec![factor; dag.regions.len()])
    }

    pub(super) fn multiply(&mut self, code: &ChangedCode, factor: f64) {
        for part in &code.parts {
            let of_region = &mut self.0[part.region.index()];
            of_region.on_work *= overall(factor, part.on_work);
            of_region.on_span *= overall(factor, part.on_span);
            if part.on_span > 0.0 {
                of_region.factor *= factor;
                of_region.halvings = of_region.factor.max(1.0).log2().ceil().min(64.0) as i64;
            }
        }
    }

    /// The vertex, were its code parallel.
    pub(super) fn parallelised(&self, vertex: &Vertex, burden: i64) -> Vertex {
        let of_region = self.0[vertex.region.index()];
        let span = divided(vertex.span, of_region.on_span);
        let within = vertex.burdened_span - vertex.span;
        let burdened_span = span + within + of_region.halvings * burden;
        Vertex {
            span,
            burdened_span: burdened_span.min(vertex.burdened_span).max(span),
            ..*vertex
        }
    }

    /// The vertex, were its code faster.
    pub(super) fn sped_up(&self, vertex: &Vertex) -> Vertex {
        let of_region = self.0[vertex.region.index()];
        let span = divided(vertex.span, of_region.on_span);
        Vertex {
            work: divided(vertex.work, of_region.on_work),
            span,
            burdened_span: span + (vertex.burdened_span - vertex.span),
            ..*vertex
        }
    }
}

/// What the whole is divided by if a `share` of it is divided by `factor` (G. M. Amdahl, AFIPS 1967).
fn overall(factor: f64, share: f64) -> f64 {
    factor / (factor * (1.0 - share) + share)
}

fn divided(ticks: i64, factor: f64) -> i64 {
    match factor == 1.0 {
        true => ticks,
        false => {
            let exact = ticks as f64 / factor;
            // Rounds: to cut off is one instruction, `round` is a call on processors without it.
            (exact + 0.5_f64.copysign(exact)) as i64
        }
    }
}
