//! The call tree as text, as in the profile and in the record of the task dag. `docs/format.md`
//! describes it.

use crate::{stack, tree};
use std::fmt::Write as _;

pub(crate) fn write_node(text: &mut String, id: usize, node: &tree::Node) {
    let parent = if id == tree::ROOT as usize {
        "-".into()
    } else {
        node.parent.to_string()
    };
    let _ = writeln!(
        text,
        "node {id} {parent} {} {}",
        node.site,
        u8::from(node.recursive)
    );
}

pub(crate) fn write_site(text: &mut String, id: usize, site: &tree::Site) {
    let internal = u8::from(site.internal);
    let kind = site.kind.name();
    let _ = match &site.place {
        Some(at) => writeln!(
            text,
            "site {id} {kind} {internal} {} {} {}",
            at.line,
            at.column,
            one_line(&at.file)
        ),
        None => writeln!(text, "site {id} {kind} {internal} 0 0 -"),
    };
    if let Some(closure) = site.closure {
        let _ = writeln!(text, "sitetype {id} {}", one_line(closure()));
    }
    if let Some(name) = &site.name {
        let _ = writeln!(text, "sitename {id} {}", one_line(name));
    }
    if let Some(tree::FunctionCall { from, to, code }) = site.call {
        let _ = writeln!(text, "sitecall {id} {from:x} {to:x} {code:x}");
    }
    if let Some(address) = site.address {
        let _ = writeln!(text, "siteaddr {id} {address:x}");
    }
    if !site.stack.is_empty() {
        let _ = writeln!(text, "sitestack {id} {}", stack::text(&site.stack));
    }
}

pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
