//! The interface of QEMU's plug-ins, as far as it is used here.
//!
//! Source: QEMU's manual, "TCG Plugins" (docs/devel/tcg-plugins), and the signatures in `qemu-plugin.h`. The functions here have
//! had the same ones in all versions of the interface, of which 1 is that of QEMU 4.2 to 8.2. Later ones want a plug-in of
//! version 2 or more.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Who a plug-in is to QEMU.
pub(crate) type PluginId = u64;

/// A block of instructions that was translated.
#[repr(C)]
pub(crate) struct Block {
    _of_qemu: [u8; 0],
}

/// A callback neither reads nor writes registers.
const NO_REGISTERS: c_int = 0;

type Called = extern "C" fn(PluginId, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

extern "C" {
    pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(
        id: PluginId,
        callback: extern "C" fn(PluginId, *mut Block),
    );
    pub(crate) fn qemu_plugin_register_vcpu_init_cb(
        id: PluginId,
        callback: extern "C" fn(PluginId, c_uint),
    );
    pub(crate) fn qemu_plugin_register_vcpu_syscall_cb(id: PluginId, callback: Called);
    pub(crate) fn qemu_plugin_register_vcpu_syscall_ret_cb(
        id: PluginId,
        callback: extern "C" fn(PluginId, c_uint, i64, i64),
    );
    fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
    fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut Block,
        callback: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
}

/// Has `callback` called with the thread and the number of instructions each time before `block` runs.
pub(crate) fn before_each_run(block: *mut Block, callback: extern "C" fn(c_uint, *mut c_void)) {
    // SAFETY: callers pass the block that QEMU has just translated, in the callback that tells of
    // it, where both calls are allowed; QEMU hands the number back as it is, and reads nothing
    // through it.
    unsafe {
        let instructions = qemu_plugin_tb_n_insns(block) as *mut c_void;
        qemu_plugin_register_vcpu_tb_exec_cb(block, callback, NO_REGISTERS, instructions);
    }
}

/// Read by QEMU after it has run [`CHOOSE_VERSION`].
#[no_mangle]
#[allow(non_upper_case_globals)]
static mut qemu_plugin_version: c_int = 1;

/// Calls that all of QEMU's own threads make before there is a second one.
#[used]
#[link_section = ".init_array"]
static CHOOSE_VERSION: extern "C" fn() = choose_version;

extern "C" fn choose_version() {
    extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    const ALL: *mut c_void = std::ptr::null_mut();
    // SAFETY: the name ends in a zero, and dlsym(3) only looks it up in what is loaded. The loader
    // calls this on one thread, before QEMU reads the version.
    unsafe {
        if !dlsym(ALL, c"qemu_plugin_scoreboard_new".as_ptr()).is_null() {
            qemu_plugin_version = 2;
        }
    }
}
