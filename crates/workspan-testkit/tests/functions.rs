//! Calls of functions that are reported to the engine, on artificial stacks: what becomes of them
//! when they return, unwind, make tail calls, or run elsewhere.
#![cfg(not(miri))]

mod virtual_session;

use virtual_session::profile_of;
use workspan_format::raw::RawProfile;
use workspan_rt::clock;
use workspan_rt::functions;

/// A part of the current stack. Higher positions are further out.
struct Stack([usize; 64]);

impl Stack {
    fn new() -> Self {
        Self([0; 64])
    }

    /// A function is called from place `from`; its return address is at `position`.
    fn enter(&mut self, position: usize, from: usize) {
        self.0[position] = from;
        let slot = &raw const self.0[position];
        // SAFETY: the slot is a word of this array.
        unsafe { functions::entered(0, slot as usize) };
    }

    /// A function returns to `position`, or makes a tail call there.
    fn leave(&self, position: usize) {
        functions::left(0, &raw const self.0[position] as usize);
    }
}

/// The nodes of the calls from a place, each with the places of the calls around it, the number of
/// its calls, the number of them that ended, and their own work.
fn calls_from(profile: &RawProfile, from: usize) -> Vec<(Vec<usize>, u64, u64, i64)> {
    let place = |node: u32| {
        let site = &profile.sites[profile.nodes[node as usize].site as usize];
        site.call.map(|call| call.from as usize)
    };
    let around = |node: u32| {
        let mut around = Vec::new();
        let mut node = profile.nodes[node as usize].parent;
        while let Some(here) = node {
            around.extend(place(here));
            node = profile.nodes[here as usize].parent;
        }
        around
    };
    (0..)
        .zip(&profile.nodes)
        .filter(|(id, _)| place(*id) == Some(from))
        .map(|(id, node)| {
            let work = &node.work;
            (around(id), work.count, work.top_count, work.local_ticks)
        })
        .collect()
}

const A: usize = 0x1000;
const B: usize = 0x2000;
const C: usize = 0x3000;

#[test]
fn calls_are_distinguished_by_where_they_return_to() {
    let profile = profile_of(|| {
        let mut stack = Stack::new();
        for _ in 0..3 {
            stack.enter(50, A);
            clock::advance(1);
            stack.enter(40, B);
            clock::advance(10);
            stack.leave(40);
            clock::advance(100);
            stack.leave(50);
            clock::advance(1_000);
        }
        stack.enter(50, B);
        stack.leave(50);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 3, 3, 303)]);
    assert_eq!(
        calls_from(&profile, B),
        [(vec![A], 3, 3, 30), (vec![], 1, 1, 0)]
    );
    assert_eq!(profile.span_ticks, 3_333);
}

#[test]
fn what_has_unwound_ends_at_the_next_event() {
    let profile = profile_of(|| {
        let mut stack = Stack::new();
        stack.enter(50, A);
        for _ in 0..2 {
            stack.enter(40, B);
            stack.enter(30, C);
            clock::advance(1);
            // Both unwind; then comes another call, or the next round's at the same place.
        }
        stack.enter(45, C);
        clock::advance(10);
        stack.leave(45);
        stack.enter(20, B);
        clock::advance(100);
        stack.leave(50);
        clock::advance(1_000);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 1, 1, 0)]);
    assert_eq!(calls_from(&profile, B), [(vec![A], 3, 3, 100)]);
    assert_eq!(
        calls_from(&profile, C),
        [(vec![B, A], 2, 2, 2), (vec![A], 1, 1, 10)]
    );
}

#[test]
fn a_tail_call_returns_to_the_first_callers_place() {
    let profile = profile_of(|| {
        let mut stack = Stack::new();
        stack.enter(50, A);
        clock::advance(1);
        stack.leave(50);
        stack.enter(50, A);
        clock::advance(10);
        stack.leave(50);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 2, 2, 11)]);
}

#[test]
fn events_that_belong_nowhere_are_ignored() {
    let profile = profile_of(|| {
        let mut stack = Stack::new();
        stack.leave(60);
        stack.enter(50, A);
        // As in a coroutine.
        let mut elsewhere = Box::new(Stack::new());
        elsewhere.enter(30, B);
        elsewhere.leave(30);
        elsewhere.leave(40);
        stack.leave(30);
        clock::advance(1);
        stack.leave(50);
        stack.leave(60);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 1, 1, 1)]);
    assert_eq!(calls_from(&profile, B), []);
}

/// A function that is called from `from` and unwinds. Never inlined: its frame must be below its
/// caller's, as for every function that is reported to the engine.
#[inline(never)]
fn unwind(from: usize) {
    Stack::new().enter(50, from);
    clock::advance(10);
}

/// A function that is called from B and returns, and one that is called from C and unwinds.
#[inline(never)]
fn return_and_unwind() {
    let mut stack = Stack::new();
    stack.enter(50, B);
    clock::advance(10);
    stack.leave(50);
    stack.enter(60, C);
}

#[test]
fn functions_end_with_the_branch_or_task_around_them() {
    let profile = profile_of(|| {
        let mut outer = Stack::new();
        outer.enter(50, A);
        let unwinding = |from: usize| move || unwind(from);
        workspan_rayon::join(unwinding(B), unwinding(C));
        clock::advance(1);
        workspan_rayon::scope(|scope| {
            scope.spawn(|_| unwinding(B)());
            unwinding(C)();
        });
        clock::advance(1);
        outer.leave(50);
        clock::advance(100);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 1, 1, 2)]);
    for from in [B, C] {
        let calls = calls_from(&profile, from);
        assert_eq!(calls.iter().map(|call| call.2).sum::<u64>(), 2, "{calls:?}");
        assert!(calls.iter().all(|call| call.0 == [A]), "{calls:?}");
    }
}

#[test]
fn functions_go_on_while_another_thread_runs_for_them() {
    let pool = workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let profile = profile_of(|| {
        let mut outer = Stack::new();
        outer.enter(50, A);
        pool.install(return_and_unwind);
        clock::advance(1);
        outer.leave(50);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 1, 1, 1)]);
    assert_eq!(calls_from(&profile, B), [(vec![A], 1, 1, 10)]);
    assert_eq!(calls_from(&profile, C), [(vec![A], 1, 1, 0)]);
}

#[test]
fn functions_that_run_at_the_end_of_the_program_end_there() {
    let profile = profile_of(|| {
        let mut stack = Stack::new();
        stack.enter(50, A);
        stack.enter(40, B);
        clock::advance(10);
    });
    assert_eq!(calls_from(&profile, A), [(vec![], 1, 1, 0)]);
    assert_eq!(calls_from(&profile, B), [(vec![A], 1, 1, 10)]);
}
