//! The sites as comma-separated values.

mod comparison;
mod records;
mod regions;
mod scaling;

use std::io;

use workspan_model::{Analysis, MeasureKind, Nanos, On, Profile, SiteRow};

use records::{Fields, write_fields};

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
    let callee = site.callee.as_ref();
    let own = [
        ("file", or_empty(location.map(|location| &location.file))),
        ("line", or_empty(location.map(|location| location.line))),
        ("column", or_empty(location.map(|location| location.column))),
        ("kind", site.kind.name().to_owned()),
        ("function", or_empty(site.function.as_ref())),
        ("detail", or_empty(site.detail.as_ref())),
        ("count", on_work.count.to_string()),
        ("top_count", on_work.top_count.to_string()),
        ("work_ns", time(on_work.work.time())),
        ("span_ns", time(on_work.span.time())),
        ("local_work_ns", time(on_work.local_work.time())),
        ("parallelism", or_empty(on_work.parallelism.map(number))),
        ("blocked_ns", time(on_work.blocked)),
        ("stolen", on_work.stolen.to_string()),
        ("spawns", on_work.spawns.to_string()),
        ("syncs", on_work.syncs.to_string()),
        ("tasking_overhead_ns", time(on_work.tasking_overhead.time)),
        ("tasking_overhead", number(on_work.tasking_overhead.share)),
        ("count_on_span", on_span.count.to_string()),
        ("local_span_ns", time(on_span.local_span.time())),
        ("share_of_span", number(on_span.share)),
        ("note", or_empty(site.note.as_ref())),
        ("name", or_empty(site.name.as_ref())),
        ("callee", or_empty(callee)),
    ];
    let own = own.map(|(name, value)| (name.to_owned(), value));
    let mut fields = own.to_vec();
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
    let kind = kind.name().replace('-', "_");
    let name = |figure: &str, unit: &str| format!("{kind}_{figure}_on_{}{unit}", on.name());
    [
        (
            name("work", "_ns"),
            or_empty(measure.work.map(|work| time(work.time()))),
        ),
        (
            name("span", "_ns"),
            or_empty(measure.span.map(|span| time(span.time()))),
        ),
        (
            name("parallelism", ""),
            or_empty(measure.parallelism.map(number)),
        ),
        (name("count", ""), or_empty(measure.count)),
    ]
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn time(time: Nanos) -> String {
    time.shown().to_string()
}

/// The shortest decimal that reads back as the same number.
fn number(number: f64) -> String {
    format!("{number:?}")
}
