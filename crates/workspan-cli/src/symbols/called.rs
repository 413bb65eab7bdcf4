//! Names the calls of functions that were measured.

use workspan_format::raw::RawSite;
use workspan_model::Site;

use super::frame::Frame;
use super::modules::Modules;

/// The site of a call: named after the function that is called, placed at the call in the program's
/// code.
///
/// A call from rayon or the standard library, such as that of a closure, has no place in the
/// program's code: then only the function around the call is known. The caller of an inlined
/// function is the function around its own code.
pub(super) fn site(raw: &RawSite, modules: &Modules<'_>) -> Site {
    let Some(call) = raw.call else {
        return raw.to_site();
    };
    let called = definition(modules, call.to);
    let name = called.as_ref().and_then(Frame::readable_function);
    let mut around = modules.stack(&[call.code]);
    let is_inlined = around.len() > 1 && around[0].readable_function() == name;
    if call.code != 0 && is_inlined {
        around.remove(0);
    } else {
        around = modules.stack(&[call.from]);
    }
    let caller = around.iter().find(|frame| frame.is_of_program());
    Site {
        location: caller.and_then(|frame| frame.location.clone()),
        function: caller.or(around.last()).and_then(Frame::readable_function),
        name,
        callee: called.and_then(|frame| frame.location),
        ..raw.to_site()
    }
}

/// The length of the longest prologue: a sled of 11 bytes, and instructions that save registers.
const PROLOGUE: u64 = 32;

/// The function at an address, and where it begins.
fn definition(modules: &Modules<'_>, function: u64) -> Option<Frame> {
    // The first instruction is the function's own, whatever is inlined into it.
    let mut called = modules.frames(function).pop()?;
    if called.location.is_none() {
        // clang gives the sled no line.
        let after = |offset| modules.frames(function + offset).pop()?.location;
        called.location = (1..PROLOGUE).find_map(after);
    }
    Some(called)
}
