//! Names that try to be more than names.

use workspan_model::{
    Dag, FrameId, LineUse, Location, NodeId, Profile, SampledStack, Samples, Site, SiteKind,
    StackFrame, example,
};

/// Names that a page has to show as text; the scripts look for what they would do otherwise.
const NAMES: [&str; 6] = [
    "<img src=x onerror=\"window.broken='img'\">",
    "</script><script>window.broken='script'</script>",
    "\"><svg/onload=window.broken='svg'> ' ` ${window.broken='template'}",
    "tab\tnewline\nbell\u{7}nul\u{0}escape\u{1b}[31m turn\u{202e}around \u{2028}\u{ffff}",
    "javascript:window.broken='url'",
    "not UTF-8: \u{fffd}\u{fffd} 日本語 🦀 e\u{301}",
];

/// A profile with such a name in each place that a page shows, one of 10 kB among them, and its task dag.
pub(crate) fn profile() -> (Profile, Dag) {
    let long = format!("<b>{}</b>", "long_name".repeat(1_100));
    let names: Vec<String> = NAMES.map(str::to_owned).into_iter().chain([long]).collect();
    let mut profile = example::quicksort();
    // The name of the program is plain, so that plots, which leave its folders out, have the others in their titles.
    let program = "target/hostile".to_owned();
    profile.run.command = std::iter::once(program)
        .chain(names.iter().cloned())
        .collect();
    profile.machine.processor = Some(names[0].clone());
    let join = profile.tree[1].clone();
    profile.sites[1].location = Some(location(&names[0]));
    profile.sites[1].function = Some(names[1].clone());
    let kinds = [SiteKind::Function, SiteKind::Region, SiteKind::ParIter];
    for (at, name) in names.iter().enumerate() {
        let kind = kinds[at % kinds.len()];
        profile.sites.push(Site {
            location: Some(location(&names[(at + 1) % names.len()])),
            name: Some(name.clone()),
            function: Some(names[(at + 2) % names.len()].clone()),
            detail: Some(name.clone()),
            note: Some(name.clone()),
            ..Site::unnamed(kind)
        });
        let mut node = join.clone();
        node.parent = Some(NodeId(1));
        node.site = workspan_model::SiteId(2 + at as u32);
        node.path.clear();
        profile.tree.push(node);
    }
    let nodes = profile.tree.iter();
    profile.span = nodes.map(|node| node.on_span.local_span).sum();
    profile.samples = Some(samples(&names));
    (profile, example::quicksort_dag())
}

fn location(name: &str) -> Location {
    Location::new(name, 7, 3)
}

fn samples(names: &[String]) -> Samples {
    let frame = |name: &String| StackFrame {
        function: Some(name.clone()),
        location: Some(location(name)),
        definition: Some(location(name)),
        user_code: true,
        ..StackFrame::default()
    };
    let stack = |at: usize| SampledStack {
        node: NodeId(1),
        frames: vec![FrameId(at as u32)],
        on_work: 50.0,
        on_span: 20.0,
        elapsed: 25.0,
        line: LineUse::Unknown,
    };
    Samples {
        rate: 1_000,
        frames: names.iter().map(frame).collect(),
        stacks: (0..names.len()).map(stack).collect(),
        ..Samples::default()
    }
}
