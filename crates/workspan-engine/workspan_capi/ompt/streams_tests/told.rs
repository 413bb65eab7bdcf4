//! A profile in the oracle's words.

use std::collections::BTreeMap;

use workspan_format::raw::{RawKind, RawProfile};
use workspan_testkit::ompt::{Kind, Site};
use workspan_testkit::NodeKey;

/// What a profile tells. Times in ticks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) work: i64,
    pub(super) span: i64,
    pub(super) burdened_span: i64,
    /// By node: ticks of strands, and of those on the longest path.
    pub(super) nodes: BTreeMap<NodeKey<Site>, (i64, i64)>,
}

impl Told {
    pub(super) fn by(profile: &RawProfile) -> Result<Self, String> {
        let mut told = Self {
            span: profile.span_ticks,
            burdened_span: profile.burdened_span_ticks,
            ..Self::default()
        };
        let mut keys: Vec<NodeKey<Site>> = Vec::new();
        for node in &profile.nodes {
            let mut key = NodeKey::default();
            let ticks = (node.work.local_ticks, node.span.local_ticks);
            // Such as a thread of another test.
            let is_of_others = profile.sites[node.site as usize].kind == RawKind::Thread;
            if let Some(parent) = node.parent.filter(|_| !is_of_others || ticks != (0, 0)) {
                let site = &profile.sites[node.site as usize];
                let site = Site {
                    kind: kind(site.kind)?,
                    address: site.address.unwrap_or(0),
                };
                key = keys[parent as usize].clone();
                match node.recursive {
                    true => key.recursive = Some(site),
                    false => key.path.push(site),
                }
            }
            told.work += ticks.0;
            if ticks != (0, 0) {
                told.nodes.insert(key.clone(), ticks);
            }
            keys.push(key);
        }
        Ok(told)
    }

    /// A line for each figure that differs from what is `expected`.
    pub(super) fn differences(&self, expected: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for (what, told, expected) in [
            ("work", self.work, expected.work),
            ("span", self.span, expected.span),
            ("burdened span", self.burdened_span, expected.burdened_span),
        ] {
            if told != expected {
                lines.push(format!("{what}: {told} told, {expected} expected"));
            }
        }
        for key in self.nodes.keys().chain(expected.nodes.keys()) {
            let (told, expected) = (self.nodes.get(key), expected.nodes.get(key));
            if told != expected {
                lines.push(format!("{key:x?}: {told:?} told, {expected:?} expected"));
            }
        }
        lines.dedup();
        lines
    }
}

fn kind(kind: RawKind) -> Result<Kind, String> {
    match kind {
        RawKind::Parallel => Ok(Kind::Parallel),
        RawKind::Task => Ok(Kind::Task),
        RawKind::Taskgroup => Ok(Kind::Taskgroup),
        RawKind::Loop => Ok(Kind::Loop),
        RawKind::Sections => Ok(Kind::Sections),
        other => Err(format!("a construct of kind {other:?}")),
    }
}
