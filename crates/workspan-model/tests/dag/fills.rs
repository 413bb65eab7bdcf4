//! On how many cores the recorded tasks leave none idle.

use workspan_model::{
    Dag, DagBuilder, Profile, SiteKind, Span, VertexKind, Work, analyse_with_dag, example,
};

/// A serial strand and pieces that run side by side, of so many microseconds each, and a profile of it.
fn pieces(serial: i64, lengths: &[i64]) -> (Profile, Dag) {
    let mut builder = DagBuilder::of_root();
    let micros = |time: i64| 1_000 * time;
    let begin = builder.vertex(VertexKind::Fork, micros(serial), 0);
    let strands: Vec<_> = lengths
        .iter()
        .map(|&length| builder.vertex(VertexKind::Strand, micros(length), 0))
        .collect();
    let end = builder.vertex(VertexKind::Sync, 0, 0);
    builder.vertices[end.index()].begun_by = begin;
    for strand in strands {
        builder.edge(begin, strand, true);
        builder.edge(strand, end, false);
    }
    let mut profile = example::quicksort();
    let longest = *lengths.iter().max().unwrap();
    let [all, longest] = [lengths.iter().sum(), longest].map(micros);
    let serial = micros(serial);
    profile.span = Span::from_nanos(serial + longest);
    profile.burdened_span = profile.span;
    for (node, work, span) in [(0, serial, serial), (1, all, longest)] {
        let node = &mut profile.tree[node];
        node.on_work.local_work = Work::from_nanos(work);
        node.on_span.local_work = Work::from_nanos(work);
        node.on_span.local_span = Span::from_nanos(span);
    }
    (profile, builder.finish())
}

fn fills(serial: i64, lengths: &[i64]) -> Option<u32> {
    let (profile, dag) = pieces(serial, lengths);
    analyse_with_dag(&profile, Some(&dag)).fills
}

#[test]
fn equal_pieces_fill_as_many_cores() {
    assert_eq!(fills(0, &[100_000; 8]), Some(8));
    // Two cores ran it.
    assert_eq!(fills(0, &[100_000; 2]), None);
    // Seven of eight cores wait for the last one.
    assert_eq!(
        fills(0, &[[100_000; 7].as_slice(), &[150_000]].concat()),
        None
    );
}

#[test]
fn serial_code_leaves_cores_idle() {
    // 1,000 of work, 125 of span.
    assert_eq!(fills(111_000, &[13_889; 64]), None);
}

/// On how many cores pieces of a construct of this kind, of so many microseconds each, leave none idle.
fn fills_at(kind: SiteKind, lengths: &[i64]) -> Option<u32> {
    let (mut profile, dag) = pieces(0, lengths);
    let tasks = lengths.len() as u64;
    profile.sites[1].kind = kind;
    profile.sites[1].detail = (kind == SiteKind::ParIter).then(|| "for_each".to_owned());
    let of_site = &mut profile.tree[1];
    of_site.on_span.count = 1;
    (of_site.on_work.spawns, of_site.on_work.syncs) = (tasks, 1);
    (of_site.on_work.count, of_site.on_work.top_count) = match kind {
        SiteKind::Spawn | SiteKind::Task => (tasks, tasks),
        SiteKind::ParIter => (tasks - 1, 1),
        _ => (1, 1),
    };
    profile.check().unwrap();
    analyse_with_dag(&profile, Some(&dag)).fills
}

#[test]
fn one_longer_piece_does_not_make_the_others_few() {
    // Where the longest takes as long as all others do on that many cores, none of these is idle, either.
    for kind in [SiteKind::Spawn, SiteKind::ParIter, SiteKind::Loop] {
        for (others, longest) in [(63, 36_000), (62, 36_000), (31, 30_000), (11, 28_000)] {
            let remainder = [vec![5_000; others], vec![longest]].concat();
            assert_eq!(fills_at(kind, &remainder), None, "{kind:?} {others}");
        }
        assert_eq!(fills_at(kind, &[36_000; 10]), Some(10), "{kind:?}");
        let nearly_even: Vec<i64> = (0..10).map(|piece| 36_000 - 100 * piece).collect();
        assert_eq!(fills_at(kind, &nearly_even), Some(10), "{kind:?}");
        let beside_short = [[36_000; 10].as_slice(), &[100; 54]].concat();
        assert_eq!(fills_at(kind, &beside_short), Some(10), "{kind:?}");
    }
}
