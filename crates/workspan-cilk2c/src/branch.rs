//! Branches of `#if`: the compiler may skip the lines of a branch.

use super::directive::Directive;

/// A branch of `#if`, or the text outside every `#if`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Branch {
    /// How many `#if`s enclose its lines, not counting an include guard.
    pub(super) depth: usize,
}

/// The branches found so far, while the lexer goes through the lines of a source.
#[derive(Debug)]
pub(super) struct Branches {
    /// In the order of their beginnings. The first is the text outside every `#if`.
    pub(super) all: Vec<Branch>,
    /// From the outermost to the innermost.
    unclosed: Vec<UnclosedIf>,
}

/// An `#if` whose `#endif` has not come yet.
#[derive(Debug)]
struct UnclosedIf {
    /// Its current branch, as an index into [`Branches::all`].
    branch: usize,
    /// Whether its current branch is the one of `#if 0`.
    is_dead: bool,
    /// Whether it is the `#ifndef` around a whole header that keeps it from being included twice.
    is_include_guard: bool,
}

impl Default for Branches {
    fn default() -> Self {
        Self {
            all: vec![Branch::default()],
            unclosed: Vec::new(),
        }
    }
}

impl Branches {
    /// The branch of the next line, as an index into [`Branches::all`].
    pub(super) fn current(&self) -> usize {
        self.unclosed.last().map_or(0, |unclosed| unclosed.branch)
    }

    /// Whether the next line is in an `#if 0`, so that it is never compiled. Other conditions are
    /// not evaluated.
    pub(super) fn is_dead(&self) -> bool {
        self.unclosed.iter().any(|unclosed| unclosed.is_dead)
    }

    /// Moves past a preprocessor line, which may begin or end a branch.
    pub(super) fn pass(&mut self, directive: &Directive) {
        match directive.name.as_str() {
            "if" | "ifdef" | "ifndef" => self.begin(directive),
            "elif" | "else" | "elifdef" | "elifndef" => {
                if let Some(unclosed) = self.unclosed.pop() {
                    let branch = self.new_branch(unclosed.is_include_guard);
                    self.unclosed.push(UnclosedIf {
                        branch,
                        is_dead: false,
                        ..unclosed
                    });
                }
            }
            "endif" => {
                self.unclosed.pop();
            }
            _ => {}
        }
    }

    fn begin(&mut self, directive: &Directive) {
        // The first `#if` of the file, with no token before it, and a name like `FILE_H`,
        // `FILE_HPP` or `FILE_H_`. Whether its `#endif` is the last line is not checked.
        let is_include_guard = directive.name == "ifndef"
            && directive.tokens_before == 0
            && self.unclosed.is_empty()
            && self.all.len() == 1
            && directive.rest.ends_with(['H', 'h', '_', 'P', 'p']);
        let branch = self.new_branch(is_include_guard);
        self.unclosed.push(UnclosedIf {
            branch,
            is_dead: directive.name == "if" && directive.rest == "0",
            is_include_guard,
        });
    }

    /// Adds a branch of an `#if` within the unclosed ones, and returns its index.
    fn new_branch(&mut self, is_include_guard: bool) -> usize {
        let depth = self
            .unclosed
            .iter()
            .filter(|unclosed| !unclosed.is_include_guard)
            .count()
            + usize::from(!is_include_guard);
        self.all.push(Branch { depth });
        self.all.len() - 1
    }
}
