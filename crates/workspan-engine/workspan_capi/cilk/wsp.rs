//! What users of Cilkscale call to measure a part of their program: the functions of `wsp_t`.

use std::ffi::{c_char, c_long, c_void, CStr};

use super::csv;
use super::measurement::Measurement;

/// Work and span of the calling strand's path up to here.
#[no_mangle]
pub extern "C" fn wsp_getworkspan() -> Measurement {
    Measurement::now()
}

/// The sum.
#[no_mangle]
pub extern "C" fn wsp_add(one: Measurement, other: Measurement) -> Measurement {
    one.plus(other)
}

/// The difference.
#[no_mangle]
pub extern "C" fn wsp_sub(one: Measurement, other: Measurement) -> Measurement {
    one.minus(other)
}

/// Writes a row of the table of measurements.
///
/// # Safety
///
/// `tag` is null or a string that ends with a zero.
#[no_mangle]
pub unsafe extern "C" fn wsp_dump(measured: Measurement, tag: *const c_char) {
    let tag = if tag.is_null() {
        String::new()
    } else {
        // SAFETY: `tag` is not null, so it is a string that ends with a zero (`# Safety`).
        unsafe { CStr::from_ptr(tag) }
            .to_string_lossy()
            .into_owned()
    };
    csv::write_row(&tag, measured);
}

/// C++: `wsp_t &operator+=(wsp_t &, const wsp_t &)`.
///
/// # Safety
///
/// Both are references to values, which nobody else writes meanwhile; nor does anybody else read
/// the sum.
#[no_mangle]
pub unsafe extern "C" fn _ZpLR5wsp_tRKS_(
    sum: *mut Measurement,
    other: *const Measurement,
) -> *mut Measurement {
    // SAFETY: both are references to values, of which nobody else uses the sum meanwhile
    // (`# Safety`); they may be one, since each is copied before the sum is written.
    unsafe { *sum = (*sum).plus(*other) };
    sum
}

/// C++: `wsp_t &operator-=(wsp_t &, const wsp_t &)`.
///
/// # Safety
///
/// Both are references to values, which nobody else writes meanwhile; nor does anybody else read
/// the difference.
#[no_mangle]
pub unsafe extern "C" fn _ZmIR5wsp_tRKS_(
    difference: *mut Measurement,
    other: *const Measurement,
) -> *mut Measurement {
    // SAFETY: both are references to values, of which nobody else uses the difference meanwhile
    // (`# Safety`); they may be one, since each is copied before the difference is written.
    unsafe { *difference = (*difference).minus(*other) };
    difference
}

/// C++: `std::ostream &operator<<(std::ostream &, const wsp_t &)`.
///
/// # Safety
///
/// Both are references, to a stream and to a value, which nobody else writes meanwhile.
#[no_mangle]
pub unsafe extern "C" fn _ZlsRSoRK5wsp_t(
    stream: *mut c_void,
    measured: *const Measurement,
) -> *mut c_void {
    // SAFETY: `measured` is a reference to a value (`# Safety`), which is copied.
    let text = csv::figures(unsafe { *measured });
    // SAFETY: the name ends with a zero, and with a null handle dlsym(3) looks in all that is
    // loaded.
    let write = unsafe { dlsym(std::ptr::null_mut(), c"_ZNSo5writeEPKcl".as_ptr()) };
    if !write.is_null() {
        // SAFETY: the symbol is `std::ostream::write(const char *, long)`, whose parameters these
        // are. `stream` is a reference to a stream (`# Safety`), and `text` has so many bytes.
        unsafe {
            let write: unsafe extern "C" fn(*mut c_void, *const c_char, c_long) -> *mut c_void =
                std::mem::transmute(write);
            write(stream, text.as_ptr().cast(), text.len() as c_long);
        }
    }
    stream
}

/// C++: `std::ofstream &operator<<(std::ofstream &, const wsp_t &)`.
///
/// # Safety
///
/// Both are references, to a file's stream and to a value, which nobody else writes meanwhile.
#[no_mangle]
pub unsafe extern "C" fn _ZlsRSt14basic_ofstreamIcSt11char_traitsIcEERK5wsp_t(
    stream: *mut c_void,
    measured: *const Measurement,
) -> *mut c_void {
    // SAFETY: both are references (`# Safety`), and a file's stream begins with the stream that it
    // is.
    unsafe { _ZlsRSoRK5wsp_t(stream, measured) }
}

extern "C" {
    /// With null for `library`: in all that the program has loaded.
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}
