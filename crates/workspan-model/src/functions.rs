//! Which functions make up the span and the work, by samples.

mod at_nodes;
mod callers;
mod identity;
mod logical;
mod whole;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::sample_share::SampleWeight;
use crate::{Location, Profile, SampleShare, SampleSize};

pub use at_nodes::{HotFunction, hot_functions};
pub use callers::Caller;
use callers::Callers;
pub(crate) use identity::{Identities, around_closure};
pub(crate) use logical::{Logical, Place};
pub use whole::OnBoth;
pub(crate) use whole::{Weight, Whole};

/// With fewer samples on the span than this, functions cannot be compared: with 20, a confidence
/// interval is 40 percentage points wide.
const LEAST_SAMPLES: f64 = 20.0;

/// A function clearly dominates the span if the lower end of its interval is at least this share.
const CLEAR_SHARE: f64 = 0.25;

/// Which functions make up the span and the work, by samples.
///
/// Samples are taken on processor time, so waits belong to no function. Shares on the work are
/// relative to the work without its waits, those on the span to the span without the waits that
/// certainly lie on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Functions {
    /// Requested samples per second of a thread's processor time; 0 if sampling was off.
    pub rate: u32,
    /// Why there are no samples, or what limits them.
    pub note: Option<String>,
    /// The samples on the work.
    pub on_work: SampleSize,
    /// The samples on the critical path.
    pub on_span: SampleSize,
    /// The functions, in descending order of their part in the span ([`FunctionRow::serial`]).
    pub rows: Vec<FunctionRow>,
}

/// A function, identified by its name and the place of its definition. Monomorphisations are one
/// function; closures are functions of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRow {
    /// Its readable name; `None` stands for everything that no function of the user called.
    pub function: Option<String>,
    /// Where it is defined.
    pub definition: Option<Location>,
    /// Whether it, or something that it calls, contains a spawn site.
    pub parallel: bool,
    /// What it runs itself. Time in the standard library and rayon counts for the user's function
    /// that called them.
    pub own: OnBoth,
    /// What it runs, including everything that it calls and spawns: the samples with the function
    /// anywhere on the logical stack.
    pub total: OnBoth,
    /// What makes up the span: serial functions that parallel ones call, each including everything
    /// that it calls, and what parallel functions run themselves. Over all rows these shares sum to
    /// 1.
    ///
    /// To make the program more parallel, split up the row with the largest share on the span.
    pub serial: OnBoth,
    /// What the function's own machine code ran. This includes functions inlined into it, and the
    /// parts of it that are inlined into a library function that it calls. Measuring each call can
    /// distinguish exactly this.
    pub physical_own: OnBoth,
    /// The same, including everything that it calls and spawns.
    pub physical_total: OnBoth,
    /// Its callers, in descending order of weight on the span; recursion is folded.
    pub callers: Vec<Caller>,
    /// The function that itself runs the largest part of [`serial`](Self::serial) on the span, as
    /// an index into the rows, and that part.
    pub hottest: Option<(usize, SampleShare)>,
}

impl Functions {
    /// Whether there are enough samples on the span to compare functions.
    pub fn cover_the_span(&self) -> bool {
        self.on_span.effective >= LEAST_SAMPLES
    }

    /// Whether there are enough samples on the work to compare functions.
    pub fn cover_the_work(&self) -> bool {
        self.on_work.effective >= LEAST_SAMPLES
    }

    /// The rows in descending order of their part in the work.
    pub fn by_work(&self) -> impl Iterator<Item = &FunctionRow> {
        let mut rows: Vec<&FunctionRow> = self.rows.iter().collect();
        rows.sort_by(|one, other| {
            let share = |row: &FunctionRow| row.serial.on_work.share;
            share(other).total_cmp(&share(one))
        });
        rows.into_iter()
    }

    /// The row with most of the work, if the samples show that it has much.
    pub fn most_work(&self) -> Option<&FunctionRow> {
        let first = self.by_work().next()?;
        let clear = self.cover_the_work() && first.serial.on_work.lower >= CLEAR_SHARE;
        (clear && first.function.is_some()).then_some(first)
    }

    /// The row that makes up the span, if the samples clearly show that one does, more than any
    /// other.
    pub fn bottleneck(&self) -> Option<usize> {
        let first = self.rows.first()?.serial.on_span;
        let second = self.rows.get(1).map_or(0.0, |row| row.serial.on_span.share);
        let clear = first.lower >= CLEAR_SHARE && first.lower > second;
        (self.cover_the_span() && clear && self.rows[0].function.is_some()).then_some(0)
    }
}

/// The functions of `profile`; `None` if it was made without sampling and does not say why.
///
/// # Panics
/// If the profile is not valid.
pub fn functions(profile: &Profile) -> Option<Functions> {
    let samples = profile.samples.as_ref()?;
    let identities = Identities::new(profile, samples);
    let logical = Logical::new(profile, samples, &identities);
    let whole = Whole::new(profile, samples);
    let mut sums = vec![Sums::default(); identities.len()];
    let mut callers = Callers::default();
    let mut inside: HashMap<(usize, usize), SampleWeight> = HashMap::new();
    for (index, stack) in samples.stacks.iter().enumerate() {
        let weight = whole.weight(stack);
        let places: Vec<Place<'_>> = logical.stack(index).collect();
        let own = places
            .first()
            .map_or(Identities::NOBODY, |place| place.function);
        let serial = logical.outermost_serial(&places).unwrap_or(own);
        sums[own].own.add(weight);
        sums[serial].serial.add(weight);
        inside.entry((serial, own)).or_default().add(weight.on_span);
        let mut all: BTreeSet<usize> = places.iter().map(|place| place.function).collect();
        all.insert(own);
        for function in all {
            sums[function].total.add(weight);
        }
        callers.add(&places, weight);
        let physical = identities.physical(samples, stack);
        let around = || {
            logical
                .outside_of(stack.node)
                .first()
                .map(|place| place.function)
        };
        if let Some(function) = physical.first().copied().or_else(around) {
            sums[function].physical_own.add(weight);
        }
        for function in physical.into_iter().collect::<BTreeSet<_>>() {
            sums[function].physical_total.add(weight);
        }
    }
    let mut order: Vec<usize> = (0..sums.len())
        .filter(|&function| sums[function].is_sampled())
        .collect();
    order.sort_by(|&one, &other| {
        let key = |function: usize| sums[function].rank();
        key(other)
            .partial_cmp(&key(one))
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| identities.name(one).cmp(&identities.name(other)))
    });
    let row_of: HashMap<usize, usize> = order.iter().copied().zip(0..).collect();
    let hottest = |function: usize| {
        let parts = inside.iter().filter(|((serial, _), _)| *serial == function);
        let (&(_, own), &weight) = parts.max_by(|(one, one_weight), (other, other_weight)| {
            let by_weight = one_weight.nanos.total_cmp(&other_weight.nanos);
            by_weight.then_with(|| Reverse(row_of[&one.1]).cmp(&Reverse(row_of[&other.1])))
        })?;
        (weight.nanos > 0.0).then(|| (row_of[&own], whole.on_span.share(weight)))
    };
    let row = |&function: &usize| FunctionRow {
        function: identities.name(function).map(str::to_owned),
        definition: identities.definition(function).cloned(),
        parallel: logical.is_parallel(function),
        own: whole.share(sums[function].own),
        total: whole.share(sums[function].total),
        serial: whole.share(sums[function].serial),
        physical_own: whole.share(sums[function].physical_own),
        physical_total: whole.share(sums[function].physical_total),
        callers: callers.callers_of(function, &identities, &whole),
        hottest: hottest(function),
    };
    Some(Functions {
        rate: samples.rate,
        note: samples.note.clone(),
        on_work: whole.on_work,
        on_span: whole.on_span,
        rows: order.iter().map(row).collect(),
    })
}

/// The weight of the samples of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    own: Weight,
    total: Weight,
    serial: Weight,
    physical_own: Weight,
    physical_total: Weight,
}

impl Sums {
    fn is_sampled(&self) -> bool {
        self.total.is_sampled() || self.physical_total.is_sampled()
    }

    /// The sort key of a row.
    fn rank(&self) -> [f64; 4] {
        [
            self.serial.on_span.nanos,
            self.total.on_span.nanos,
            self.serial.on_work.nanos,
            self.total.on_work.nanos,
        ]
    }
}

#[cfg(test)]
mod tests;
