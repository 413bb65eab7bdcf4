//! One model for each protocol.

mod fork;
mod frame;
mod longest;
mod segment;
mod stop;
mod wait;

use crate::log::{Log, Others, Part};
use crate::segment::Chain;
use std::collections::BTreeMap;

/// The ticks of everything on the path, by node.
fn whole(chain: &Chain) -> BTreeMap<u32, i64> {
    let mut ticks = BTreeMap::new();
    chain.for_each(|node, part| *ticks.entry(node).or_default() += part.local);
    ticks
}

fn extended(chain: Chain, node: u32) -> Chain {
    let once = Part {
        count: 1,
        local: 1,
        ..Part::default()
    };
    Chain {
        head: Some(chain.extended(node, Log::new(once, Others::default()))),
    }
}

/// Something that a thread of a model takes along: the model, not the type, says which thread may
/// use it.
struct Carried<T>(T);

// SAFETY: threads of a model take turns on one thread of the system.
unsafe impl<T> Send for Carried<T> {}

impl<T> Carried<T> {
    fn get(self) -> T {
        self.0
    }
}
