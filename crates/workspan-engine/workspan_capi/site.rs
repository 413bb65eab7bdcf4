//! Places in the program, as C tells them.

use std::borrow::Cow;
use std::ffi::{c_char, c_int, CStr};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use workspan_rt::events::{At, Construct, Task};
use workspan_rt::{Kind, Runtime};

/// `workspan_site` of workspan.h: static, so that its address tells it from others.
#[repr(C)]
pub struct Site {
    file: *const c_char,
    line: u32,
    column: u32,
    name: *const c_char,
    kind: c_int,
}

/// The text at `start`; none of null. What is not UTF-8 in it is replaced.
///
/// # Safety
/// `start` is null, or a C string that stays and is not written as long as the result is used.
pub(crate) unsafe fn text(start: *const c_char) -> Option<Cow<'static, str>> {
    if start.is_null() {
        return None;
    }
    // SAFETY: `start` is not null, so it is a C string that stays as long as the result is used
    // (`# Safety`).
    let text: &'static CStr = unsafe { CStr::from_ptr(start) };
    Some(text.to_string_lossy())
}

impl Site {
    /// Calls `f` with the construct at `site`, which is of `kind` unless the site says another; with the one at the return
    /// address `code` if no place is told.
    ///
    /// # Safety
    /// `site` is null, or lives as long as the program, and so do its texts, each of which is null
    /// or a C string; nobody writes any of these.
    pub(crate) unsafe fn construct<R>(
        site: *const Self,
        kind: Kind,
        f: impl FnOnce(&Construct) -> R,
    ) -> R {
        // SAFETY: `site` is null, or lives as long as the program, and nobody writes it
        // (`# Safety`).
        let Some(known) = (unsafe { site.as_ref() }) else {
            return f(&Construct {
                kind,
                at: At::Source {
                    key: 0,
                    file: "",
                    line: 0,
                    column: 0,
                    name: None,
                },
            });
        };
        let kind = match known.kind {
            1 => Kind::Task,
            2 => Kind::Loop,
            3 => Kind::Taskgroup,
            _ => kind,
        };
        // SAFETY: both are null or C strings, and live as long as the site, which is as long as the
        // program (`# Safety`).
        let (file, name) = unsafe { (text(known.file), text(known.name)) };
        f(&Construct {
            kind,
            at: At::Source {
                key: site as usize,
                file: file.as_deref().unwrap_or(""),
                line: known.line,
                column: known.column,
                name: name.as_deref(),
            },
        })
    }
}

/// How messages name where something was spawned.
pub(crate) struct Shown(pub(crate) *const Site);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // SAFETY: it is null, or a site that C has told of, which lives as long as the program, and
        // which nobody writes (`Site::construct`).
        match unsafe { self.0.as_ref() } {
            Some(site) => {
                // SAFETY: it is null or a C string, and lives as long as the site, which is as long
                // as the program (`Site::construct`).
                let file = unsafe { text(site.file) };
                let file = file.as_deref().unwrap_or("?");
                write!(f, "{file}:{}", site.line)
            }
            None => f.write_str("a place that is not known"),
        }
    }
}

/// The task that the calling thread runs, of a program that tells of its tasks itself.
pub(crate) fn running() -> Option<Task> {
    static IS_NOTED: AtomicBool = AtomicBool::new(false);
    let running = Task::running();
    if running.is_some() && !IS_NOTED.load(Ordering::Relaxed) {
        IS_NOTED.store(true, Ordering::Relaxed);
        workspan_rt::note_runtime(Runtime::C, "");
    }
    running
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_text_that_is_not_utf_8_is_shown_as_far_as_it_is() {
        // SAFETY: null, or C strings that live as long as the program.
        unsafe {
            assert_eq!(text(std::ptr::null()), None);
            assert_eq!(
                text(c"caf\xe9 au lait".as_ptr()).unwrap(),
                "caf\u{fffd} au lait"
            );
            assert_eq!(text(c"plain".as_ptr()).unwrap(), "plain");
        }
    }
}
