//! `cilk_spawn`, before a statement and before a value.

use super::elision::{Elision, FrameId};
use super::expression;
use super::text;

/// The operators that end the left side of `x = cilk_spawn f();`.
const ASSIGNMENTS: [&str; 11] = [
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
];

impl Elision<'_> {
    /// `cilk_spawn f(a);`, `cilk_spawn { … }`: the task is the statement behind the keyword.
    pub(super) fn spawned_statement(&mut self, at: usize, frame: FrameId) -> usize {
        let source = self.source;
        self.treat(at);
        let first = at + 1;
        let is_block = source.is(first, "{")
            || source.is_any(first, &["if", "for", "while", "do", "switch", "try"]);
        if source.is_any(first, &[";", "}"]) || first >= source.len() {
            self.incomplete(at, "a call, or a block in braces");
            return first;
        }
        if is_block || self.keyword(first).is_some() {
            return self.spawned_block(at, frame);
        }
        let end = self.end_of_simple(first);
        if !source.is(end, ";") {
            self.incomplete(at, "a call with a semicolon behind it");
            return end;
        }
        let number = self.construct();
        let begin = self.task_begin(number, at, first..end, frame);
        let token = source.token(at);
        self.edits
            .replace(token.start..token.end, format!("{{ {begin}"));
        self.expression(first..end, frame);
        self.edits.insert(source.token(end).end, " }");
        self.check_branches(at, at, end);
        end + 1
    }

    fn spawned_block(&mut self, at: usize, frame: FrameId) -> usize {
        let source = self.source;
        let number = self.construct();
        let outer = self.use_frame(frame);
        let function = self.function_of(frame).to_owned();
        let token = source.token(at);
        let begin = text::spawn(number, outer, &token.place, &function);
        self.edits
            .replace(token.start..token.end, format!("{{ {begin}"));
        let inner = self.frame_at(token.end, token.place.clone(), function);
        let after = self.statement(at + 1, inner);
        self.edits.insert(source.token(after - 1).end, " }");
        self.check_branches(at, at, after - 1);
        after
    }

    /// `x = cilk_spawn f(a);` and `T x = cilk_spawn f(a);`, from `start` to the semicolon `end`.
    pub(super) fn spawned_value(&mut self, start: usize, at: usize, end: usize, frame: FrameId) {
        let source = self.source;
        let operator = at.wrapping_sub(1);
        let left = start..operator.max(start);
        let is_known = at > start
            && source.is_any(operator, &ASSIGNMENTS)
            && !left.is_empty()
            && !expression::has_several_values(source, left.clone())
            && expression::arguments_of_call(source, at + 1..end).is_some();
        if !is_known {
            self.expression(start..end, frame);
            return;
        }
        self.treat(at);
        let number = self.construct();
        let begin = self.task_begin(number, at, at + 1..end, frame);
        let is_declaration =
            source.is(operator, "=") && expression::is_declared(source, left.clone());
        let open = if is_declaration { "" } else { "{ " };
        self.edits
            .insert(source.token(start).start, format!("{open}{begin} "));
        self.expression(left, frame);
        let token = source.token(at);
        self.edits.replace(token.start..token.end, "");
        self.expression(at + 1..end, frame);
        let close = match is_declaration {
            true => text::end(number),
            false => " }".to_owned(),
        };
        self.edits.insert(source.token(end).end, close);
        self.check_branches(at, start, end);
    }
}
