//! `workspan whatif` and `workspan advise`.

use std::fs;

use serde_json::Value;
use workspan_model::{
    Boundary, Dag, DagBuilder, FrameId, LineUse, Location, Node, NodeId, Profile, SampledStack,
    Samples, Side, Site, SiteId, SiteKind, StackFrame, StrandRegion, VertexId, VertexKind, example,
};

use crate::project::{Ran, workspan};
use crate::stored::write;

const MILLISECOND: i64 = 1_000_000;

/// A program that loads for 40 ms (lines 10 to 14 of main.rs), and then searches for 60 ms and 50
/// ms in parallel (join at line 20). The latter branch first spawns 4 tasks of 5 ms each at line
/// 30.
#[derive(Default)]
struct Program(DagBuilder);

impl Program {
    fn stored() -> (Profile, Dag) {
        let mut profile = example::quicksort();
        let site = |kind, line, name: Option<&str>| Site {
            location: Some(Location {
                file: "src/main.rs".to_owned(),
                line,
                column: 5,
            }),
            function: Some("app::main".to_owned()),
            name: name.map(str::to_owned),
            ..Site::unnamed(kind)
        };
        profile.sites = vec![
            Site::root(),
            site(SiteKind::Region, 10, Some("load")),
            site(SiteKind::Join, 20, None),
            site(SiteKind::Spawn, 30, None),
        ];
        let root = profile.tree[0].clone();
        let nodes = (0..4).map(|site| Node {
            parent: (site > 0).then_some(NodeId::ROOT),
            site: SiteId(site),
            path: Vec::new(),
            ..root.clone()
        });
        profile.tree = nodes.collect();
        profile.check().unwrap();

        let mut program = Self::default();
        let (load, join, spawn) = (1, 2, 3);
        let begin = program.strand(0, (0, Side::Body), (load, Side::Outside), 0, &[]);
        let loading = (load, Side::Body);
        let load = program.strand(load, loading, loading, 40, &[begin]);
        let fork = program.strand(0, (1, Side::Outside), (join, Side::Outside), 0, &[load]);
        let (left, right) = ((join, Side::Left), (join, Side::Right));
        let left = program.strand(join, left, left, 60, &[fork]);
        let mut last = program.stealable(join, right, (spawn, Side::Outside), 0, fork);
        let mut ends = Vec::new();
        for _ in 0..4 {
            let body = (spawn, Side::Body);
            let between = (spawn, Side::Outside);
            program.0.vertices[last.index()].kind = VertexKind::Spawn;
            let next = program.strand(join, between, between, 0, &[last]);
            ends.push(program.stealable(spawn, body, body, 5, last));
            last = next;
        }
        ends.push(program.strand(join, (spawn, Side::Outside), right, 50, &[last]));
        program.0.vertices[fork.index()].kind = VertexKind::Fork;
        ends.push(left);
        let sync = program.strand(0, (join, Side::Outside), (0, Side::Body), 0, &ends);
        program.0.vertices[sync.index()].kind = VertexKind::Sync;
        program.0.vertices[sync.index()].begun_by = fork;
        let dag = Dag {
            burden: 6_000,
            ..program.0.finish()
        };
        dag.check(4, 4).unwrap();
        (profile, dag)
    }

    fn strand(
        &mut self,
        node: u32,
        from: (u32, Side),
        to: (u32, Side),
        milliseconds: i64,
        before: &[VertexId],
    ) -> VertexId {
        let boundary = |(site, side)| Boundary {
            site: SiteId(site),
            side,
        };
        let region = StrandRegion {
            node: NodeId(node),
            from: boundary(from),
            to: boundary(to),
        };
        let region = self.0.region(region);
        let ticks = milliseconds * MILLISECOND;
        let id = self.0.vertex(VertexKind::Strand, ticks, region);
        for &from in before {
            self.0.edge(from, id, false);
        }
        id
    }

    fn stealable(
        &mut self,
        node: u32,
        from: (u32, Side),
        to: (u32, Side),
        milliseconds: i64,
        before: VertexId,
    ) -> VertexId {
        let id = self.strand(node, from, to, milliseconds, &[]);
        self.0.edge(before, id, true);
        id
    }
}

/// Samples in which `app::search`, called from line 22, is three quarters of the join's branches.
fn searching() -> Samples {
    let frame = |function: &str, line| StackFrame {
        function: Some(function.to_owned()),
        location: Some(Location {
            file: "src/main.rs".to_owned(),
            line,
            column: 9,
        }),
        user_code: true,
        ..StackFrame::default()
    };
    let stack = |node, frames: &[u32], samples| SampledStack {
        node: NodeId(node),
        frames: frames.iter().copied().map(FrameId).collect(),
        on_work: samples,
        on_span: samples,
        elapsed: samples,
        line: LineUse::Unknown,
    };
    Samples {
        rate: 1_000,
        frames: vec![
            frame("app::search", 35),
            frame("app::main::{closure}", 22),
            frame("app::load", 12),
        ],
        stacks: vec![
            stack(1, &[2], 40.0),
            stack(2, &[0, 1], 30.0),
            stack(2, &[1], 10.0),
        ],
        ..Samples::default()
    }
}

/// A folder with the profile and its source.
struct Stored(tempfile::TempDir);

impl Stored {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Dag)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (profile, mut dag) = Program::stored();
        change(&mut dag);
        write(&folder, "app.wsp", &profile, Some(&dag));
        write(&folder, "plain.wsp", &profile, None);
        let profile = Profile {
            samples: Some(searching()),
            ..profile
        };
        write(&folder, "sampled.wsp", &profile, Some(&dag));
        let lines: String = (1..40).map(|line| format!("line_{line}();\n")).collect();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/main.rs"), lines).unwrap();
        Self(folder)
    }

    fn run(&self, line: &str) -> Ran {
        workspan(self.0.path(), line)
    }

    fn what_if(&self, options: &str) -> Ran {
        self.run(&format!("whatif app.wsp {options}"))
    }

    fn json(&self, line: &str) -> Value {
        self.run(&format!("{line} --json")).succeeds().json()
    }

    /// Work and span of the changed program, in milliseconds.
    fn changed(&self, options: &str) -> (f64, f64) {
        let page = self.json(&format!("whatif app.wsp {options}"));
        let milliseconds = |key: &str| page["after"][key].as_f64().unwrap() / MILLISECOND as f64;
        (milliseconds("work_ns"), milliseconds("span_ns"))
    }
}

#[test]
fn a_region_is_named_in_many_ways() {
    let stored = Stored::new();
    // The span is 40 + 60, and 40 + 50 without the left branch.
    for (options, expected) in [
        ("--region load --parallelise 8", (170.0, 65.0)),
        ("--region src/main.rs:10-14 --parallelise 8", (170.0, 65.0)),
        ("--region main.rs:10 --speed-up 2", (150.0, 80.0)),
        (
            "--region main.rs:20:5/left..main.rs:20:5/left --parallelise 4",
            (170.0, 90.0),
        ),
        ("--region main.rs:20 --parallelise 5", (170.0, 52.0)),
        ("--region app::main --parallelise 1", (170.0, 100.0)),
        (
            "--region load --speed-up 2 --parallelise 2 --region main.rs:20 --speed-up 2",
            (20.0 + 30.0 + 20.0 + 25.0, 10.0 + 30.0),
        ),
    ] {
        assert_eq!(stored.changed(options), expected, "{options}");
    }
}

#[test]
fn sampled_code_is_estimated() {
    let stored = Stored::new();
    let what_if = |region: &str| format!("whatif sampled.wsp --region {region} --parallelise 4");
    for (region, meaning) in [
        ("search", "app::search"),
        ("main.rs:35", "src/main.rs:35"),
        ("main.rs:32-38", "src/main.rs:32-38"),
    ] {
        let page = stored.json(&what_if(region));
        // 40, and then 60, three quarters of which are parallel: 15 + 45/4.
        assert_eq!(page["after"]["span_ns"], 66_250_000, "{region}");
        let [least, most] = [0, 1].map(|end| page["after_range"]["span_ns"][end].as_u64().unwrap());
        assert!(40_000_000 + 15_000_000 < least && least < 66_250_000);
        assert!(66_250_000 < most && most < 100_000_000);
        let change = &page["changes"][0];
        assert_eq!(change["share_of_span"], 0.45);
        assert_eq!(change["estimate"]["meaning"], meaning);
        assert_eq!(change["estimate"]["on_span"]["samples"], 80.0);
    }
    stored
        .run(&what_if("search"))
        .succeeds()
        .shows("search, 45.0% of the critical path, were parallel 4 times?")
        .shows("app::search is known by samples: with all that it calls in the same task")
        .shows("± 10 of the span by")
        .shows("≈ An estimate from samples. By their number alone, at 95%: span");
    // Code that is known without samples has exact figures, whatever the samples say.
    for region in ["load", "main.rs:10-14"] {
        let page = stored.json(&what_if(region));
        assert_eq!(page["after"]["span_ns"], 70_000_000, "{region}");
        assert_eq!(page["after_range"], Value::Null);
        assert_eq!(page["changes"][0]["estimate"], Value::Null);
    }
    stored
        .run(&what_if("serach"))
        .exits(2)
        .says("no code is called or stands at `serach`")
        .says("app::search");
    stored
        .what_if("--region search --parallelise 4")
        .exits(2)
        .says("only samples tell")
        .says("--sample-hz");
}

#[test]
fn advice_shows_how_to_ask_about_the_function_that_runs_there() {
    let stored = Stored::new();
    stored
        .run("advise sampled.wsp --target 6 --factor 4")
        .succeeds()
        .shows("75.0% app::search")
        .shows("workspan whatif sampled.wsp --region app::search --parallelise 4");
    let all = stored.run("advise sampled.wsp --target 60");
    let page = &all.succeeds().stdout;
    assert_eq!(page.matches("75.0% app::search").count(), 2, "{page}");
    assert_eq!(page.matches("--region app::search").count(), 1, "{page}");
}

#[test]
fn tasks_of_a_site_are_merged() {
    let stored = Stored::new();
    let page = stored.json("whatif app.wsp --grain-of main.rs:30 4");
    let tasks = |side: &str| page[side]["tasks"].as_u64().unwrap();
    assert_eq!((tasks("before"), tasks("after")), (5, 2));
    assert_eq!(page["changes"][0]["change"], "grain");
    // Each task that is saved takes 52 ns.
    let saved =
        page["before"]["work_ns"].as_i64().unwrap() - page["after"]["work_ns"].as_i64().unwrap();
    assert_eq!(saved, 3 * 52);
}

#[test]
fn factors_are_found() {
    let stored = Stored::new();
    let page = stored.json("whatif app.wsp --region load --until 2.4");
    // A parallelism of 2.4 needs a span of at most 170/2.4 = 70.8, and 40/4 + 60 is less.
    assert_eq!(page["until"]["factor"], 4);
    assert_eq!(page["changes"][0]["factor"], 4.0);
    stored
        .what_if("--region load --until 2.4")
        .succeeds()
        .shows("4 is the smallest whole factor that gives a parallelism of 2.40")
        .shows("load, 40.0% of the critical path, were parallel 4 times?");
    stored
        .what_if("--region load --until 128")
        .succeeds()
        .shows("No factor gives a parallelism of 128")
        .shows("it would be 2.83")
        .shows("src/main.rs:20:5/left..src/main.rs:20:5/left");
}

#[test]
fn the_page_shows_before_and_after() {
    let stored = Stored::new();
    stored
        .what_if("--region load --parallelise 8")
        .succeeds()
        .shows("Span                    100 ms  65.0 ms")
        .shows("Parallelism               1.70     2.62")
        .shows("Critical path, changed")
        .shows("    20  line_20();");
    let page = stored.json("whatif app.wsp --region load --parallelise 8");
    for speedup in page["speedup"].as_array().unwrap() {
        for side in ["before", "after"] {
            let figure = |key: &str| speedup[side][key].as_f64().unwrap();
            assert!(
                figure("lower") <= figure("upper")
                    && figure("predicted") <= figure("upper") * 1.000_001
            );
        }
    }
}

#[test]
fn advice_names_code_and_says_why_it_ends() {
    let stored = Stored::new();
    let page = stored.json("advise app.wsp --target 6 --factor 4");
    let steps = page["steps"].as_array().unwrap().iter();
    let steps: Vec<(String, f64)> = steps
        .map(|step| {
            let code = step["code"].as_str().unwrap().to_owned();
            (code, step["factor"].as_f64().unwrap())
        })
        .collect();
    let code = |words: &str| (words.replace('@', "src/main.rs:"), 4.0);
    // The spans are 40 + 60, 40 + 50, 40 + 15 and 10 + 15. 170/25 is enough.
    let expected = [
        code("@20:5/left..@20:5/left"),
        code("@30:5..@20:5/right"),
        code("@10:5/body..@10:5/body"),
    ];
    assert_eq!(steps, expected);
    assert_eq!(page["end"], "reached");
    assert_eq!(page["advised"][2]["source"][3]["text"], "line_10();");
    stored
        .run("advise app.wsp --target 6 --factor 4")
        .succeeds()
        .shows("3 pieces of code would raise the parallelism from 1.70 to 6.80")
        .shows("1. 4 × src/main.rs:20:5/left..src/main.rs:20:5/left")
        .shows("in the left branch of the join at src/main.rs:20:5")
        .shows("    10  line_10();");
    stored
        .run("advise app.wsp --target 1.5")
        .succeeds()
        .shows("The parallelism is 1.70 already");
    // The shortest strand is 17 ns, the cost of a join, times two million: too long to divide any.
    stored
        .run("advise app.wsp --threshold 2e6")
        .succeeds()
        .shows("cannot be raised to 128")
        .shows("What is left of the critical path");
}

#[test]
fn advised_code_can_be_asked_about() {
    let stored = Stored::new();
    let page = stored.json("advise app.wsp --target 6");
    let advised = page["advised"].as_array().unwrap().iter();
    let options: String = advised
        .map(|advised| {
            let (code, factor) = (advised["code"].as_str().unwrap(), &advised["factor"]);
            format!(" --region {code} --parallelise {factor}")
        })
        .collect();
    let asked = stored.json(&format!("whatif app.wsp {options}"));
    assert_eq!(asked["after"], page["after"]);
}

#[test]
fn senseless_options_are_refused() {
    let stored = Stored::new();
    for (options, reason) in [
        ("", "nothing is to change"),
        ("--region laod --parallelise 2", "load"),
        ("--region main.rs:15-18 --parallelise 2", "src/main.rs:20:5"),
        ("--region load", "by what?"),
        ("--region load --parallelise 0", "a factor from 1 on"),
        ("--region load --parallelise -3", "a factor from 1 on"),
        ("--region load --parallelise NaN", "a factor from 1 on"),
        ("--region load --speed-up 0", "greater than 0"),
        ("--region load --speed-up inf", "greater than 0"),
        ("--parallelise 2 --region load", "before any --region"),
        ("--region load --parallelise 2 --parallelise 3", "two times"),
        (
            "--region load --parallelise 2 --until 9",
            "without a factor",
        ),
        ("--region load --until 0", "greater than 0"),
        ("--grain-of main.rs:30 1", "from 2 on"),
        ("--grain-of main.rs:30 -4", "from 2 on"),
        ("--grain-of load 4", "nothing that makes tasks"),
        ("--grain-of load 4", "src/main.rs:30:5"),
    ] {
        stored.what_if(options).exits(2).says(reason);
    }
    for option in ["--target 0", "--factor 1", "--threshold -1"] {
        stored
            .run(&format!("advise app.wsp {option}"))
            .exits(2)
            .says(option);
    }
}

#[test]
fn profiles_without_a_dag_say_how_to_record_one() {
    let stored = Stored::new();
    for line in [
        "whatif plain.wsp --region load --parallelise 2",
        "advise plain.wsp",
    ] {
        let ran = stored.run(line);
        ran.exits(4).says("plain.wsp").says("--record");
    }
}

#[test]
fn a_truncated_dag_is_used_with_a_note() {
    let stored = Stored::with(|dag| dag.is_truncated = true);
    let note = "ends before the program did";
    stored
        .what_if("--region load --parallelise 2")
        .succeeds()
        .shows(note);
    stored.run("advise app.wsp").succeeds().shows(note);
    assert_eq!(stored.json("advise app.wsp")["truncated"], true);
}
