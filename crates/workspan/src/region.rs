//! Regions of code that the user named.

use std::fmt::Display;
use std::marker::PhantomData;

use crate::engine;

/// A region that is open until this is dropped, also by an unwinding panic.
///
/// It stays on its thread: it cannot be sent, so a future that keeps one across an `await` is not
/// `Send`.
#[derive(Debug)]
#[must_use = "the region ends where this is dropped: `let _region = …;`, not `let _ = …;`"]
pub struct Region {
    instance: engine::Instance,
    on_its_thread: PhantomData<*const ()>,
}

/// Opens a region.
///
/// Anything that can be displayed serves as the name; its first 256 bytes count. In a normal build
/// a name from `format_args!` costs nothing.
///
/// ```
/// for level in 0..3 {
///     let _region = workspan::region(format_args!("level {level}"));
/// }
/// ```
///
/// Regions may also overlap; the overlap counts for both:
///
/// ```
/// let reading = workspan::region("reading");
/// let parsing = workspan::region("parsing");
/// drop(reading);
/// drop(parsing);
/// ```
#[inline(always)]
#[track_caller]
pub fn region(name: impl Display) -> Region {
    Region {
        instance: engine::begin(&name),
        on_its_thread: PhantomData,
    }
}

/// Runs `body` in a [`region`].
///
/// ```
/// let sum: u32 = workspan::in_region("sum", || (1..=10).sum());
/// assert_eq!(sum, 55);
/// ```
#[inline(always)]
#[track_caller]
pub fn in_region<R>(name: impl Display, body: impl FnOnce() -> R) -> R {
    let _region = region(name);
    body()
}

impl Drop for Region {
    #[inline(always)]
    fn drop(&mut self) {
        self.instance.end();
    }
}
