//! Statements: where they begin and end, and what Cilk has in them.

use std::ops::Range;

use super::brace;
use super::elision::{Elision, FrameId};
use super::keyword::Keyword;
use super::text;

impl Elision<'_> {
    /// Treats the statements in the braces that begin at `open`; returns the token after them.
    pub(super) fn block(&mut self, open: usize, frame: FrameId) -> usize {
        let close = self.source.partner(open);
        let mut at = open + 1;
        while at < close {
            at = self.statement(at, frame).max(at + 1);
        }
        close + 1
    }

    /// Treats the statement that begins at `at`; returns the token after it.
    pub(super) fn statement(&mut self, at: usize, frame: FrameId) -> usize {
        let source = self.source;
        let at = brace::after_attributes(source, at);
        if at >= source.len() || source.is(at, "}") {
            return at;
        }
        if source.is(at, "{") {
            return self.block(at, frame);
        }
        if let Some(keyword) = self.keyword(at) {
            match keyword {
                Keyword::Spawn => return self.spawned_statement(at, frame),
                Keyword::Sync => return self.sync(at, frame),
                Keyword::For => return self.parallel_for(at, frame),
                Keyword::Scope => return self.scope(at, frame),
                Keyword::Reducer => {}
            }
        }
        if let Some(after) = self.after_label(at) {
            return self.statement(after, frame);
        }
        match source.token(at).text.as_str() {
            "if" | "while" | "for" | "switch" => self.controlled(at, frame),
            "else" => self.statement(at + 1, frame),
            "do" if source.token(at).is_word() => {
                let after = self.statement(at + 1, frame);
                self.simple(after, frame)
            }
            "try" => self.guarded(at, frame),
            "catch" if source.is(at + 1, "(") => self.statement(source.after(at + 1), frame),
            _ => self.simple(at, frame),
        }
    }

    /// The token after the label at `at`.
    fn after_label(&self, at: usize) -> Option<usize> {
        let source = self.source;
        if source.is(at, "case") {
            let mut colon = at + 1;
            let mut questions = 0_usize;
            while !source.is_any(colon, &[";", "}"]) && colon < source.len() {
                if source.is(colon, "?") {
                    questions += 1;
                } else if source.is(colon, ":") {
                    if questions == 0 {
                        return Some(colon + 1);
                    }
                    questions -= 1;
                }
                colon = source.after(colon);
            }
            return None;
        }
        (source.is_word(at) && source.is(at + 1, ":")).then_some(at + 2)
    }

    /// `if (…) …`, with `else`, and loops.
    fn controlled(&mut self, at: usize, frame: FrameId) -> usize {
        let source = self.source;
        let mut open = at + 1;
        while source.is_word(open) || source.is(open, "!") {
            // `if constexpr`
            open += 1;
        }
        if !source.is(open, "(") {
            return self.simple(at, frame);
        }
        let body = source.after(open);
        self.expression(open + 1..body - 1, frame);
        let after = self.statement(body, frame);
        match source.is(at, "if") && source.is(after, "else") {
            true => self.statement(after + 1, frame),
            false => after,
        }
    }

    /// `try { … } catch (…) { … }`: a block that spawns is synced before it is left.
    fn guarded(&mut self, at: usize, frame: FrameId) -> usize {
        let source = self.source;
        if !source.is(at + 1, "{") {
            return at + 1;
        }
        let before = self.constructs_so_far();
        let slot = self.edits.reserve(source.token(at + 1).end);
        let mut after = self.block(at + 1, frame);
        if self.constructs_so_far() > before {
            let number = self.use_frame(frame);
            self.edits.fill(slot, text::sync_at_end(number, at));
        }
        while source.is(after, "catch") && source.is(after + 1, "(") {
            after = self.statement(source.after(after + 1), frame);
        }
        after
    }

    /// A declaration, an expression, a jump: what ends with a semicolon.
    fn simple(&mut self, start: usize, frame: FrameId) -> usize {
        let source = self.source;
        let mut at = start;
        let mut spawn = None;
        while at < source.len() && !source.is_any(at, &[";", "}"]) {
            if source.is(at, "{") && !brace::is_lambda_body(source, at) {
                if let Some(name) = brace::class_name(source, start..at) {
                    self.named_declarations(name, at + 1..source.partner(at));
                    self.expression(source.after(at)..self.end_of_simple(at), frame);
                    return self.end_of_simple(at) + 1;
                }
                if self.is_block_of_macro(start, at) {
                    self.expression(start..at, frame);
                    return self.block(at, frame);
                }
            }
            if self.keyword(at) == Some(Keyword::Spawn) && spawn.is_none() {
                spawn = Some(at);
            }
            at = source.after(at);
        }
        match spawn {
            Some(spawn) if source.is(at, ";") => self.spawned_value(start, spawn, at, frame),
            _ => self.expression(start..at, frame),
        }
        match source.is(at, ";") {
            true => at + 1,
            false => at,
        }
    }

    /// The semicolon that ends the statement with `at` in it.
    pub(super) fn end_of_simple(&self, mut at: usize) -> usize {
        while at < self.source.len() && !self.source.is_any(at, &[";", "}"]) {
            at = self.source.after(at);
        }
        at
    }

    /// Whether the brace `open` is the body of a macro, as in `REPEAT(3) { … }`.
    fn is_block_of_macro(&self, start: usize, open: usize) -> bool {
        self.source.is_word(start)
            && self.source.is(start + 1, "(")
            && self.source.after(start + 1) == open
    }

    /// Treats the lambdas and the statements in an expression, and reports other uses of keywords.
    pub(super) fn expression(&mut self, range: Range<usize>, frame: FrameId) {
        let source = self.source;
        let mut at = range.start;
        while at < range.end {
            let is_known = matches!(self.keyword(at), None | Some(Keyword::Reducer));
            if !is_known {
                self.in_expression(at);
            }
            if source.is(at, "{") && brace::is_lambda_body(source, at) {
                let function = self.function_of(frame).to_owned();
                self.lambda(at, &function);
                at = source.after(at);
            } else if source.is(at, "{") && at > 0 && source.is(at - 1, "(") {
                at = self.block(at, frame);
            } else {
                at += 1;
            }
        }
    }
}
