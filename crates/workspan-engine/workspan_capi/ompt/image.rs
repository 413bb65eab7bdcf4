//! Where the runtime's own code lies in memory.
//!
//! libomp tells of the tasks of a `taskloop`, and of a `taskwait` with dependences, with an address inside itself.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Whether an address lies in the runtime's code.
pub(super) fn is_of_runtime(code: usize) -> bool {
    // Relaxed: written before the runtime has other threads.
    (START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&code)
}

/// Keeps where the segment lies that a function of the runtime is in.
pub(super) fn keep_of_runtime(function: usize) {
    let mut found = Segment {
        function,
        start: 0,
        end: 0,
    };
    // SAFETY: `find` is called with objects and with `found`, which outlives the call, and to which
    // nothing else refers meanwhile.
    unsafe { dl_iterate_phdr(find, (&mut found as *mut Segment).cast()) };
    START.store(found.start, Ordering::Relaxed);
    END.store(found.end, Ordering::Relaxed);
}

struct Segment {
    function: usize,
    start: usize,
    end: usize,
}

/// Looks for the segment in one object: 1 if it is found.
///
/// # Safety
/// For dl_iterate_phdr(3): `object` is valid during the call, and `found` is the pointer to a
/// [`Segment`] that it was given, to which nothing else refers meanwhile.
unsafe extern "C" fn find(object: *const Object, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes an object that is valid during the call, and the pointer to a
    // `Segment` that `keep_of_runtime` gave it (`# Safety`).
    let (object, found) = unsafe { (&*object, &mut *found.cast::<Segment>()) };
    for index in 0..usize::from(object.headers_count) {
        // SAFETY: the object has so many headers, and `index` is less.
        let header = unsafe { &*object.headers.add(index) };
        let start = object.address.wrapping_add(header.address);
        let end = start.wrapping_add(header.size);
        if header.kind == LOADED && (start..end).contains(&found.function) {
            found.start = start;
            found.end = end;
            return 1;
        }
    }
    0
}

extern "C" {
    fn dl_iterate_phdr(
        callback: unsafe extern "C" fn(*const Object, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// `dl_phdr_info`, its first fields.
#[repr(C)]
struct Object {
    address: usize,
    name: *const c_char,
    headers: *const Header,
    headers_count: u16,
}

/// `PT_LOAD`.
const LOADED: u32 = 1;

/// `Elf64_Phdr`.
#[repr(C)]
struct Header {
    kind: u32,
    flags: u32,
    offset: usize,
    address: usize,
    physical_address: usize,
    file_size: usize,
    size: usize,
    alignment: usize,
}
