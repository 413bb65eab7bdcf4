//! Names for the addresses in a raw profile: which of the user's lines a site stands for.

mod calls;
mod frame;
mod function;
mod modules;
mod places;

use workspan_format::raw::{RawProfile, RawSite};
use workspan_model::{Location, Site};

use frame::Frame;
use function::Function;
use modules::Modules;
pub(crate) use places::Places;

/// Names every site of `raw`, in order.
pub(crate) fn name_sites(raw: &RawProfile, places: &Places) -> Vec<Site> {
    let modules = Modules::new(&raw.modules);
    raw.sites
        .iter()
        .map(|site| {
            let stack = modules.stack(&site.addresses);
            let mut named = if site.internal {
                internal_site(site, &stack)
            } else {
                direct_site(site, &stack)
            };
            if let Some(location) = &mut named.location {
                location.file = places.shorten(&location.file);
            }
            named
        })
        .collect()
}

/// A construct that the program calls itself: the place is known, the function around it is looked for.
fn direct_site(raw: &RawSite, stack: &[Frame]) -> Site {
    let site = raw.to_site();
    let function = site
        .location
        .as_ref()
        .and_then(|location| stack.iter().find(|frame| frame.is_at(location)))
        .or_else(|| stack.iter().find(|frame| frame.is_user_code()))
        .and_then(|frame| frame.function.as_ref())
        .map(Function::readable);
    Site { function, ..site }
}

/// A construct inside rayon or the standard library: the place is the user's call that led there.
fn internal_site(raw: &RawSite, stack: &[Frame]) -> Site {
    let nearest = stack.iter().position(Frame::is_user_code);
    let kind =
        calls::kind(&stack[..nearest.unwrap_or(stack.len())]).unwrap_or_else(|| raw.to_site().kind);
    // A library that implements rayon's traits is a better place than none.
    let caller = calls::caller(stack).or(nearest);
    let inside = &stack[..caller.unwrap_or(stack.len())];
    let frame = caller.map(|index| &stack[index]);
    Site {
        kind,
        location: frame.and_then(|frame| frame.location.clone()),
        function: frame
            .and_then(|frame| frame.function.as_ref())
            .map(Function::readable)
            .or_else(|| calls::user_function_in_type(raw.type_name.as_deref()?)),
        detail: calls::entry(inside),
        note: None,
    }
}

impl Frame {
    /// Whether the frame is at `location`; columns are compared where both are known.
    fn is_at(&self, location: &Location) -> bool {
        self.location.as_ref().is_some_and(|own| {
            own.line == location.line
                && places::same_file(&own.file, &location.file)
                && (own.column == 0 || location.column == 0 || own.column == location.column)
        })
    }
}
