//! The sites as comma-separated values.

mod comparison;
mod records;
mod regions;
mod scaling;

use std::io;

use workspan_model::{Analysis, MeasureKind, On, Profile, SiteRow};

use records::Fields;
pub(crate) use records::{Cell, fields, write_fields};

use crate::Renderer;
use crate::json::key_of;

pub use comparison::comparison_csv;
pub use regions::RegionsCsv;

/// The sites as comma-separated values: a header, then a record for each site, the largest share of
/// the span first. Times are in nanoseconds, shares from 0 to 1; unknown values are empty. With a
/// metric that counts, names of amounts end in `_count` instead of `_ns`.
///
/// Besides what the engine counts for a site, it has every column of Cilkprof's tool
/// (neboat/cilktools, `cilkprof.c`): what identifies the call site, then work, span, parallelism
/// and count of each measure on the work, then on the span. Cilkprof has the address where this has
/// column and name, since one place may have several.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

impl Renderer for Csv {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let sites = analysis.sites.iter().map(|site| {
            let fields = fields(site).into_iter();
            let fields = fields.map(|(name, value)| (key_of(&name, &profile.run.metric), value));
            fields.collect::<Fields>()
        });
        write_fields(sites, output)
    }
}

/// The names and values of one record.
fn fields(site: &SiteRow) -> Fields {
    let (on_work, on_span) = (&site.on_work, &site.on_span);
    let location = site.location.as_ref();
    let mut fields = fields! {
        "file" => location.map(|location| &location.file),
        "line" => location.map(|location| location.line),
        "column" => location.map(|location| location.column),
        "kind" => site.kind.name(),
        "function" => site.function,
        "detail" => site.detail,
        "count" => on_work.count,
        "top_count" => on_work.top_count,
        "work_ns" => on_work.work.time().shown(),
        "span_ns" => on_work.span.time().shown(),
        "local_work_ns" => on_work.local_work.time().shown(),
        "parallelism" => on_work.parallelism,
        "blocked_ns" => on_work.blocked.shown(),
        "stolen" => on_work.stolen,
        "spawns" => on_work.spawns,
        "syncs" => on_work.syncs,
        "tasking_overhead_ns" => on_work.tasking_overhead.time.shown(),
        "tasking_overhead" => on_work.tasking_overhead.share,
        "count_on_span" => on_span.count,
        "local_span_ns" => on_span.local_span.time().shown(),
        "share_of_span" => on_span.share,
        "note" => site.note,
        "name" => site.name,
        "callee" => site.callee,
    };
    for on in On::ALL {
        for kind in MeasureKind::ALL {
            fields.extend(measure_fields(site, on, kind));
        }
    }
    fields
}

/// The fields of one measure, such as `top_caller_work_on_span_ns`.
fn measure_fields(site: &SiteRow, on: On, kind: MeasureKind) -> [(String, String); 4] {
    let measure = site.measure(on, kind);
    let (kind, on) = (kind.name().replace('-', "_"), on.name());
    let work = measure.work.map(|work| work.time().shown());
    let span = measure.span.map(|span| span.time().shown());
    [
        (format!("{kind}_work_on_{on}_ns"), work.written()),
        (format!("{kind}_span_on_{on}_ns"), span.written()),
        (
            format!("{kind}_parallelism_on_{on}"),
            measure.parallelism.written(),
        ),
        (format!("{kind}_count_on_{on}"), measure.count.written()),
    ]
}
