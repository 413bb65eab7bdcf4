//! The top of the stack of a function that keeps no frame pointer.
//!
//! The profiled program has frame pointers, the C library has none. While that runs, the frame pointer is that of the
//! program's function that called it, or anything, and the addresses of the functions between stand somewhere on top of
//! the stack. Where, the unwinding tables tell, which the reader of the profile has: so the words are kept until a strand's
//! end, and of them what may be code.

use super::code::Code;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words of the stack that are kept: the frames of a call into the C library, with what it calls.
pub(super) const WORDS: usize = 64;
/// Words of them that are told.
const TOLD: usize = 8;

/// Stands before the top among the addresses of a sample: no address.
const MARK: usize = usize::MAX;
/// In place of the word that held the frame pointer: it was where it belongs.
pub(crate) const IN_REGISTER: u64 = u64::MAX;

/// The most words of a top among the addresses of a sample.
pub(super) const LONGEST: usize = 2 + WORDS;

/// Where the program's own code lies, which keeps frame pointers: first address, and the one after the last.
static OWN: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(usize::MAX)];

/// From now on the program's own code is what `code` has around the engine's.
pub(super) fn begin(code: &Code) {
    let (start, end) = code
        .around(begin as fn(&Code) as usize as u64)
        .unwrap_or((0, u64::MAX));
    OWN[0].store(start as usize, Ordering::Relaxed);
    OWN[1].store(end as usize, Ordering::Relaxed);
}

/// May the function of this instruction keep no frame pointer?
pub(super) fn is_of_interest(instruction: usize) -> bool {
    let [start, end] = [&OWN[0], &OWN[1]].map(|end| end.load(Ordering::Relaxed));
    cfg!(target_arch = "x86_64") && !(start..end).contains(&instruction)
}

/// Where the chain of frame pointers goes on: the word of the stack that has it, or the register.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) frame: usize,
    word: Option<usize>,
}

impl Chain {
    /// Looks for a frame pointer that the function has put on the stack, if it has not left it in the register.
    ///
    /// # Safety
    /// What lies between `stack`, which is aligned, and `limit`, if that is higher, must be memory that may be read.
    pub(super) unsafe fn find(frame: usize, stack: usize, limit: usize) -> Self {
        let in_register = Self { frame, word: None };
        // SAFETY: the caller's promise.
        if unsafe { leads_up(frame, stack, limit) } {
            return in_register;
        }
        for word in 0..words(stack, limit) {
            let at = stack + word * size_of_word();
            // SAFETY: the word lies below the limit.
            let frame = unsafe { (at as *const usize).read_volatile() };
            // SAFETY: the caller's promise.
            if unsafe { leads_up(frame, at, limit) } {
                return Self {
                    frame,
                    word: Some(word),
                };
            }
        }
        in_register
    }

    /// Tells the top of the stack.
    ///
    /// # Safety
    /// As for [`find`](Self::find).
    pub(super) unsafe fn tell(self, stack: usize, limit: usize, visit: &mut dyn FnMut(usize)) {
        visit(MARK);
        visit(self.word.unwrap_or(IN_REGISTER as usize));
        for word in 0..words(stack, limit) {
            // SAFETY: the word lies below the limit.
            visit(unsafe { ((stack + word * size_of_word()) as *const usize).read_volatile() });
        }
    }
}

/// Could this be the frame pointer of a function whose callee stands at `floor` of the stack? Then it points to that of the
/// next function, further up, and beside it is a return address, which is no place on the stack.
///
/// # Safety
/// As for [`Chain::find`].
unsafe fn leads_up(frame: usize, floor: usize, limit: usize) -> bool {
    let is_place = |address: usize| floor < address && address <= limit;
    let is_frame = frame % size_of_word() == 0
        && floor < frame
        && frame.saturating_add(2 * size_of_word()) <= limit;
    // SAFETY: both words lie between `floor` and the limit.
    is_frame
        && unsafe {
            let next = (frame as *const usize).read_volatile();
            let address = (frame as *const usize).add(1).read_volatile();
            // The frame of the function that began the task lies beyond the limit, further up the same stack.
            next > frame && next - frame < NEAR && address != 0 && !is_place(address)
        }
}

/// The next frame is no further away than any function's frame is large.
const NEAR: usize = 1 << 20;

fn words(stack: usize, limit: usize) -> usize {
    (limit.saturating_sub(stack) / size_of_word()).min(WORDS)
}

const fn size_of_word() -> usize {
    std::mem::size_of::<usize>()
}

/// The top of a stack among the addresses of a sample.
#[derive(Clone, Copy)]
pub(super) struct Top<'a> {
    /// The word that held the frame pointer, or [`IN_REGISTER`].
    frame: u64,
    words: &'a [u64],
}

/// The addresses of a sample without the top, and that.
pub(super) fn split(addresses: &[u64]) -> (&[u64], Option<Top<'_>>) {
    let mark = addresses.iter().position(|a| *a == MARK as u64);
    let Some(mark) = mark else {
        return (addresses, None);
    };
    let top = addresses[mark + 1..]
        .split_first()
        .map(|(frame, words)| Top {
            frame: *frame,
            words,
        });
    (&addresses[..mark], top)
}

impl Top<'_> {
    /// Adds to a key what is told of the top: the mark, where the frame pointer was, and words that may be code, each
    /// after its number.
    pub(super) fn add_to(self, key: &mut Vec<u64>, code: &Code) {
        key.extend([MARK as u64, self.frame]);
        let words = (0_u64..).zip(self.words);
        for (number, word) in words.filter(|(_, word)| code.contains(**word)).take(TOLD) {
            key.extend([number, *word]);
        }
    }
}

/// The text of what [`Top::add_to`] has put into a key after the mark.
pub(super) fn text(told: &[u64]) -> String {
    let (frame, words) = told
        .split_first()
        .map_or((IN_REGISTER, told), |(f, w)| (*f, w));
    let mut text = match frame {
        IN_REGISTER => String::from("-"),
        word => word.to_string(),
    };
    for word in words.chunks_exact(2) {
        text.push_str(&format!(" {}:{:x}", word[0], word[1]));
    }
    text
}

/// The part of a key before the mark, and that after it.
pub(super) fn split_key(key: &[u64]) -> (&[u64], Option<&[u64]>) {
    match key.iter().position(|word| *word == MARK as u64) {
        Some(mark) => (&key[..mark], Some(&key[mark + 1..])),
        None => (key, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: usize = size_of_word();

    /// A stack of words, in which `@N` stands for the address of word N.
    struct Stack(Vec<usize>);

    impl Stack {
        fn new(words: &[(bool, usize)]) -> Self {
            let mut stack = Self(vec![0; words.len()]);
            for (index, (is_place, word)) in words.iter().enumerate() {
                stack.0[index] = if *is_place { stack.at(*word) } else { *word };
            }
            stack
        }

        fn at(&self, word: usize) -> usize {
            self.0.as_ptr() as usize + word * WORD
        }

        fn find(&self, frame: usize) -> (usize, Option<usize>) {
            // SAFETY: all between the two is memory of the vector.
            let chain = unsafe { Chain::find(frame, self.at(0), self.at(self.0.len())) };
            (chain.frame, chain.word)
        }
    }

    fn word(word: usize) -> (bool, usize) {
        (false, word)
    }

    fn place(word: usize) -> (bool, usize) {
        (true, word)
    }

    /// The C library has pushed two registers, the second of them the frame pointer of its caller; then come its return
    /// address, and the frames of two functions.
    fn stack() -> Stack {
        Stack::new(&[
            word(7),
            place(5),
            word(100),
            place(4),
            word(0),
            place(8),
            word(101),
            word(0),
            place(10),
            word(102),
            word(0),
        ])
    }

    #[test]
    fn a_frame_pointer_in_its_register_is_taken() {
        let stack = stack();
        assert_eq!(stack.find(stack.at(5)), (stack.at(5), None));
    }

    #[test]
    fn a_frame_pointer_on_the_stack_is_found() {
        let stack = stack();
        for anything in [0, 1, 77, usize::MAX, stack.at(3), stack.at(7)] {
            assert_eq!(stack.find(anything), (stack.at(5), Some(1)), "{anything:x}");
        }
    }

    #[test]
    fn without_any_the_register_stays() {
        let stack = Stack::new(&[word(7), place(0), place(2), word(9), place(40)]);
        assert_eq!(stack.find(13), (13, None));
        assert_eq!(Stack::new(&[]).find(13), (13, None));
    }

    #[test]
    fn words_that_may_be_code_are_told_with_their_number() {
        let stack = stack();
        let mut addresses = vec![200];
        let mut visit = |address: usize| addresses.push(address as u64);
        // SAFETY: all between the two is memory of the vector.
        unsafe {
            let limit = stack.at(stack.0.len());
            let chain = Chain::find(0, stack.at(0), limit);
            chain.tell(stack.at(0), limit, &mut visit);
        }
        let (addresses, top) = split(&addresses);
        assert_eq!(addresses, [200]);
        let mut key = vec![3, 0, 200];
        top.unwrap().add_to(&mut key, &Code::of(vec![(100, 200)]));
        let (before, told) = split_key(&key);
        assert_eq!(before, [3, 0, 200]);
        assert_eq!(text(told.unwrap()), "1 2:64 6:65 9:66");
        assert_eq!(split(&[200]).0, [200]);
        assert!(split(&[200]).1.is_none() && split_key(&[3, 0, 200]).1.is_none());
        assert_eq!(text(&[IN_REGISTER]), "-");
    }
}
