//! Regions in a profiled program, which has the engine linked into it, unless it does not use
//! rayon. So the engine's symbols are looked up weakly, which stable Rust can only do in assembly.

use std::fmt::Display;
use std::panic::Location;

use super::name::Name;

type Begin = unsafe extern "C" fn(
    name: *const u8,
    name_length: usize,
    file: *const u8,
    file_length: usize,
    line: u32,
    column: u32,
) -> u64;
type End = unsafe extern "C" fn(token: u64);

/// An instance of a region: the engine's token for it, 0 if there is no engine or it is off.
#[derive(Debug)]
pub(crate) struct Instance(u64);

/// The function of a weak symbol; `None` if nothing defines it, or on a target that is not known
/// here.
///
/// The symbol is used by a second name, which `.weakref` makes. Such a use requires no definition,
/// and unlike `.weak` it does not change one in the same object file, where link-time optimisation
/// may put it. The directive is in the same string as the use, because a function may be inlined
/// into another object file.
macro_rules! weak_function {
    ($symbol:literal as $function:ty) => {{
        let address: *const ();
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        // SAFETY: reads the symbol's entry in the global offset table, which the linker makes and
        // the loader fills in, and only writes `address`.
        unsafe {
            std::arch::asm!(
                concat!(".weakref ", $symbol, ".weak, ", $symbol),
                concat!("mov {address}, qword ptr [rip + ", $symbol, ".weak@GOTPCREL]"),
                address = out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                concat!(".weakref ", $symbol, ".weak, ", $symbol),
                concat!("adrp {address}, :got:", $symbol, ".weak"),
                concat!("ldr {address}, [{address}, :got_lo12:", $symbol, ".weak]"),
                address = out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        #[cfg(not(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        {
            address = std::ptr::null();
        }
        // SAFETY: null is `None`, and anything else is a function of this type: no version of the
        // engine defines the symbol with another type.
        unsafe { std::mem::transmute::<*const (), Option<$function>>(address) }
    }};
}

#[track_caller]
pub(crate) fn begin(name: &dyn Display) -> Instance {
    let Some(begin) = weak_function!("workspan_region_begin" as Begin) else {
        return Instance(0);
    };
    let name = Name::of(name);
    let (name, place) = (name.as_str(), Location::caller());
    let file = place.file();
    // SAFETY: both strings live until it returns.
    let token = unsafe {
        begin(
            name.as_ptr(),
            name.len(),
            file.as_ptr(),
            file.len(),
            place.line(),
            place.column(),
        )
    };
    Instance(token)
}

impl Instance {
    pub(crate) fn end(&mut self) {
        if self.0 == 0 {
            return;
        }
        if let Some(end) = weak_function!("workspan_region_end" as End) {
            // SAFETY: the token came from the engine, and it goes back only once, since a region is
            // dropped only once.
            unsafe { end(self.0) }
        }
    }
}
