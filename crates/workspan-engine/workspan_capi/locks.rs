//! Locks that the program acquires itself.

use crate::site::{running, Site};
use std::ffi::c_void;
use workspan_rt::events::{self, Construct};
use workspan_rt::Kind;

/// The lock at `lock` is made; what was there before was another.
#[no_mangle]
pub extern "C" fn workspan_lock_made(lock: *const c_void) {
    events::renewed(lock as u64);
}

/// The calling thread begins to wait for a lock.
#[no_mangle]
pub extern "C" fn workspan_lock_acquire() {
    if running().is_some() {
        events::acquire();
    }
}

/// The calling thread has acquired `lock`.
///
/// # Safety
/// `site` is null, or a site that lives as long as the program, as [`Site::construct`] has it.
#[no_mangle]
pub unsafe extern "C" fn workspan_lock_acquired(lock: *const c_void, site: *const Site) {
    // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
    unsafe {
        Site::construct(site, Kind::Lock, |construct| {
            let construct = Construct {
                kind: Kind::Lock,
                ..*construct
            };
            events::acquired(lock as u64, &construct);
        });
    }
}

/// The calling thread waits no more, without the lock.
#[no_mangle]
pub extern "C" fn workspan_lock_given_up() {
    events::pause_end();
}

/// The calling thread is about to release `lock`.
#[no_mangle]
pub extern "C" fn workspan_lock_released(lock: *const c_void) {
    events::released(lock as u64);
}
