//! `cilk_sync`, `cilk_scope` and `cilk_for`.

use super::elision::{Elision, FrameId};
use super::text;

impl Elision<'_> {
    /// `cilk_sync;`
    pub(super) fn sync(&mut self, at: usize, frame: FrameId) -> usize {
        self.treat(at);
        if !self.source.is(at + 1, ";") {
            self.incomplete(at, "a semicolon");
            return at + 1;
        }
        let number = self.use_frame(frame);
        let token = self.source.token(at);
        self.edits
            .replace(token.start..token.end, text::sync(number));
        at + 2
    }

    /// `cilk_scope { … }`: what is spawned in it has ended behind it.
    pub(super) fn scope(&mut self, at: usize, frame: FrameId) -> usize {
        self.treat(at);
        if !self.source.is(at + 1, "{") {
            self.incomplete(at, "a block in braces");
            return at + 1;
        }
        let token = self.source.token(at);
        self.edits.replace(token.start..token.end, "");
        let function = self.function_of(frame).to_owned();
        let inner = self.frame_at(self.source.token(at + 1).end, token.place.clone(), function);
        self.use_frame(inner);
        self.block(at + 1, inner)
    }

    /// `cilk_for (…) …`: each iteration is a piece of a parallel loop, and syncs what it spawned.
    pub(super) fn parallel_for(&mut self, at: usize, frame: FrameId) -> usize {
        self.treat(at);
        if !self.source.is(at + 1, "(") {
            self.incomplete(at, "what controls the loop, in parentheses");
            return at + 1;
        }
        let number = self.construct();
        let token = self.source.token(at);
        let function = self.function_of(frame).to_owned();
        let grain = self.grain_before(at);
        self.edits.replace(
            token.start..token.end,
            text::loop_begin(number, grain.as_deref(), &token.place, &function),
        );
        let body = self.source.after(at + 1);
        self.expression(at + 2..body - 1, frame);
        let end_of_control = self.source.token(body - 1).end;
        self.edits.insert(end_of_control, text::piece_begin(number));
        let inner = self.frame_at(end_of_control, token.place.clone(), function);
        let after = self.statement(body, inner);
        self.edits.insert(self.source.token(after - 1).end, " } }");
        self.check_branches(at, at, body - 1);
        self.check_branches(at, at, after - 1);
        after
    }

    /// The expression of `#pragma cilk grainsize` right before the loop at `at`, which is taken away: a compiler would warn of it.
    fn grain_before(&mut self, at: usize) -> Option<String> {
        let directives = &self.source.lexed.directives;
        let mut before = directives
            .iter()
            .filter(|directive| directive.tokens_before == at);
        let pragma = before.next_back()?;
        let grain = pragma.grain_size()?.to_owned();
        self.edits.replace(pragma.bytes.clone(), "");
        Some(grain)
    }
}
