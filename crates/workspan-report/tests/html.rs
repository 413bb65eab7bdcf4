//! Pages for a browser, as far as they can be tested without one. `ci/browser` opens them.

mod common;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use workspan_model::{
    Change, Code, Execution, Nanos, Profile, ReadyChange, ReadySource, SchedulingCosts, Span,
    analyse, analyse_with_dag, example, repeated, what_if,
};
use workspan_report::{CodeView, HTML_DATA_VERSION, Page, PageDag};

fn page(profile: &Profile, with_dag: bool, sources: &BTreeMap<String, String>) -> String {
    rendered(profile, with_dag, sources, Ready::Advised)
}

/// What the page knows of advised changes.
enum Ready {
    Advised,
    Nothing,
    TooLarge,
}

/// The page of a profile.
fn rendered(
    profile: &Profile,
    with_dag: bool,
    sources: &BTreeMap<String, String>,
    ready: Ready,
) -> String {
    let dag = example::quicksort_dag();
    let analysis = analyse_with_dag(profile, with_dag.then_some(&dag));
    let code = Code::new(profile, &dag);
    let (costs, _) = SchedulingCosts::from_run(&profile.run);
    let execution = Execution::new(profile, &dag, &costs, &[2, 64]);
    let change = Change::Parallelise {
        code: code.regions[0].strand_regions.clone().into(),
        factor: 4.0,
    };
    let advised = ReadyChange {
        source: ReadySource::Advice,
        parallelised: vec![(0, 4.0)],
        is_of_whole_code: true,
        coarsened: None,
        what_if: what_if(&dag, &code, &[change], execution),
    };
    let ready = match ready {
        Ready::Advised => Some(vec![advised]),
        Ready::Nothing => Some(Vec::new()),
        Ready::TooLarge => None,
    };
    let hot = BTreeMap::new();
    let page = Page {
        profile,
        analysis: &analysis,
        dag: with_dag.then_some(PageDag {
            dag: &dag,
            code: CodeView {
                profile,
                code: &code,
                hot: &hot,
                sources,
                span: analysis.totals.span,
                is_truncated: false,
            },
            ready: ready.as_deref(),
        }),
        sources,
        scaling: None,
        against: None,
        file: "quicksort.wsp",
    };
    common::written(|output| page.render(output))
}

fn data(page: &str) -> Value {
    let begin = r#"<script type="application/json" id="data">"#;
    let (_, data) = page.split_once(begin).unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_holds_what_the_analysis_says() {
    let profile = example::quicksort();
    let page = page(&profile, true, &BTreeMap::new());
    let data = data(&page);
    assert_eq!(data["version"], HTML_DATA_VERSION);
    assert_eq!(data["overview"]["headlines"][0]["key"], "parallelism");
    let parallelism = data["overview"]["headlines"][0]["value"].as_f64().unwrap();
    assert!((parallelism - 1_060.0 / 98.0).abs() < 1e-9);
    assert_eq!(data["overview"]["answers"].as_array().unwrap().len(), 3);
    assert_eq!(
        data["sites"]["rows"][0]["id"],
        "join@examples/quicksort.rs:31:9"
    );
    assert_eq!(data["what_if"]["profile"], "quicksort.wsp");
    assert!(data["dag"]["drawn"].as_array().unwrap().len() <= 300);
    assert_eq!(data["workers"], Value::Null);
    assert_eq!(data["regions"], Value::Null);
}

#[test]
fn the_timeline_is_shares_of_the_threads_time() {
    let mut profile = example::timed_quicksort();
    let timeline = |profile: &Profile| {
        let data = data(&page(profile, false, &BTreeMap::new()));
        data["overview"]["spent"]["timeline"].clone()
    };
    let shown = timeline(&profile);
    assert_eq!(shown.as_array().unwrap().len(), 141);
    assert_eq!(shown[0], json!([0, 4_000_000, 0.5, 0.0]));
    assert_eq!(shown[6], json!([24_000_000, 28_000_000, 0.75, 0.125]));
    assert_eq!(shown[140], json!([560_000_000, 561_000_000, 1.0, 0.0]));
    profile.timeline.as_mut().unwrap().parts.truncate(19);
    assert_eq!(timeline(&profile), Value::Null);
}

#[test]
fn the_bar_of_the_threads_time_has_what_tasks_waited_for() {
    let mut profile = example::timed_quicksort();
    profile.tree[1].on_work.blocked = Nanos::from_nanos(300_000_000);
    let parts = |profile: &Profile| -> Vec<Value> {
        let data = data(&page(profile, false, &BTreeMap::new()));
        let parts = data["overview"]["spent"]["parts"].as_array().unwrap();
        let waits = parts
            .iter()
            .filter(|part| part[0].as_str().unwrap().contains("waits"));
        waits.map(|part| json!([part[0], part[1]])).collect()
    };
    assert_eq!(parts(&profile), [json!(["waits in tasks", 300_000_000])]);
    let waited = Nanos::from_nanos(200_000_000);
    let inside = "std::sync::mpmc::list::Channel::recv";
    profile.waits = example::waiting(inside, 1, waited, Nanos::ZERO).waits;
    let expected = [
        json!(["waits in tasks: channels", 200_000_000]),
        json!(["other waits in tasks", 100_000_000]),
    ];
    assert_eq!(parts(&profile), expected);
}

#[test]
fn views_without_data_are_left_out() {
    let profile = example::quicksort();
    let data = data(&page(&profile, false, &BTreeMap::new()));
    for view in ["what_if", "dag", "workers", "regions", "locks"] {
        assert_eq!(data[view], Value::Null, "{view}");
    }
}

#[test]
fn a_lock_has_its_row_and_limits_what_changes_give() {
    let profile = example::locked_quicksort();
    let data = data(&page(&profile, true, &BTreeMap::new()));
    let lock = &data["locks"][0];
    assert_eq!(lock["held"], 212_000_000);
    assert_eq!(lock["most_speedup"], 5.0);
    let place = lock["places"][0][0].as_str().unwrap();
    assert!(
        data["sites"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["id"] == place)
    );
    let what_if = &data["what_if"];
    assert!(
        what_if["lock"]
            .as_str()
            .unwrap()
            .contains("more than 5.00 times")
    );
    let on_64 = &what_if["ready"][0]["speedup"][1]["after"];
    assert!(on_64["upper"].as_f64().unwrap() <= 5.01, "{on_64}");
    assert!(on_64["predicted"].as_f64().unwrap() <= 5.01, "{on_64}");
}

#[test]
fn what_is_advised_is_shown_if_there_is_any_and_it_is_known() {
    let profile = example::quicksort();
    let view = |ready| {
        let page = rendered(&profile, true, &BTreeMap::new(), ready);
        data(&page)["what_if"].clone()
    };
    let advised = view(Ready::Advised);
    assert_eq!(advised["ready"][0]["id"], "advice");
    let change = &advised["ready"][0];
    assert_eq!(change["before"]["work_ns"], change["after"]["work_ns"]);
    // The page also says if it is unknown what advised changes would give.
    let unknown = view(Ready::TooLarge);
    assert_eq!(unknown["ready"], Value::Null);
    assert_eq!(unknown["profile"], "quicksort.wsp");
    assert_eq!(view(Ready::Nothing), Value::Null);
}

#[test]
fn the_same_page_has_the_same_bytes() {
    let profile = example::quicksort();
    let sources = BTreeMap::new();
    assert_eq!(
        page(&profile, true, &sources),
        page(&profile, true, &sources)
    );
}

#[test]
fn sources_are_embedded_around_lines_with_figures_only() {
    let text: String = (1..=200)
        .map(|line| format!("line {line} </script>\n"))
        .collect();
    let file = "examples/quicksort.rs".to_owned();
    let sources = BTreeMap::from([(file, text)]);
    let page = page(&example::quicksort(), false, &sources);
    let data = data(&page);
    let lines = data["code"]["files"][0]["lines"].as_array().unwrap();
    let numbers: Vec<u64> = lines
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (27..=35).collect::<Vec<_>>());
    assert_eq!(lines[0]["text"], "line 27 </script>");
    assert!(!page.contains("line 100"));
}

#[test]
fn hostile_names_stay_in_their_element() {
    let mut profile = example::quicksort();
    let hostile = "</script><script>alert(1)</script><!--".to_owned();
    profile.run.command = vec![hostile.clone()];
    profile.sites[1].function = Some(hostile);
    let page = page(&profile, true, &BTreeMap::new());
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("alert(1)</script>"));
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn sites_of_several_runs_have_their_least_and_most() {
    let run = |percent: i64| {
        let mut profile = example::quicksort();
        let join = &mut profile.tree[1];
        for span in [&mut join.on_work.top_span, &mut join.on_span.local_span] {
            *span = Span::from_nanos(span.time().as_nanos() * percent / 100);
        }
        let spans = profile.tree.iter().map(|node| node.on_span.local_span);
        profile.span = spans.sum();
        profile
    };
    // All of them reach the root; the join of the last is elsewhere.
    let mut elsewhere = run(50);
    elsewhere.sites[1].location.as_mut().unwrap().line = 77;
    let profile = repeated(vec![run(200), run(100), elsewhere]).unwrap();
    let sites = &data(&page(&profile, false, &BTreeMap::new()))["sites"];
    assert_eq!(sites["shown_run"], json!({"runs": 3, "shown": 2}));
    let analysis = analyse(&profile);
    let spreads = &analysis.runs.as_ref().unwrap().sites;
    for (row, site) in sites["rows"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&analysis.sites)
    {
        let mut spreads = spreads.iter();
        let spread = spreads.find(|spread| spread.medians.location == site.location);
        let spread = spread.unwrap();
        let nanos = |span: Span| span.time().as_nanos();
        let span = spread.spread(|row| row.on_work.span);
        let span = [nanos(span.low), nanos(span.high)];
        assert_eq!(row["spread"]["span"], json!(span));
        assert_eq!(row["spread"]["runs"], json!(spread.rows.len()));
    }
    // Those of the join in the two runs that reached it there.
    assert_eq!(
        sites["rows"][0]["spread"]["span"],
        json!([76_600_000, 153_200_000])
    );
    assert_eq!(sites["rows"][0]["spread"]["runs"], 2);
    assert_eq!(sites["rows"][1]["spread"]["runs"], 3);
    let one_run = data(&page(&example::quicksort(), false, &BTreeMap::new()));
    assert_eq!(one_run["sites"]["shown_run"], Value::Null);
    assert_eq!(one_run["sites"]["rows"][0].get("spread"), None);
}
