//! Which code words refer to.

use workspan_model::{
    ChangedCode, Code, CodeError, Dag, Location, Node, NodeId, Profile, Repeats, Side, Site,
    SiteId, SiteKind, StrandRegionId, example, find_code, find_sites,
};

use crate::random_dag::Statement::{Join, Scope, Spawn, Strand};
use crate::random_dag::dag_of;

/// A recursive join in `app::sort`, a scope and a spawn in `app::run`, and a region.
fn program() -> (Profile, Dag) {
    let mut profile = example::quicksort();
    let site = |kind, file: &str, line, function: &str, name: Option<&str>| Site {
        location: Some(Location::new(file, line, 9)),
        function: Some(function.to_owned()),
        name: name.map(str::to_owned),
        ..Site::unnamed(kind)
    };
    profile.sites = vec![
        Site::root(),
        site(SiteKind::Join, "src/sort.rs", 40, "app::sort", None),
        site(SiteKind::Scope, "src/run.rs", 10, "app::run", None),
        site(
            SiteKind::Spawn,
            "src/run.rs",
            12,
            "app::run::{closure}",
            None,
        ),
        site(SiteKind::Region, "src/run.rs", 60, "app::run", Some("load")),
    ];
    let root = profile.tree[0].clone();
    let node = |site| Node {
        parent: Some(NodeId::ROOT),
        site: SiteId(site),
        path: Vec::new(),
        ..root.clone()
    };
    profile.tree = [root.clone()].into_iter().chain((1..5).map(node)).collect();
    profile.tree[0].path.clear();
    profile.check().unwrap();
    let inner = vec![Strand(1), Join(1, vec![Strand(2)], vec![Strand(3)])];
    let tasks = vec![Spawn(3, vec![Strand(5)]), Spawn(3, vec![Strand(6)])];
    let dag = dag_of(&[
        Strand(10),
        Join(1, inner, vec![Strand(4)]),
        Scope(2, tasks),
        Scope(4, vec![Strand(7)]),
    ]);
    (profile, dag)
}

fn regions(code: &ChangedCode) -> Vec<StrandRegionId> {
    assert_eq!(code.estimate, None);
    code.parts.iter().map(|part| part.region).collect()
}

/// The work of the strands that `words` refer to.
fn work(words: &str) -> Result<i64, CodeError> {
    let (profile, dag) = program();
    let code = Code::new(&profile, &dag);
    let meant = regions(&find_code(&profile, &dag, &code, words)?);
    let vertices = dag.vertices.iter();
    let meant = vertices.filter(|vertex| meant.contains(&vertex.region));
    Ok(meant.map(|vertex| vertex.work).sum())
}

fn candidates(words: &str) -> Vec<String> {
    match work(words) {
        Err(CodeError::Unknown { nearest, .. } | CodeError::Unsampled { nearest, .. }) => nearest,
        Err(CodeError::Ambiguous { candidates, .. }) => candidates,
        other => panic!("{words}: {other:?}"),
    }
}

#[test]
fn spawn_sites_stand_for_the_strands_of_their_instances() {
    // Four branches of 1 tick each, what they contain, and 3 for the join within.
    for words in [
        "sort.rs:40",
        "src/sort.rs:40:9",
        "join at sort.rs:40",
        " sort.rs:40 ",
    ] {
        assert_eq!(work(words), Ok(4 + 1 + 3 + 2 + 3 + 4), "{words}");
    }
    assert_eq!(work("run.rs:12"), Ok(2 + 5 + 6));
    assert_eq!(work("load"), Ok(7));
    assert!(work("root").unwrap() >= 10);
}

#[test]
fn a_range_of_lines_has_to_contain_both_ends() {
    assert_eq!(work("src/sort.rs:40-40"), Ok(4 + 1 + 3 + 2 + 3 + 4));
    assert_eq!(work("run.rs:11-13"), work("run.rs:12").map(|work| work + 4));
    // The code between the scope's beginning and the first spawn is included, too.
    assert_eq!(
        work("run.rs:10-12"),
        work("run.rs:11-13").map(|work| work + 4)
    );
    assert!(candidates("run.rs:13-59").contains(&"src/run.rs:12:9".to_owned()));
    assert_eq!(candidates("run.rs:50-55")[0], "src/run.rs:60:9");
}

#[test]
fn a_function_is_what_lies_between_its_constructs() {
    assert_eq!(work("sort"), work("app::sort"));
    let run = work("run").unwrap();
    assert!(run >= 5 + 6 + 7, "{run}");
    assert_eq!(candidates("app::srot")[0], "app::sort");
    assert!(candidates("ort").contains(&"app::sort".to_owned()));
}

#[test]
fn every_piece_of_code_has_words_of_its_own() {
    let (profile, dag) = program();
    let code = Code::new(&profile, &dag);
    for region in &code.regions {
        let words = region.words(&profile);
        let mut found = regions(&find_code(&profile, &dag, &code, &words).unwrap());
        found.sort_unstable();
        assert_eq!(found, region.strand_regions, "{words}");
    }
    let words: Vec<String> = code
        .regions
        .iter()
        .map(|region| region.words(&profile))
        .collect();
    // Both branches of a recursive join run the same code up to it; here only the left one contains
    // a join.
    let branch = "src/sort.rs:40:9/branch..src/sort.rs:40:9".to_owned();
    assert!(words.contains(&branch), "{words:?}");
    assert_eq!(work(&branch), Ok(3));
    assert_eq!(work("sort.rs:40:9/left..sort.rs:40"), Ok(3));
    let none = "sort.rs:40:9/right..sort.rs:40".to_owned();
    assert_eq!(work(&none), Err(CodeError::NoStrand(none.clone())));
}

#[test]
fn ambiguous_words_are_refused() {
    let (mut profile, dag) = program();
    profile.sites[3].location.as_mut().unwrap().line = 40;
    profile.sites[3].location.as_mut().unwrap().file = "old/sort.rs".to_owned();
    profile.sites[3].function = Some("old::sort".to_owned());
    let code = Code::new(&profile, &dag);
    let ambiguous = |words: &str| match find_code(&profile, &dag, &code, words) {
        Err(CodeError::Ambiguous { candidates, .. }) => candidates,
        other => panic!("{other:?}"),
    };
    let both = ["join at src/sort.rs:40:9", "spawn at old/sort.rs:40:9"];
    assert_eq!(ambiguous("sort.rs:40"), both);
    assert_eq!(
        ambiguous("sort.rs:1-99"),
        ["old/sort.rs:1-99", "src/sort.rs:1-99"]
    );
    assert_eq!(ambiguous("sort"), ["app::sort", "old::sort"]);
    for candidate in [both[0], "src/sort.rs:1-99", "app::sort"] {
        assert!(
            find_code(&profile, &dag, &code, candidate).is_ok(),
            "{candidate}"
        );
    }
}

#[test]
fn code_without_strands_is_reported() {
    let (mut profile, dag) = program();
    let name = Some("store".to_owned());
    profile.sites.push(Site {
        name,
        ..Site::unnamed(SiteKind::Region)
    });
    let code = Code::new(&profile, &dag);
    let found = find_code(&profile, &dag, &code, "store");
    assert_eq!(found, Err(CodeError::NoStrand("store".to_owned())));
}

#[test]
fn sites_that_make_tasks_are_found() {
    let (profile, dag) = program();
    let find = |words: &str| find_sites(&profile, &dag, words);
    assert_eq!(find("sort.rs:40"), Ok(vec![SiteId(1)]));
    assert_eq!(find("app::run"), Ok(vec![SiteId(3)]));
    let Err(CodeError::NoTasks { nearest, .. }) = find("load") else {
        panic!("a region makes no tasks");
    };
    assert_eq!(nearest.len(), 2);
}

#[test]
fn recursion_and_loops_are_recognised() {
    let (profile, dag) = program();
    let code = Code::new(&profile, &dag);
    let repeats = |from: (u32, Side), to: (u32, Side)| {
        let is = |end: workspan_model::Boundary, (site, side)| {
            end.site == SiteId(site) && end.side == side
        };
        let mut regions = code.regions.iter();
        let region = regions.find(|region| is(region.from, from) && is(region.to, to));
        region.unwrap().repeats
    };
    let left = (1, Side::Left);
    assert_eq!(repeats(left, (1, Side::Outside)), Some(Repeats::Recursion));
    assert_eq!(repeats(left, left), Some(Repeats::Recursion));
    let spawned = (3, Side::Outside);
    assert_eq!(repeats(spawned, spawned), Some(Repeats::Loop));
    assert_eq!(repeats((2, Side::Body), spawned), None);
}
