use super::*;

/// The return addresses found by frame pointers from the frame at word `from` of a stack, up to
/// word `to`. The first word of each frame is the number of the next frame's first word, the second
/// a return address.
fn found(stack: &[usize], from: usize, to: usize) -> Vec<usize> {
    let mut memory: Vec<usize> = stack.to_vec();
    let begin = memory.as_mut_ptr() as usize;
    for link in memory.iter_mut().step_by(2) {
        *link = begin.wrapping_add(link.wrapping_mul(WORD));
    }
    let mut addresses = Vec::new();
    // SAFETY: all from `begin` to word `to` is memory of the vector.
    unsafe {
        walk(begin + from * WORD, begin, begin + to * WORD, |address| {
            addresses.push(address);
            address != 999
        });
    }
    addresses
}

#[test]
fn a_chain_of_frames_is_followed_to_the_limit() {
    let stack = [2, 101, 6, 102, 0, 0, 8, 103, 20, 104];
    assert_eq!(found(&stack, 0, 10), [101, 102, 103, 104]);
    assert_eq!(found(&stack, 0, 9), [101, 102, 103]);
    assert_eq!(found(&stack, 2, 8), [102, 103]);
    assert_eq!(found(&stack, 0, 0), []);
}

#[test]
fn a_chain_that_does_not_rise_ends() {
    assert_eq!(found(&[0, 101], 0, 2), [101]);
    assert_eq!(found(&[2, 101, 0, 102], 0, 4), [101, 102]);
    // No caller has address 0.
    assert_eq!(found(&[2, 101, 4, 0, 6, 103], 0, 6), [101]);
    // `visit` may have seen enough.
    assert_eq!(found(&[2, 101, 4, 999, 6, 103], 0, 6), [101, 999]);
}

#[test]
fn a_frame_pointer_may_be_anything() {
    let word = 5_usize;
    let here = &word as *const usize as usize;
    for frame in [
        0,
        1,
        here + 1,
        here - WORD,
        here,
        here + WORD,
        usize::MAX,
        usize::MAX - 7,
    ] {
        // SAFETY: between the two lies `word`, which may be read, and is too little for a frame.
        unsafe { walk(frame, here, here + WORD, |_| panic!("{frame:x}")) };
    }
}

#[test]
fn a_walk_has_an_end() {
    let stack: Vec<usize> = (0..1_000).flat_map(|n| [2 * n + 2, 7]).collect();
    assert_eq!(found(&stack, 0, stack.len()).len(), DEPTH);
}

/// A word of a stack: data, code, or the place of another word.
#[derive(Clone, Copy)]
enum Is {
    Data(usize),
    Code(usize),
    Place(usize),
}
use Is::{Data, Place};

/// An address that is neither on a test's stack nor data.
fn code(offset: usize) -> usize {
    (1 << 46) + offset
}

/// The text of a copy, up to word `to`, of a stack with the frame pointer `frame`.
fn text_of(words: &[Is], frame: Is, to: usize) -> String {
    let mut memory = vec![0; words.len()];
    let top = memory.as_ptr() as usize;
    let value = |word: Is| match word {
        Data(data) => data,
        Is::Code(offset) => code(offset),
        Place(place) => top + place * WORD,
    };
    for (to, word) in memory.iter_mut().zip(words) {
        *to = value(*word);
    }
    let registers = Registers {
        instruction: 0xABC,
        stack: memory.as_mut_ptr() as usize,
        frame: value(frame),
        link: None,
    };
    let ranges = [(code(0), code(0x1000))];
    let copy_to: Vec<AtomicU64> = (0..LONGEST).map(|_| AtomicU64::new(0)).collect();
    // SAFETY: all from the top to word `to` is memory of the vector.
    let length = unsafe { copy(registers, top + to * WORD, Code::of(&ranges), &copy_to) };
    let copied: Vec<u64> = copy_to[..length]
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect();
    let cut = if is_cut(&copied) { " cut" } else { "" };
    text(&copied) + cut
}

#[test]
fn a_copy_has_code_and_frames_and_no_data() {
    let stack = [
        Data(7),
        Place(5),
        Is::Code(0x10),
        // Leads to the stack, but not to a frame.
        Place(4),
        Data(usize::MAX),
        Place(8),
        Is::Code(0x20),
        Data(0),
        // Leads beyond where the task began.
        Place(30),
        Is::Code(0x30),
        Data(1),
    ];
    assert_eq!(
        text_of(&stack, Place(5), 11),
        "abc 11 5 - 1>5 2:400000000010 5>8 6:400000000020 9:400000000030"
    );
    // Up to the end of the stack.
    assert_eq!(text_of(&stack, Place(5), 6), "abc 6 - - 2:400000000010");
    for nothing in [Data(0), Data(usize::MAX), Place(4), Place(100)] {
        assert_eq!(text_of(&stack, nothing, 2), "abc 2 - -");
    }
    assert_eq!(text_of(&[], Data(0), 0), "abc 0 - -");
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn behind_a_large_frame_only_frame_pointers_are_followed() {
    let mut stack = vec![Data(3); 40_000];
    stack[1] = Is::Code(0x10);
    stack[2] = Place(30_000);
    stack[3] = Is::Code(0x20);
    stack[20_000] = Is::Code(0x30);
    stack[30_000] = Place(35_000);
    stack[30_001] = Is::Code(0x40);
    stack[35_001] = Is::Code(0x50);
    assert_eq!(
        text_of(&stack, Place(2), 40_000),
        "abc 40000 2 - 1:400000000010 2>30000 3:400000000020 30000>35000 30001:400000000040 \
         35001:400000000050 cut"
    );
}

#[test]
fn a_copy_has_a_longest_length() {
    let copied = text_of(&[Is::Code(1); 200], Data(0), 200);
    assert_eq!(copied.matches(':').count(), LONGEST - HEAD);
    assert!(copied.ends_with(" cut"), "{copied}");
}

#[test]
fn of_a_copy_the_instruction_can_be_kept_alone() {
    let mut words = [9, 8, 7, 6, 5];
    assert_eq!(text(keep_instruction(&mut words)), "9 0 - -");
    assert_eq!(keep_instruction(&mut []), []);
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
#[test]
fn the_present_stack_has_its_callers() {
    Code::look();
    let copied = text(&here(own_stack::own_stack_end()));
    let fields: Vec<&str> = copied.split(' ').collect();
    let instruction = usize::from_str_radix(fields[0], 16).unwrap();
    let start = copy_here as fn(usize, &[AtomicU64]) -> usize as usize;
    assert!((start..start + 4096).contains(&instruction), "{copied}");
    assert!(copied.matches(':').count() > 3, "{copied}");
    // What lies between two places is only read if both are on one stack.
    assert_eq!(text(&here(usize::MAX & !7)).matches(':').count(), 0);
}
