//! Critical sections, ordered parts, locks.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::abi::{endpoint, mutex};
use crate::{place, tool};

/// `ompt_mutex_lock` and `ompt_mutex_nest_lock`.
const LOCK: c_int = 1;
const NEST_LOCK: c_int = 3;

/// The calling thread waits by `next` for a lock, and has it then.
fn acquire(kind: c_int, lock: *const c_void, code: *const c_void, next: impl FnOnce()) {
    if !tool::is_on() {
        return next();
    }
    // The tool hears of locks of tasks that it knows.
    place::current();
    let number = lock as u64;
    tell! { MUTEX_ACQUIRE: MutexAcquire(kind, 0, 0, number, code) }
    next();
    tell! { MUTEX_ACQUIRED: Mutex(kind, number, code) }
}

/// It gives the lock back by `next`.
fn release(kind: c_int, lock: *const c_void, code: *const c_void, next: impl FnOnce()) {
    // Before it is given back, since another thread may have it then.
    if tool::is_on() {
        tell! { MUTEX_RELEASED: Mutex(kind, lock as u64, code) }
    }
    next();
}

/// The region in which the calling thread executes an ordered loop.
fn ordered() -> *const c_void {
    match tool::is_on() {
        true => place::region_of(place::current()).cast(),
        false => ptr::null(),
    }
}

/// Stand for the lock of all critical sections without a name, and for that of atomic constructs.
static UNNAMED: u8 = 0;
static ATOMIC: u8 = 0;

/// Functions that acquire or release a lock, or both.
macro_rules! locks {
    ($($name:ident($($argument:ident: $type:ty)?), $how:ident, $kind:expr, $lock:expr;)*) => {$(
        /// # Safety
        /// For code that gcc compiles, or for the program, as the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($argument: $type)?) {
            let next = next!($name: unsafe extern "C" fn($($type)?));
            // SAFETY: what the program passes goes on.
            $how($kind, $lock, caller!(), || unsafe { next($($argument)?) })
        }
    )*};
}

locks! {
    GOMP_critical_start(), acquire, mutex::CRITICAL, ptr::addr_of!(UNNAMED).cast();
    GOMP_critical_end(), release, mutex::CRITICAL, ptr::addr_of!(UNNAMED).cast();
    GOMP_critical_name_start(name: *mut *mut c_void), acquire, mutex::CRITICAL, name.cast_const().cast();
    GOMP_critical_name_end(name: *mut *mut c_void), release, mutex::CRITICAL, name.cast_const().cast();
    GOMP_atomic_start(), acquire, mutex::ATOMIC, ptr::addr_of!(ATOMIC).cast();
    GOMP_atomic_end(), release, mutex::ATOMIC, ptr::addr_of!(ATOMIC).cast();
    GOMP_ordered_start(), acquire, mutex::ORDERED, ordered();
    GOMP_ordered_end(), release, mutex::ORDERED, ordered();
    omp_set_lock(lock: *mut c_void), acquire, LOCK, lock.cast_const();
    omp_unset_lock(lock: *mut c_void), release, LOCK, lock.cast_const();
    // Of Fortran.
    omp_set_lock_(lock: *mut c_void), acquire, LOCK, lock.cast_const();
    omp_unset_lock_(lock: *mut c_void), release, LOCK, lock.cast_const();
}

/// Functions that try to acquire a lock, or make one.
macro_rules! others {
    ($test:ident, $init:ident, $lock:expr, $tested:expr) => {
        /// # Safety
        /// As the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $test(lock: *mut c_void) -> c_int {
            let next = next!($test: unsafe extern "C" fn(*mut c_void) -> c_int);
            let code = caller!();
            // SAFETY: what the program passes goes on.
            let times = unsafe { next(lock) };
            if times == 1 && tool::is_on() {
                place::current();
                tell! { MUTEX_ACQUIRED: Mutex($tested, lock as u64, code) }
            }
            times
        }

        /// # Safety
        /// As the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $init(lock: *mut c_void) {
            let next = next!($init: unsafe extern "C" fn(*mut c_void));
            let code = caller!();
            // SAFETY: what the program passes goes on.
            unsafe { next(lock) };
            if tool::is_on() {
                tell! { LOCK_INIT: MutexAcquire($lock, 0, 0, lock as u64, code) }
            }
        }
    };
}

others!(omp_test_lock, omp_init_lock, LOCK, mutex::TEST_LOCK);
others!(omp_test_lock_, omp_init_lock_, LOCK, mutex::TEST_LOCK);
others!(
    omp_test_nest_lock,
    omp_init_nest_lock,
    NEST_LOCK,
    mutex::TEST_NEST_LOCK
);
others!(
    omp_test_nest_lock_,
    omp_init_nest_lock_,
    NEST_LOCK,
    mutex::TEST_NEST_LOCK
);

/// Functions that only go on to libgomp. A program's plug-in that has another runtime would
/// otherwise make a lock there, since all else that locks have is defined here, and destroy it by
/// its own.
macro_rules! destroy {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $name(lock: *mut c_void) {
            let next = next!($name: unsafe extern "C" fn(*mut c_void));
            // SAFETY: what the program passes goes on.
            unsafe { next(lock) }
        }
    )*};
}

destroy! {
    omp_destroy_lock omp_destroy_lock_
    omp_destroy_nest_lock omp_destroy_nest_lock_
}

/// Functions of nestable locks.
macro_rules! nested {
    ($set:ident, $unset:ident, $test:ident) => {
        /// # Safety
        /// As the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $set(lock: *mut c_void) {
            let next = next!($set: unsafe extern "C" fn(*mut c_void));
            let test = next!($test: unsafe extern "C" fn(*mut c_void) -> c_int);
            let unset = next!($unset: unsafe extern "C" fn(*mut c_void));
            let code = caller!();
            if !tool::is_on() {
                // SAFETY: what the program passes goes on.
                return unsafe { next(lock) };
            }
            place::current();
            let number = lock as u64;
            tell! { MUTEX_ACQUIRE: MutexAcquire(NEST_LOCK, 0, 0, number, code) }
            // SAFETY: what the program passes goes on. The task has the lock then, and may take it
            // once more and give it back, which tells how often it has it.
            let times = unsafe {
                next(lock);
                let times = test(lock);
                unset(lock);
                times - 1
            };
            if times == 1 {
                tell! { MUTEX_ACQUIRED: Mutex(NEST_LOCK, number, code) }
            } else {
                tell! { NEST_LOCK: NestLock(endpoint::BEGIN, number, code) }
            }
        }

        /// # Safety
        /// As the OpenMP specification says.
        #[no_mangle]
        pub unsafe extern "C" fn $unset(lock: *mut c_void) {
            let next = next!($unset: unsafe extern "C" fn(*mut c_void));
            let test = next!($test: unsafe extern "C" fn(*mut c_void) -> c_int);
            let code = caller!();
            if tool::is_on() {
                // SAFETY: the task has the lock, as the specification says, and may take it once
                // more.
                let times = unsafe { test(lock) };
                // Zero where a task gives back what another one has, which libgomp lets it do.
                if times > 0 {
                    // SAFETY: it gives back what it has taken here.
                    unsafe { next(lock) };
                }
                if times == 2 {
                    tell! { MUTEX_RELEASED: Mutex(NEST_LOCK, lock as u64, code) }
                }
            }
            // SAFETY: what the program passes goes on.
            unsafe { next(lock) }
        }
    };
}

nested!(omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock);
nested!(
    omp_set_nest_lock_,
    omp_unset_nest_lock_,
    omp_test_nest_lock_
);
