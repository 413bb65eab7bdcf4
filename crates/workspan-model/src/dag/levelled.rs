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
pub(crate) struct Levelled<'a> {
    measured: &'a Dag,
    /// Of each region the number of its code.
    codes: Vec<u32>,
    /// What is alike, by code and number of tasks folded into it.
    alike: HashMap<(u32, u32), Vec<Alike>>,
    /// Time of all strands that are like no other.
    pub(crate) lone: i64,
    /// How far those are apart that are alike and take the most time together; 0 if none are.
    pub(crate) apart: Apart,
}

/// Strands of one code that are alike.
struct Alike {
    least: i64,
    most: i64,
    median: i64,
    sum: i64,
    apart: Apart,
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
    /// Takes the time of sorting the spans of the vertices, and their memory meanwhile.
    pub(crate) fn levelled(&self) -> Levelled<'_> {
        let codes = self.codes();
        let mut lone = 0;
        let mut spans: HashMap<(u32, u32), Vec<i64>> = HashMap::new();
        for vertex in &self.vertices {
            lone += vertex.span;
            let code = codes[vertex.region.index()];
            spans
                .entry((code, vertex.tasks))
                .or_default()
                .push(vertex.span);
        }
        let mut most = (0, Apart::default());
        let mut alike = HashMap::new();
        for (code, mut spans) in spans {
            spans.sort_unstable();
            let found = alike_in(&spans);
            for alike in &found {
                lone -= alike.sum;
                if (alike.sum, alike.apart) > most {
                    most = (alike.sum, alike.apart);
                }
            }
            if !found.is_empty() {
                alike.insert(code, found);
            }
        }
        Levelled {
            measured: self,
            codes,
            alike,
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
    fn codes(&self) -> Vec<u32> {
        let mut numbers: HashMap<StrandRegion, u32> = HashMap::new();
        let mut number = |region: &StrandRegion| {
            let next = numbers.len() as u32;
            *numbers.entry(either_side(*region)).or_insert(next)
        };
        self.regions.iter().map(&mut number).collect()
    }
}

impl Levelled<'_> {
    /// The dag as it was measured.
    pub(crate) const fn measured(&self) -> &Dag {
        self.measured
    }

    pub(crate) fn totals(&self) -> DagTotals {
        let level = |vertex: &Vertex| self.vertex(vertex);
        self.measured.totals_with(&mut Vec::new(), level)
    }

    /// A copy.
    pub(crate) fn dag(&self) -> Dag {
        let mut dag = self.measured.clone();
        for vertex in &mut dag.vertices {
            *vertex = self.vertex(vertex);
        }
        dag
    }

    fn vertex(&self, vertex: &Vertex) -> Vertex {
        let code = self.codes[vertex.region.index()];
        let mut alike = self.alike.get(&(code, vertex.tasks)).into_iter().flatten();
        alike
            .find(|alike| (alike.least..=alike.most).contains(&vertex.span))
            .map_or(*vertex, |alike| lasting(vertex, alike.median))
    }
}

/// The region with its boundaries on the left side of a `join`, whichever side it is of.
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

/// Which of these strands of one code, given by their spans, sorted, are alike.
fn alike_in(spans: &[i64]) -> Vec<Alike> {
    let mut found = Vec::new();
    let mut rests = vec![spans];
    while let Some(spans) = rests.pop() {
        if spans.len() < LEAST_ALIKE {
            continue;
        }
        let median = spans[(spans.len() - 1) / 2];
        let below = spans.partition_point(|span| span.saturating_mul(ALIKE_WITHIN) < median);
        let within = spans.partition_point(|span| *span <= median.saturating_mul(ALIKE_WITHIN));
        let (shorter, rest) = spans.split_at(below.min(within));
        let within = within.max(below) - shorter.len();
        let (alike, longer) = rest.split_at(with_delayed(rest, median, within));
        if alike.is_empty() {
            continue;
        }
        rests.extend([shorter, longer]);
        if alike.len() >= LEAST_ALIKE {
            found.push(Alike::from_spans(alike));
        }
    }
    found
}

impl Alike {
    /// From spans, sorted.
    fn from_spans(spans: &[i64]) -> Self {
        let last = spans.len() - 1;
        let [low, median, high] = [last / 50, last / 2, last - last / 50].map(|place| spans[place]);
        let sum: i64 = spans.iter().sum();
        let share = |ticks: f64| ticks / median.max(1) as f64;
        Self {
            least: spans[0],
            most: spans[last],
            median,
            sum,
            apart: Apart {
                low: share(sum as f64 / spans.len() as f64 - low as f64),
                high: share((high - median) as f64),
            },
        }
    }
}

/// How many of the first of `spans`, sorted, are of strands that are alike, if `within` of them are
/// within [`ALIKE_WITHIN`] of their `median`.
fn with_delayed(spans: &[i64], median: i64, within: usize) -> usize {
    let rare = spans.len() / RARE;
    if within == 0 || spans.len() - within > rare.max(1) {
        return within;
    }
    let first = within.min(spans.len() - rare);
    let further = spans[first - 1..].windows(2);
    let is_next = |next: &[i64]| {
        let [excess, next] = [next[0], next[1]].map(|span| span - median);
        next <= excess.saturating_mul(DELAYED_WITHIN)
    };
    first + further.take_while(|next| is_next(next)).count()
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
