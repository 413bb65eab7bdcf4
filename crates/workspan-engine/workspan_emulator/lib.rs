//! A plug-in for QEMU's user-mode emulator: counts instructions, and lets the emulated program read how many.
//!
//! * [`count`]: every block of instructions adds its length to the counter of the thread that runs it.
//! * [`announcement`]: a thread asks for the address of its counter by a system call that no kernel has.
//! * [`random`]: what the kernel gives as random numbers is the same in each run, so that hash tables are.
//! * [`pause`]: a thread that looks for work takes its time, so that what comes first finds it looking in each run.
//! * [`clock`]: if asked for, the program's clock nearly stands still; [`wait`] knows the calls that wait for a time.
//!
//! The interface of QEMU is declared in [`abi`], the one place that knows it.

#![deny(unsafe_op_in_unsafe_fn)]

mod abi;
mod announcement;
mod clock;
mod count;
mod memory;
mod pause;
mod random;
mod wait;

use abi::{Block, PluginId};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The hash of the sources that the plug-in was made of: the command knows by it which plug-in is its own.
#[no_mangle]
pub static WORKSPAN_LIBRARY_SOURCES: [u8; 16] = {
    const HASH: &[u8] = match option_env!("WORKSPAN_SOURCES") {
        Some(hash) => hash.as_bytes(),
        None => &[b'?'; 16],
    };
    let mut sources = [0; 16];
    let mut at = 0;
    while at < sources.len() {
        sources[at] = HASH[at];
        at += 1;
    }
    sources
};

/// Called by QEMU when it has loaded the plug-in.
///
/// # Safety
/// For QEMU alone, which says by `id` who the plug-in is to it: `arguments` are `count` C strings.
#[no_mangle]
pub unsafe extern "C" fn qemu_plugin_install(
    id: PluginId,
    _information: *const c_void,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    if let Some(problem) = memory::problem() {
        eprintln!("workspan: the emulator's plug-in cannot count: {problem}");
        return 1;
    }
    // SAFETY: QEMU passes `count` C strings (`# Safety`). The callbacks have the types by which
    // QEMU calls them, and live as long as the process.
    unsafe {
        clock::choose(count, arguments);
        abi::qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
        abi::qemu_plugin_register_vcpu_init_cb(id, begun);
        abi::qemu_plugin_register_vcpu_syscall_cb(id, called);
        abi::qemu_plugin_register_vcpu_syscall_ret_cb(id, returned);
    }
    0
}

/// A block was translated.
extern "C" fn translated(_: PluginId, block: *mut Block) {
    count::follow(block);
}

/// A thread has begun.
extern "C" fn begun(_: PluginId, thread: c_uint) {
    count::begin(thread);
}

/// A thread calls the kernel.
extern "C" fn called(
    _: PluginId,
    thread: c_uint,
    number: i64,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
    _: u64,
    _: u64,
    _: u64,
) {
    match number {
        announcement::NUMBER => announcement::answer(thread, first, second),
        random::NUMBER => random::remember(first),
        pause::NUMBER => pause::begin(),
        _ => clock::remember(number, [first, second, third, fourth, fifth]),
    }
}

/// A call of the kernel is done.
extern "C" fn returned(_: PluginId, thread: c_uint, number: i64, result: i64) {
    match number {
        random::NUMBER => random::replace(thread, result),
        _ => clock::replace(result),
    }
}
