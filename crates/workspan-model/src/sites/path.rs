//! What the span of a site consists of: the critical paths of its own instances.

use std::cmp::Reverse;
use std::num::NonZeroUsize;

use super::rows::subtree_sums;
use super::top_instances::outermost;
use crate::{Node, NodeId, PathPart, Profile, SiteRow, Span, Work, parallelism};

/// What the span of some sites consists of: the longest paths of their top instances, added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SitePath {
    /// The number of top instances: those without any of the sites above them.
    pub count: u64,
    /// The sum of their work.
    pub work: Work,
    /// The sum of their spans.
    pub span: Span,
    /// `work / span`; `None` if there is no span to divide by.
    pub parallelism: Option<f64>,
    /// The parts of their longest paths, the largest first.
    pub parts: Vec<SitePathPart>,
    /// The sum of the parts as a share of the span. Below 1 if the engine dropped the paths of some
    /// of many short instances because keeping them would have cost too much.
    pub recorded: f64,
}

/// The part that the sites of one row have in the longest paths of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SitePathPart {
    /// The row, as an index into the rows given.
    pub row: usize,
    /// Time of its own strands on the paths.
    pub local_span: Span,
    /// The number of its instances that start on the paths.
    pub count: u64,
    /// `local_span` as a share of all recorded parts of the paths; over all parts these sum to 1.
    pub share: f64,
}

/// What the span of the sites in `selected` consists of. `selected` are indices into `rows`, which
/// [`site_rows`](crate::site_rows()) returned for this profile. For the root this is the critical
/// path of the program.
///
/// Cilkprof §10 asks for this profile, "for all critical paths within all functions", but knows of
/// no way to get it without blowing up the overhead. Here every node has the paths of its own top
/// instances, which the engine adds when such an instance ends; the result is the sum over the
/// outermost nodes of the selected sites.
///
/// `None` if the profile records no paths ([`Profile::has_paths`]).
///
/// # Panics
/// If the profile is not valid.
pub fn path_of(profile: &Profile, rows: &[SiteRow], selected: &[usize]) -> Option<SitePath> {
    if !profile.has_paths() {
        return None;
    }
    let row_of_site = row_of_site(profile, rows);
    let row_of = |node: &Node| row_of_site[node.site.index()];
    let is_selected = |node: &Node| row_of(node).is_some_and(|row| selected.contains(&row));
    let work_below = subtree_sums(profile, |node| node.on_work.local_work);

    let mut path = SitePath::default();
    let mut parts = Parts::new(rows.len());
    let mut inside = vec![false; profile.tree.len()];
    for (index, node) in profile.tree.iter().enumerate() {
        let outside = node.parent.is_none_or(|parent| !inside[parent.index()]);
        inside[index] = !outside || is_selected(node);
        if inside[index] && outside {
            path.count = path.count.saturating_add(node.on_work.top_count);
            path.work += work_below[index];
            path.span += node.on_work.top_span;
            parts.add(&node.path, |id| row_of(&profile.tree[id.index()]));
        }
    }
    if inside[NodeId::ROOT.index()] {
        (path.count, path.span) = (1, profile.span);
    }
    path.parallelism = parallelism(path.work, path.span);
    path.parts = parts.finish();
    let recorded: Span = path.parts.iter().map(|part| part.local_span).sum();
    path.recorded = recorded.time().share_of(path.span.time());
    Some(path)
}

/// The parts of the paths of each row by itself, in the order of the rows; see [`path_of`].
///
/// # Panics
/// If the profile is not valid.
pub fn paths(profile: &Profile, rows: &[SiteRow]) -> Option<Vec<Vec<SitePathPart>>> {
    if !profile.has_paths() {
        return None;
    }
    let row_of_site = row_of_site(profile, rows);
    let row_of_node = |id: NodeId| row_of_site[profile.tree[id.index()].site.index()];
    // Nodes whose site has no figures have no row; they have no path either.
    let no_row = rows.len();
    let rows_of_nodes: Vec<usize> = (0..profile.tree.len() as u32)
        .map(|id| row_of_node(NodeId(id)).unwrap_or(no_row))
        .collect();
    let outermost = outermost(profile, &rows_of_nodes);
    let mut nodes_of_row = vec![Vec::new(); no_row + 1];
    for (index, &row) in rows_of_nodes.iter().enumerate() {
        if outermost[index] {
            nodes_of_row[row].push(index);
        }
    }
    let mut parts = Parts::new(rows.len());
    let of_row = |nodes: &Vec<usize>| {
        for &index in nodes {
            parts.add(&profile.tree[index].path, row_of_node);
        }
        parts.finish()
    };
    Some(nodes_of_row[..no_row].iter().map(of_row).collect())
}

/// For each site, its row among `rows`.
pub(crate) fn row_of_site(profile: &Profile, rows: &[SiteRow]) -> Vec<Option<usize>> {
    let mut row_of_site = vec![None; profile.sites.len()];
    for (index, row) in rows.iter().enumerate() {
        for site in &row.sites {
            row_of_site[site.index()] = Some(index);
        }
    }
    row_of_site
}

/// Sums by row, for the rows that the paths go through.
struct Parts {
    sums: Vec<Option<(Span, u64)>>,
    rows: Vec<usize>,
}

impl Parts {
    fn new(rows: usize) -> Self {
        Self {
            sums: vec![None; rows],
            rows: Vec::new(),
        }
    }

    fn add(&mut self, path: &[PathPart], row_of: impl Fn(NodeId) -> Option<usize>) {
        for part in path {
            let Some(row) = row_of(part.node) else {
                continue;
            };
            if self.sums[row].is_none() {
                self.rows.push(row);
            }
            let (span, count) = self.sums[row].get_or_insert_default();
            *span += part.local_span;
            *count = count.saturating_add(part.count);
        }
    }

    /// Returns the parts added so far and resets the sums.
    fn finish(&mut self) -> Vec<SitePathPart> {
        let sums = self.rows.drain(..).filter_map(|row| {
            let (local_span, count) = self.sums[row].take()?;
            Some((row, local_span, count))
        });
        let sums: Vec<_> = sums.collect();
        // A sum that measurement noise made negative is no part.
        let whole: Span = sums.iter().map(|&(_, span, _)| span.max(Span::ZERO)).sum();
        let mut parts: Vec<SitePathPart> = sums
            .into_iter()
            .map(|(row, local_span, count)| SitePathPart {
                row,
                local_span,
                count,
                share: local_span.time().share_of(whole.time()),
            })
            .collect();
        parts.sort_by_key(|part| (Reverse((part.local_span, part.count)), part.row));
        parts
    }
}

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
