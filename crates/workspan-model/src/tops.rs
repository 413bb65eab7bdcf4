//! Which nodes of the call tree hold the top instances of the rows.

use std::collections::{HashMap, HashSet};

use crate::site::enclosing_function;
use crate::{NodeId, Profile, SiteKind, SiteRow};

/// Of each node, which of its instances are top instances of the node's row. All of a node's top instances stand
/// below the same sites, so they are it together.
pub(crate) struct Tops {
    /// Those that the node counts as top instances are top-call-site instances of the row: no site above belongs to
    /// the row.
    pub(crate) call_site: Vec<bool>,
    /// They are top-caller instances as well.
    pub(crate) caller: Vec<bool>,
}

/// The top instances of the rows, whose nodes are those of `row_of_node`.
///
/// An executed call site is a top-caller invocation when none of the executed call sites above it resides in the same
/// function ϕ (Cilkprof §6): then no outer execution of that function is under way. The sites active above a node
/// are its ancestors', so the definition is one about nodes. Three things have no counterpart in Cilk:
///
/// - A construct whose closures stand in the function, such as a `join`, runs them for the same execution of the
///   function. It is a call of none, and by itself no sign of recursion, if calls of the function are measured: then
///   recursion shows as a call out of it. If they are not, the construct above is the only sign of recursion that
///   there can be, and counts. The call of a closure by its own function is no call of that function either.
/// - A region is no call at all.
/// - Of some functions only the calls into them may be measured: two such sites above are two executions.
///
/// A site whose function is not known is taken for the only one in it.
pub(crate) fn tops(profile: &Profile, rows: &[SiteRow], row_of_node: &[usize]) -> Tops {
    let functions = Functions::of(rows);
    let call_site = outermost(profile, row_of_node, rows.len());
    let mut caller = call_site.clone();
    let mut active = vec![ActiveFunction::default(); functions.count];
    walk(profile, |step| match step {
        Step::Enter(id) => {
            let row = row_of_node[id.index()];
            let around = functions.around[row];
            if around.is_some_and(|function| active[function].is_under_way()) {
                caller[id.index()] = false;
            }
            functions.change(&mut active, row, |count| *count += 1);
        }
        Step::Leave(id) => {
            functions.change(&mut active, row_of_node[id.index()], |count| *count -= 1);
        }
    });
    Tops { call_site, caller }
}

/// Of each node, whether no node above belongs to the same of `rows` rows.
pub(crate) fn outermost(profile: &Profile, row_of_node: &[usize], rows: usize) -> Vec<bool> {
    let mut active = vec![0_usize; rows];
    let mut outermost = vec![false; profile.tree.len()];
    walk(profile, |step| match step {
        Step::Enter(id) => {
            let row = row_of_node[id.index()];
            outermost[id.index()] = active[row] == 0;
            active[row] += 1;
        }
        Step::Leave(id) => active[row_of_node[id.index()]] -= 1,
    });
    outermost
}

/// The functions around the sites, numbered, and what the rows have to do with them.
struct Functions {
    count: usize,
    /// Of each row, the function around it.
    around: Vec<Option<usize>>,
    /// Of each row, the function around it if its instances are signs of an execution of that function above.
    witnessed: Vec<Option<usize>>,
    /// Of each row, the function that it calls.
    called: Vec<Option<usize>>,
}

impl Functions {
    fn of(rows: &[SiteRow]) -> Self {
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
            count: numbers.len(),
            witnessed: witnessed.collect(),
            called,
            around,
        }
    }
}

impl Functions {
    /// Counts an instance of `row` in or out.
    fn change(&self, active: &mut [ActiveFunction], row: usize, change: impl Fn(&mut usize)) {
        if let Some(function) = self.witnessed[row] {
            change(&mut active[function].witnesses);
        }
        if let Some(function) = self.called[row] {
            change(&mut active[function].calls);
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

    /// Whether what is called is a closure of the function around the call.
    fn calls_own_closure(&self) -> bool {
        let (Some(called), Some(function)) = (self.called_function(), &self.function) else {
            return false;
        };
        let around = enclosing_function(called);
        around != called && around == enclosing_function(function)
    }
}

/// What of a function is active on the way from the root to a node.
#[derive(Clone, Copy, Default)]
struct ActiveFunction {
    /// Sites in the function that are signs of its execution.
    witnesses: usize,
    /// Sites that call the function.
    calls: usize,
}

impl ActiveFunction {
    /// Whether an execution of the function is under way around the innermost one.
    fn is_under_way(self) -> bool {
        self.witnesses > 0 || self.calls > 1
    }
}

/// A step of a walk through the call tree.
pub(crate) enum Step {
    /// To a node, from the one above.
    Enter(NodeId),
    /// Back to the one above.
    Leave(NodeId),
}

/// Walks through the whole call tree; the children of a node in their order.
pub(crate) fn walk(profile: &Profile, mut visit: impl FnMut(Step)) {
    let children = children(profile);
    let mut steps = vec![Step::Enter(NodeId::ROOT)];
    while let Some(step) = steps.pop() {
        if let Step::Enter(id) = step {
            steps.push(Step::Leave(id));
            let below = children[id.index()].iter().rev();
            steps.extend(below.copied().map(Step::Enter));
        }
        visit(step);
    }
}

/// Of each node, those right below it.
pub(crate) fn children(profile: &Profile) -> Vec<Vec<NodeId>> {
    let mut children = vec![Vec::new(); profile.tree.len()];
    for (id, node) in (0..).map(NodeId).zip(&profile.tree) {
        if let Some(parent) = node.parent {
            children[parent.index()].push(id);
        }
    }
    children
}
