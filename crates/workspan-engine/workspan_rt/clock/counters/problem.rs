//! Why an event cannot be counted, and what to do about it.

use std::ffi::c_int;
use std::fmt;

/// Why an event cannot be counted; its text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no event of that name.
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// The machine has no counter for it.
    Missing {
        /// The event's name.
        name: String,
        /// Whether it is one of the processor's.
        is_hardware: bool,
    },
    /// It may not be counted.
    Forbidden {
        /// The event's name.
        name: String,
        /// `perf_event_paranoid`, where it can be read.
        paranoia: Option<i32>,
        /// The greatest value of `paranoia` with which it might be counted.
        allowed: i32,
    },
    /// The processor's counters are in use, or cannot count it together with what else they count.
    NoRoom {
        /// The event's name.
        name: String,
    },
    /// The process has too many files open: each thread's counter is one.
    TooManyFiles {
        /// The event's name.
        name: String,
    },
    /// The program closed the counter's descriptor.
    Closed {
        /// The event's name.
        name: String,
    },
    /// The kernel has no performance events, or the call is filtered.
    NoCall {
        /// The event's name.
        name: String,
    },
    /// Something else.
    Other {
        /// The event's name.
        name: String,
        /// The kernel's error number.
        error: c_int,
    },
}

impl Problem {
    /// In a few words, for a table.
    pub fn in_short(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown",
            Self::Missing { .. } => "no counter",
            Self::Forbidden { .. } => "forbidden",
            Self::NoRoom { .. } => "no room",
            Self::TooManyFiles { .. } => "too many files",
            Self::Closed { .. } => "closed",
            Self::NoCall { .. } => "no perf events",
            Self::Other { .. } => "error",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unknown { name, nearest } => {
                write!(f, "there is no event `{name}`")?;
                match nearest.as_slice() {
                    [] => {}
                    [one] => write!(f, "; there is `{one}`")?,
                    several => write!(f, "; there are `{}`", several.join("`, `"))?,
                }
                f.write_str(" (`workspan counters` lists all)")
            }
            Self::Missing { name, is_hardware } => {
                write!(f, "this machine has no counter for `{name}`")?;
                if *is_hardware {
                    f.write_str(
                        ": either its processor does not count that, or it is a virtual machine or a container that is \
                         not shown the processor's counters",
                    )?;
                }
                if name == "instructions" {
                    f.write_str("; `--emulate` counts instructions without one")?;
                }
                f.write_str(" (`workspan counters` tells what can be counted here)")
            }
            Self::Forbidden {
                name,
                paranoia,
                allowed,
            } => {
                write!(f, "`{name}` may not be counted here: ")?;
                match paranoia {
                    Some(level) if level > allowed => write!(
                        f,
                        "/proc/sys/kernel/perf_event_paranoid is {level}, and has to be {allowed} or less (`sudo sysctl \
                         kernel.perf_event_paranoid={allowed}`), or the program needs CAP_PERFMON"
                    ),
                    _ => f.write_str(
                        "perf_event_paranoid would allow it, so it is a filter of system calls or a security module: in a \
                         container, start that with `--security-opt seccomp=unconfined` or `--cap-add PERFMON`",
                    ),
                }
            }
            Self::NoRoom { name } => write!(
                f,
                "the processor has no room for a counter of `{name}`: others hold its counters (another profiler, or the \
                 kernel's watchdog, which `sudo sysctl kernel.nmi_watchdog=0` ends); or it has cores of two kinds, and the one \
                 at hand does not count that (`taskset` keeps a program on the others)"
            ),
            Self::TooManyFiles { name } => write!(
                f,
                "no more counters of `{name}` can be opened: each thread's is an open file; raise the limit (`ulimit -n`)"
            ),
            Self::Closed { name } => write!(
                f,
                "the program closed the descriptor of the counter of `{name}`, as programs do that close all they know nothing \
                 of: what it has counted since is missing"
            ),
            Self::NoCall { name } => write!(
                f,
                "`{name}` cannot be counted: the kernel has no perf_event_open, or a filter of system calls hides it"
            ),
            Self::Other { name, error } => write!(
                f,
                "`{name}` cannot be counted: perf_event_open ended with error {error}"
            ),
        }
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::super::Event;

    #[test]
    fn each_problem_says_what_to_do() {
        let faults = Event::named("page-faults").unwrap();
        let instructions = Event::named("instructions").unwrap();
        for (event, error, paranoia, words) in [
            (&instructions, 2, None, "--emulate"),
            (&faults, 2, None, "workspan counters"),
            (&faults, 13, Some(4), "perf_event_paranoid=2"),
            (&faults, 1, Some(2), "seccomp"),
            (&faults, 1, None, "seccomp"),
            (&faults, 24, None, "ulimit -n"),
            (&faults, 28, None, "watchdog"),
        ] {
            let text = event.problem(error, paranoia).to_string();
            assert!(text.contains(words), "{text}");
        }
        let switches = Event::named("context-switches").unwrap();
        let text = switches.problem(13, Some(2)).to_string();
        assert!(text.contains("perf_event_paranoid=1"), "{text}");
    }
}
