//! The measures of groups of sites by their definitions (Cilkprof §6), from every single execution
//! of a site.

use std::collections::BTreeMap;

use workspan_model::Measure;

use crate::invocation::{Instance, Step};

/// An execution of a site in an invocation tree.
#[derive(Debug)]
pub struct Execution<'a> {
    pub instance: &'a Instance,
    /// The sites of the executions around it, the outermost first.
    pub around: Vec<u32>,
    /// Whether it lies on the critical path.
    pub on_path: bool,
}

/// Every execution in `program`, beginning with its own.
pub fn executions(program: &Instance) -> Vec<Execution<'_>> {
    let mut found = Vec::new();
    visit(program, &mut Vec::new(), true, &mut found);
    found
}

fn visit<'a>(
    instance: &'a Instance,
    around: &mut Vec<u32>,
    on_path: bool,
    found: &mut Vec<Execution<'a>>,
) {
    found.push(Execution {
        instance,
        around: around.clone(),
        on_path,
    });
    around.push(instance.site);
    for (arm, on_path) in instance.arms_on_path(on_path) {
        for step in arm {
            if let Step::Call(inner) = step {
                visit(inner, around, on_path, found);
            }
        }
    }
    around.pop();
}

/// Sums over a set of executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub count: u64,
    pub work: i64,
    pub span: i64,
}

impl Sums {
    /// Sums over the whole executions.
    pub fn whole<'a>(executions: impl IntoIterator<Item = &'a Execution<'a>>) -> Self {
        let mut sums = Self::default();
        for execution in executions {
            sums.count += 1;
            sums.work += execution.instance.work();
            sums.span += execution.instance.span();
        }
        sums
    }

    /// Sums over the executions without those within them.
    pub fn local<'a>(executions: impl IntoIterator<Item = &'a Execution<'a>>) -> Self {
        let mut sums = Self::default();
        for execution in executions {
            sums.count += 1;
            sums.work += execution.instance.local_work();
            sums.span += execution.instance.local_span();
        }
        sums
    }
}

/// The sums of a measure; `None` if it does not have all of them.
pub fn sums_of(measure: Measure) -> Option<Sums> {
    Some(Sums {
        count: measure.count?,
        work: measure.work?.time().as_nanos(),
        span: measure.span?.time().as_nanos(),
    })
}

/// What the longest path of `instance` goes through: time and executions of each group of sites.
pub fn own_path(instance: &Instance, group_of: &impl Fn(u32) -> u32) -> BTreeMap<u32, (i64, u64)> {
    let mut path = BTreeMap::new();
    for execution in executions(instance) {
        // The instance is on its own path, so whatever is on that path is on the critical one of
        // this tree.
        if execution.on_path {
            let group = group_of(execution.instance.site);
            let part: &mut (i64, u64) = path.entry(group).or_default();
            part.0 += execution.instance.local_span();
            part.1 += 1;
        }
    }
    path
}
