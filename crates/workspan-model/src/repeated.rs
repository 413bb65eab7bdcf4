//! The profile of several runs of one program.

use crate::spread::median_index;
use crate::{Profile, Repetition, RunFigures, site_rows, totals};

impl RunFigures {
    /// The figures of `profile`.
    pub(crate) fn new(profile: &Profile) -> Self {
        let mut sites = site_rows(profile);
        for row in &mut sites {
            // Ids of sites are only valid in the profile of that run, which is not kept.
            row.sites.clear();
        }
        Self {
            started_at: profile.run.started_at,
            totals: totals(profile),
            sites,
        }
    }
}

/// The profile of several runs of one program: that of the run with the median span, together with
/// the figures of all. A single profile is returned as it is. `None` if there are none.
///
/// # Panics
/// If a profile is not valid.
pub fn repeated(mut profiles: Vec<Profile>) -> Option<Profile> {
    if profiles.len() < 2 {
        return profiles.pop();
    }
    let mut by_span: Vec<usize> = (0..profiles.len()).collect();
    by_span.sort_by_key(|&run| profiles[run].span);
    let shown = by_span[median_index(by_span.len())];
    let runs = profiles.iter().map(RunFigures::new).collect();
    let mut profile = profiles.swap_remove(shown);
    profile.repetition = Some(Repetition { runs, shown });
    Some(profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Span, example};

    fn with_span(nanos: i64) -> Profile {
        let mut profile = example::quicksort();
        profile.span = Span::from_nanos(nanos);
        profile
    }

    #[test]
    fn the_run_with_the_median_span_stands_for_all() {
        let profile = repeated([97, 99, 95, 98].map(with_span).into()).unwrap();
        assert_eq!(profile.span, Span::from_nanos(97));
        let repetition = profile.repetition.as_ref().unwrap();
        assert_eq!(repetition.shown, 0);
        let spans = repetition.runs.iter().map(|run| run.totals.span);
        assert_eq!(
            spans.collect::<Vec<_>>(),
            [97, 99, 95, 98].map(Span::from_nanos)
        );
        assert_eq!(profile.check(), Ok(()));
    }

    #[test]
    fn one_run_is_no_repetition() {
        assert_eq!(repeated(vec![with_span(7)]), Some(with_span(7)));
        assert_eq!(repeated(Vec::new()), None);
    }
}
