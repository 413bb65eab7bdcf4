//! What users of Cilkscale call to measure a part of their program: `wsp_t` and its functions.

use std::ffi::{c_char, c_long, c_void, CStr};

use super::csv;

/// Work and span of a part of the program, in nanoseconds: `wsp_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measurement {
    pub(super) work: i64,
    pub(super) span: i64,
    pub(super) burdened_span: i64,
}

impl Measurement {
    /// Work and span up to here; zero while no profile is taken.
    pub(super) fn now() -> Self {
        let totals = workspan_rt::totals().unwrap_or_default();
        Self {
            work: totals.work,
            span: totals.span,
            burdened_span: totals.burdened_span,
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            work: self.work + other.work,
            span: self.span + other.span,
            burdened_span: self.burdened_span + other.burdened_span,
        }
    }

    const fn minus(self, other: Self) -> Self {
        Self {
            work: self.work - other.work,
            span: self.span - other.span,
            burdened_span: self.burdened_span - other.burdened_span,
        }
    }
}

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
        // SAFETY: the caller's promise.
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
/// Both are references to values.
#[no_mangle]
pub unsafe extern "C" fn _ZpLR5wsp_tRKS_(
    sum: *mut Measurement,
    other: *const Measurement,
) -> *mut Measurement {
    // SAFETY: the caller's promise.
    unsafe { *sum = (*sum).plus(*other) };
    sum
}

/// C++: `wsp_t &operator-=(wsp_t &, const wsp_t &)`.
///
/// # Safety
///
/// As of the sum.
#[no_mangle]
pub unsafe extern "C" fn _ZmIR5wsp_tRKS_(
    difference: *mut Measurement,
    other: *const Measurement,
) -> *mut Measurement {
    // SAFETY: the caller's promise.
    unsafe { *difference = (*difference).minus(*other) };
    difference
}

/// C++: `std::ostream &operator<<(std::ostream &, const wsp_t &)`.
///
/// # Safety
///
/// Both are references to values.
#[no_mangle]
pub unsafe extern "C" fn _ZlsRSoRK5wsp_t(
    stream: *mut c_void,
    measured: *const Measurement,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    let text = csv::figures(unsafe { *measured });
    // SAFETY: the name ends with a zero. The function has been there since the program, which has a stream, was linked.
    let write = unsafe { dlsym(std::ptr::null_mut(), c"_ZNSo5writeEPKcl".as_ptr()) };
    if !write.is_null() {
        // SAFETY: this is `std::ostream::write(const char *, long)`, whose parameters are these.
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
/// Both are references to values.
#[no_mangle]
pub unsafe extern "C" fn _ZlsRSt14basic_ofstreamIcSt11char_traitsIcEERK5wsp_t(
    stream: *mut c_void,
    measured: *const Measurement,
) -> *mut c_void {
    // SAFETY: the caller's promise; a file's stream begins with the stream that it is.
    unsafe { _ZlsRSoRK5wsp_t(stream, measured) }
}

extern "C" {
    /// With null for `library`: in all that the program has loaded.
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}
