//! The critical path, divided into a few parts.

use std::num::NonZeroUsize;

use crate::{SiteRow, Span};

/// The critical path by the sites whose own strands it consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanParts {
    /// Those with the largest shares, the largest first, as indices into the rows.
    pub largest: Vec<usize>,
    /// All other sites on the path, taken together.
    pub rest: Option<SpanRest>,
}

/// Sites on the critical path, taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanRest {
    /// The number of sites.
    pub sites: NonZeroUsize,
    /// The time of their own strands on the path.
    pub local_span: Span,
    /// `local_span` as a share of the program's span.
    pub share: f64,
}

/// Splits `rows`, which are in the order of [`site_rows`](crate::site_rows()), into those with the
/// largest shares of the span (at most `most`, each with a share of at least `least`) and the rest.
/// If the rest is a single row, it is listed as well.
///
/// ```
/// use workspan_model::{example, site_rows, span_parts};
///
/// let rows = site_rows(&example::quicksort());
/// let parts = span_parts(&rows, 1, 0.01);
/// assert_eq!(parts.largest[0], 0);
/// ```
pub fn span_parts(rows: &[SiteRow], most: usize, least: f64) -> SpanParts {
    let count = |least: &dyn Fn(f64) -> bool| {
        let shares = rows.iter().map(|row| row.on_span.share);
        shares.take_while(|&share| least(share)).count()
    };
    let on_span = count(&|share| share > 0.0);
    let mut listed = count(&|share| share > 0.0 && share >= least).min(most);
    if on_span - listed == 1 {
        listed = on_span;
    }
    let rest = &rows[listed..on_span];
    SpanParts {
        largest: (0..listed).collect(),
        rest: NonZeroUsize::new(rest.len()).map(|sites| SpanRest {
            sites,
            local_span: rest.iter().map(|row| row.on_span.local_span).sum(),
            share: rest.iter().map(|row| row.on_span.share).sum(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SiteKind, site_rows};

    /// Rows with these local spans, of 100 ns in total.
    fn rows(spans: &[i64]) -> Vec<SiteRow> {
        let root = site_rows(&crate::example::quicksort()).remove(0);
        let row = |&nanos: &i64| {
            let mut row = root.clone();
            row.kind = SiteKind::Join;
            row.on_span.local_span = Span::from_nanos(nanos);
            row.on_span.share = nanos as f64 / 100.0;
            row
        };
        spans.iter().map(row).collect()
    }

    #[test]
    fn the_parts_make_up_the_path() {
        let parts = span_parts(&rows(&[50, 30, 12, 5, 3, 0]), 2, 0.0);
        assert_eq!(parts.largest, [0, 1]);
        let rest = parts.rest.unwrap();
        assert_eq!(
            (rest.sites.get(), rest.local_span),
            (3, Span::from_nanos(20))
        );
        assert!((rest.share - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_single_rest_is_listed() {
        let parts = span_parts(&rows(&[60, 30, 10, 0]), 2, 0.0);
        assert_eq!((parts.largest.len(), parts.rest), (3, None));
        assert_eq!(span_parts(&rows(&[]), 2, 0.0).largest, [0; 0]);
    }

    #[test]
    fn small_shares_form_the_rest() {
        let parts = span_parts(&rows(&[96, 3, 1, 0]), 4, 0.05);
        assert_eq!(parts.largest, [0]);
        assert_eq!(parts.rest.unwrap().sites.get(), 2);
    }
}
