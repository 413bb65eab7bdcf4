//! libgomp's own functions, and who has called.

use std::ffi::{c_char, c_void, CStr};
use std::sync::atomic::{AtomicPtr, Ordering};

extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The first definition of `name` in the process; null if there is none.
pub(crate) fn first(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a C string; null asks for the first definition (`RTLD_DEFAULT`).
    unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) }
}

/// The definition of `name` behind this library's, which `kept` remembers.
pub(crate) fn behind(name: &CStr, kept: &AtomicPtr<c_void>) -> *mut c_void {
    const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
    let mut address = kept.load(Ordering::Relaxed);
    if address.is_null() {
        // SAFETY: the name is a C string.
        address = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
        if address.is_null() {
            // Called from C, where a panic would end the program as well, but could not say why.
            eprintln!("workspan: this libgomp has no {name:?}, which the program calls");
            std::process::abort();
        }
        kept.store(address, Ordering::Relaxed);
    }
    address
}

/// libgomp's function of that name and type.
macro_rules! next {
    ($name:ident: $type:ty) => {{
        static KEPT: std::sync::atomic::AtomicPtr<std::ffi::c_void> =
            std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());
        const NAME: &str = concat!(stringify!($name), "\0");
        // A constant, since every use of the macro has another type.
        const C_NAME: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!(),
        };
        let address = $crate::next::behind(C_NAME, &KEPT);
        // SAFETY: it is the address of libgomp's function of that name, which has this type.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, $type>(address) }
    }};
}

/// Makes a function keep a frame pointer, whatever options it is compiled with: a variable aligned
/// more strictly than the stack can be found from nothing else.
#[repr(align(64))]
pub(crate) struct Aligned {
    _byte: u8,
}

/// The address in the program to which the function returns that this stands in. No caller of that
/// function may be known to the compiler, which would inline it.
macro_rules! caller {
    () => {{
        let aligned = std::mem::MaybeUninit::<$crate::next::Aligned>::uninit();
        let frame: *const *const std::ffi::c_void;
        // SAFETY: it copies a register. Since the address of `aligned` is asked for, the function
        // keeps a frame pointer.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            std::arch::asm!("mov {}, rbp", out(reg) frame, in("r11") aligned.as_ptr(), options(nostack, preserves_flags));
            #[cfg(target_arch = "aarch64")]
            std::arch::asm!("mov {}, x29", out(reg) frame, in("x9") aligned.as_ptr(), options(nostack, preserves_flags));
        }
        // SAFETY: behind the caller's frame pointer, at the own one, is the return address.
        unsafe { *frame.add(1) }
    }};
}
