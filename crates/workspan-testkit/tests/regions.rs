//! Regions that are not nested as blocks: they overlap, or outlive the construct that they began
//! in.

mod virtual_session;

use virtual_session::profile_of;
use workspan_format::raw::{RawNode, RawProfile};
use workspan_rt::clock;
use workspan_rt::region;

fn begin(name: &str) -> u64 {
    region::begin(name, ("regions.rs", 1, 1))
}

/// The figures of a region in a profile.
#[derive(Debug, PartialEq)]
struct Region {
    begun: u64,
    /// Top instances that ended, the sums of their spans and of their burdened spans.
    top_count: u64,
    span: i64,
    burdened_span: i64,
    /// Spans of the instances that are listed.
    instances: Vec<i64>,
}

fn region_in(profile: &RawProfile, name: &str) -> Region {
    let is_of_region =
        |node: &RawNode| profile.sites[node.site as usize].name.as_deref() == Some(name);
    let mut region = Region {
        begun: 0,
        top_count: 0,
        span: 0,
        burdened_span: 0,
        instances: (profile.instances.iter())
            .filter(|instance| is_of_region(&profile.nodes[instance.node as usize]))
            .map(|instance| instance.span_ticks)
            .collect(),
    };
    for node in profile.nodes.iter().filter(|node| is_of_region(node)) {
        region.begun += node.work.count;
        region.top_count += node.work.top_count;
        region.span += node.work.top_span_ticks;
        region.burdened_span += node.region.burdened_span_ticks;
    }
    region
}

fn once(span: i64) -> Region {
    Region {
        begun: 1,
        top_count: 1,
        span,
        burdened_span: span,
        instances: vec![span],
    }
}

/// A region, and another one that begins in it and ends after it.
fn overlap(first: &str, second: &str) -> RawProfile {
    profile_of(|| {
        let first = begin(first);
        clock::advance(10);
        let second = begin(second);
        clock::advance(100);
        region::end(first);
        clock::advance(1_000);
        region::end(second);
    })
}

#[test]
fn overlap_of_two_regions_counts_for_both() {
    let profile = overlap("a", "b");
    assert_eq!(region_in(&profile, "a"), once(110));
    assert_eq!(region_in(&profile, "b"), once(1_100));
}

#[test]
fn overlap_of_a_region_with_itself_counts_once() {
    let profile = overlap("a", "a");
    let expected = Region {
        begun: 2,
        top_count: 2,
        span: 1_110,
        burdened_span: 1_110,
        instances: vec![110, 1_100],
    };
    assert_eq!(region_in(&profile, "a"), expected);
}

#[test]
fn a_region_ends_with_the_scope_that_it_was_begun_in() {
    let profile = profile_of(|| {
        let a = workspan_rayon::in_place_scope(|_| {
            let a = begin("a");
            clock::advance(10);
            a
        });
        // The account of `b` may be where that of `a` was.
        let b = begin("b");
        clock::advance(100);
        region::end(a);
        clock::advance(1_000);
        region::end(b);
        clock::advance(10_000);
    });
    assert_eq!(region_in(&profile, "a").span, 10);
    assert_eq!(region_in(&profile, "b"), once(1_100));
}

#[test]
fn a_region_ended_in_a_scope_begun_in_it_lasts_as_long_as_the_outer_scope() {
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
    assert_eq!(region_in(&profile, "a").span, 11_110);
    assert_eq!(region_in(&profile, "b"), once(1_100));
    assert_eq!(region_in(&profile, "c"), once(1_100));
}
