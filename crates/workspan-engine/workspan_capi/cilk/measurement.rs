//! Work and span of a part of the program.

/// Work and span of a part of the program, in nanoseconds: `wsp_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measurement {
    pub(super) work: i64,
    pub(super) span: i64,
    pub(super) burdened_span: i64,
}

impl Measurement {
    /// Work and span up to here; zero while no profile is taken.
    pub(super) fn now() -> Self {
        let totals = workspan_rt::totals().unwrap_or_default();
        Self {
            work: totals.work,
            span: totals.span,
            burdened_span: totals.burdened_span,
        }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            work: self.work + other.work,
            span: self.span + other.span,
            burdened_span: self.burdened_span + other.burdened_span,
        }
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self {
            work: self.work - other.work,
            span: self.span - other.span,
            burdened_span: self.burdened_span - other.burdened_span,
        }
    }
}
