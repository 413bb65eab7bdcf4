//! What has been measured so far.

/// `workspan_totals` of workspan.h: nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Totals {
    work: i64,
    span: i64,
    burdened_span: i64,
}

/// The work of the whole program so far, and the longest path to the calling strand. Zeros with the engine off.
#[no_mangle]
pub extern "C" fn workspan_totals_now() -> Totals {
    workspan_rt::totals().map_or(Totals::default(), |totals| Totals {
        work: totals.work,
        span: totals.span,
        burdened_span: totals.burdened_span,
    })
}
