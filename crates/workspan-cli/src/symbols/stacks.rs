//! Names the frames of sampled stacks.

use std::collections::HashMap;
use std::rc::Rc;

use workspan_engine::atomic::Instruction;
use workspan_format::raw::{RawProfile, RawStack, RawWait, StackCopy};
use workspan_model::{
    FrameId, LineUse, Location, Nanos, NodeId, OutsideStack, Queue, SampledStack, Samples,
    StackFrame, WaitPlace, Waits,
};

use super::frame::Frame;
use super::function::Function;
use super::modules::{Modules, before_return};
use super::origin::Origin;
use super::places::Places;
use super::site_stack::SiteStack;
use super::unwinding::Unwinding;

/// The samples of `raw` with names for their addresses; `None` if sampling was off and there is no
/// note about it.
///
/// Leaves out samples of the engine's own code, just as strands leave out its cost.
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
        let addresses = instructions(&stack.copy, unwinding);
        if !names.is_engine_code(&addresses) {
            stacks.add(stack, names.sampled(&addresses));
        }
    }
    let around_sites = match stacks.stacks.is_empty() {
        true => Vec::new(),
        false => sites
            .iter()
            .map(|site| names.returns(&site.addresses))
            .collect(),
    };
    let mut outside: HashMap<Vec<FrameId>, f64> = HashMap::new();
    for (periods, copy) in &raw.outside {
        let addresses = instructions(copy, unwinding);
        if !names.is_engine_code(&addresses) {
            *outside.entry(names.stack(&addresses)).or_default() += periods;
        }
    }
    let outside = outside
        .into_iter()
        .map(|(frames, periods)| OutsideStack { frames, periods });
    let mut outside: Vec<OutsideStack> = outside.collect();
    outside.sort_by(|one, other| one.frames.cmp(&other.frames));
    Some(Samples {
        rate: raw.sampling.unwrap_or(0),
        note: note(raw),
        taken: taken(raw),
        frames: names.frames,
        stacks: stacks.stacks,
        around_sites,
        outside,
    })
}

/// The addresses of a stack, innermost first: that of an instruction of each call.
fn instructions(copy: &StackCopy, unwinding: &Unwinding<'_>) -> Vec<u64> {
    let mut addresses = unwinding.addresses(copy);
    for address in &mut addresses[1..] {
        *address = before_return(*address);
    }
    addresses
}

/// The waits of `raw` with names for their addresses.
pub(super) fn name_waits(
    raw: &RawProfile,
    unwinding: &Unwinding<'_>,
    modules: &Modules<'_>,
    places: &Places,
) -> Waits {
    let mut names = Names::new(modules, places);
    let mut named = |waits: &[RawWait]| -> Vec<WaitPlace> {
        let waits = waits.iter().map(|wait| WaitPlace {
            node: NodeId(wait.node),
            frames: names.outside_engine(&instructions(&wait.copy, unwinding)),
            count: wait.count,
            waited: Nanos::from_nanos(wait.nanos),
            open: wait.open.0,
            open_waited: Nanos::from_nanos(wait.open.1),
        });
        waits.collect()
    };
    let queues = raw.queues.iter().map(|queue| Queue {
        is_sleep: queue.is_sleep,
        awaited: queue.cause,
        any: Nanos::from_nanos(queue.any_nanos),
        unwoken: Nanos::from_nanos(queue.unwoken_nanos),
        waits: named(&queue.waits),
        wakes: named(&queue.wakes),
    });
    let queues = queues.collect();
    let restrictions = named(&raw.restrictions);
    Waits {
        frames: names.frames,
        queues,
        restrictions,
    }
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

/// How many samples the engine kept. When it ran out of room, it merged pairs of samples.
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
    resolved: HashMap<u64, Rc<Resolved>>,
    files: HashMap<String, String>,
}

/// The code at an address.
struct Resolved {
    frames: Vec<FrameId>,
    /// Whether the innermost frame outside the standard library and the system's is the engine's;
    /// `None` if there is no such frame.
    is_engine: Option<bool>,
}

impl<'a, 'm> Names<'a, 'm> {
    fn new(modules: &'a Modules<'m>, places: &'a Places) -> Self {
        Self {
            modules,
            places,
            frames: Vec::new(),
            ids: HashMap::new(),
            resolved: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// The frames of a stack, innermost first, from an address inside each call.
    fn stack(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let mut frames = Vec::with_capacity(addresses.len());
        for address in addresses {
            frames.extend_from_slice(&self.resolve(*address).frames);
        }
        frames
    }

    /// The frames of a stack at whose first address the thread was interrupted.
    fn sampled(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let interrupted = addresses
            .first()
            .and_then(|&address| self.modules.interrupted_at(address));
        let Some((found, instruction)) = interrupted else {
            return self.stack(addresses);
        };
        let mut frames = self.stack(&[instruction]);
        if let Some(innermost) = frames.first_mut() {
            *innermost = self.intern(StackFrame {
                at_atomic: found == Instruction::Atomic,
                spins: found == Instruction::Pause,
                ..self.frames[innermost.index()].clone()
            });
        }
        frames.extend(self.stack(&addresses[1..]));
        frames
    }

    /// The frames of a stack of return addresses.
    fn returns(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let addresses: Vec<u64> = addresses.iter().copied().map(before_return).collect();
        self.stack(&addresses)
    }

    /// The frames of a stack outside of the engine's innermost calls.
    fn outside_engine(&mut self, addresses: &[u64]) -> Vec<FrameId> {
        let outside = |address: &u64| self.resolve(*address).is_engine != Some(true);
        let first = addresses.iter().position(outside);
        self.stack(&addresses[first.unwrap_or(addresses.len())..])
    }

    /// Whether the engine was running, or the standard library or the C library on its behalf.
    fn is_engine_code(&mut self, addresses: &[u64]) -> bool {
        let mut addresses = addresses.iter();
        addresses
            .find_map(|address| self.resolve(*address).is_engine)
            .unwrap_or(false)
    }

    fn resolve(&mut self, address: u64) -> Rc<Resolved> {
        if let Some(known) = self.resolved.get(&address) {
            return known.clone();
        }
        let found = self.modules.frames(address);
        let is_engine = found.iter().find_map(|frame| match frame.origin {
            Origin::ByCrate => {
                let function = frame.function.as_ref()?;
                function.is_outside_std().then(|| function.is_engine())
            }
            Origin::C | Origin::Runtime => Some(false),
            Origin::Engine => Some(true),
            Origin::System => None,
        });
        let frames = match found.is_empty() {
            true => vec![self.intern(StackFrame::default())],
            false => found.into_iter().map(|frame| self.name(frame)).collect(),
        };
        let resolved = Rc::new(Resolved { frames, is_engine });
        self.resolved.insert(address, resolved.clone());
        resolved
    }

    fn name(&mut self, frame: Frame) -> FrameId {
        let user_code = frame.is_user_code();
        let named = StackFrame {
            function: frame.function.as_ref().map(Function::readable),
            location: frame.location.map(|location| self.shorten(location)),
            definition: frame.definition.map(|location| self.shorten(location)),
            inlined: frame.inlined,
            user_code,
            at_atomic: false,
            spins: false,
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

/// Collects stacks, and merges those with the same frames and use of a cache line.
#[derive(Default)]
struct Stacks {
    stacks: Vec<SampledStack>,
    known: HashMap<(u32, LineUse, Vec<FrameId>), usize>,
}

impl Stacks {
    fn add(&mut self, raw: &RawStack, frames: Vec<FrameId>) {
        let next = self.stacks.len();
        let index = *self
            .known
            .entry((raw.node, raw.line, frames))
            .or_insert_with_key(|(.., frames)| {
                self.stacks.push(SampledStack {
                    node: NodeId(raw.node),
                    frames: frames.clone(),
                    on_work: 0.0,
                    on_span: 0.0,
                    elapsed: 0.0,
                    line: raw.line,
                });
                next
            });
        let stack = &mut self.stacks[index];
        stack.on_work += raw.on_work;
        stack.on_span += raw.on_span;
        stack.elapsed += raw.elapsed;
    }
}

#[cfg(test)]
mod tests;
