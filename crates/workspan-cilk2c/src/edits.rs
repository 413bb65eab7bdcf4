//! Changes to a source text, made all at once.

use std::ops::Range;

/// Changes, applied in the order of their places, and of their making where places are equal.
#[derive(Debug, Default)]
pub(super) struct Edits {
    all: Vec<Edit>,
}

/// Bytes of the source, and what stands there instead.
#[derive(Debug)]
struct Edit {
    bytes: Range<usize>,
    text: String,
}

/// A change whose text is not known yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot(usize);

impl Edits {
    /// Inserts `text` before the byte `at`.
    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Puts `text` in the place of `bytes`.
    pub(super) fn replace(&mut self, bytes: Range<usize>, text: impl Into<String>) {
        self.all.push(Edit {
            bytes,
            text: text.into(),
        });
    }

    /// Keeps a place for a text before the byte `at`.
    pub(super) fn reserve(&mut self, at: usize) -> Slot {
        self.insert(at, "");
        Slot(self.all.len() - 1)
    }

    /// Says what stands at a place that was kept.
    pub(super) fn fill(&mut self, slot: Slot, text: String) {
        self.all[slot.0].text = text;
    }

    /// The source after all changes.
    pub(super) fn apply(mut self, source: &str) -> String {
        self.all.sort_by_key(|edit| edit.bytes.start);
        let mut output = String::with_capacity(source.len() * 2);
        let mut done = 0;
        for Edit { bytes, text } in &self.all {
            output.push_str(&source[done..bytes.start.max(done)]);
            output.push_str(text);
            done = bytes.end.max(done);
        }
        output.push_str(&source[done..]);
        output
    }
}
