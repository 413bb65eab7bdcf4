//! Makes functions report their calls.

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
use super::measured::{are_measured, measured, FUNCTIONS, HAVE_HOOKS};
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
use super::{hooks, list, patch, trampolines};
use crate::system::message;
use std::ffi::OsStr;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
use std::sync::atomic::Ordering;

/// Makes the functions that `file` lists report their calls. If that fails, says why on standard
/// error.
///
/// # Safety
/// No other thread runs.
pub(crate) unsafe fn start(file: &OsStr) {
    // SAFETY: no other thread runs (`# Safety`).
    if let Err(problem) = unsafe { patch_listed(file) } {
        message::say(format_args!("{problem}"));
    }
}

/// Like [`start`], but returns what there is to say; of several modules that fail, of the last.
///
/// # Safety
/// No other thread runs.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
unsafe fn patch_listed(file: &OsStr) -> Result<(), String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("functions are not measured: {shown}: {error}"))?;
    let listed = list::parse(&text)
        .ok_or_else(|| format!("functions are not measured: {shown} is not understood"))?;
    HAVE_HOOKS.store(listed.has_hooks, Ordering::Relaxed);
    trampolines::prepare();
    let mut functions = Vec::new();
    let mut problem = None;
    for module in &listed.modules {
        // SAFETY: no other thread runs (`# Safety`), and `prepare` has made the trampolines ready
        // to be called.
        let base = unsafe { patch::patch(module) }.unwrap_or_else(|why| {
            let path = module.path.as_deref().unwrap_or("the program");
            problem = Some(format!("functions of {path} are not measured: {why}"));
            // They keep their places in the list, for the numbers of the modules that follow.
            0
        });
        functions.extend(module.functions.iter().map(|address| base + address));
    }
    let _ = FUNCTIONS.set(functions);
    problem.map_or(Ok(()), Err)
}

/// Like [`start`], but returns what there is to say.
///
/// # Safety
/// None of its own.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
unsafe fn patch_listed(_: &OsStr) -> Result<(), String> {
    Err("functions are not measured: that is possible on x86-64 Linux alone".into())
}

/// Two functions that do nothing, the second of which reports its calls; `None` where no function
/// can.
pub(crate) fn nothing() -> Option<[unsafe extern "C" fn(); 2]> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    return match are_measured() {
        true if measured() > 0 => Some(trampolines::nothing()),
        true => Some(hooks::nothing()),
        false => None,
    };
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    None
}
