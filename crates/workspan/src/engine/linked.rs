//! With the engine that is linked into a profiled program, if one is: a program without rayon has none. So its symbols
//! are looked up weakly, for which stable Rust has assembly only.

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

/// The function of a symbol, weakly; `None` if nothing defines it or the target is not known here.
///
/// It is used by a second name, which `.weakref` makes: a use that way asks for no definition, and unlike `.weak` does
/// not change one that stands in the same object file, where link-time optimisation may put it. The directive is in one
/// string with the use, because a function may be inlined into another object file.
macro_rules! weak_function {
    ($symbol:literal as $function:ty) => {{
        let address: *const ();
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        // SAFETY: reads the symbol's entry of the global offset table, which the linker makes and the loader fills
        // in, and writes nothing but `address`.
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
        // SAFETY: null is `None`, and anything else is a function of this type: no version of the engine defines the
        // symbol with another one.
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
            // SAFETY: the token came from the engine, and this is the one time that it goes back: a region is dropped
            // once.
            unsafe { end(self.0) }
        }
    }
}
