//! Top-caller measures of random programs consisting of functions, whose calls and joins recurse in
//! every way.
//!
//! An execution of a site is a top-caller invocation if no outer execution of the function around
//! the site is under way. Here this is counted on the invocation tree; the model has to derive it
//! from a call tree that keeps no counts.

use std::collections::HashMap;

use proptest::prelude::*;
use workspan_model::{Location, MeasureKind, On, Profile, Site, SiteKind, example, site_rows};

use crate::definitions::{Execution, Sums, executions, sums_of};
use crate::invocation::{self, Instance, Step};

/// A program: bodies of functions, the first of which is `main`.
#[derive(Clone, Debug)]
struct Program {
    functions: Vec<Vec<Statement>>,
    closures: Closures,
}

#[derive(Clone, Debug)]
enum Statement {
    Strand(i64),
    Call(usize),
    Join(Vec<Statement>, Vec<Statement>),
}

/// How the closures of joins appear.
#[derive(Clone, Copy, Debug)]
enum Closures {
    /// Inlined: not at all.
    Inlined,
    /// As functions that the function around them calls.
    CalledByTheirFunction,
    /// As functions that rayon calls.
    CalledByRayon,
}

fn statements(functions: usize) -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        (0..1000_i64).prop_map(Statement::Strand),
        (0..functions).prop_map(Statement::Call),
    ];
    let statement = leaf.prop_recursive(2, 8, 3, |inner| {
        let arm = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            2 => (arm(), arm()).prop_map(|(one, other)| Statement::Join(one, other)),
            1 => inner.clone(),
        ]
    });
    prop::collection::vec(statement, 0..4)
}

fn programs() -> impl Strategy<Value = Program> {
    let closures = prop_oneof![
        Just(Closures::Inlined),
        Just(Closures::CalledByTheirFunction),
        Just(Closures::CalledByRayon),
    ];
    (prop::collection::vec(statements(4), 4), closures).prop_map(|(functions, closures)| Program {
        functions,
        closures,
    })
}

/// Runs a program: calls deeper than the limit return at once, as do all calls once enough have
/// been made.
struct Run<'a> {
    program: &'a Program,
    sites: Vec<Site>,
    /// The site of each part of a statement, identified by the statement's address.
    site_of: HashMap<(*const Statement, u8), u32>,
    calls_left: usize,
}

impl<'a> Run<'a> {
    fn execute(program: &'a Program) -> (Instance, Vec<Site>) {
        let mut run = Self {
            program,
            sites: vec![Site::root()],
            site_of: HashMap::new(),
            calls_left: 60,
        };
        let start = Box::new(Statement::Call(0));
        let arm = run.arm(std::slice::from_ref(&*start), "std::rt", 0);
        (
            Instance {
                site: 0,
                arms: vec![arm],
            },
            run.sites,
        )
    }

    fn arm(&mut self, statements: &[Statement], function: &str, depth: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for statement in statements {
            match statement {
                Statement::Strand(nanos) => steps.push(Step::Strand(*nanos)),
                Statement::Call(callee) if depth < 6 && self.calls_left > 0 => {
                    self.calls_left -= 1;
                    let name = format!("app::f{callee}");
                    let site = self.site(statement, 0, SiteKind::Function, function, Some(&name));
                    let body = self.arm(&self.program.functions[*callee], &name, depth + 1);
                    steps.push(call(site, body));
                }
                Statement::Call(_) => {}
                Statement::Join(one, other) => {
                    let site = self.site(statement, 0, SiteKind::Join, function, None);
                    let arms = [(1, one), (2, other)];
                    let arms = arms.map(|(arm, statements)| {
                        self.closure(statement, arm, statements, function, depth)
                    });
                    steps.push(Step::Call(Instance {
                        site,
                        arms: arms.into(),
                    }));
                }
            }
        }
        steps
    }

    fn closure(
        &mut self,
        join: &Statement,
        arm: u8,
        statements: &[Statement],
        function: &str,
        depth: usize,
    ) -> Vec<Step> {
        let closure = format!("{function}::{{closure}}");
        let caller = match self.program.closures {
            Closures::Inlined => return self.arm(statements, &closure, depth),
            Closures::CalledByTheirFunction => function,
            Closures::CalledByRayon => "rayon_core::join::join",
        };
        let site = self.site(join, arm, SiteKind::Function, caller, Some(&closure));
        vec![call(site, self.arm(statements, &closure, depth))]
    }

    fn site(
        &mut self,
        statement: &Statement,
        part: u8,
        kind: SiteKind,
        function: &str,
        name: Option<&str>,
    ) -> u32 {
        let next = self.sites.len() as u32;
        let sites = &mut self.sites;
        *self
            .site_of
            .entry((std::ptr::from_ref(statement), part))
            .or_insert_with(|| {
                sites.push(Site {
                    location: Some(Location::new("src/main.rs", next, 1)),
                    function: Some(function.to_owned()),
                    name: name.map(ToOwned::to_owned),
                    ..Site::unnamed(kind)
                });
                next
            })
    }
}

pub fn call(site: u32, arm: Vec<Step>) -> Step {
    Step::Call(Instance {
        site,
        arms: vec![arm],
    })
}

pub fn profile(program: &Instance, sites: Vec<Site>) -> Profile {
    let (tree, span) = invocation::fold(program);
    Profile {
        sites,
        tree,
        span: span.into(),
        burdened_span: span.into(),
        ..example::quicksort()
    }
}

/// Whether exactly one execution of the function around the site is under way.
fn is_top_caller(execution: &Execution<'_>, sites: &[Site]) -> bool {
    let site = &sites[execution.instance.site as usize];
    let function = site.function.as_deref().unwrap();
    let function = function.split("::{closure}").next();
    let calls = execution.around.iter().filter(|&&outer| {
        let outer = &sites[outer as usize];
        outer.name.as_deref() == function
    });
    calls.count() == 1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_outermost_execution_of_a_function_is_the_top_caller(program in programs()) {
        let (run, sites) = Run::execute(&program);
        let profile = profile(&run, sites.clone());
        let executions = executions(&run);
        for row in site_rows(&profile) {
            let function = row.function.as_deref().unwrap_or("std::rt");
            if !function.starts_with("app::") {
                continue;
            }
            let site = row.location.as_ref().unwrap().line;
            for on in On::ALL {
                let top = executions.iter().filter(|execution| {
                    execution.instance.site == site
                        && (on == On::Work || execution.on_path)
                        && is_top_caller(execution, &sites)
                });
                let measure = row.measure(on, MeasureKind::TopCaller);
                prop_assert_eq!(sums_of(measure), Some(Sums::whole(top)), "{:?} on {:?}", row, on);
            }
        }
    }
}
