//! Which OpenMP runtime it is, as a person knows it.

use std::ffi::{c_char, CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use workspan_rt::Runtime;

use crate::threads;

/// What the runtime says of itself; null when it says nothing.
static TOLD: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());

/// Keeps what the runtime says of itself.
///
/// # Safety
///
/// `text` must be null, or end in a zero and stay as long as the runtime is loaded.
pub(super) unsafe fn keep(text: *const c_char) {
    // Relaxed: the same thread reads it before the runtime has others.
    TOLD.store(text.cast_mut(), Ordering::Relaxed);
}

/// Tells the engine of the runtime that has the function at `address`.
pub(super) fn note(address: usize) {
    let told = TOLD.load(Ordering::Relaxed);
    let told = match told.is_null() {
        true => String::new(),
        // SAFETY: it is not null, so `keep` was given a C string that stays as long as the runtime
        // is loaded, which it still is.
        false => unsafe { CStr::from_ptr(told) }
            .to_string_lossy()
            .into_owned(),
    };
    let file = threads::file_of(address).unwrap_or_default();
    // The name that was loaded may be a link to the one that tells the version.
    let file = Path::new(OsStr::from_bytes(file));
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    workspan_rt::note_runtime(Runtime::OpenMp, &version(&told, &file.to_string_lossy()));
}

/// Whether it is LLVM's runtime, or one made of it.
pub(super) fn is_of_llvm() -> bool {
    let told = TOLD.load(Ordering::Relaxed);
    // SAFETY: `keep` was given null, or a C string that stays as long as the runtime is loaded.
    told.is_null()
        || !unsafe { CStr::from_ptr(told) }
            .to_bytes()
            .starts_with(b"GCC ")
}

/// LLVM's runtime has called itself `LLVM OMP version: 5.0.20140926` for ever: the folder that it is installed in tells
/// more (`/usr/lib/llvm-16/lib/libomp.so.5`).
fn version(told: &str, file: &str) -> String {
    let (maker, number) = told.split_once(" OMP version: ").unwrap_or((told, ""));
    if maker != "LLVM" {
        return format!("{maker} {number}").trim().to_owned();
    }
    let number = file
        .split('/')
        .find_map(|folder| folder.strip_prefix("llvm-"));
    match number {
        Some(number) => format!("LLVM {number}"),
        None => maker.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_folder_tells_the_version_of_llvm() {
        let told = "LLVM OMP version: 5.0.20140926";
        let file = "/usr/lib/llvm-16/lib/libomp.so.5";
        assert_eq!(version(told, file), "LLVM 16");
        assert_eq!(version(told, "/opt/lib/libomp.so"), "LLVM");
        let other = "Intel(R) OMP version: 5.0.20230101";
        assert_eq!(version(other, file), "Intel(R) 5.0.20230101");
        assert_eq!(version("", file), "");
    }
}
