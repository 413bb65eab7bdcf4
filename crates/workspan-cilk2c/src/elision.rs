//! The serial elision of a source: functions and statements are found, and calls put at the boundaries of strands.

use std::ops::Range;

use super::brace::{self, Brace};
use super::edits::{Edits, Slot};
use super::keyword::Keyword;
use super::place::Place;
use super::problem::{Problem, What};
use super::source::Source;
use super::text;

/// The language that the output is compiled as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C11, with the extensions that gcc and clang share.
    C,
    /// C++17.
    Cpp,
}

/// What a sync awaits: the tasks of one execution of a function's body, of `cilk_scope` or of an iteration.
#[derive(Debug)]
struct Frame {
    slot: Slot,
    place: Place,
    /// The function that the frame is in.
    function: String,
    is_used: bool,
}

/// A frame, as an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameId(usize);

/// The work on one source.
#[derive(Debug)]
pub(super) struct Elision<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) language: Language,
    pub(super) edits: Edits,
    problems: Vec<Problem>,
    frames: Vec<Frame>,
    /// For each token, whether it is a keyword that has been treated, or reported.
    treated: Vec<bool>,
    /// How many spawns and loops there have been.
    constructs: usize,
    /// The namespaces and classes around.
    around: Vec<String>,
}

impl<'a> Elision<'a> {
    /// Finds the changes that `source` needs.
    pub(super) fn of(source: &'a Source<'a>, language: Language) -> Result<Edits, Vec<Problem>> {
        let mut elision = Self {
            source,
            language,
            edits: Edits::default(),
            problems: Vec::new(),
            frames: Vec::new(),
            treated: vec![false; source.len()],
            constructs: 0,
            around: Vec::new(),
        };
        elision.drop_reducers();
        elision.declarations(0..source.len());
        elision.report_untreated();
        elision.declare_frames();
        match elision.problems.is_empty() {
            true => Ok(elision.edits),
            false => {
                let mut problems = elision.problems;
                problems.sort_by_key(|problem| (problem.place.line, problem.place.column));
                Err(problems)
            }
        }
    }

    /// Takes `cilk_reducer(identity, reduce)` away: a serial run has one view, which is the variable.
    fn drop_reducers(&mut self) {
        for at in 0..self.source.len() {
            if self.keyword(at) != Some(Keyword::Reducer) {
                continue;
            }
            self.treated[at] = true;
            if !self.source.is(at + 1, "(") {
                self.incomplete(
                    at,
                    "the functions that make and reduce views, in parentheses",
                );
                continue;
            }
            let last = self.source.partner(at + 1);
            let tokens = at..=last;
            for token in tokens.map(|index| self.source.token(index)) {
                // One by one, so that ends of lines and comments between them stay.
                self.edits.replace(token.start..token.end, "");
            }
        }
    }

    fn report_untreated(&mut self) {
        for at in 0..self.source.len() {
            if self.keyword(at).is_some() && !self.treated[at] {
                let keyword = self.source.token(at).text.clone();
                self.report(at, What::OutsideFunction(keyword));
            }
        }
    }

    fn declare_frames(&mut self) {
        for (number, frame) in self.frames.iter().enumerate() {
            if frame.is_used {
                let text = text::frame(number, &frame.place, &frame.function);
                self.edits.fill(frame.slot, text);
            }
        }
    }

    /// Goes through declarations: of a file, a namespace or a class.
    pub(super) fn declarations(&mut self, range: Range<usize>) {
        let mut at = range.start;
        let mut head = at;
        while at < range.end {
            let after = self.source.after(at);
            if self.source.is(at, "{") {
                match brace::among_declarations(self.source, head..at, at) {
                    Brace::Declarations(name) => {
                        self.named_declarations(name, at + 1..after - 1);
                        head = after;
                    }
                    Brace::Function(name, name_at) => {
                        let function = self.qualified(&name);
                        let place = self.source.token(name_at).place.clone();
                        self.function_body(at, place, function);
                        head = after;
                    }
                    Brace::Lambda => self.lambda(at, "static initialisation"),
                    Brace::Other => self.lambdas_in(at + 1..after - 1),
                }
            } else if self.source.is_any(at, &["(", "["]) {
                self.lambdas_in(at + 1..after - 1);
            } else if self.source.is(at, ";") || self.is_access_label(at) {
                head = after;
            }
            at = after;
        }
    }

    /// Goes through the declarations of the class or the namespace `name`.
    pub(super) fn named_declarations(&mut self, name: String, range: Range<usize>) {
        self.around.push(name);
        self.declarations(range);
        self.around.pop();
    }

    fn qualified(&self, name: &str) -> String {
        let around = self.around.iter().filter(|name| !name.is_empty());
        let parts: Vec<&str> = around.map(String::as_str).chain([name]).collect();
        parts.join("::")
    }

    fn is_access_label(&self, at: usize) -> bool {
        self.source.is(at, ":")
            && at > 0
            && self
                .source
                .is_any(at - 1, &["public", "private", "protected"])
    }

    /// Treats the lambdas among values.
    fn lambdas_in(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            if self.source.is(at, "{") && brace::is_lambda_body(self.source, at) {
                self.lambda(at, "static initialisation");
                at = self.source.after(at);
            } else {
                at += 1;
            }
        }
    }

    /// The body of a lambda in `function`.
    pub(super) fn lambda(&mut self, open: usize, function: &str) {
        let place = self.source.token(open).place.clone();
        self.function_body(open, place, format!("{function}::{{lambda}}"));
    }

    fn function_body(&mut self, open: usize, place: Place, function: String) {
        let frame = self.frame_at(self.source.token(open).end, place, function);
        self.block(open, frame);
    }

    /// A frame whose declaration stands at the byte `at`, if there is need for one.
    pub(super) fn frame_at(&mut self, at: usize, place: Place, function: String) -> FrameId {
        let slot = self.edits.reserve(at);
        self.frames.push(Frame {
            slot,
            place,
            function,
            is_used: false,
        });
        FrameId(self.frames.len() - 1)
    }

    /// Something is spawned in the frame, or waits for it: it has to be there. Returns its number.
    pub(super) fn use_frame(&mut self, frame: FrameId) -> usize {
        self.frames[frame.0].is_used = true;
        frame.0
    }

    pub(super) fn function_of(&self, frame: FrameId) -> &str {
        &self.frames[frame.0].function
    }

    /// A number for one more spawn or loop.
    pub(super) fn construct(&mut self) -> usize {
        self.constructs += 1;
        self.constructs
    }

    pub(super) fn constructs_so_far(&self) -> usize {
        self.constructs
    }

    /// The keyword that the token `at` is.
    pub(super) fn keyword(&self, at: usize) -> Option<Keyword> {
        (at < self.source.len()).then(|| Keyword::from_token(self.source.token(at)))?
    }

    /// The keyword `at` has been treated.
    pub(super) fn treat(&mut self, at: usize) {
        self.treated[at] = true;
    }

    pub(super) fn report(&mut self, at: usize, what: What) {
        self.treated[at] = true;
        self.problems
            .push(Problem::new(&self.source.token(at).place, what));
    }

    /// The keyword `at` stands where it cannot be treated.
    pub(super) fn in_expression(&mut self, at: usize) {
        let keyword = self.source.token(at).text.clone();
        self.report(at, What::InExpression(keyword));
    }

    /// The keyword `at` lacks `what` behind it.
    pub(super) fn incomplete(&mut self, at: usize, what: &'static str) {
        let keyword = self.source.token(at).text.clone();
        self.report(at, What::Incomplete(keyword, what));
    }

    /// Reports a construct that would get one of its braces in one branch of `#if` only.
    pub(super) fn check_branches(&mut self, keyword: usize, first: usize, last: usize) {
        if self.source.token(first).branch != self.source.token(last).branch {
            let text = self.source.token(keyword).text.clone();
            self.report(keyword, What::AcrossBranches(text));
        }
    }
}
