//! Resolves the addresses in a raw profile to the user's functions and lines.

mod c;
#[cfg(test)]
mod c_tests;
mod called;
mod calls;
mod contents;
mod enclosing;
mod file;
mod frame;
mod function;
mod imports;
mod modules;
mod origin;
mod outlined;
mod parts;
mod places;
#[cfg(test)]
mod raw_records;
mod site_stack;
mod stacks;
mod unwinding;

use workspan_format::raw::{RawProfile, RawSite};
use workspan_model::{Location, RuntimeKind, Samples, Site, SiteKind, SiteRow, Waits};

use contents::Contents;
use frame::Frame;
use function::Function;
use modules::{Modules, before_return};
use origin::Origin;
pub(crate) use places::Places;
use site_stack::SiteStack;
use unwinding::Unwinding;

/// The names of the addresses in a raw profile.
pub(crate) struct Named {
    /// The sites, in order.
    pub(crate) sites: Vec<Site>,
    /// The sampled stacks, if sampling was asked for.
    pub(crate) samples: Option<Samples>,
    /// What strands waited for.
    pub(crate) waits: Waits,
}

/// Names all addresses of `raw`.
pub(crate) fn name(raw: &RawProfile, places: &Places) -> Named {
    let contents = Contents::new(&raw.modules);
    let modules = Modules::new(&raw.modules, &contents, is_c_program(raw));
    let unwinding = Unwinding::new(&raw.modules, &contents);
    let sites: Vec<SiteStack<'_>> = raw
        .sites
        .iter()
        .map(|site| SiteStack::new(site, &unwinding))
        .collect();
    Named {
        sites: name_sites(raw, &sites, &modules, places),
        samples: stacks::name_samples(raw, &sites, &unwinding, &modules, places),
        waits: stacks::name_waits(raw, &unwinding, &modules, places),
    }
}

/// Whether the function of a symbol belongs to the program or a dependency, and not to the standard
/// library, rayon, rayon's dependencies or workspan. A function without a path comes from C.
pub(crate) fn is_of_program(symbol: &str) -> bool {
    Function::from_symbol(symbol).is_of_program()
}

/// Whether the program is one of C or C++: it uses a parallel runtime of these, or workspan's library.
fn is_c_program(raw: &RawProfile) -> bool {
    let is_of_c = |kind: SiteKind| kind.is_parallel() && !kind.is_of_rayon();
    let mut runtimes = raw.runtimes.iter();
    let mut modules = raw.modules.iter();
    runtimes.any(|runtime| runtime.kind != RuntimeKind::Rayon)
        || raw.sites.iter().any(|site| is_of_c(site.kind))
        || modules.any(|module| Origin::of_file(&module.path) == Origin::Engine)
}

/// Names every site of `raw`, in order.
fn name_sites(
    raw: &RawProfile,
    sites: &[SiteStack<'_>],
    modules: &Modules<'_>,
    places: &Places,
) -> Vec<Site> {
    let stacks: Vec<Vec<Frame>> = sites
        .iter()
        .map(|site| modules.stack(&site.addresses))
        .collect();
    let mut sites: Vec<Site> = sites
        .iter()
        .zip(&stacks)
        .map(|(site, stack)| match (site.raw.kind, site.raw.internal) {
            (SiteKind::Function, _) => called::site(site.raw, modules),
            (_, true) => internal_site(site.raw, stack),
            (_, false) if site.raw.location.is_none() && !site.addresses.is_empty() => {
                site_by_address(site, stack, modules)
            }
            (_, false) => direct_site(site.raw, stack),
        })
        .collect();
    enclosing::inherit_places(&mut sites, &raw.sites, &raw.nodes);
    for ((site, raw), stack) in sites.iter_mut().zip(&raw.sites).zip(&stacks) {
        if raw.internal && site.location.is_none() {
            place_without_caller(site, raw, stack);
        }
        for location in [&mut site.location, &mut site.callee].into_iter().flatten() {
            location.file = places.shorten(&location.file);
        }
    }
    sites
}

/// A construct that the program calls itself. Its place is known; finds the function around it.
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

/// What a thread's code asks the runtime for to compute its part of the work: gcc makes such code of a
/// loop with a static schedule, of which the runtime tells nothing then.
const ASKED_TO_DIVIDE: [&str; 2] = [SiteRow::DIVIDES_BY_CODE, "omp_get_num_threads"];

/// A construct known only by the code that started it. If the program has no line information, its
/// name is the function and the offset in it.
fn site_by_address(site: &SiteStack<'_>, stack: &[Frame], modules: &Modules<'_>) -> Site {
    let SiteStack { raw, addresses } = site;
    let caller = stack.iter().find(|frame| frame.is_user_code());
    let location = caller.and_then(|frame| frame.location.clone());
    let construct = || {
        let mut addresses = addresses.iter();
        addresses.find_map(|address| modules.construct(*address))
    };
    // Without line information for the program, there is none for the construct either.
    let location = location.map(|location| construct().unwrap_or(location));
    let offset = || {
        let mut addresses = addresses.iter();
        addresses.find_map(|address| modules.function_and_offset(before_return(*address)))
    };
    let is_divided = raw.kind == SiteKind::Parallel
        && addresses
            .iter()
            .any(|address| modules.part_calls(*address, &ASKED_TO_DIVIDE));
    let site = raw.to_site();
    Site {
        function: caller.and_then(Frame::readable_function),
        detail: match is_divided {
            true => Some(SiteRow::DIVIDES_BY_CODE.to_owned()),
            false => site.detail,
        },
        name: match (&location, raw.kind) {
            (Some(_), _) | (_, SiteKind::Function | SiteKind::Region | SiteKind::Root) => site.name,
            (None, _) => offset(),
        },
        location,
        ..site
    }
}

/// A construct inside rayon or the standard library. Its place is the user's call that led there,
/// if that is on the stack.
fn internal_site(raw: &RawSite, stack: &[Frame]) -> Site {
    let nearest = stack.iter().position(Frame::is_user_code);
    let caller = calls::caller(stack);
    let frame = caller.map(|index| &stack[index]);
    Site {
        kind: calls::kind(&stack[..nearest.unwrap_or(stack.len())]).unwrap_or(raw.kind),
        location: frame.and_then(|frame| frame.location.clone()),
        function: frame.and_then(Frame::readable_function),
        detail: calls::entry(&stack[..caller.or(nearest).unwrap_or(stack.len())]),
        ..raw.to_site()
    }
}

/// Names a construct inside rayon that has no place from its stack or from the constructs around
/// it: after the library that rayon called back, or after the closure that it was made for.
fn place_without_caller(site: &mut Site, raw: &RawSite, stack: &[Frame]) {
    let library = stack.iter().find(|frame| frame.is_user_code());
    site.location = library.and_then(|frame| frame.location.clone());
    site.function = library
        .and_then(Frame::readable_function)
        .or_else(|| calls::closure_in_type(raw.type_name.as_deref()?));
}

impl Frame {
    fn readable_function(&self) -> Option<String> {
        self.function.as_ref().map(Function::readable)
    }

    /// Whether the frame is at `location`. Columns are compared if both are known.
    fn is_at(&self, location: &Location) -> bool {
        self.location.as_ref().is_some_and(|own| {
            own.line == location.line
                && places::same_file(&own.file, &location.file)
                && (own.column == 0 || location.column == 0 || own.column == location.column)
        })
    }
}

/// Looks up addresses in a program's file, for `fuzzing.rs`.
#[cfg(any(fuzzing, test))]
pub(crate) fn look_at(bytes: &[u8]) {
    let bytes = contents::Bytes::new(bytes.to_vec());
    let Some(file) = file::File::new(&bytes) else {
        return;
    };
    for offset in [0, 0x1000, 0x1234, 0x5000] {
        let address = file.address_at(offset).unwrap_or(offset);
        let _ = (
            file.frames(address),
            file.symbol(address),
            file.construct(address | 1),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{is_c_program, raw_records};

    #[test]
    fn a_program_with_threads_alone_is_of_c_by_the_library_that_it_loads() {
        let sites = "site 0 root 0 0 0 -\nsite 1 thread 0 0 0 -\nnode 0 - 0 0\n";
        let with = |path| {
            let modules = format!("module 1000 2000 0 {path}\n");
            is_c_program(&raw_records::profile("", &modules, sites))
        };
        assert!(with("/home/me/.cache/workspan/libworkspan.so"));
        assert!(!with("/lib/x86_64-linux-gnu/libc.so.6"));
    }
}
