//! Regions that no block of the program encloses: they overlap, or outlive what they were begun in.

mod virtual_session;

use virtual_session::profile_of;
use workspan_format::raw::RawProfile;
use workspan_rt::clock;
use workspan_rt::region;

fn begin(name: &str) -> u64 {
    region::begin(name, ("regions.rs", 1, 1))
}

/// What a profile has of a region.
#[derive(Debug, PartialEq)]
struct Told {
    begun: u64,
    /// Top instances that ended, the sums of their spans and of their burdened spans.
    top_count: u64,
    span: i64,
    burdened_span: i64,
    /// Spans of the instances told one by one.
    instances: Vec<i64>,
}

fn told(profile: &RawProfile, name: &str) -> Told {
    let is_of = |node: u32| {
        let site = profile.nodes[node as usize].site;
        profile.sites[site as usize].name.as_deref() == Some(name)
    };
    let nodes = (0..).zip(&profile.nodes).filter(|(id, _)| is_of(*id));
    let mut told = Told {
        begun: 0,
        top_count: 0,
        span: 0,
        burdened_span: 0,
        instances: (profile.instances.iter())
            .filter(|instance| is_of(instance.node))
            .map(|instance| instance.span_ticks)
            .collect(),
    };
    for (_, node) in nodes {
        told.begun += node.work.count;
        told.top_count += node.work.top_count;
        told.span += node.work.top_span_ticks;
        told.burdened_span += node.region.burdened_span_ticks;
    }
    told
}

fn once(span: i64) -> Told {
    Told {
        begun: 1,
        top_count: 1,
        span,
        burdened_span: span,
        instances: vec![span],
    }
}

#[test]
fn what_regions_have_in_common_counts_for_both() {
    let profile = profile_of(|| {
        let a = begin("a");
        clock::advance(10);
        let b = begin("b");
        clock::advance(100);
        region::end(a);
        clock::advance(1_000);
        region::end(b);
    });
    assert_eq!(told(&profile, "a"), once(110));
    assert_eq!(told(&profile, "b"), once(1_100));
}

#[test]
fn what_a_region_has_in_common_with_itself_counts_once() {
    let profile = profile_of(|| {
        let first = begin("a");
        clock::advance(10);
        let second = begin("a");
        clock::advance(100);
        region::end(first);
        clock::advance(1_000);
        region::end(second);
    });
    let expected = Told {
        begun: 2,
        top_count: 2,
        span: 1_110,
        burdened_span: 1_110,
        instances: vec![110, 1_100],
    };
    assert_eq!(told(&profile, "a"), expected);
}

#[test]
fn a_region_ends_with_the_scope_that_it_was_begun_in() {
    let profile = profile_of(|| {
        let a = workspan_rayon::in_place_scope(|_| {
            let a = begin("a");
            clock::advance(10);
            a
        });
        // Where the account of `a` was there may be that of `b`.
        let b = begin("b");
        clock::advance(100);
        region::end(a);
        clock::advance(1_000);
        region::end(b);
        clock::advance(10_000);
    });
    assert_eq!(told(&profile, "a").span, 10);
    assert_eq!(told(&profile, "b"), once(1_100));
}

#[test]
fn a_region_ended_in_a_scope_begun_in_it_ends_what_it_was_begun_in() {
    let profile = profile_of(|| {
        workspan_rayon::in_place_scope(|_| {
            let a = begin("a");
            clock::advance(10);
            let b = begin("b");
            workspan_rayon::in_place_scope(|_| {
                let c = begin("c");
                clock::advance(100);
                region::end(a);
                clock::advance(1_000);
                region::end(c);
            });
            region::end(b);
            clock::advance(10_000);
        });
    });
    assert_eq!(told(&profile, "a").span, 11_110);
    assert_eq!(told(&profile, "b"), once(1_100));
    assert_eq!(told(&profile, "c"), once(1_100));
}
