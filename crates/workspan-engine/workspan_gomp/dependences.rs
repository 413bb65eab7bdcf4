//! The lists of dependences that compiled code passes to libgomp.

use std::ffi::c_void;

use crate::abi::{dependence, Data, Dependence};

/// The dependences in libgomp's list, which begins with their number, or with a zero where it also has
/// sets that exclude one another, or objects of the program.
///
/// # Safety
/// `list` is one that gcc's code passes with a task.
pub(crate) unsafe fn of_list(list: *const *mut c_void) -> Vec<Dependence> {
    // SAFETY: the list has as many words as its first ones say (`# Safety`).
    let word = |at: usize| unsafe { *list.add(at) };
    let one = |variable: *mut c_void, kind| Dependence {
        variable: Data { pointer: variable },
        kind: match kind {
            dependence::OUT if variable.is_null() => dependence::OUT_ALL_MEMORY,
            kind => kind,
        },
    };
    let (count, kinds, first) = match word(0) as usize {
        0 => {
            let kinds = [
                (word(2) as usize, dependence::OUT),
                (word(3) as usize, dependence::MUTEXINOUTSET),
                (word(4) as usize, dependence::IN),
            ];
            (word(1) as usize, kinds, 5)
        }
        count => {
            let written = word(1) as usize;
            let kinds = [
                (written, dependence::OUT),
                (0, dependence::MUTEXINOUTSET),
                (count - written, dependence::IN),
            ];
            (count, kinds, 2)
        }
    };
    let kinds = kinds
        .into_iter()
        .flat_map(|(count, kind)| std::iter::repeat(kind).take(count));
    let mut all: Vec<_> = kinds
        .enumerate()
        .map(|(at, kind)| one(word(first + at), kind))
        .collect();
    for at in all.len()..count {
        let object = word(first + at).cast::<*mut c_void>();
        // SAFETY: what is left are pointers to `omp_depend_t`, which has an address and a kind.
        let (variable, kind) = unsafe { (*object, *object.add(1) as usize) };
        let kind = match kind {
            1 => dependence::IN,
            4 => dependence::MUTEXINOUTSET,
            5 => dependence::INOUTSET,
            _ => dependence::OUT,
        };
        all.push(one(variable, kind));
    }
    all
}
