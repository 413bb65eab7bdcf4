//! Comparisons with figures computed by hand.

use super::*;
use crate::example::{quicksort, quicksort_dag};
use crate::{
    Dag, Diagnosis, Evidence, Nanos, Node, NodeId, OnWork, Profile, Site, SiteId, SiteKind, Span,
    Successor, Successors, VertexId, VertexKind, Work,
};

/// A program of serial code that takes `root`, and a join whose tasks take `join`, a tenth of which
/// is on the critical path.
fn profile(root: i64, join: i64) -> Profile {
    let mut profile = quicksort();
    profile.tree[0].on_work.local_work = Work::from_nanos(root);
    profile.tree[0].on_span.local_span = Span::from_nanos(root);
    profile.tree[1].on_work.local_work = Work::from_nanos(join);
    profile.tree[1].on_span.local_span = Span::from_nanos(join / 10);
    profile.span = Span::from_nanos(root + join / 10);
    profile
}

fn differential(runs: Vec<DifferentialRun>) -> Differential {
    Differential {
        differential_version: DIFFERENTIAL_VERSION,
        command: vec!["program".to_owned()],
        runtime: None,
        threads: 2,
        machine: quicksort().machine,
        started_at: 0,
        seed: 0,
        least: 1.1,
        workspan_version: "0.1.0".to_owned(),
        runs,
    }
}

/// Rounds of the two executions, measured by a metric.
fn rounds(metric: &str, rounds: &[(Profile, Profile)]) -> Vec<DifferentialRun> {
    let runs = (1..).zip(rounds).flat_map(|(round, (oracle, parallel))| {
        let run =
            |profile, execution| DifferentialRun::new(profile, metric, round, execution, None);
        [
            run(oracle, ExecutionKind::Oracle),
            run(parallel, ExecutionKind::Parallel),
        ]
    });
    runs.collect()
}

/// Seven rounds in which the join takes about three times its 100 ms, and the rest takes the same.
fn shared() -> Vec<DifferentialRun> {
    let parallel = [290, 300, 310, 280, 320, 301, 299];
    let pairs = parallel.map(|millis| {
        (
            profile(50_000_000, 100_000_000),
            profile(50_000_000, millis * 1_000_000),
        )
    });
    rounds("time", &pairs)
}

fn row(inflation: &Inflation, metric: usize, kind: SiteKind) -> &Compared {
    let mut rows = inflation.metrics[metric].rows.iter();
    rows.find(|row| inflation.sites[row.site].kind == kind)
        .unwrap()
}

#[test]
fn inflation_is_found_only_where_it_is() {
    let found = inflation(&differential(shared()));
    let metric = &found.metrics[0];
    // Two rows at 97.5% each: 7 pairs give 98.4%.
    assert_eq!((metric.comparisons, metric.rounds_needed), (2, 7));
    let join = row(&found, 0, SiteKind::Join);
    let work = join.work.unwrap();
    assert_eq!(
        (work.ratio.value, work.ratio.low, work.ratio.high),
        (3.0, 2.8, 3.2)
    );
    assert!(work.is_sure);
    assert_eq!(join.judgement, Judgement::Inflated);
    assert_eq!(
        (join.oracle_work, join.parallel_work),
        (Work::from_nanos(100_000_000), Work::from_nanos(300_000_000))
    );
    // 300 of 350 ms, and 30 of 80 ms.
    assert_eq!(
        (join.work_share, join.span_share),
        (300.0 / 350.0, 30.0 / 80.0)
    );
    // Two thirds of 300 ms by two threads, and of 30 ms.
    assert_eq!(join.costs, 120_000_000.0);
    let root = row(&found, 0, SiteKind::Root);
    assert_eq!(root.judgement, Judgement::NotInflated);
    assert_eq!((root.work.unwrap().ratio.value, root.costs), (1.0, 0.0));
    assert_eq!(found.sites[metric.rows[0].site].kind, SiteKind::Join);
}

#[test]
fn the_whole_program_has_inflation_of_work_and_of_the_critical_path() {
    let found = inflation(&differential(shared()));
    let program = &found.metrics[0].program;
    // 350 instead of 150 ms; at 95%, the interval begins with the second of seven.
    assert_eq!(program.work.ratio.value, 350.0 / 150.0);
    assert_eq!(
        (program.work.ratio.low, program.work.ratio.high),
        (330.0 / 150.0, 370.0 / 150.0)
    );
    // 80 ms, of which 30 would be 10 in the oracle run.
    assert!((program.path_by_site.unwrap().ratio.value - 80.0 / 60.0).abs() < 1e-12);
    assert_eq!(program.path_by_strand, None);
    assert_eq!(program.oracle_tasks, 587_213);
    assert_eq!(program.parallel_tasks, 587_213);
}

#[test]
fn the_finding_has_the_gain_of_greedy_scheduling() {
    let found = inflation(&differential(shared()));
    let [finding] = &found.findings[..] else {
        panic!("{:?}", found.findings);
    };
    assert_eq!(finding.diagnosis(), Diagnosis::WorkInflation);
    assert_eq!(found.sites[finding.row].kind, SiteKind::Join);
    // 350/2 + 80/2 ms, and 150/2 + 60/2 ms.
    assert_eq!(finding.gain.now.value, Nanos::from_nanos(215_000_000));
    assert_eq!(finding.gain.after.value, Nanos::from_nanos(105_000_000));
    assert_eq!(finding.gain.cores, 2);
}

#[test]
fn too_few_rounds_prove_nothing() {
    let mut runs = shared();
    runs.truncate(12);
    let found = inflation(&differential(runs));
    assert_eq!(found.metrics[0].program.rounds, 6);
    let join = row(&found, 0, SiteKind::Join);
    assert_eq!(join.judgement, Judgement::TooFewRounds);
    assert_eq!(found.findings, []);
    assert_eq!(inflation(&differential(Vec::new())).metrics, []);
}

#[test]
fn a_round_that_lacks_a_run_does_not_count() {
    let mut runs = shared();
    runs.remove(3);
    let found = inflation(&differential(runs));
    assert_eq!(found.metrics[0].program.rounds, 6);
    assert_eq!(row(&found, 0, SiteKind::Join).work.unwrap().rounds, 6);
}

/// A counter whose events in the join grow by `more`, and stay the same elsewhere.
fn counted(metric: &str, more: i64) -> Vec<DifferentialRun> {
    let pair = (profile(1_000, 0), profile(1_000, more));
    rounds(metric, &vec![pair; 7])
}

#[test]
fn the_counter_that_grew_names_the_cause() {
    let diagnosis = |counters: &[(&str, i64)]| {
        let mut runs = shared();
        for &(metric, more) in counters {
            runs.extend(counted(metric, more));
        }
        let found = inflation(&differential(runs));
        let finding = found.findings[0].clone();
        let Evidence::Inflated {
            counter, counters, ..
        } = finding.evidence
        else {
            panic!("{finding:?}");
        };
        let named = counter.map(|counter| found.metrics[counter.metric].metric.clone());
        (finding.diagnosis(), named, counters)
    };
    let hitm = "mem_load_l3_hit_retired.xsnp_hitm";
    let dram = "mem_load_l3_miss_retired.remote_dram";
    assert_eq!(
        diagnosis(&[(hitm, 2_000_000), ("cache-misses", 300_000)]),
        (Diagnosis::FalseSharing, Some(hitm.to_owned()), 2)
    );
    // Data of another socket also misses the last-level cache; a small amount of it proves nothing.
    assert_eq!(
        diagnosis(&[("cache-misses", 3_000_000), (dram, 2_000_000)]).0,
        Diagnosis::RemoteMemory
    );
    assert_eq!(
        diagnosis(&[("cache-misses", 3_000_000), (hitm, 400_000)]).0,
        Diagnosis::WorkingSet
    );
    assert_eq!(
        diagnosis(&[(dram, 2_000_000)]),
        (Diagnosis::RemoteMemory, Some(dram.to_owned()), 1)
    );
    assert_eq!(
        diagnosis(&[(hitm, 0), ("cache-misses", 2_000_000)]),
        (Diagnosis::WorkingSet, Some("cache-misses".to_owned()), 2)
    );
    // A tenth of the additional 200 ms is explained by 200,000 events of 100 ns.
    assert_eq!(
        diagnosis(&[(hitm, 199_000)]),
        (Diagnosis::WorkInflation, None, 1)
    );
    assert_eq!(diagnosis(&[(hitm, 200_000)]).0, Diagnosis::FalseSharing);
    assert_eq!(
        diagnosis(&[("branch-misses", 9_000_000)]),
        (Diagnosis::WorkInflation, None, 0)
    );
}

/// 200 million additional cycles are 67 ms, a tenth of which is explained by 66,667 events of 100
/// ns.
#[test]
fn cycles_are_a_time_of_their_own() {
    let diagnosis = |time: &str, more: i64| {
        let mut runs = shared();
        for run in &mut runs {
            run.metric = time.to_owned();
        }
        runs.extend(counted("xsnp_hitm=r4d2", more));
        inflation(&differential(runs)).findings[0].diagnosis()
    };
    for cycles in ["cycles", "cycles:u", "ref-cycles:uk"] {
        assert_eq!(diagnosis(cycles, 67_000), Diagnosis::FalseSharing);
        assert_eq!(diagnosis(cycles, 66_000), Diagnosis::WorkInflation);
    }
    assert_eq!(diagnosis("task-clock", 67_000), Diagnosis::WorkInflation);
}

#[test]
fn a_path_has_to_refer_to_existing_rows() {
    let mut runs = shared();
    assert_eq!(differential(runs.clone()).check(), Ok(()));
    let beyond = LookedUp {
        row: runs[1].figures.sites.len(),
        parallel: Span::ZERO,
        oracle: Span::ZERO,
        elsewhere: Span::ZERO,
    };
    runs[1].path = Some(PathLookup {
        own: Vec::new(),
        whole: vec![beyond],
    });
    let error = differential(runs).check().unwrap_err();
    assert!(error.contains("run 2"), "{error}");
    let mut runs = shared();
    runs[3].round = u32::MAX;
    assert!(differential(runs).check().is_err());
}

#[test]
fn without_a_time_there_are_rows_and_no_findings() {
    let found = inflation(&differential(counted("cache-misses", 5_000)));
    assert_eq!(
        row(&found, 0, SiteKind::Join).judgement,
        Judgement::Inflated
    );
    assert_eq!(
        row(&found, 0, SiteKind::Join).work.unwrap().ratio.value,
        5_000.0
    );
    assert!(!found.metrics[0].is_time());
    assert_eq!(found.findings, []);
}

#[test]
fn rows_with_different_counts_are_not_compared() {
    let judgement = |kind: SiteKind, oracle: u64, parallel: u64| {
        let of = |count: u64, join: i64| {
            let mut profile = profile(50_000_000, join);
            profile.sites[1].kind = kind;
            profile.tree[1].on_work.count = count;
            profile
        };
        let pair = (of(oracle, 100_000_000), of(parallel, 300_000_000));
        let found = inflation(&differential(rounds("time", &vec![pair; 7])));
        row(&found, 0, kind).judgement
    };
    assert_eq!(judgement(SiteKind::Join, 1_000, 1_000), Judgement::Inflated);
    assert_eq!(judgement(SiteKind::Join, 1_000, 1_010), Judgement::Inflated);
    assert_eq!(judgement(SiteKind::Join, 1_000, 1_012), Judgement::Differs);
    assert_eq!(judgement(SiteKind::Join, 2_000, 1_000), Judgement::Differs);
    assert_eq!(
        judgement(SiteKind::ParIter, 1_000, 1_300),
        Judgement::Inflated
    );
}

#[test]
fn sites_of_one_execution_and_small_ones_are_distinguished() {
    let mut other = profile(50_000_000, 100_000_000);
    other.sites[1].location.as_mut().unwrap().line = 77;
    let tiny = profile(50_000_000, 100_000);
    let pair = (profile(50_000_000, 100_000_000), other);
    let found = inflation(&differential(rounds("time", &vec![pair; 7])));
    let judgements = found.metrics[0].rows.iter().map(|row| row.judgement);
    let judgements: Vec<_> = judgements.collect();
    for expected in [
        Judgement::NotInflated,
        Judgement::OnlyOracle,
        Judgement::OnlyParallel,
    ] {
        assert!(judgements.contains(&expected), "{judgements:?}");
    }
    let found = inflation(&differential(rounds(
        "time",
        &vec![(tiny.clone(), tiny); 7],
    )));
    assert_eq!(row(&found, 0, SiteKind::Join).judgement, Judgement::Small);
    assert_eq!(found.metrics[0].comparisons, 1);
}

#[test]
fn a_region_is_compared_as_a_whole() {
    let of = |join: i64| {
        let mut profile = profile(50_000_000, join);
        profile.sites.push(Site {
            name: Some("write".to_owned()),
            ..Site::unnamed(SiteKind::Region)
        });
        profile.tree.insert(
            1,
            Node {
                on_work: OnWork {
                    count: 1,
                    top_count: 1,
                    ..OnWork::default()
                },
                ..Node::new(Some(NodeId::ROOT), SiteId(2))
            },
        );
        profile.tree[2].parent = Some(NodeId(1));
        for node in &mut profile.tree {
            node.path.clear();
        }
        profile
    };
    let pair = (of(100_000_000), of(300_000_000));
    let found = inflation(&differential(rounds("time", &vec![pair; 8])));
    let rows = &found.metrics[0].rows;
    let region = |extent| {
        let mut rows = rows.iter();
        let kind = |row: &Compared| found.sites[row.site].kind;
        *rows
            .find(|row| kind(row) == SiteKind::Region && row.extent == extent)
            .unwrap()
    };
    let whole = region(Extent::Whole);
    assert_eq!(whole.work.unwrap().ratio.value, 3.0);
    assert_eq!(whole.judgement, Judgement::Inflated);
    assert_eq!(whole.parallel_span, Span::from_nanos(30_000_000));
    assert_eq!(region(Extent::Own).judgement, Judgement::Small);
    // The finding is that of the join, to which the strands belong.
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.sites[found.findings[0].row].kind, SiteKind::Join);
}

/// The dag with each time of a vertex replaced by `ticks` of the vertex's index and that time.
fn with_ticks(mut dag: Dag, ticks: impl Fn(usize, i64) -> i64) -> Dag {
    for (at, vertex) in dag.vertices.iter_mut().enumerate() {
        vertex.work = ticks(at, vertex.work);
        vertex.span = ticks(at, vertex.span);
        vertex.burdened_span = ticks(at, vertex.burdened_span);
    }
    dag
}

/// TaskProf's Fig. 5.2: the critical path of the parallel run differs from that of the oracle. What
/// counts is the parallel one, looked up vertex by vertex.
#[test]
fn the_path_of_the_parallel_run_is_looked_up_in_the_oracle() {
    let profile = quicksort();
    let oracle = quicksort_dag();
    // The right branch of the first partition becomes longer than the left one: its own first
    // partition takes four times as long.
    let right = oracle.successors(VertexId(1))[1].to();
    let parallel = with_ticks(oracle.clone(), |at, ticks| {
        if at == right.index() {
            ticks * 4
        } else {
            ticks
        }
    });
    assert!(!oracle.critical_path().vertices.contains(&right));
    assert!(parallel.critical_path().vertices.contains(&right));
    let path = look_up_path((&profile, &parallel), (&profile, &oracle));
    assert_eq!(path.found_share(), 1.0);
    let span = |dag: &Dag| dag.time_of(dag.totals().span);
    assert_eq!(path.parallel().time(), span(&parallel));
    // Both branches are alike in the oracle, so the path is as long as its own.
    assert_eq!(path.oracle().time(), span(&oracle));
    let more = dag_time(&parallel, right) - dag_time(&oracle, right);
    assert_eq!(span(&parallel) - span(&oracle), more);
    let rows: Vec<usize> = path.own.iter().map(|part| part.row).collect();
    assert_eq!(rows.len(), 2, "the join and the serial code: {path:?}");
    let join = path
        .own
        .iter()
        .find(|part| part.parallel.time() > part.oracle.time());
    assert_eq!(
        join.unwrap().parallel.time() - join.unwrap().oracle.time(),
        more
    );
}

fn dag_time(dag: &Dag, vertex: VertexId) -> Nanos {
    dag.time_of(dag.vertices[vertex.index()].span)
}

/// In one run a subtree was folded: the path is not found there, and only there.
#[test]
fn only_what_differs_between_the_dags_is_not_found() {
    let profile = quicksort();
    let whole = quicksort_dag();
    let path = whole.critical_path().vertices;
    // The last fork on the path, its two folded branches and its end become one folded vertex.
    let fork = path
        .iter()
        .copied()
        .rfind(|at| whole.vertices[at.index()].kind == VertexKind::Fork)
        .unwrap();
    let gone: Vec<VertexId> = whole
        .successors(fork)
        .iter()
        .map(|next| next.to())
        .collect();
    let end = whole.successors(gone[0])[0].to();
    let mut folded = whole.clone();
    let vertex = &mut folded.vertices[fork.index()];
    vertex.kind = VertexKind::Folded;
    vertex.tasks = 4_001;
    vertex.span += whole.vertices[gone[0].index()].span;
    let edges = (0..whole.vertices.len() as u32)
        .map(VertexId)
        .flat_map(|from| {
            let after = whole
                .successors(if from == fork { end } else { from })
                .to_vec();
            let is_gone = gone.contains(&from) || from == end;
            after
                .into_iter()
                .filter(move |_| !is_gone)
                .map(move |to| (from, to))
        });
    let edges: Vec<(VertexId, Successor)> = edges.collect();
    folded.successors = Successors::new(whole.vertices.len(), &edges);

    let looked_up = look_up_path((&profile, &whole), (&profile, &folded));
    let lost: i64 = [fork, gone[0], end]
        .iter()
        .map(|at| whole.vertices[at.index()].span)
        .sum();
    assert_eq!(looked_up.elsewhere().time(), whole.time_of(lost));
    assert_eq!(looked_up.parallel(), looked_up.oracle());
    let all = looked_up.parallel() + looked_up.elsewhere();
    assert_eq!(all.time(), whole.time_of(whole.totals().span));
}

#[test]
fn the_path_by_strand_comes_with_the_effect_of_choosing_it() {
    let lookup = |parallel: i64, oracle: i64, elsewhere: i64| PathLookup {
        own: vec![LookedUp {
            row: 0,
            parallel: Span::from_nanos(parallel),
            oracle: Span::from_nanos(oracle),
            elsewhere: Span::from_nanos(elsewhere),
        }],
        whole: Vec::new(),
    };
    let mut runs = shared();
    for run in &mut runs {
        run.path = Some(match run.execution {
            ExecutionKind::Oracle => lookup(110, 100, 0),
            ExecutionKind::Parallel => lookup(200, 100, 50),
        });
    }
    let row_zero = runs[1].figures.sites[0].kind;
    let found = inflation(&differential(runs));
    let path = found.metrics[0].program.path_by_strand.unwrap();
    // What was not found is divided by the row's own inflation.
    let rest = match row_zero {
        SiteKind::Root => 50.0,
        _ => 50.0 / 3.0,
    };
    assert!(
        (path.ratio.ratio.value - 250.0 / (100.0 + rest)).abs() < 1e-9,
        "{path:?}"
    );
    assert_eq!(path.found_share, 0.8);
    assert_eq!(path.by_choice.unwrap().ratio.value, 1.1);
}
