//! Fills sleds with calls: the same code for rustc's sleds and clang's.
//!
//! A sled is 11 bytes long. Unpatched, that of an entry or a tail call jumps over itself (`eb 09`,
//! then nine bytes of padding), and that of an exit returns (`c3`, then ten). Patched:
//!
//! ```text
//! entry, tail   41 ba NUMBER   mov r10d, NUMBER      exit   41 ba NUMBER   mov r10d, NUMBER
//!               e8 DISTANCE    call trampoline              e9 DISTANCE    jmp trampoline
//! ```
//!
//! A library may be further from the trampolines than a distance reaches. It then gets a page of
//! its own nearby, with jumps to them.

use super::list::{Module, Sled, SledKind};
use super::trampolines;
use std::ffi::{c_char, c_int, c_long, c_void, CStr};
use std::io;
use std::ops::Range;
use std::ptr;

const SLED: usize = 11;
const PAGE: usize = 4096;
/// How far a 32-bit distance reaches, with room to spare for the sled itself.
const REACH: usize = (1 << 31) - PAGE;

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;

#[repr(C)]
struct ProgramHeader {
    kind: u32,
    flags: u32,
    offset: usize,
    address: usize,
    physical_address: usize,
    file_size: usize,
    memory_size: usize,
    alignment: usize,
}

/// The part of `struct dl_phdr_info` that is needed here.
#[repr(C)]
struct LoadedModule {
    base: usize,
    name: *const c_char,
    headers: *const ProgramHeader,
    header_count: u16,
}

extern "C" {
    fn dl_iterate_phdr(
        visit: extern "C" fn(*const LoadedModule, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: c_long,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, length: usize) -> c_int;
    fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int;
}

/// A module in memory.
struct Loaded {
    /// What is added to the addresses in its file.
    base: usize,
    path: String,
    /// Executable addresses.
    code: Vec<Range<usize>>,
}

/// Patches the sleds of a module. Returns what to add to the addresses in its file.
///
/// # Errors
/// If the module is not loaded, is not the file that the list was made from, or may not be written
/// to, or if there is no room near it for jumps.
///
/// # Safety
/// No other thread runs, and [`trampolines::prepare`] has been called, so that the sleds' code may
/// call the trampolines from now on.
pub(super) unsafe fn patch(module: &Module) -> Result<usize, String> {
    let loaded = find(module.path.as_deref()).ok_or("it is not loaded at the start")?;
    let is_code = |address: usize| {
        let whole = |code: &Range<usize>| code.contains(&address) && code.end - address >= SLED;
        loaded.code.iter().any(whole)
    };
    for sled in &module.sleds {
        let address = loaded.base + sled.address;
        // SAFETY: all bytes of the sled lie in a loaded segment of code (`is_code`), so they can be
        // read.
        if !is_code(address) || !unsafe { is_unpatched(address, sled.kind) } {
            return Err("it is not the file that was looked into".into());
        }
    }
    let targets = Targets::near(&loaded)?;
    for code in &loaded.code {
        // SAFETY: the range is a loaded segment, which is mapped whole pages at a time, and whose
        // code no other thread executes meanwhile (`# Safety`).
        unsafe { protect(code, READ | WRITE | EXECUTE)? };
    }
    for sled in &module.sleds {
        // SAFETY: an unpatched sled stands there, as was seen above, its segment is writable now,
        // and no other thread runs that could execute it (`# Safety`).
        unsafe { fill(loaded.base + sled.address, *sled, &targets) };
    }
    for code in &loaded.code {
        // SAFETY: the range is a loaded segment, which is mapped whole pages at a time, and nobody
        // writes it any more.
        unsafe { protect(code, READ | EXECUTE)? };
    }
    Ok(loaded.base)
}

/// Is there an unpatched sled of `kind` at `address`?
///
/// # Safety
/// Two bytes there can be read.
unsafe fn is_unpatched(address: usize, kind: SledKind) -> bool {
    // SAFETY: two bytes can be read there (`# Safety`), and the read needs no alignment.
    let bytes = unsafe { ptr::read_unaligned(address as *const [u8; 2]) };
    match kind {
        SledKind::Entry | SledKind::Tail => bytes == [0xeb, 0x09],
        SledKind::Exit => bytes[0] == 0xc3,
    }
}

/// Writes the call of a trampoline into a sled.
///
/// # Safety
/// All bytes of a sled are at `address`, in writable memory that no thread executes meanwhile.
unsafe fn fill(address: usize, sled: Sled, targets: &Targets) {
    let distance = (targets.of(sled.kind) as isize - (address + SLED) as isize) as i32;
    let mut code = [0; SLED];
    code[..2].copy_from_slice(&[0x41, 0xba]);
    code[2..6].copy_from_slice(&sled.function.to_le_bytes());
    code[6] = match sled.kind {
        SledKind::Entry | SledKind::Tail => 0xe8,
        SledKind::Exit => 0xe9,
    };
    code[7..].copy_from_slice(&distance.to_le_bytes());
    // SAFETY: a whole sled is there, can be written, and is executed by no thread (`# Safety`); the
    // write needs no alignment.
    unsafe { ptr::write_unaligned(address as *mut [u8; SLED], code) };
}

/// Changes the protection of all pages that `range` touches.
///
/// # Safety
/// These pages are mapped, and their protection is the caller's to change.
unsafe fn protect(range: &Range<usize>, protection: c_int) -> Result<(), String> {
    let start = range.start & !(PAGE - 1);
    let length = (range.end - start).next_multiple_of(PAGE);
    // SAFETY: the pages are mapped, and their protection is the caller's to change (`# Safety`).
    if unsafe { mprotect(start as *mut c_void, length, protection) } == 0 {
        Ok(())
    } else {
        let error = io::Error::last_os_error();
        Err(format!("its code may not be written to: {error}"))
    }
}

/// The module with that path, or without one the program itself.
fn find(path: Option<&str>) -> Option<Loaded> {
    extern "C" fn visit(module: *const LoadedModule, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the C library passes a module that it has loaded, and the pointer that `find`
        // gave it, to a vector that nothing else uses meanwhile.
        let (found, module) = unsafe { (&mut *data.cast::<Vec<Loaded>>(), &*module) };
        // SAFETY: the C library keeps the name as a C string while the module is loaded.
        let path = unsafe { CStr::from_ptr(module.name) };
        // SAFETY: the module has so many headers, and nobody writes them.
        let headers =
            unsafe { std::slice::from_raw_parts(module.headers, usize::from(module.header_count)) };
        const LOADED: u32 = 1;
        const EXECUTABLE: u32 = 1;
        let code = headers
            .iter()
            .filter(|header| header.kind == LOADED && header.flags & EXECUTABLE != 0)
            .map(|header| {
                let start = module.base + header.address;
                start..start + header.memory_size
            });
        found.push(Loaded {
            base: module.base,
            path: path.to_string_lossy().into_owned(),
            code: code.collect(),
        });
        0
    }
    let mut found: Vec<Loaded> = Vec::new();
    // SAFETY: `visit` gets the vector that it expects, and does not unwind: at most, it allocates.
    unsafe { dl_iterate_phdr(visit, ptr::from_mut(&mut found).cast()) };
    let mut found = found.into_iter();
    match path {
        // Every C library names the program first.
        None => found.next(),
        Some(path) => found.find(|module| module.path == path),
    }
}

/// Where the sleds of a module lead, by kind.
struct Targets([usize; 3]);

impl Targets {
    const KINDS: [SledKind; 3] = [SledKind::Entry, SledKind::Exit, SledKind::Tail];

    fn of(&self, kind: SledKind) -> usize {
        self.0[kind as usize]
    }

    /// The trampolines, or jumps to them that the module's code can reach.
    fn near(module: &Loaded) -> Result<Self, String> {
        let trampolines = Self(Self::KINDS.map(trampolines::address));
        if trampolines.0.iter().all(|target| module.reaches(*target)) {
            return Ok(trampolines);
        }
        let page = page_near(module).ok_or("there is no room near it")?;
        const JUMP: usize = 16;
        for (at, target) in (page..).step_by(JUMP).zip(trampolines.0) {
            let mut code = [0xcc; JUMP];
            // jmp [rip + 0], and the address that it reads.
            code[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
            code[6..14].copy_from_slice(&(target as u64).to_le_bytes());
            // SAFETY: `page_near` has just mapped the page, writable and nobody else's, and three
            // jumps fit in.
            unsafe { ptr::write(at as *mut [u8; JUMP], code) };
        }
        // SAFETY: `page_near` has just mapped the page, and nobody else knows it.
        unsafe { protect(&(page..page + PAGE), READ | EXECUTE)? };
        Ok(Self([page, page + JUMP, page + 2 * JUMP]))
    }
}

impl Loaded {
    /// Can a 32-bit distance from anywhere in the code reach `target`?
    fn reaches(&self, target: usize) -> bool {
        self.code
            .iter()
            .all(|code| target.abs_diff(code.start) < REACH && target.abs_diff(code.end) < REACH)
    }
}

/// A writable page that all code of the module can reach. It is below the module, because a
/// program's heap is above it.
fn page_near(module: &Loaded) -> Option<usize> {
    const PRIVATE: c_int = 2;
    const ANONYMOUS: c_int = 0x20;
    const FIXED_NOREPLACE: c_int = 0x10_0000;
    const STEP: usize = 1 << 20;
    let start = module.code.iter().map(|code| code.start).min()? & !(PAGE - 1);
    let candidates = (1..REACH / STEP).map_while(|step| start.checked_sub(step * STEP));
    for address in candidates.take_while(|address| module.reaches(*address)) {
        // SAFETY: the call replaces no other mapping: a kernel that does not know the flag takes
        // the address as a hint.
        let page = unsafe {
            mmap(
                address as *mut c_void,
                PAGE,
                READ | WRITE,
                PRIVATE | ANONYMOUS | FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        let failed = page as isize == -1;
        if !failed && module.reaches(page as usize) {
            return Some(page as usize);
        }
        if !failed {
            // SAFETY: the page was mapped above, and nobody else knows it.
            unsafe { munmap(page, PAGE) };
        }
    }
    None
}
