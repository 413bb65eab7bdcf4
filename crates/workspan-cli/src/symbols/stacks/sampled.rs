// A program that copies its own stacks, as the engine's sampler does, and prints them as in a raw
// profile.

use std::arch::{asm, global_asm};
use std::cell::Cell;

global_asm!(
    // Calls `copied` with its own registers. The frame pointer's register holds no frame pointer.
    ".globl keeps_no_frame_pointer",
    ".type keeps_no_frame_pointer, @function",
    "keeps_no_frame_pointer:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "push r12",
    ".cfi_def_cfa_offset 24",
    ".cfi_offset r12, -24",
    "sub rsp, 1040",
    ".cfi_adjust_cfa_offset 1040",
    "mov rbp, -1",
    "mov [rsp + 8], rbp",
    "mov [rsp + 16], rdi", // an address in code that is no caller
    "lea rdi, [rip]",      // the next instruction
    "mov rsi, rsp",
    "mov rdx, rbp",
    "call {copied}",
    "add rsp, 1040",
    ".cfi_adjust_cfa_offset -1040",
    "pop r12",
    ".cfi_def_cfa_offset 16",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    ".size keeps_no_frame_pointer, . - keeps_no_frame_pointer",
    // The same with a frame pointer, but without tables.
    ".globl has_no_tables",
    ".type has_no_tables, @function",
    "has_no_tables:",
    "push rbp",
    "mov rbp, rsp",
    "sub rsp, 64",
    "mov [rsp + 16], rdi",
    "call {called_back}",
    "leave",
    "ret",
    ".size has_no_tables, . - has_no_tables",
    copied = sym copied,
    called_back = sym called_back,
);

unsafe extern "C" {
    fn keeps_no_frame_pointer(other: usize);
    fn has_no_tables(other: usize);
}

thread_local! {
    /// Where the stacks end: in `main`.
    static BASE: Cell<usize> = const { Cell::new(0) };
}

/// Prints the words of the stack that are addresses of code or of a place on the stack.
extern "C" fn copied(instruction: usize, top: usize, frame: usize) {
    let size = (BASE.get() - top) / 8;
    let place = |word: usize| (word.wrapping_sub(top) / 8 < size && word % 8 == 0).then(|| (word - top) / 8);
    let frame = place(frame).map_or("-".to_owned(), |frame| frame.to_string());
    print!("{instruction:x} {size} {frame} -");
    let code = main as fn() as usize;
    for number in 0..size {
        let word = unsafe { *((top + number * 8) as *const usize) };
        if word.abs_diff(code) < 1 << 20 {
            print!(" {number}:{word:x}");
        } else if let Some(place) = place(word).filter(|place| *place > number) {
            print!(" {number}>{place}");
        }
    }
    println!();
}

/// Copies the stack from here on.
#[inline(always)]
fn copy() {
    let (instruction, top, frame): (usize, usize, usize);
    unsafe {
        asm!("lea {}, [rip]", "mov {}, rsp", "mov {}, rbp", out(reg) instruction, out(reg) top, out(reg) frame)
    };
    copied(instruction, top, frame);
}

extern "C" fn called_back() {
    print!("without_tables ");
    copy();
}

mod inner {
    #[inline(never)]
    pub fn partition(numbers: &mut [u64]) {
        numbers.iter_mut().for_each(|number| *number += scaled(*number)); // mark: closure
        measured(); // mark: partition
        std::hint::black_box(numbers);
    }

    #[inline(always)]
    fn measured() {
        print!("inlined ");
        super::copy(); // mark: measured
    }

    #[inline(always)]
    fn scaled(number: u64) -> u64 {
        number * 3
    }
}

#[inline(never)]
fn quicksort(numbers: &mut [u64]) {
    inner::partition(numbers); // mark: quicksort
    std::hint::black_box(numbers);
}

#[inline(never)]
fn calls_without_frame_pointers() {
    print!("without_frame_pointers ");
    let other = quicksort as fn(&mut [u64]) as usize + 1;
    unsafe { keeps_no_frame_pointer(other) }; // mark: no frame pointers
    std::hint::black_box(other);
}

#[inline(never)]
fn calls_without_tables() {
    let other = quicksort as fn(&mut [u64]) as usize + 1;
    unsafe { has_no_tables(other) }; // mark: no tables
    std::hint::black_box(other);
}

#[inline(never)]
fn around() {
    calls_without_frame_pointers(); // mark: around
    calls_without_tables(); // mark: around, without tables
    std::hint::black_box(());
}

#[inline(never)]
fn begin() {
    quicksort(&mut [1, 2, 3]); // mark: begin
    around(); // mark: begin, around
    std::hint::black_box(());
}

fn main() {
    let frame: usize;
    unsafe { asm!("mov {}, rsp", out(reg) frame) };
    BASE.set(frame);
    begin(); // mark: main
    for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.len() == 6 && fields[1].contains('x') && fields[5].starts_with('/') {
            let (start, end) = fields[0].split_once('-').unwrap();
            println!("module {start} {end} {} {}", fields[2], fields[5]);
        }
    }
}
