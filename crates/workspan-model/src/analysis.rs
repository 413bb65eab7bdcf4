//! All that follows from a profile.

use crate::{
    Note, Profile, SiteRow, SpeedupBounds, Totals, Verdict, notes, site_rows, speedup_table,
    totals, verdict,
};

/// All that follows from a profile; what renderers print.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Totals over the whole program.
    pub totals: Totals,
    /// Speedup bounds on 2, 4, … 256 cores and on the assumed count.
    pub speedup: Vec<SpeedupBounds>,
    /// One row a site, the largest share of the span first; the root's among them.
    pub sites: Vec<SiteRow>,
    /// What the reader has to know to read the figures right.
    pub notes: Vec<Note>,
    /// The answer in one sentence.
    pub verdict: Verdict,
}

/// Analyses `profile`.
///
/// # Panics
/// When the profile is not valid ([`Profile::check`]).
pub fn analyse(profile: &Profile) -> Analysis {
    let totals = totals(profile);
    let sites = site_rows(profile);
    Analysis {
        speedup: speedup_table(
            totals.parallelism,
            totals.burdened_parallelism,
            profile.run.assumed_cores,
        ),
        notes: notes(profile, &totals, &sites),
        verdict: verdict(profile, &totals, &sites),
        totals,
        sites,
    }
}
