//! The critical path, cut into a few parts.

use std::num::NonZeroUsize;

use crate::{SiteRow, Span};

/// The critical path by the sites whose own code it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanParts {
    /// Those with the largest shares, the largest first, as indices into the rows.
    pub largest: Vec<usize>,
    /// All others that lie on it, as one.
    pub rest: Option<SpanRest>,
}

/// Sites on the critical path, taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanRest {
    /// How many.
    pub sites: NonZeroUsize,
    /// Their own strands on the path.
    pub local_span: Span,
    /// The same as a share of the program's span.
    pub share: f64,
}

/// Of `rows`, which are in the order of [`site_rows`](crate::site_rows), those with the largest shares of the span, and what is
/// left: at most `most`, each of a share of `least` at least. A single row that is left is told by itself.
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
    let told = count(&|share| share > 0.0 && share >= least).min(most);
    let told = match on_span - told {
        1 => on_span,
        _ => told,
    };
    let rest = &rows[told..on_span];
    SpanParts {
        largest: (0..told).collect(),
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

    /// Rows with these own spans, of 100 ns in all.
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
    fn one_that_is_left_is_told_by_itself() {
        let parts = span_parts(&rows(&[60, 30, 10, 0]), 2, 0.0);
        assert_eq!((parts.largest.len(), parts.rest), (3, None));
        assert_eq!(span_parts(&rows(&[]), 2, 0.0).largest, [0; 0]);
    }

    #[test]
    fn small_shares_are_told_together() {
        let parts = span_parts(&rows(&[96, 3, 1, 0]), 4, 0.05);
        assert_eq!(parts.largest, [0]);
        assert_eq!(parts.rest.unwrap().sites.get(), 2);
    }
}
