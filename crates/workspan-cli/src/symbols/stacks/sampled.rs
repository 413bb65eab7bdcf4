// A program that takes stacks of itself, as the engine's sampler would, and prints what a raw profile has of them.

use std::arch::{asm, global_asm};

global_asm!(
    ".globl leaf_without_frame",
    ".type leaf_without_frame, @function",
    "leaf_without_frame:",
    ".cfi_startproc",
    "lea rax, [rip]", // the next instruction
    "mov rdx, [rsp]", // the word on top
    "ret",
    ".cfi_endproc",
    ".size leaf_without_frame, . - leaf_without_frame",
    // As the C library does: registers are pushed, and the frame pointer is one of them.
    ".globl pushes_registers",
    ".type pushes_registers, @function",
    "pushes_registers:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "push r12",
    ".cfi_def_cfa_offset 24",
    ".cfi_offset r12, -24",
    "mov ebp, 77",
    "lea rax, [rip]",
    "mov rdx, [rsp + 16]", // the return address
    "pop r12",
    ".cfi_def_cfa_offset 16",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    ".size pushes_registers, . - pushes_registers",
);

unsafe extern "C" {
    fn leaf_without_frame();
    fn pushes_registers();
}

/// Address of an instruction of the caller, and the return addresses from there on.
#[inline(always)]
fn stack() -> (u64, Vec<u64>) {
    let (here, mut frame): (u64, u64);
    unsafe { asm!("lea {}, [rip]", "mov {}, rbp", out(reg) here, out(reg) frame) };
    let mut addresses = Vec::new();
    for _ in 0..4 {
        let (next, address) = unsafe { (*(frame as *const u64), *(frame as *const u64).add(1)) };
        addresses.push(address);
        if next <= frame || address == 0 {
            break;
        }
        frame = next;
    }
    (here, addresses)
}

fn print(what: &str, (here, addresses): (u64, Vec<u64>)) {
    print!("{what} {here:x}");
    for address in addresses {
        print!(" {address:x}");
    }
    println!();
}

mod inner {
    #[inline(never)]
    pub fn partition(numbers: &mut [u64]) {
        numbers.iter_mut().for_each(|number| *number += scaled(*number)); // mark: closure
        super::print("inlined", measured()); // mark: partition
        std::hint::black_box(numbers);
    }

    #[inline(always)]
    fn measured() -> (u64, Vec<u64>) {
        super::stack() // mark: measured
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
fn calls_a_leaf() {
    let (inside, top): (u64, u64);
    unsafe {
        asm!("call {}", sym leaf_without_frame, out("rax") inside, out("rdx") top, clobber_abi("C")) // mark: leaf
    };
    let (_, addresses) = stack();
    print("leaf", (inside, addresses));
    println!("leafcaller {top:x}");
    std::hint::black_box(top);
}

#[inline(never)]
fn calls_a_pusher() {
    let (inside, caller): (u64, u64);
    unsafe {
        asm!("call {}", sym pushes_registers, out("rax") inside, out("rdx") caller, clobber_abi("C")) // mark: pusher
    };
    let (_, addresses) = stack();
    print("pusher", (inside, addresses));
    println!("pushercaller {caller:x}");
    std::hint::black_box(caller);
}

#[inline(never)]
fn after_the_leaf() {
    calls_a_leaf(); // mark: after
    calls_a_pusher(); // mark: after the pusher
    std::hint::black_box(());
}

fn main() {
    quicksort(&mut [1, 2, 3]); // mark: main
    after_the_leaf();
    for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.len() == 6 && fields[1].contains('x') && fields[5].starts_with('/') {
            let (start, end) = fields[0].split_once('-').unwrap();
            println!("module {start} {end} {} {}", fields[2], fields[5]);
        }
    }
}
