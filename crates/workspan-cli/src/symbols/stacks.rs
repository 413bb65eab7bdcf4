//! Names for sampled stacks.

use std::collections::HashMap;
use std::rc::Rc;

use workspan_format::raw::{RawProfile, RawStack};
use workspan_model::{FrameId, Location, NodeId, SampledStack, Samples, StackFrame};

use super::SiteStack;
use super::frame::Frame;
use super::function::Function;
use super::modules::{Modules, before_return};
use super::origin::Origin;
use super::places::Places;
use super::unwinding::Unwinding;

/// The samples of `raw` with names for their addresses. None if sampling was off and nobody says why.
///
/// Samples of the engine's own code are left out, as its cost is left out of the strands.
pub(super) fn name_samples(
    raw: &RawProfile,
    sites: &[SiteStack<'_>],
    unwinding: &Unwinding<'_>,
    modules: &Modules<'_>,
    places: &Places,
) -> Option<Samples> {
    if raw.sampling.is_none() && raw.sampling_note.is_none() {
        return None;
    }
    let mut names = Names::new(modules, places);
    let mut stacks = Stacks::default();
    for stack in &raw.stacks {
        let mut addresses = unwinding.addresses(&stack.copy);
        for address in &mut addresses[1..] {
            *address = before_return(*address);
        }
        if !names.is_of_the_engine(&addresses) {
            stacks.add(stack, names.stack(&addresses));
        }
    }
    let around_sites = match stacks.stacks.is_empty() {
        true => Vec::new(),
        false => sites
            .iter()
            .map(|site| names.returns(&site.addresses))
            .collect(),
    };
    Some(Samples {
        rate: raw.sampling.unwrap_or(0),
        note: note(raw),
        taken: taken(raw),
        frames: names.frames,
        stacks: stacks.stacks,
        around_sites,
    })
}

/// Why there are no samples, or what limits them.
fn note(raw: &RawProfile) -> Option<String> {
    let damaged = match raw.damaged_stacks {
        0 => None,
        1 => Some("1 damaged stack was left out".to_owned()),
        damaged => Some(format!("{damaged} damaged stacks were left out")),
    };
    let notes: Vec<String> = raw.sampling_note.iter().cloned().chain(damaged).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// How many samples the engine kept. When it had no room, it made one of two.
fn taken(raw: &RawProfile) -> Option<u64> {
    let count = |name| {
        let mut counts = raw.engine.iter();
        counts
            .find(|count| count.name == name)
            .map(|count| count.value)
    };
    u64::try_from(count("samples_taken")? - count("samples_merged").unwrap_or(0)).ok()
}

/// Frames by address, each looked up once.
struct Names<'a, 'm> {
    modules: &'a Modules<'m>,
    places: &'a Places,
    frames: Vec<StackFrame>,
    ids: HashMap<StackFrame, FrameId>,
    at: HashMap<u64, Rc<At>>,
    files: HashMap<String, String>,
}

/// What stands at an address.
struct At {
    frames: Vec<FrameId>,
    /// Whether the engine wrote the innermost code that any crate but the standard library wrote.
    of_engine: Option<bool>,
}

impl<'a, 'm> Names<'a, 'm> {
    fn new(modules: &'a Modules<'m>, places: &'a Places) -> Self {
        Self {
            modules,
            places,
            frames: Vec::new(),
            ids: HashMap::new(),
            at: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// The frames of a stack, innermost first, of an address in each of its calls.
    fn stack(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let mut frames = Vec::with_capacity(addresses.len());
        for address in addresses {
            frames.extend_from_slice(&self.at(*address).frames);
        }
        frames
    }

    /// The frames of a stack of return addresses.
    fn returns(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let addresses: Vec<u64> = addresses.iter().copied().map(before_return).collect();
        self.stack(&addresses)
    }

    /// Whether the engine was at work for itself, or had the standard library or the C library work for it.
    fn is_of_the_engine(&mut self, addresses: &[u64]) -> bool {
        let mut addresses = addresses.iter();
        addresses
            .find_map(|address| self.at(*address).of_engine)
            .unwrap_or(false)
    }

    fn at(&mut self, address: u64) -> Rc<At> {
        if let Some(known) = self.at.get(&address) {
            return known.clone();
        }
        let found = self.modules.frames(address);
        let of_engine = found.iter().find_map(|frame| match frame.origin {
            Origin::ByCrate => {
                let function = frame.function.as_ref()?;
                function.is_outside_std().then(|| function.is_of_engine())
            }
            Origin::C | Origin::Runtime => Some(false),
            Origin::Engine => Some(true),
            Origin::System => None,
        });
        let frames = match found.is_empty() {
            true => vec![self.intern(StackFrame::default())],
            false => found.into_iter().map(|frame| self.name(frame)).collect(),
        };
        let at = Rc::new(At { frames, of_engine });
        self.at.insert(address, at.clone());
        at
    }

    fn name(&mut self, frame: Frame) -> FrameId {
        let user_code = frame.is_user_code();
        let named = StackFrame {
            function: frame.function.as_ref().map(Function::readable),
            location: frame.location.map(|location| self.shorten(location)),
            definition: frame.definition.map(|location| self.shorten(location)),
            inlined: frame.inlined,
            user_code,
        };
        self.intern(named)
    }

    fn intern(&mut self, frame: StackFrame) -> FrameId {
        if let Some(id) = self.ids.get(&frame) {
            return *id;
        }
        let id = FrameId(u32::try_from(self.frames.len()).expect("fewer frames than addresses"));
        self.frames.push(frame.clone());
        self.ids.insert(frame, id);
        id
    }

    fn shorten(&mut self, location: Location) -> Location {
        let places = self.places;
        let file = self
            .files
            .entry(location.file)
            .or_insert_with_key(|file| places.shorten(file));
        Location {
            file: file.clone(),
            ..location
        }
    }
}

/// Stacks, those of the same frames as one.
#[derive(Default)]
struct Stacks {
    stacks: Vec<SampledStack>,
    known: HashMap<(u32, Vec<FrameId>), usize>,
}

impl Stacks {
    fn add(&mut self, raw: &RawStack, frames: Vec<FrameId>) {
        let next = self.stacks.len();
        let index = *self
            .known
            .entry((raw.node, frames))
            .or_insert_with_key(|(_, frames)| {
                self.stacks.push(SampledStack {
                    node: NodeId(raw.node),
                    frames: frames.clone(),
                    on_work: 0.0,
                    on_span: 0.0,
                });
                next
            });
        let stack = &mut self.stacks[index];
        stack.on_work += raw.on_work;
        stack.on_span += raw.on_span;
    }
}

#[cfg(test)]
mod tests;
