//! The C library's own functions, behind the engine's of the same names, which the program calls
//! instead.

use std::ffi::{c_char, c_void, CStr};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The C library's own function behind the engine's of that name, looked up once.
pub(crate) struct CFunction {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl CFunction {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    pub(crate) fn find(&self) -> Option<NonNull<c_void>> {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: the name is a C string, and RTLD_NEXT asks for the definition after this one.
            address = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Ordering::Relaxed);
        }
        NonNull::new(address)
    }

    pub(crate) fn address(&self) -> *mut c_void {
        let Some(address) = self.find() else {
            // Called from C, where a panic would end the program as well, but could not say why.
            crate::system::message::say(format_args!("the C library has no {:?}", self.name));
            std::process::abort();
        };
        address.as_ptr()
    }
}
