//! The calls that OpenCilk's compiler puts into a program.
//!
//! Their names and parameters are those of the compiler's; `id`s are numbers of entries of a table
//! ([`tables`](super::tables)), `property` words are bit fields.

use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use workspan_rt::Runtime;

use super::strands::{self, Strands};
use super::{csv, tables};

/// In the property of a function's entry: it may spawn.
const ENTRY_MAY_SPAWN: u64 = 1 << 8;
/// The same of its exit.
const EXIT_MAY_SPAWN: u64 = 1;

/// The thread that the hooks are called on: the address of something of its own.
static THREAD: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static IS_TOLD: AtomicBool = AtomicBool::new(false);

thread_local!(static MARK: u8 = const { 0 });

/// Calls `f` with what the thread is in the middle of, while a profile is taken. A second thread is none of a serial run.
#[inline]
fn strands(f: impl FnOnce(&mut Strands)) {
    if !workspan_rt::active() {
        return;
    }
    let mark = MARK.with(|mark| ptr::from_ref(mark).cast_mut());
    // Relaxed: nothing is read through the pointer.
    let first =
        THREAD.compare_exchange(ptr::null_mut(), mark, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(first) if first != mark => {
            if !IS_TOLD.swap(true, Ordering::Relaxed) {
                eprintln!(
                    "workspan warning: the Cilk program runs on more than one worker; what others than the first run is \
                     left out of the profile, and what the first runs is not the whole: set CILK_NWORKERS=1"
                );
            }
        }
        _ => strands::with(f),
    }
}

/// A unit of the program is loaded: `tables` says where its constructs stand.
///
/// # Safety
///
/// As OpenCilk's compiler calls it: `tables` is null, or what `add_unit` in `tables.rs` wants;
/// `set_numbers` is null, or a function of the unit that takes nothing and may be called here.
#[no_mangle]
pub unsafe extern "C" fn __csirt_unit_init(
    _name: *const c_char,
    tables: *const tables::UnitTable,
    _sizes: *const u8,
    set_numbers: Option<unsafe extern "C" fn()>,
) {
    if !tables.is_null() {
        // SAFETY: `tables` is not null, so it points at the tables of a unit, as `add_unit` wants
        // them (`# Safety`).
        unsafe { tables::add_unit(tables) };
    }
    workspan_rt::note_runtime(Runtime::Cilk, "");
    csv::write_at_exit();
    if let Some(set_numbers) = set_numbers {
        // SAFETY: it is not null, so it is the unit's own function, which takes nothing
        // (`# Safety`).
        unsafe { set_numbers() };
    }
}

/// A function begins.
#[no_mangle]
pub extern "C" fn __csi_func_entry(function: i64, property: u64) {
    if property & ENTRY_MAY_SPAWN != 0 {
        strands(|strands| strands.enter_function(function));
    }
}

/// A function ends.
#[no_mangle]
pub extern "C" fn __csi_func_exit(_exit: i64, function: i64, property: u64) {
    if property & EXIT_MAY_SPAWN != 0 {
        strands(|strands| strands.exit_function(function));
    }
}

/// A task is about to be spawned.
#[no_mangle]
pub extern "C" fn __csi_detach(detach: i64, sync_region: u32, _property: u64) {
    strands(|strands| strands.detach(detach, sync_region));
}

/// It begins.
#[no_mangle]
pub extern "C" fn __csi_task(_task: i64, _detach: i64, _property: u64) {
    strands(Strands::enter_task);
}

/// It ends, by an exception too.
#[no_mangle]
pub extern "C" fn __csi_task_exit(
    _exit: i64,
    _task: i64,
    _detach: i64,
    _sync_region: u32,
    _property: u64,
) {
    strands(Strands::exit_task);
}

/// What spawned it goes on.
#[no_mangle]
pub extern "C" fn __csi_detach_continue(
    _continuation: i64,
    detach: i64,
    _sync_region: u32,
    _property: u64,
) {
    strands(|strands| strands.go_on_behind(detach));
}

/// A sync begins. In a serial run there is nothing to wait for.
#[no_mangle]
pub extern "C" fn __csi_before_sync(_sync: i64, _sync_region: u32) {}

/// A sync is over.
#[no_mangle]
pub extern "C" fn __csi_after_sync(_sync: i64, sync_region: u32) {
    strands(|strands| strands.sync(sync_region));
}

/// A basic block begins; only programs that count instructions tell.
#[no_mangle]
pub extern "C" fn __csi_bb_entry(_block: i64, _property: u64) {}

/// It ends.
#[no_mangle]
pub extern "C" fn __csi_bb_exit(_block: i64, _property: u64) {}
