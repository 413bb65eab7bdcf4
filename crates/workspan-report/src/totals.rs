//! The figures of a whole program, each defined once for text, JSON, page and the spread over runs.

use workspan_model::{Analysis, Estimate, Profile, Runs, Span, Totals, knows_tasking_costs};

use crate::notation::figures::{NONE, Unit, amount, amount_within, grouped, percent, ratio_within};
use crate::notation::program::threads;
use crate::object::{Document, finite, object};

/// A figure of the whole program.
pub(crate) struct Total {
    json_key: &'static str,
    pub(crate) unit: Unit,
    pub(crate) definition: &'static str,
    pub(crate) of: fn(&Totals) -> f64,
    /// Its name in texts that show it.
    pub(crate) name: Option<&'static str>,
    /// What the text says of it; `None` if it is part of another's meaning.
    pub(crate) meaning: Option<fn(&Profile, &Analysis) -> String>,
    /// Its name on the page, if that shows it.
    pub(crate) title: Option<&'static str>,
    /// Whether the profile knows it.
    pub(crate) is_known: fn(&Profile) -> bool,
}

/// Defines the figures once: as the list that text and page go by, as JSON, and as the JSON of how far
/// they vary. After its definition a figure has its key of JSON, unit and value, its interval, and what
/// texts and the page need.
macro_rules! totals {
    ($it:ident: $(
        $(#[doc = $definition:literal])+
        $key:ident: $unit:ident, $value:expr $(; $(#[$of_interval:meta])* $interval:ident: $ends:expr)?
        $(=> { $($shown:tt)+ })?,
    )+) => {
        /// All of them, in the order of the text.
        #[allow(clippy::needless_update, reason = "some have all that a figure may have")]
        pub(crate) const TOTALS: [Total; [$(stringify!($key)),+].len()] = [$(Total {
            json_key: stringify!($key),
            unit: Unit::$unit,
            definition: concat!($($definition),+).trim_ascii(),
            of: |$it| $value as f64,
            $($($shown)+,)?
            ..HIDDEN
        }),+];

        fn as_json($it: &Totals) -> impl Document + use<> {
            object! {
                $($(#[doc = $definition])+ $key: $value, $($(#[$of_interval])* $interval: $ends,)?)+
            }
        }

        pub(crate) fn totals_spread(runs: &Runs) -> impl Document {
            object! {
                $($(#[doc = $definition])+ $key: spread(runs.spread(|$it| $value)),)+
            }
        }
    };
}

/// A figure that only JSON has.
const HIDDEN: Total = Total {
    json_key: "",
    unit: Unit::Share,
    definition: "",
    of: |_| 0.0,
    name: None,
    meaning: None,
    title: None,
    is_known: |_| true,
};

totals! { it:
    /// The time of all strands together: what the program would take on one core. Strands are stretches of code
    /// without parallel constructs.
    work_amount: Amount, it.work.time().shown() => {
        name: Some("Work"), title: Some("Work T₁"),
        meaning: Some(|_, of| format!("{} of all strands", of.metric.noun()))
    },
    /// The longest chain of strands that depend on one another: what the program would take on any number of cores.
    span_amount: Amount, it.span.value.time().shown();
    /// What is known of the span: delays lengthen strands, and tiny ones are timed in groups
    span_interval: span_interval(it.span) => {
        name: Some("Span"), title: Some("Span T∞"),
        meaning: Some(|_, _| "longest chain of dependent strands".to_owned())
    },
    /// The span, were every task that another core can take really moved there: the cost of moving is added on each
    /// such edge of the chain.
    burdened_span_amount: Amount, it.burdened_span.value.time().shown();
    /// What is known of the burdened span
    burdened_span_interval: span_interval(it.burdened_span) => {
        name: Some("Burdened span"), title: Some("Burdened span T̂∞"),
        meaning: Some(|profile, of| format!("with {} a task for moving it", amount(profile.run.burden, &of.metric)))
    },
    /// Work / span. No number of cores makes the program faster than this many times. A program should have several
    /// times more than there are cores.
    parallelism: Ratio, it.parallelism.value;
    /// What is known of the parallelism
    parallelism_interval: parallelism_interval(it.parallelism) => {
        name: Some("Parallelism"), title: Some("Parallelism"),
        meaning: Some(|_, _| "work / span, the limit to speedup".to_owned())
    },
    /// Work / burdened span. Where it is far below the parallelism, tasks are too small to be worth moving to another
    /// core.
    burdened_parallelism: Ratio, it.burdened_parallelism.value;
    /// What is known of the burdened parallelism
    burdened_parallelism_interval: parallelism_interval(it.burdened_parallelism) => {
        name: Some("Burdened parallelism"), title: Some("Burdened parallelism"),
        meaning: Some(|_, _| "work / burdened span".to_owned())
    },
    /// Part of the work that was timed in shared stretches, as a share of it, from 0
    shared_share: Share, it.shared_share,
    /// How many tasks were created that another core could have taken.
    spawns: Count, it.spawns => {
        name: Some("Spawns"), title: Some("Tasks"),
        meaning: Some(|_, of| format!("tasks created, {} stolen", grouped(of.totals.stolen)))
    },
    /// Tasks that ran on another thread than the one that created them.
    stolen: Count, it.stolen => { name: Some("Stolen"), title: Some("Stolen") },
    /// Waits for tasks: ends of join, of scope, of parallel iterators.
    syncs: Count, it.syncs => {
        name: Some("Syncs"), meaning: Some(|_, _| "waits for tasks".to_owned())
    },
    /// Work / (1 + 2 · tasks + syncs), after Cilkview. Below some microseconds, creating tasks takes much of the time.
    average_strand_amount: Amount, it.average_strand.shown() => {
        name: Some("Average maximal strand"), title: Some("Average strand"),
        meaning: Some(|_, _| "work / (1 + 2 spawns + syncs)".to_owned())
    },
    /// What creating and scheduling the tasks costs, from what each costs on this machine; not part of the work.
    tasking_overhead_amount: Amount, it.tasking_overhead.time.shown() => {
        name: Some("Tasking overhead"), title: Some("Tasking overhead"), is_known: knows_tasking_costs,
        meaning: Some(|profile, of| if knows_tasking_costs(profile) {
            format!("{} of the work", percent(of.totals.tasking_overhead.share))
        } else {
            "what a task costs this runtime is not measured".to_owned()
        })
    },
    /// The tasking overhead as a share of the work, from 0
    tasking_overhead: Share, it.tasking_overhead.share => {
        name: Some("… of the work"), is_known: knows_tasking_costs
    },
    /// Time in which strands waited of their own will (sleep, I/O, locks). It is part of the work and of the span.
    blocked_ns: Time, it.blocked.shown() => {
        name: Some("Blocked"), title: Some("Blocked"), is_known: |profile| profile.run.metric.is_default(),
        meaning: Some(|_, of| match of.metric.is_default() {
            true => "sleep, I/O, locks; part of the work".to_owned(),
            false => "only known where the time is measured".to_owned(),
        })
    },
    /// Wall-clock time, from the start of the process to the writing of the profile.
    elapsed_ns: Time, it.elapsed.shown() => {
        name: Some("Elapsed"), title: Some("Elapsed"),
        meaning: Some(|profile, _| {
            threads(profile).map_or("wall clock".to_owned(), |threads| format!("wall clock, {threads}"))
        })
    },
}

impl Total {
    /// Its key in the glossary of the page.
    pub(crate) fn key(&self) -> &'static str {
        let key = self.json_key.trim_end_matches("_amount");
        key.trim_end_matches("_ns")
    }

    /// What is known of it, where that is not much.
    pub(crate) fn estimate(&self, analysis: &Analysis) -> Option<Estimate<f64>> {
        let totals = &analysis.totals;
        let amount = |span: Estimate<Span>| {
            let beyond = (!analysis.shows_delays).then_some(f64::NEG_INFINITY);
            span.map(|span| span.time().shown() as f64).with(beyond)
        };
        let (span, estimate) = match self.key() {
            "span" => (totals.span, amount(totals.span)),
            "burdened_span" => (totals.burdened_span, amount(totals.burdened_span)),
            "parallelism" => (totals.span, analysis.known(totals.parallelism)),
            "burdened_parallelism" => {
                let parallelism = analysis.known(totals.burdened_parallelism);
                (totals.burdened_span, parallelism)
            }
            _ => return None,
        };
        analysis.is_open(span).then_some(estimate)
    }

    /// The figure of one run, as far as it is known.
    pub(crate) fn words(&self, profile: &Profile, analysis: &Analysis) -> String {
        let metric = &analysis.metric;
        match self.estimate(analysis) {
            _ if !(self.is_known)(profile) => NONE.to_owned(),
            None => self.unit.words((self.of)(&analysis.totals), metric),
            Some(estimate) if self.unit == Unit::Ratio => ratio_within(estimate),
            Some(estimate) => amount_within(estimate, metric),
        }
    }
}

pub(crate) fn totals(totals: &Totals, analysis: &Analysis) -> impl Document {
    as_json(&Totals {
        parallelism: analysis.known(totals.parallelism),
        burdened_parallelism: analysis.known(totals.burdened_parallelism),
        ..*totals
    })
}

pub(crate) fn span_interval(span: Estimate<Span>) -> impl Document {
    object! {
        /// No shorter than this, in nanoseconds
        lower_amount: span.low.time().shown(),
        /// No longer than this, in nanoseconds
        upper_amount: span.high.time().shown(),
    }
}

pub(crate) fn parallelism_interval(parallelism: Estimate<f64>) -> impl Document {
    object! {
        /// No less than this
        lower: parallelism.low,
        /// No more than this; null when the span may be nothing, or when it is not known how much delays
        /// lengthened it
        upper: finite(parallelism.high),
    }
}

/// How far a figure varies over several runs.
pub(crate) fn spread<T: Copy + Document>(figure: Estimate<T>) -> impl Document {
    object! {
        /// The middle one; of an even number of runs the lower of the two in the middle
        median: figure.value,
        /// The least
        least: figure.low,
        /// The most
        most: figure.high,
    }
}
