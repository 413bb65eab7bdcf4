//! Sampled functions in the JSON report.

use serde::Serialize;
use workspan_model::{Caller, FunctionRow, Functions, OnBoth, SampleShare, SampleSize};

use super::place::place_of_function;
use crate::object::object;

pub(super) fn functions(functions: &Functions) -> impl Serialize {
    object! {
        rate_hz: functions.rate,
        note: &functions.note,
        on_work: size(functions.on_work),
        on_span: size(functions.on_span),
        functions: functions.rows.iter().map(function).collect::<Vec<_>>(),
    }
}

fn size(size: SampleSize) -> impl Serialize {
    object! {
        samples: size.samples,
        effective_samples: size.effective,
        time_ns: size.time.shown(),
    }
}

fn function(row: &FunctionRow) -> impl Serialize {
    let hottest = |(index, on_span): (usize, SampleShare)| {
        object! {
            function: index,
            on_span: share(on_span),
        }
    };
    object! {
        function: &row.function,
        #[serde(flatten)]
        definition: place_of_function(row.definition.as_ref()),
        parallel: row.parallel,
        #[serde(rename = "self")]
        own: both(row.own),
        total: both(row.total),
        serial: both(row.serial),
        physical_self: both(row.physical_own),
        physical_total: both(row.physical_total),
        callers: row.callers.iter().map(caller).collect::<Vec<_>>(),
        hottest: row.hottest.map(hottest),
    }
}

fn caller(caller: &Caller) -> impl Serialize {
    object! {
        function: &caller.function,
        #[serde(flatten)]
        place: place_of_function(caller.location.as_ref()),
        #[serde(flatten)]
        share: both(caller.share),
    }
}

fn both(both: OnBoth) -> impl Serialize {
    object! {
        on_work: share(both.on_work),
        on_span: share(both.on_span),
    }
}

fn share(share: SampleShare) -> impl Serialize {
    object! {
        samples: share.samples,
        share: share.share,
        lower: share.lower,
        upper: share.upper,
        time_ns: share.time.shown(),
    }
}
