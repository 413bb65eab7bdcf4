//! Whether a program does the same work when its iterators are cut for the real number of threads
//! as when they are cut for the cores that the run assumed.

use crate::sampling::library::work_per_piece;
use crate::{
    Nanos, Profile, RealCut, SiteRow, Totals, Work, WorkPerPiece, match_rows, site_rows, totals,
};

/// What is known of the effect that the assumed cores have on the work.
#[derive(Clone, Debug, PartialEq)]
pub enum AssumedCut {
    /// Iterators were cut for more cores than there were threads, and neither a second run was made nor one on one
    /// thread, which would have taken less than the work.
    Unchecked,
    /// Nor was it checked, but much of the work was done once for each piece, and there are more
    /// pieces for more cores.
    GrowsWork(WorkPerPiece),
    /// The second run did other work. The row, an index into the site rows, is of the site whose
    /// work differs most.
    ChangesWork {
        /// That site.
        row: usize,
        /// The second run.
        real: RealCut,
    },
}

/// Iterators with less work are not worth a second run.
const WORTH_CHECKING: Nanos = Nanos::from_nanos(1_000_000_000);
/// By this share of the lesser work, the two runs may differ.
const SAME_WORK: f64 = 0.1;

/// Compares the work of `profile` with that of the same program's run with `real` cores.
///
/// # Panics
/// If a profile is not valid ([`Profile::check`]).
pub fn real_cut(profile: &Profile, real: &Profile) -> RealCut {
    let (rows, real_rows) = (site_rows(profile), site_rows(real));
    let mut real_works = vec![Work::ZERO; rows.len()];
    for pair in match_rows(&rows, &real_rows).pairs {
        real_works[pair.before] = real_rows[pair.after].on_work.local_work;
    }
    let difference = |row: &SiteRow, real: Work| {
        let difference = row.on_work.local_work.time() - real.time();
        difference.as_nanos().unsigned_abs()
    };
    let works = rows.iter().zip(real_works);
    let (row, site_work) = works
        .max_by_key(|(row, real)| difference(row, *real))
        .expect("the root has a row");
    RealCut {
        work: totals(real).work,
        site: row.sites[0],
        site_work,
    }
}

/// What is known of the effect that the assumed cores have on the work of `profile`; `None` where
/// they have none, or nothing to have one on.
pub fn assumed_cut(profile: &Profile, totals: &Totals, rows: &[SiteRow]) -> Option<AssumedCut> {
    let run = &profile.run;
    if run.assumed_cores <= run.threads || !run.is_of_time() {
        return None;
    }
    let Some(real) = run.real_cut else {
        let is_worth_it =
            |row: &SiteRow| row.kind.is_cut() && row.on_work.work.time() > WORTH_CHECKING;
        let unchecked = run.plain.is_empty() && rows.iter().any(is_worth_it);
        let grows = || work_per_piece(profile).map(AssumedCut::GrowsWork);
        return unchecked.then(|| grows().unwrap_or(AssumedCut::Unchecked));
    };
    let (one, other) = (totals.work.time(), real.work.time());
    let differs = (one.max(other) - one.min(other)).share_of(one.min(other)) > SAME_WORK;
    let row = rows.iter().position(|row| row.sites.contains(&real.site))?;
    differs.then_some(AssumedCut::ChangesWork { row, real })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SiteId, SiteKind, analyse, example};

    /// The quicksort, whose work is 1060 ms: with an iterator in place of its join.
    fn iterator() -> Profile {
        let mut profile = example::quicksort();
        profile.sites[1].kind = SiteKind::ParIter;
        profile
    }

    /// The same with the join's own work multiplied.
    fn with_work(factor: f64) -> Profile {
        let mut profile = iterator();
        let work = &mut profile.tree[1].on_work.local_work;
        *work = Nanos::from_nanos_f64(work.time().as_nanos() as f64 * factor).into();
        profile
    }

    #[test]
    fn work_that_is_done_once_for_each_piece_grows_with_the_cores() {
        let cut = |of_pieces: f64| {
            let mut profile = iterator();
            let functions = [
                "app::bins",
                "rayon::iter::fold::FoldConsumer::into_folder",
                "app::add",
            ];
            let stacks: [(u32, &[u32], f64, f64); 2] = [
                (1, &[0, 1, 2], of_pieces, 0.0),
                (1, &[2], 1_000.0 - of_pieces, 0.0),
            ];
            let mut samples = example::samples(&functions, &stacks);
            samples.frames[1].user_code = false;
            profile.samples = Some(samples);
            analyse(&profile)
        };
        let analysis = cut(400.0);
        assert!(!analysis.tells_speedups());
        let Some(AssumedCut::GrowsWork(work)) = analysis.cut else {
            panic!("{:?}", analysis.cut);
        };
        assert!(work.share > 0.35 && work.share < 0.4, "{}", work.share);
        // Less than a third for certain.
        assert_eq!(cut(350.0).cut, Some(AssumedCut::Unchecked));
    }

    #[test]
    fn only_cut_iterators_with_work_are_worth_a_check() {
        assert_eq!(analyse(&example::quicksort()).cut, None);
        assert_eq!(analyse(&iterator()).cut, Some(AssumedCut::Unchecked));
        assert_eq!(analyse(&with_work(0.9)).cut, None);
        let mut real = iterator();
        real.run.assumed_cores = real.run.threads;
        assert_eq!(analyse(&real).cut, None);
    }

    #[test]
    fn a_second_run_tells_whose_work_it_is() {
        let mut profile = iterator();
        let real = real_cut(&profile, &with_work(0.5));
        assert_eq!(real.site, SiteId(1));
        assert_eq!(real.site_work, with_work(0.5).tree[1].on_work.local_work);
        profile.run.real_cut = Some(real);
        let analysis = analyse(&profile);
        let Some(AssumedCut::ChangesWork { row, .. }) = analysis.cut else {
            panic!("{:?}", analysis.cut);
        };
        assert_eq!(analysis.sites[row].kind, SiteKind::ParIter);
        assert!(!analysis.tells_speedups());
        profile.run.real_cut = Some(real_cut(&profile, &with_work(0.95)));
        assert_eq!(analyse(&profile).cut, None);
    }
}
