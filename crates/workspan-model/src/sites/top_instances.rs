//! Which nodes of the call tree hold the top instances of the rows.

use std::collections::{HashMap, HashSet};

use crate::run::site::enclosing_function;
use crate::{NodeId, Profile, SiteKind, SiteRow};

/// For each node, whether the instances that it counts as top instances are top instances of the
/// node's row. All of them are below the same sites, so the answer is the same for all.
pub(crate) struct TopInstances {
    /// Whether they are top-call-site instances of the row: no site above belongs to the row.
    pub(crate) call_site: Vec<bool>,
    /// Whether they are top-caller instances as well.
    pub(crate) caller: Vec<bool>,
}

/// The top instances of the rows; `row_of_node` is the row of each node.
///
/// An executed call site is a top-caller invocation if none of the executed call sites above it is
/// in the same function ϕ (Cilkprof §6): then no outer execution of that function is under way. The
/// sites active above a node are those of its ancestors, so the definition can be applied to nodes.
/// Three things have no counterpart in Cilk:
///
/// - A construct whose closures are in the function, such as a `join`, runs them as part of the
///   same execution of the function. It is not a call of that function, so if calls of the function
///   are measured, it is no evidence of recursion: recursion shows as a call out of it. If they are
///   not measured, the construct above is the only possible evidence of recursion, and counts. A
///   function's call of its own closure is not a call of the function either.
/// - A region is not a call at all.
/// - For some functions, only the calls into them may be measured: two such sites above are two
///   executions.
///
/// A site in an unknown function is taken to be the only one in it.
pub(crate) fn top_instances(
    profile: &Profile,
    rows: &[SiteRow],
    row_of_node: &[usize],
) -> TopInstances {
    let functions = Functions::new(rows);
    let call_site = outermost(profile, row_of_node);
    let is_top_caller = |(node, &is_top_call_site): (usize, &bool)| {
        let function = functions.around[row_of_node[node]];
        let above = || rows_above(profile, row_of_node, node);
        let is_under_way = || {
            let mut calls = above().filter(|&row| functions.called[row] == function);
            above().any(|row| functions.witnessed[row] == function) || calls.nth(1).is_some()
        };
        is_top_call_site && (function.is_none() || !is_under_way())
    };
    TopInstances {
        caller: call_site.iter().enumerate().map(is_top_caller).collect(),
        call_site,
    }
}

/// For each node, whether no node above it belongs to the same row.
pub(crate) fn outermost(profile: &Profile, row_of_node: &[usize]) -> Vec<bool> {
    let is_outermost = |node: usize| {
        let mut above = rows_above(profile, row_of_node, node);
        above.all(|row| row != row_of_node[node])
    };
    (0..profile.tree.len()).map(is_outermost).collect()
}

/// The rows of the nodes above a node, from the nearest on.
fn rows_above<'a>(
    profile: &'a Profile,
    row_of_node: &'a [usize],
    node: usize,
) -> impl Iterator<Item = usize> + 'a {
    let above = profile.with_above(NodeId(node as u32)).skip(1);
    above.map(move |node| row_of_node[node.index()])
}

/// The functions around the sites, numbered, and how the rows relate to them.
struct Functions {
    /// For each row, the function around it.
    around: Vec<Option<usize>>,
    /// For each row, the function around it if the row's instances are evidence of an execution of
    /// it.
    witnessed: Vec<Option<usize>>,
    /// For each row, the function that it calls.
    called: Vec<Option<usize>>,
}

impl Functions {
    fn new(rows: &[SiteRow]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let around: Vec<Option<usize>> = rows
            .iter()
            .map(|row| {
                let function = enclosing_function(row.function.as_deref()?);
                let next = numbers.len();
                Some(*numbers.entry(function).or_insert(next))
            })
            .collect();
        let called: Vec<Option<usize>> = rows
            .iter()
            .map(|row| numbers.get(row.called_function()?).copied())
            .collect();
        let measured: HashSet<usize> = called.iter().copied().flatten().collect();
        let witnessed = rows.iter().zip(&around).map(|(row, &function)| {
            let is_witness = match row.kind {
                SiteKind::Root | SiteKind::Region => false,
                SiteKind::Function if !row.calls_own_closure() => true,
                _ => !measured.contains(&function?),
            };
            function.filter(|_| is_witness)
        });
        Self {
            witnessed: witnessed.collect(),
            called,
            around,
        }
    }
}

impl SiteRow {
    /// The function that the row's sites call.
    fn called_function(&self) -> Option<&str> {
        self.name
            .as_deref()
            .filter(|_| self.kind == SiteKind::Function)
    }

    /// Whether the sites call a closure of the function around them.
    fn calls_own_closure(&self) -> bool {
        let (Some(called), Some(function)) = (self.called_function(), &self.function) else {
            return false;
        };
        let around = enclosing_function(called);
        around != called && around == enclosing_function(function)
    }
}

/// For each node, its children.
pub(crate) fn children(profile: &Profile) -> Vec<Vec<NodeId>> {
    let mut children = vec![Vec::new(); profile.tree.len()];
    for (id, node) in (0..).map(NodeId).zip(&profile.tree) {
        if let Some(parent) = node.parent {
            children[parent.index()].push(id);
        }
    }
    children
}
