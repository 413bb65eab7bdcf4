//! System calls that wait until a time, or for a time at most.

use crate::memory;

/// Nanoseconds.
pub(crate) const A_SECOND: u64 = 1_000_000_000;

/// On x86-64.
mod number {
    pub(super) const POLL: i64 = 7;
    pub(super) const SELECT: i64 = 23;
    pub(super) const NANOSLEEP: i64 = 35;
    pub(super) const FUTEX: i64 = 202;
    pub(super) const CLOCK_NANOSLEEP: i64 = 230;
    pub(super) const EPOLL_WAIT: i64 = 232;
    pub(super) const PSELECT6: i64 = 270;
    pub(super) const PPOLL: i64 = 271;
    pub(super) const EPOLL_PWAIT: i64 = 281;
    pub(super) const EPOLL_PWAIT2: i64 = 441;
}

/// `TIMER_ABSTIME` of linux/time.h.
const ABSOLUTE: u64 = 1;
/// `FUTEX_WAIT`, `FUTEX_WAIT_BITSET` and what else may stand in the word, of linux/futex.h.
const FUTEX_WAIT: u64 = 0;
const FUTEX_WAIT_BITSET: u64 = 9;
const FUTEX_COMMAND: u64 = 0x7f;
/// What a call of the kernel gives back for `ETIMEDOUT`.
const TIMED_OUT: i64 = -110;

/// How a call waits.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    time: Time,
    /// It waits until the time, not for it.
    pub(crate) is_absolute: bool,
    /// What the call gives back when the time is over.
    pub(crate) timed_out: i64,
}

/// How a call is told the time.
#[derive(Clone, Copy)]
enum Time {
    /// `int`: milliseconds. Less than nothing is without an end.
    Millis(u64),
    /// The address of seconds and of units of so many nanoseconds. Null is without an end.
    At(u64, u64),
}

/// How the call waits; `None` if it does not wait for a time.
pub(crate) fn of_call(number: i64, arguments: [u64; 5]) -> Option<Wait> {
    let [_, second, third, fourth, fifth] = arguments;
    let wait = |time, is_absolute, timed_out| Wait {
        time,
        is_absolute,
        timed_out,
    };
    Some(match number {
        number::NANOSLEEP => wait(Time::At(arguments[0], 1), false, 0),
        number::CLOCK_NANOSLEEP => wait(Time::At(third, 1), second & ABSOLUTE != 0, 0),
        number::FUTEX => match second & FUTEX_COMMAND {
            FUTEX_WAIT => wait(Time::At(fourth, 1), false, TIMED_OUT),
            FUTEX_WAIT_BITSET => wait(Time::At(fourth, 1), true, TIMED_OUT),
            _ => return None,
        },
        number::POLL => wait(Time::Millis(third), false, 0),
        number::EPOLL_WAIT | number::EPOLL_PWAIT => wait(Time::Millis(fourth), false, 0),
        number::PPOLL => wait(Time::At(third, 1), false, 0),
        number::EPOLL_PWAIT2 => wait(Time::At(fourth, 1), false, 0),
        number::SELECT => wait(Time::At(fifth, 1_000), false, 0),
        number::PSELECT6 => wait(Time::At(fifth, 1), false, 0),
        _ => return None,
    })
}

impl Wait {
    /// Nanoseconds that the program asks for; `None` if the wait has no end.
    pub(crate) fn nanos(&self) -> Option<u64> {
        match self.time {
            Time::Millis(millis) => u64::try_from(millis as i32)
                .ok()
                .map(|millis| millis * 1_000_000),
            Time::At(0, _) => None,
            Time::At(place, unit) => {
                let [seconds, rest] = [0, 8].map(|offset| memory::read(place + offset));
                let rest = rest?.saturating_mul(unit);
                Some(seconds?.saturating_mul(A_SECOND).saturating_add(rest))
            }
        }
    }
}
