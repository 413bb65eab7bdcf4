//! A program whose threads do much under locks.

use workspan_model::{
    Lock, LockUse, Nanos, Profile, Run, Runtime, RuntimeKind, SiteId, SiteKind, Work,
};

use super::{Figures, profile, site};

/// A histogram in OpenMP, in which all threads count under one lock, set in two places; and an
/// ordered output.
pub fn histogram() -> Profile {
    let path = "src/histogram.c";
    let regions = [Figures {
        site: site(
            SiteKind::Parallel,
            (path, 40, 1),
            "count_all",
            "GOMP_parallel",
        ),
        local_work: 6_400_000_000,
        blocked: 0,
        count: 1,
        top_span: 105_000_000,
        stolen: 63,
        spawns: 64,
        syncs: 1,
        local_span: 105_000_000,
        count_on_span: 1,
    }];
    let mut profile = profile(&["./histogram", "access.log"], 4_000_000, regions.into());
    for (line, kind, function) in [
        (52, SiteKind::Critical, "count"),
        (77, SiteKind::Critical, "merge"),
        (91, SiteKind::Ordered, "print"),
        (12, SiteKind::Atomic, "seen"),
    ] {
        let place = site(kind, (path, line, 1), function, "");
        profile.sites.push(workspan_model::Site {
            detail: None,
            ..place
        });
    }
    let held = |site, milliseconds: i64, acquisitions| LockUse {
        site: SiteId(site),
        held: Work::from_nanos(milliseconds * 1_000_000),
        acquisitions,
        waits: acquisitions / 3,
        waited: Nanos::from_nanos(milliseconds * 700_000),
    };
    let lock = |uses: &[LockUse]| Lock {
        uses: uses.to_vec(),
    };
    profile.locks = vec![
        lock(&[held(4, 80, 4_000)]),
        lock(&[held(3, 20, 64), held(2, 1_580, 1_200_000)]),
        lock(&[held(5, 1, 90_000)]),
    ];
    profile.other_locks = vec![held(5, 2, 800_000)];
    profile.run = Run {
        runtimes: vec![Runtime {
            kind: RuntimeKind::OpenMp,
            version: Some("LLVM 19".to_owned()),
        }],
        ..profile.run
    };
    profile
}
