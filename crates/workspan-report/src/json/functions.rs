//! Functions by samples.

use serde::Serialize;
use workspan_model::{Caller, FunctionRow, Functions, Location, OnBoth, SampleShare, SampleSize};

#[derive(Serialize)]
pub(super) struct FunctionsPart<'a> {
    rate_hz: u32,
    note: Option<&'a str>,
    on_work: SizePart,
    on_span: SizePart,
    functions: Vec<FunctionPart<'a>>,
}

#[derive(Serialize)]
struct SizePart {
    samples: f64,
    effective_samples: f64,
    time_ns: u64,
}

#[derive(Serialize)]
struct FunctionPart<'a> {
    function: Option<&'a str>,
    #[serde(flatten)]
    definition: PlacePart<'a>,
    parallel: bool,
    #[serde(rename = "self")]
    own: BothPart,
    total: BothPart,
    serial: BothPart,
    physical_self: BothPart,
    physical_total: BothPart,
    callers: Vec<CallerPart<'a>>,
    hottest: Option<HottestPart>,
}

#[derive(Serialize)]
struct PlacePart<'a> {
    location: Option<String>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
}

#[derive(Serialize)]
struct BothPart {
    on_work: SharePart,
    on_span: SharePart,
}

#[derive(Serialize)]
struct SharePart {
    samples: f64,
    share: f64,
    lower: f64,
    upper: f64,
    time_ns: u64,
}

#[derive(Serialize)]
struct CallerPart<'a> {
    function: Option<&'a str>,
    #[serde(flatten)]
    location: PlacePart<'a>,
    on_work: SharePart,
    on_span: SharePart,
}

#[derive(Serialize)]
struct HottestPart {
    function: usize,
    on_span: SharePart,
}

impl<'a> FunctionsPart<'a> {
    pub(super) fn of(functions: &'a Functions) -> Self {
        Self {
            rate_hz: functions.rate,
            note: functions.note.as_deref(),
            on_work: SizePart::of(functions.on_work),
            on_span: SizePart::of(functions.on_span),
            functions: functions.rows.iter().map(FunctionPart::of).collect(),
        }
    }
}

impl SizePart {
    fn of(size: SampleSize) -> Self {
        Self {
            samples: size.samples,
            effective_samples: size.effective,
            time_ns: size.time.shown(),
        }
    }
}

impl<'a> FunctionPart<'a> {
    fn of(row: &'a FunctionRow) -> Self {
        Self {
            function: row.function.as_deref(),
            definition: PlacePart::of(row.definition.as_ref()),
            parallel: row.parallel,
            own: BothPart::of(row.own),
            total: BothPart::of(row.total),
            serial: BothPart::of(row.serial),
            physical_self: BothPart::of(row.physical_own),
            physical_total: BothPart::of(row.physical_total),
            callers: row.callers.iter().map(CallerPart::of).collect(),
            hottest: row.hottest.map(|(function, share)| HottestPart {
                function,
                on_span: SharePart::of(share),
            }),
        }
    }
}

impl<'a> PlacePart<'a> {
    fn of(location: Option<&'a Location>) -> Self {
        Self {
            location: location.map(ToString::to_string),
            file: location.map(|location| location.file.as_str()),
            line: location.map(|location| location.line),
            column: location
                .map(|location| location.column)
                .filter(|column| *column > 0),
        }
    }
}

impl BothPart {
    fn of(both: OnBoth) -> Self {
        Self {
            on_work: SharePart::of(both.on_work),
            on_span: SharePart::of(both.on_span),
        }
    }
}

impl SharePart {
    fn of(share: SampleShare) -> Self {
        Self {
            samples: share.samples,
            share: share.share,
            lower: share.lower,
            upper: share.upper,
            time_ns: share.time.shown(),
        }
    }
}

impl<'a> CallerPart<'a> {
    fn of(caller: &'a Caller) -> Self {
        Self {
            function: caller.function.as_deref(),
            location: PlacePart::of(caller.location.as_ref()),
            on_work: SharePart::of(caller.share.on_work),
            on_span: SharePart::of(caller.share.on_span),
        }
    }
}
