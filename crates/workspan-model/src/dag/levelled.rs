//! The dag as it would be if all strands that do the same took the same time.

use std::collections::HashMap;

use super::{Boundary, Dag, DagTotals, Side, StrandRegion, Vertex};

/// Fewer strands do not show how long such a strand takes.
const LEAST_ALIKE: usize = 8;

/// Strands that do the same take at most this many times their median, and at least the median over
/// this; what is further off does something else.
const ALIKE_WITHIN: i64 = 2;

/// The longest strands, one in this many, are alike only if each exceeds the median by no more than
/// [`DELAYED_WITHIN`] times what the next shorter one does, and then however long. Delays by a
/// machine are ever rarer the longer they are; a strand far above all others does something else.
/// Of fewer strands than that, the longest may have been delayed by more than [`ALIKE_WITHIN`], too.
const RARE: usize = 100;

const DELAYED_WITHIN: i64 = 4;

/// A dag with the strands that are alike levelled.
pub(crate) struct Levelled {
    pub(crate) dag: Dag,
    /// As it was before.
    pub(crate) measured: DagTotals,
    /// Time of all strands that are like no other.
    pub(crate) lone: i64,
    /// How far those are apart that are alike and take the most time together; 0 if none are.
    pub(crate) apart: Apart,
}

/// How far strands that are alike are apart, as shares of their median.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) struct Apart {
    /// From one that is shorter than all but one in fifty to their mean.
    pub(crate) low: f64,
    /// From their median to one that is longer than all but one in fifty.
    pub(crate) high: f64,
}

impl Dag {
    /// This dag with the strands that are alike levelled: each takes their median time.
    ///
    /// Strands are alike if they run between the same boundaries, with as many tasks folded into
    /// them, and if there are 8 of them within a factor of two of their median. The two sides of a
    /// `join` count as the same. A few may be longer, as delays are. Where a site has strands of
    /// several lengths, those further from the median are levelled among themselves.
    ///
    /// Takes the time of sorting the vertices, and the memory of a copy of the dag.
    pub(crate) fn levelled(&self) -> Levelled {
        let mut dag = self.clone();
        let mut lone: i64 = self.vertices.iter().map(|vertex| vertex.span).sum();
        let mut most = (0, Apart::default());
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        let code = self.codes();
        let key = |&at: &u32| {
            let vertex = &self.vertices[at as usize];
            (code[vertex.region.index()], vertex.tasks)
        };
        order.sort_unstable_by_key(|at| (key(at), self.vertices[*at as usize].span));
        for same in order.chunk_by(|one, other| key(one) == key(other)) {
            level(&mut dag.vertices, same, |time, apart| {
                lone -= time;
                if (time, apart) > most {
                    most = (time, apart);
                }
            });
        }
        Levelled {
            dag,
            measured: self.totals(),
            lone,
            apart: most.1,
        }
    }

    /// The most strands that can run at a time. Where a vertex has several successors, all but one
    /// begin a path of their own; these paths cover the dag, and of each at most one strand runs at a
    /// time (Dilworth). A folded vertex has as many more as there are tasks in it.
    pub(crate) fn most_at_once(&self) -> u64 {
        let branches = self.successors.edges().len() + 2 - self.vertices.len();
        let tasks: u64 = self
            .vertices
            .iter()
            .map(|vertex| u64::from(vertex.tasks))
            .sum();
        branches as u64 + tasks
    }

    /// Of each region the number of its code, which it shares with the other side of a `join`.
    fn codes(&self) -> Vec<usize> {
        let mut numbers: HashMap<StrandRegion, usize> = HashMap::new();
        let mut number = |region: &StrandRegion| {
            let next = numbers.len();
            *numbers.entry(either_side(*region)).or_insert(next)
        };
        self.regions.iter().map(&mut number).collect()
    }
}

/// The same for both sides of a `join`.
fn either_side(region: StrandRegion) -> StrandRegion {
    let either = |boundary: Boundary| Boundary {
        side: match boundary.side {
            Side::Right => Side::Left,
            side => side,
        },
        ..boundary
    };
    StrandRegion {
        from: either(region.from),
        to: either(region.to),
        ..region
    }
}

/// Levels those of the `same` code, sorted by their span, that are alike, and reports the time of
/// each such group, and how far apart they are.
fn level(vertices: &mut [Vertex], same: &[u32], mut on_group: impl FnMut(i64, Apart)) {
    let span = |vertices: &[Vertex], at: u32| vertices[at as usize].span;
    let mut groups = vec![same];
    while let Some(group) = groups.pop() {
        if group.len() < LEAST_ALIKE {
            continue;
        }
        let median = span(vertices, group[(group.len() - 1) / 2]);
        let below =
            group.partition_point(|&at| span(vertices, at).saturating_mul(ALIKE_WITHIN) < median);
        let within =
            group.partition_point(|&at| span(vertices, at) <= median.saturating_mul(ALIKE_WITHIN));
        let (shorter, rest) = group.split_at(below.min(within));
        let within = within.max(below) - shorter.len();
        let spans: Vec<i64> = rest.iter().map(|&at| span(vertices, at) - median).collect();
        let (alike, longer) = rest.split_at(with_delayed(&spans, within));
        if alike.is_empty() {
            continue;
        }
        groups.extend([shorter, longer]);
        if alike.len() >= LEAST_ALIKE {
            let last = alike.len() - 1;
            let [low, median, high] =
                [last / 50, last / 2, last - last / 50].map(|place| span(vertices, alike[place]));
            let time: i64 = alike.iter().map(|&at| span(vertices, at)).sum();
            let share = |ticks: f64| ticks / median.max(1) as f64;
            on_group(
                time,
                Apart {
                    low: share(time as f64 / alike.len() as f64 - low as f64),
                    high: share((high - median) as f64),
                },
            );
            for &at in alike {
                let vertex = &mut vertices[at as usize];
                *vertex = lasting(vertex, median);
            }
        }
    }
}

/// How many of the first of `excesses`, sorted, are of strands that are alike, if `within` of them
/// are within [`ALIKE_WITHIN`].
fn with_delayed(excesses: &[i64], within: usize) -> usize {
    let rare = excesses.len() / RARE;
    if within == 0 || excesses.len() - within > rare.max(1) {
        return within;
    }
    let first = within.min(excesses.len() - rare);
    let further = excesses[first - 1..].windows(2);
    let is_next = |next: &&[i64]| next[1] <= next[0].saturating_mul(DELAYED_WITHIN);
    first + further.take_while(is_next).count()
}

/// The vertex with this span. What can run in parallel inside it stays its work.
fn lasting(vertex: &Vertex, span: i64) -> Vertex {
    let is_serial = vertex.work <= vertex.span;
    Vertex {
        work: if is_serial {
            span
        } else {
            vertex.work.max(span)
        },
        span,
        burdened_span: vertex.burdened_span - vertex.span + span,
        ..*vertex
    }
}
