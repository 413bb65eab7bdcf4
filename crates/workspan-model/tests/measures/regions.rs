//! Regions, compared with their definition on random invocation trees, and computed by hand.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use workspan_model::{
    Cost, Location, Lock, LockUse, Nanos, Node, NodeId, OnSpan, OnWork, Profile, Region,
    RegionInstance, Site, SiteId, SiteKind, Span, Work, analyse, example, regions, speedup_bounds,
};

use crate::definitions::{Execution, executions};
use crate::invocation::{Instance, SITES, random_program};
use crate::programs;

/// The odd sites are regions.
fn program() -> impl Strategy<Value = Instance> {
    random_program(|site| if is_region(site) { 1 } else { 3 })
}

fn is_region(site: u32) -> bool {
    site % 2 == 1
}

fn region(name: u32) -> Site {
    Site {
        name: Some(name.to_string()),
        location: Some(Location::new("src/main.rs", name, 5)),
        ..Site::unnamed(SiteKind::Region)
    }
}

/// `names[site - 1]` names a site's region; several may share one.
fn profile(program: &Instance, names: &[u32]) -> Profile {
    let named = (1..).zip(names).map(|(site, &name)| {
        if is_region(site) {
            region(name)
        } else {
            Site::unnamed(SiteKind::Join)
        }
    });
    let sites = std::iter::once(Site::root()).chain(named);
    programs::profile(program, sites.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn regions_are_as_defined(program in program(), names in prop::collection::vec(1..3_u32, SITES as usize)) {
        let found: BTreeMap<u32, Region> = regions(&profile(&program, &names))
            .into_iter()
            .map(|region| (region.name.parse().unwrap(), region))
            .collect();
        let all = executions(&program);
        let region_of = |site: u32| is_region(site).then(|| names[site as usize - 1]);
        let entered: BTreeSet<u32> = all.iter().filter_map(|one| region_of(one.instance.site)).collect();
        prop_assert!(found.keys().eq(&entered));
        for (name, region) in found {
            let is_around = |one: &&Execution<'_>| one.around.iter().any(|&site| region_of(site) == Some(name));
            let own = || all.iter().filter(|one| region_of(one.instance.site) == Some(name));
            let top = || own().filter(|one| !is_around(one));
            prop_assert_eq!(region.count, own().count() as u64);
            prop_assert_eq!(region.top_count, top().count() as u64);
            let work: i64 = top().map(|one| one.instance.work()).sum();
            prop_assert_eq!(region.sum.work, Work::from_nanos(work));
            let span: i64 = top().map(|one| one.instance.span()).sum();
            prop_assert_eq!(region.sum.span.value, Span::from_nanos(span));
            let within = own().chain(all.iter().filter(|one| region_of(one.instance.site) != Some(name)).filter(is_around));
            let on_span: i64 = within.filter(|one| one.on_path).map(|one| one.instance.local_span()).sum();
            prop_assert_eq!(region.on_span, Span::from_nanos(on_span));
        }
    }
}

/// A program with two regions, one in the other and recursive:
///
/// ```text
/// root 10 ms
/// └ outer: twice, 20 ms of its own
///   └ join: 7 times, 300 ms in 14 tasks of which 2 were stolen
///     └ inner: 8 times, 100 ms
///       └ join, again: 60 ms more
///         (and inner inside inner: 6 times, 40 ms)
/// ```
fn by_hand() -> Profile {
    let mut tree = vec![
        node(None, 0, 10, 10),
        node(Some(0), 1, 20, 20),
        node(Some(1), 2, 300, 45),
        node(Some(2), 3, 100, 15),
        node(Some(3), 2, 60, 5),
        node(Some(3), 3, 40, 0),
    ];
    tree[4].recursive = true;
    tree[5].recursive = true;
    counted(&mut tree[1], 2, 2, 80, 81);
    tree[1].on_work.top_open = Nanos::from_nanos(4_000_000);
    counted(&mut tree[2], 7, 2, 70, 0);
    tree[2].on_work.spawns = 14;
    tree[2].on_work.syncs = 7;
    tree[2].on_work.stolen = 2;
    counted(&mut tree[3], 8, 8, 90, 90);
    tree[3].on_work.blocked = Nanos::from_nanos(1_000_000);
    counted(&mut tree[4], 5, 0, 0, 0);
    tree[4].on_work.spawns = 10;
    tree[4].on_work.syncs = 5;
    (tree[1].on_work.top_spawns, tree[1].on_work.top_syncs) = (24, 12);
    (tree[3].on_work.top_spawns, tree[3].on_work.top_syncs) = (10, 5);
    counted(&mut tree[5], 6, 0, 0, 0);
    let example = example::quicksort();
    let mut profile = Profile {
        sites: vec![
            Site::root(),
            region(1),
            Site::unnamed(SiteKind::Join),
            region(3),
        ],
        tree,
        span: Span::from_nanos(95_000_000),
        ..example
    };
    profile.calibration.join = Cost::from_nanos(1_000.0);
    profile
}

fn node(parent: Option<u32>, site: u32, work_ms: i64, span_ms: i64) -> Node {
    Node {
        on_work: OnWork {
            local_work: Work::from_nanos(work_ms * 1_000_000),
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(span_ms * 1_000_000),
            ..OnSpan::default()
        },
        ..Node::new(parent.map(NodeId), SiteId(site))
    }
}

fn counted(node: &mut Node, count: u64, top_count: u64, span_ms: i64, burdened_ms: i64) {
    let on_work = &mut node.on_work;
    (on_work.count, on_work.top_count) = (count, top_count);
    on_work.top_span = Span::from_nanos(span_ms * 1_000_000);
    on_work.top_burdened_span = Span::from_nanos(burdened_ms * 1_000_000);
}

#[test]
fn a_region_has_all_figures_of_the_program() {
    let profile = by_hand();
    let analysis = analyse(&profile);
    let [outer, inner] = analysis.regions.as_slice() else {
        panic!("{:#?}", analysis.regions)
    };
    assert_eq!(
        (outer.name.as_str(), outer.count, outer.top_count),
        ("1", 2, 2)
    );
    assert_eq!(outer.on_span, Span::from_nanos(85_000_000));
    assert!((outer.share_of_span - 85.0 / 95.0).abs() < 1e-12);
    let sum = &outer.sum;
    assert_eq!(sum.work, Work::from_nanos(520_000_000));
    assert_eq!(sum.span.value, Span::from_nanos(80_000_000));
    assert_eq!(sum.burdened_span.value, Span::from_nanos(81_000_000));
    assert_eq!(sum.parallelisms(), [Some(6.5), Some(520.0 / 81.0)]);
    assert!(sum.span.is_wide());
    assert_eq!(sum.parallelism.high, 520.0 / 76.0);
    assert_eq!((sum.spawns, sum.syncs, outer.stolen), (24, 12, 2));
    assert_eq!(
        sum.average_strand.as_nanos(),
        520_000_000 / (2 + 2 * 24 + 12) + 1
    );
    assert_eq!(outer.blocked.as_nanos(), 1_000_000);
    assert_eq!(outer.tasking_overhead.time.as_nanos(), 12_000);
    let at_4 = sum.speedup.iter().find(|bounds| bounds.cores == 4).unwrap();
    assert_eq!(*at_4, speedup_bounds(520.0 / 76.0, 520.0 / 85.0, 4));

    assert_eq!(
        (inner.name.as_str(), inner.count, inner.top_count),
        ("3", 14, 8)
    );
    assert_eq!(inner.on_span, Span::from_nanos(20_000_000));
    assert_eq!(inner.sum.work, Work::from_nanos(200_000_000));
    assert_eq!(inner.sum.span.value, Span::from_nanos(90_000_000));
    assert!(!inner.sum.span.is_wide());
    assert_eq!(
        (inner.sum.spawns, inner.sum.syncs, inner.stolen),
        (10, 5, 0)
    );
}

/// 140 of 530 ms are under a lock. `outer` has all but 10 of the work, so 130 to 140 of the lock;
/// `inner` may have none of it, or all.
#[test]
fn a_lock_counts_in_a_region_as_far_as_it_cannot_be_outside() {
    let mut profile = by_hand();
    let on_8 = |profile: &Profile| {
        let regions = regions(profile);
        [0, 1].map(|index| {
            let bounds = &regions[index].sum.speedup;
            *bounds.iter().find(|bounds| bounds.cores == 8).unwrap()
        })
    };
    let [outer_free, inner_free] = on_8(&profile);
    profile.sites.push(Site::unnamed(SiteKind::Lock));
    profile.locks = vec![Lock {
        uses: vec![LockUse {
            site: SiteId(4),
            held: Work::from_nanos(140_000_000),
            acquisitions: 7,
            waits: 0,
            waited: Nanos::ZERO,
        }],
    }];
    let [outer, inner] = on_8(&profile);
    assert!(outer_free.upper > 6.0);
    assert_eq!(outer.upper, 4.0);
    let burdened = (520.0 / 85.0) / (1.0 + (520.0 / 85.0) / (520.0 / 140.0));
    assert_eq!(outer.lower, speedup_bounds(4.0, burdened, 8).lower);
    assert_eq!(inner.upper, inner_free.upper);
    assert!(inner.lower < inner_free.lower);
}

#[test]
fn regions_have_their_instances_in_the_order_of_their_starts() {
    let mut profile = by_hand();
    let instance = |start, span| RegionInstance {
        node: NodeId(1),
        number: 0,
        start: Nanos::from_nanos(start),
        work: Work::from_nanos(600),
        span: Span::from_nanos(span),
        burdened_span: Span::from_nanos(span + 50),
        open: Nanos::ZERO,
        spawns: 2,
        syncs: 1,
    };
    profile.instances = vec![instance(900, 100), instance(5, 200)];
    let regions = regions(&profile);
    let instances = &regions[0].instances;
    let of = |index: usize| (instances[index].start.as_nanos(), &instances[index].figures);
    assert_eq!((of(0).0, of(0).1.parallelism.value), (5, 3.0));
    assert_eq!((of(1).0, of(1).1.burdened_parallelism.value), (900, 4.0));
    assert_eq!(of(0).1.average_strand.as_nanos(), 100);
    assert_eq!(regions[1].instances, []);
}

#[test]
fn a_region_that_never_ended_has_work_but_no_span() {
    let mut profile = by_hand();
    profile.tree.truncate(2);
    counted(&mut profile.tree[1], 1, 0, 0, 0);
    let regions = regions(&profile);
    let sum = &regions[0].sum;
    assert_eq!(sum.work, Work::from_nanos(20_000_000));
    assert_eq!((sum.parallelisms()[0], sum.speedup.len()), (None, 0));
}

#[test]
fn a_program_without_regions_has_none() {
    assert_eq!(analyse(&example::quicksort()).regions, []);
}
