//! Branches of `#if`: what stands between two lines of the preprocessor may not be compiled.

use super::directive::Directive;

/// A branch of `#if`, or the text outside of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Branch {
    /// How many `#if` are around.
    pub(super) depth: usize,
}

/// The branches that a walk through the lines of a source has met.
#[derive(Debug)]
pub(super) struct Branches {
    pub(super) all: Vec<Branch>,
    open: Vec<Open>,
}

/// An `#if` that was not closed yet.
#[derive(Debug)]
struct Open {
    index: usize,
    /// The present branch is `#if 0`.
    is_dead: bool,
    /// The `#ifndef` around a whole header, so that it is included once.
    is_include_guard: bool,
}

impl Default for Branches {
    fn default() -> Self {
        Self {
            all: vec![Branch::default()],
            open: Vec::new(),
        }
    }
}

impl Branches {
    /// The branch of what comes next, an index of [`Branches::all`].
    pub(super) fn current(&self) -> usize {
        self.open.last().map_or(0, |open| open.index)
    }

    /// Whether what comes next is never compiled.
    pub(super) fn is_dead(&self) -> bool {
        self.open.iter().any(|open| open.is_dead)
    }

    /// Goes past a line of the preprocessor.
    pub(super) fn pass(&mut self, directive: &Directive) {
        match directive.name.as_str() {
            "if" | "ifdef" | "ifndef" => self.begin(directive),
            "elif" | "else" | "elifdef" | "elifndef" => {
                if let Some(open) = self.open.pop() {
                    let index = self.new_branch(open.is_include_guard);
                    self.open.push(Open {
                        index,
                        is_dead: false,
                        ..open
                    });
                }
            }
            "endif" => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn begin(&mut self, directive: &Directive) {
        let is_include_guard = directive.name == "ifndef"
            && directive.tokens_before == 0
            && self.open.is_empty()
            && self.all.len() == 1
            && directive.rest.ends_with(['H', 'h', '_', 'P', 'p']);
        let index = self.new_branch(is_include_guard);
        self.open.push(Open {
            index,
            is_dead: directive.name == "if" && directive.rest == "0",
            is_include_guard,
        });
    }

    fn new_branch(&mut self, is_include_guard: bool) -> usize {
        let depth = self
            .open
            .iter()
            .filter(|open| !open.is_include_guard)
            .count()
            + usize::from(!is_include_guard);
        self.all.push(Branch { depth });
        self.all.len() - 1
    }
}
