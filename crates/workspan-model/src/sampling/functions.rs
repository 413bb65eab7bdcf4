//! Which functions make up the span and the work, by samples.

mod identity;
mod logical;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::profile::sample_weight::{Weight, Whole};
use crate::profile::threads::threads;
use crate::run::samples::SampleWeight;
use crate::{Location, NodeId, OnBoth, Profile, SampleShare, SampleSize, SampledStack, Samples};

pub(crate) use identity::{Identities, around_closure};
pub(crate) use logical::{Logical, Place};

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
    /// The samples during which threads had no strand, and for how long these had none in all.
    pub idle: SampleSize,
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
    /// The part of the threads' time without a strand that passed while [`serial`](Self::serial)
    /// ran.
    pub idle: SampleShare,
    /// The line of the function that certainly ran or called most of that.
    pub idle_line: Option<Location>,
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
    /// The line of the function that runs or calls most of [`serial`](Self::serial), and its part.
    /// Most is of the span if samples cover that, else of the work.
    pub hottest_line: Option<(Location, OnBoth)>,
}

impl FunctionRow {
    /// The line that certainly runs or calls most of the function's [`serial`](Self::serial) part, of
    /// the span if `of_span`, else of the work.
    pub fn main_line(&self, of_span: bool) -> Option<&Location> {
        let (line, share) = self.hottest_line.as_ref()?;
        is_most(share, &self.serial, of_span).then_some(line)
    }

    /// The line that certainly calls the function for most of its time.
    pub fn main_call(&self, of_span: bool) -> Option<&Location> {
        let caller = self.callers.first()?;
        let is_most = is_most(&caller.share, &self.total, of_span);
        caller.location.as_ref().filter(|_| is_most)
    }
}

/// Whether `part` certainly is most of `whole`.
fn is_most(part: &OnBoth, whole: &OnBoth, of_span: bool) -> bool {
    let on = |both: &OnBoth| if of_span { both.on_span } else { both.on_work };
    on(part).share.low >= on(whole).share.value / 2.0
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
            let share = |row: &FunctionRow| row.serial.on_work.share.value;
            share(other).total_cmp(&share(one))
        });
        rows.into_iter()
    }

    /// The row with most of the work, if the samples show that it has much.
    pub fn most_work(&self) -> Option<&FunctionRow> {
        let first = self.by_work().next()?;
        let clear = self.cover_the_work() && first.serial.on_work.share.low >= CLEAR_SHARE;
        (clear && first.function.is_some()).then_some(first)
    }

    /// The row that makes up the span, if the samples clearly show that one does, more than any
    /// other.
    pub fn bottleneck(&self) -> Option<usize> {
        let first = self.rows.first()?.serial.on_span.share;
        let second = self.rows.get(1).map(|row| row.serial.on_span.share.value);
        let clear = first.low >= CLEAR_SHARE && first.low > second.unwrap_or(0.0);
        (self.cover_the_span() && clear && self.rows[0].function.is_some()).then_some(0)
    }

    /// The rows that certainly ran for much of the time in which threads had no strand, in
    /// descending order.
    pub fn keep_others_idle(&self) -> Vec<&FunctionRow> {
        let is_much = |row: &&FunctionRow| row.idle.share.low >= CLEAR_SHARE;
        let rows = self.rows.iter().filter(is_much);
        let mut rows: Vec<_> = rows
            .filter(|_| self.idle.effective >= LEAST_SAMPLES)
            .collect();
        rows.sort_by(|one, other| other.idle.share.value.total_cmp(&one.idle.share.value));
        rows
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
    let idle = Idle::new(profile, samples);
    let mut sums = vec![Sums::default(); identities.len()];
    let mut callers = Callers::default();
    let mut inside: HashMap<(usize, usize), SampleWeight> = HashMap::new();
    let mut lines: BTreeMap<(usize, &str, u32), (Weight, SampleWeight)> = BTreeMap::new();
    for (index, stack) in samples.stacks.iter().enumerate() {
        let weight = whole.weight(stack);
        let places: Vec<Place<'_>> = logical.stack(index).collect();
        let innermost = places.first();
        let own = innermost.map_or(Identities::NOBODY, |place| place.function);
        let serial_place = logical.outermost_serial(&places).or(innermost);
        let serial = serial_place.map_or(own, |place| place.function);
        sums[own].own.add(weight);
        sums[serial].serial.add(weight);
        sums[serial].idle.add(idle.weight(stack));
        inside.entry((serial, own)).or_default().add(weight.on_span);
        if let Some(line) = serial_place.and_then(|place| place.location) {
            let line = (serial, line.file.as_str(), line.line);
            let (of_strands, of_idle) = lines.entry(line).or_default();
            of_strands.add(weight);
            of_idle.add(idle.weight(stack));
        }
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
    let covers_span = whole.on_span.effective >= LEAST_SAMPLES;
    let hottest_line = |function: usize| {
        let nanos = |weight: Weight| match covers_span {
            true => weight.on_span.nanos,
            false => weight.on_work.nanos,
        };
        let parts = lines.iter().filter(|((serial, ..), _)| *serial == function);
        let (&(_, file, line), &(weight, _)) =
            parts.max_by(|(_, one), (_, other)| nanos(one.0).total_cmp(&nanos(other.0)))?;
        (nanos(weight) > 0.0).then(|| (Location::new(file, line, 0), whole.share(weight)))
    };
    let idle_line = |function: usize| {
        let parts = lines.iter().filter(|((serial, ..), _)| *serial == function);
        let (&(_, file, line), &(_, weight)) =
            parts.max_by(|(_, one), (_, other)| one.1.nanos.total_cmp(&other.1.nanos))?;
        let share = |weight| idle.whole.share(weight).share;
        (share(weight).low >= share(sums[function].idle).value / 2.0 && weight.nanos > 0.0)
            .then(|| Location::new(file, line, 0))
    };
    let row = |&function: &usize| FunctionRow {
        function: identities.name(function).map(str::to_owned),
        definition: identities.definition(function).cloned(),
        parallel: logical.is_parallel(function),
        own: whole.share(sums[function].own),
        total: whole.share(sums[function].total),
        serial: whole.share(sums[function].serial),
        idle: idle.whole.share(sums[function].idle),
        idle_line: idle_line(function),
        physical_own: whole.share(sums[function].physical_own),
        physical_total: whole.share(sums[function].physical_total),
        callers: callers.callers_of(function, &identities, &whole),
        hottest: hottest(function),
        hottest_line: hottest_line(function),
    };
    Some(Functions {
        rate: samples.rate,
        note: samples.note.clone(),
        on_work: whole.on_work,
        on_span: whole.on_span,
        idle: idle.whole,
        rows: order.iter().map(row).collect(),
    })
}

/// The weight of the samples of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    own: Weight,
    total: Weight,
    serial: Weight,
    idle: SampleWeight,
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

/// A place from which a function was called.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The calling function.
    pub function: Option<String>,
    /// The place of the call.
    pub location: Option<Location>,
    /// The part of the function that was called from there.
    pub share: OnBoth,
}

/// The weight of each caller, by called function.
#[derive(Default)]
struct Callers<'a> {
    by_callee: HashMap<usize, HashMap<(usize, Option<&'a Location>), Weight>>,
}

impl<'a> Callers<'a> {
    /// Counts, for each function on a stack, its outermost call: recursion is folded.
    fn add(&mut self, stack: &[Place<'a>], weight: Weight) {
        let mut seen = HashSet::new();
        for (callee, caller) in stack.iter().zip(stack.iter().skip(1)).rev() {
            // The caller of the outermost function is not known.
            if seen.is_empty() {
                seen.insert(caller.function);
            }
            if seen.insert(callee.function) {
                let callers = self.by_callee.entry(callee.function).or_default();
                let key = (caller.function, caller.location);
                callers.entry(key).or_default().add(weight);
            }
        }
    }

    fn callers_of(
        &self,
        function: usize,
        identities: &Identities<'a>,
        whole: &Whole,
    ) -> Vec<Caller> {
        let Some(callers) = self.by_callee.get(&function) else {
            return Vec::new();
        };
        let mut callers: Vec<_> = callers.iter().collect();
        callers.sort_by(|(one, one_weight), (other, other_weight)| {
            let key = |weight: &Weight| (weight.on_span.nanos, weight.on_work.nanos);
            let by_weight = key(other_weight).partial_cmp(&key(one_weight));
            by_weight
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| identities.name(one.0).cmp(&identities.name(other.0)))
                .then_with(|| one.1.cmp(&other.1))
        });
        let caller =
            |(&(function, location), &weight): (&(usize, Option<&Location>), &Weight)| Caller {
                function: identities.name(function).map(str::to_owned),
                location: location.cloned(),
                share: whole.share(weight),
            };
        callers.into_iter().map(caller).collect()
    }
}

/// A function's part in the samples at a group of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct HotFunction {
    /// Its readable name.
    pub function: String,
    /// Where it is defined.
    pub definition: Option<Location>,
    /// Its share of the samples there; only those on the critical path count, if there are any.
    pub share: f64,
    /// The number of samples at the nodes.
    pub samples: f64,
}

/// The user's functions that run at the nodes of each of `groups`, the largest shares first, at
/// most `most` per group. Time in the standard library and rayon counts for the function that
/// called them.
///
/// # Panics
/// If the profile is not valid.
pub fn hot_functions(
    profile: &Profile,
    groups: &[Vec<NodeId>],
    most: usize,
) -> Vec<Vec<HotFunction>> {
    let Some(samples) = &profile.samples else {
        return vec![Vec::new(); groups.len()];
    };
    let identities = Identities::new(profile, samples);
    let logical = Logical::new(profile, samples, &identities);
    let periods_per_sample = samples.periods_per_sample();
    let at = |nodes: &Vec<NodeId>| {
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut all = (0.0, 0.0);
        let stacks = samples.stacks.iter().enumerate();
        for (index, stack) in stacks.filter(|(_, stack)| nodes.contains(&stack.node)) {
            all = (all.0 + stack.on_span, all.1 + stack.on_work);
            let own = logical.stack(index).next();
            if let Some(place) = own {
                let sum = sums.entry(place.function).or_default();
                *sum = (sum.0 + stack.on_span, sum.1 + stack.on_work);
            }
        }
        let on_span = all.0 > 0.0;
        let pick = |(span, work): (f64, f64)| if on_span { span } else { work };
        let total = pick(all);
        let found = sums.into_iter().filter(|(_, sum)| pick(*sum) > 0.0);
        let mut hot: Vec<HotFunction> = found
            .filter_map(|(function, sum)| {
                Some(HotFunction {
                    function: identities.name(function)?.to_owned(),
                    definition: identities.definition(function).cloned(),
                    share: pick(sum) / total,
                    samples: total / periods_per_sample,
                })
            })
            .collect();
        hot.sort_by_key(|hot| Reverse((hot.share * 1e9) as u64));
        hot.truncate(most);
        hot
    };
    groups.iter().map(at).collect()
}

/// The time in which threads had no strand, by what ran on others.
struct Idle {
    whole: SampleSize,
    threads: u32,
    periods_per_sample: f64,
    nanos_per_period: f64,
}

impl Idle {
    fn new(profile: &Profile, samples: &Samples) -> Self {
        let mut idle = Self {
            whole: SampleSize::default(),
            threads: threads(profile),
            periods_per_sample: samples.periods_per_sample(),
            nanos_per_period: 1e9 / f64::from(samples.rate.max(1)),
        };
        idle.whole = SampleSize::new(samples.stacks.iter().map(|stack| idle.weight(stack)));
        idle
    }

    /// A sample stands for the more the more threads are idle. All of them say no more than as many
    /// that stand for the most.
    fn weight(&self, stack: &SampledStack) -> SampleWeight {
        let periods = stack.idle_meanwhile(self.threads);
        let most = f64::from(self.threads.saturating_sub(1).max(1)) * self.periods_per_sample;
        SampleWeight {
            samples: periods / most,
            nanos: periods * self.nanos_per_period,
        }
    }
}
