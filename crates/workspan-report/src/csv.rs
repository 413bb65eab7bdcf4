//! The sites as comma-separated values.

use std::io;

use serde::Serialize;
use workspan_model::{Profile, SiteRow, analyse};

use crate::Renderer;

/// The sites as comma-separated values: a header, then one record a site, the largest share of the
/// span first. Times in nanoseconds, shares from 0 to 1; what is not known is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

impl Renderer for Csv {
    fn render(&self, profile: &Profile, output: &mut dyn io::Write) -> io::Result<()> {
        let mut records = csv::Writer::from_writer(output);
        for site in &analyse(profile).sites {
            records
                .serialize(Record::of(site))
                .map_err(io::Error::from)?;
        }
        records.flush()
    }
}

/// One record; its field names are the header.
#[derive(Serialize)]
struct Record<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    kind: &'static str,
    function: Option<&'a str>,
    detail: Option<&'a str>,
    count: u64,
    top_count: u64,
    work_ns: u64,
    span_ns: u64,
    local_work_ns: u64,
    parallelism: Option<f64>,
    blocked_ns: u64,
    stolen: u64,
    spawns: u64,
    syncs: u64,
    tasking_overhead_ns: u64,
    tasking_overhead: f64,
    count_on_span: u64,
    local_span_ns: u64,
    share_of_span: f64,
    note: Option<&'a str>,
}

impl<'a> Record<'a> {
    fn of(site: &'a SiteRow) -> Self {
        let location = site.location.as_ref();
        let (on_work, on_span) = (&site.on_work, &site.on_span);
        Self {
            file: location.map(|location| location.file.as_str()),
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            kind: site.kind.name(),
            function: site.function.as_deref(),
            detail: site.detail.as_deref(),
            count: on_work.count,
            top_count: on_work.top_count,
            work_ns: on_work.work.time().shown(),
            span_ns: on_work.span.time().shown(),
            local_work_ns: on_work.local_work.time().shown(),
            parallelism: on_work.parallelism,
            blocked_ns: on_work.blocked.shown(),
            stolen: on_work.stolen,
            spawns: on_work.spawns,
            syncs: on_work.syncs,
            tasking_overhead_ns: on_work.tasking_overhead.time.shown(),
            tasking_overhead: on_work.tasking_overhead.share,
            count_on_span: on_span.count,
            local_span_ns: on_span.local_span.time().shown(),
            share_of_span: on_span.share,
            note: site.note.as_deref(),
        }
    }
}
