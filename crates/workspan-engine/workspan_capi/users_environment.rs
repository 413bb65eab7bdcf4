//! The variables that `workspan run` changed so that this library is loaded, put back for the programs that the program starts.

use std::env;
use std::ffi::c_int;

/// The variables. The value that the user gave one stands in another, of the same name behind [`USERS`]; empty if the user gave
/// none.
const CHANGED: [&str; 2] = ["LD_PRELOAD", "LD_LIBRARY_PATH"];
const USERS: &str = "WORKSPAN_USER_";

/// Puts the user's values back. The dynamic linker has read its variables by now.
extern "C" fn restore(_: c_int, _: *const *const u8, _: *const *const u8) {
    for name in CHANGED {
        let users = format!("{USERS}{name}");
        // Before `main` there is one thread, so nobody reads the environment at this moment.
        match env::var_os(&users) {
            Some(value) if value.is_empty() => env::remove_var(name),
            Some(value) => env::set_var(name, value),
            None => continue,
        }
        env::remove_var(users);
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
#[used]
#[link_section = ".init_array"]
static AT_START: extern "C" fn(c_int, *const *const u8, *const *const u8) = restore;
