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
use callers::Callers;
pub(crate) use identity::Identities;
pub(crate) use logical::{Logical, Place};
pub(crate) use whole::{Weight, Whole};

/// Fewer samples than this on the span tell no function from another: with 20, an interval is 40 points wide.
const LEAST_SAMPLES: f64 = 20.0;

/// A function is clearly what the span is made of from this share on, which the interval must not fall below.
const CLEAR_SHARE: f64 = 0.25;

/// Which functions make up the span and the work, by samples.
///
/// Samples fall on processor time, so that waits are in no function. Shares on the work are of the work without its waits,
/// those on the span of the span without the waits that lie on it for certain.
#[derive(Clone, Debug, PartialEq)]
pub struct Functions {
    /// Samples asked for in a second of a thread's processor time; 0 when sampling was off.
    pub rate: u32,
    /// Why there are no samples, or what limits them.
    pub note: Option<String>,
    /// The samples on the work.
    pub on_work: SampleSize,
    /// The samples on the critical path.
    pub on_span: SampleSize,
    /// The functions, those first that the span is made of ([`FunctionRow::serial`]).
    pub rows: Vec<FunctionRow>,
}

/// A function, by its name and the place of its definition. Monomorphisations are one function, closures functions of
/// their own.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRow {
    /// Its readable name; `None` stands for all that no function of the user's called.
    pub function: Option<String>,
    /// Where it is defined.
    pub definition: Option<Location>,
    /// Whether a spawn site stands in it, or in what it calls.
    pub parallel: bool,
    /// What it runs itself. The standard library and rayon run for the function of the user's that called them.
    pub own: OnBoth,
    /// What it runs with all that it calls and spawns: it is anywhere on the logical stack.
    pub total: OnBoth,
    /// What the span is made of: serial functions that parallel ones call, each with all that it calls, and what
    /// parallel functions run themselves. Over all rows these shares sum up to 1.
    ///
    /// So to make the program more parallel is to split up the row with the largest share on the span.
    pub serial: OnBoth,
    /// What the function's own machine code ran: functions inlined into it count as it, and so does what of it is inlined
    /// into a library's function that it calls. This is what measuring each call can tell apart.
    pub physical_own: OnBoth,
    /// The same with all that it calls and spawns.
    pub physical_total: OnBoth,
    /// From where it was called, the most frequent on the span first; recursion folded.
    pub callers: Vec<Caller>,
    /// The function that runs most of [`serial`](Self::serial) on the span itself, as an index into the rows, and what.
    pub hottest: Option<(usize, SampleShare)>,
}

/// Shares on the work and on the span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnBoth {
    /// On the work.
    pub on_work: SampleShare,
    /// On the span.
    pub on_span: SampleShare,
}

/// From where a function was called.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The calling function.
    pub function: Option<String>,
    /// The place of the call.
    pub location: Option<Location>,
    /// What of the function was called from there.
    pub share: OnBoth,
}

impl Functions {
    /// Whether there are enough samples on the span to tell functions apart.
    pub fn tell_the_span(&self) -> bool {
        self.on_span.effective >= LEAST_SAMPLES
    }

    /// The row that the span is made of, if samples say clearly that it is one more than any other.
    pub fn bottleneck(&self) -> Option<usize> {
        let first = self.rows.first()?.serial.on_span;
        let second = self.rows.get(1).map_or(0.0, |row| row.serial.on_span.share);
        let clear = first.lower >= CLEAR_SHARE && first.lower > second;
        (self.tell_the_span() && clear && self.rows[0].function.is_some()).then_some(0)
    }
}

/// The functions of `profile`; `None` if it was made without sampling and does not say why.
///
/// # Panics
/// When the profile is not valid.
pub fn functions(profile: &Profile) -> Option<Functions> {
    let samples = profile.samples.as_ref()?;
    let identities = Identities::of(profile, samples);
    let logical = Logical::of(profile, samples, &identities);
    let whole = Whole::of(profile, samples);
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
        .filter(|&function| sums[function].any())
        .collect();
    order.sort_by(|&one, &other| {
        let key = |function: usize| sums[function].rank();
        key(other)
            .partial_cmp(&key(one))
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| identities.name(one).cmp(&identities.name(other)))
    });
    let mut row_of = HashMap::new();
    for (row, &function) in order.iter().enumerate() {
        row_of.insert(function, row);
    }
    let hottest = |function: usize| {
        let parts = inside.iter().filter(|((serial, _), _)| *serial == function);
        let (&(_, own), &weight) = parts.max_by(|(one, one_weight), (other, other_weight)| {
            let by_weight = one_weight.nanos.total_cmp(&other_weight.nanos);
            by_weight.then_with(|| Reverse(row_of[&one.1]).cmp(&Reverse(row_of[&other.1])))
        })?;
        (weight.nanos > 0.0).then(|| (row_of[&own], whole.share_of_span(weight)))
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
        callers: callers.of(function, &identities, &whole),
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

/// What falls on a function.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    own: Weight,
    total: Weight,
    serial: Weight,
    physical_own: Weight,
    physical_total: Weight,
}

impl Sums {
    fn any(&self) -> bool {
        self.total.any() || self.physical_total.any()
    }

    /// What rows are ordered by.
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
