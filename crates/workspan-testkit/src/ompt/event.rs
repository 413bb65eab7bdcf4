//! One call of the runtime, read from a line of a stream.

use std::str::{FromStr, SplitAsciiWhitespace};

/// A task or a region: what a tool keeps with it, or where it would keep it. `None` if the runtime
/// passed null.
pub type Id = Option<u64>;

/// A code address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// 0 for null.
    pub address: u64,
    /// Whether it is in the runtime itself.
    pub is_of_runtime: bool,
}

/// Whether something begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `ompt_scope_begin`.
    Begin,
    /// `ompt_scope_end`.
    End,
}

/// An event, with its arguments in the order of the specification (OpenMP 5.2, 19.5.2), as far as
/// anything follows from them. Kinds, flags and statuses are the specification's numbers.
#[expect(missing_docs, reason = "they are documented in the specification")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The program's own event: a strand, its ticks, the program's number for its task, and the
    /// longest path to its end as reported by the engine.
    Strand {
        ticks: i64,
        program_task: u64,
        path: i64,
    },
    ParallelBegin {
        task: Id,
        region: Id,
        threads: u32,
        flags: u32,
        code: Code,
    },
    ParallelEnd {
        region: Id,
        task: Id,
        flags: u32,
        code: Code,
    },
    /// `place` is where a tool keeps its data.
    ImplicitTask {
        endpoint: Endpoint,
        region: Id,
        task: Id,
        threads: u32,
        index: u32,
        flags: u32,
        place: Id,
    },
    /// `running` is the task that the thread executes by then.
    TaskCreate {
        task: Id,
        new_task: Id,
        flags: u32,
        has_dependences: bool,
        code: Code,
        running: Id,
    },
    /// Each dependence has an address and a kind.
    Dependences {
        task: Id,
        list: Vec<(u64, u32)>,
    },
    TaskSchedule {
        prior: Id,
        status: u32,
        next: Id,
    },
    SyncRegion {
        kind: u32,
        endpoint: Endpoint,
        region: Id,
        task: Id,
        code: Code,
    },
    SyncRegionWait {
        kind: u32,
        endpoint: Endpoint,
        region: Id,
        task: Id,
        code: Code,
    },
    Reduction {
        kind: u32,
        endpoint: Endpoint,
        region: Id,
        task: Id,
        code: Code,
    },
    Work {
        kind: u32,
        endpoint: Endpoint,
        region: Id,
        task: Id,
        count: u64,
        code: Code,
    },
    Dispatch {
        region: Id,
        task: Id,
        kind: u32,
        instance: u64,
    },
}

/// An event on a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Threads are numbered in the order of their first event.
    pub thread: usize,
    /// What the thread reported.
    pub event: Event,
}

/// The calls of a stream.
///
/// # Errors
/// Names the first line that does not belong in a stream.
pub fn parse(text: &str) -> Result<Vec<Call>, String> {
    let mut lines = text.lines();
    if lines.next() != Some("stream 1") {
        return Err("this is no stream of version 1".to_owned());
    }
    lines
        .map(|line| call(line).ok_or_else(|| format!("no event of a stream: {line}")))
        .collect()
}

/// The remaining words of a line.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl Words<'_> {
    fn number<N: FromStr>(&mut self) -> Option<N> {
        self.0.next()?.parse().ok()
    }

    fn hexadecimal(&mut self) -> Option<u64> {
        u64::from_str_radix(self.0.next()?, 16).ok()
    }

    fn flags(&mut self) -> Option<u32> {
        self.hexadecimal()?.try_into().ok()
    }

    fn id(&mut self) -> Option<Id> {
        let word = self.0.next()?;
        let address = u64::from_str_radix(word.trim_start_matches('@'), 16).ok()?;
        // Addresses in user space leave the highest bit free on x86-64.
        let is_place = u64::from(word.starts_with('@')) << 63;
        Some((address != 0).then_some(address | is_place))
    }

    fn code(&mut self) -> Option<Code> {
        let word = self.0.next()?;
        Some(Code {
            address: u64::from_str_radix(word.trim_start_matches('r'), 16).ok()?,
            is_of_runtime: word.starts_with('r'),
        })
    }

    fn endpoint(&mut self) -> Option<Endpoint> {
        match self.0.next()? {
            "1" => Some(Endpoint::Begin),
            "2" => Some(Endpoint::End),
            _ => None,
        }
    }

    fn dependence(word: &str) -> Option<(u64, u32)> {
        let (address, kind) = word.split_once(':')?;
        Some((u64::from_str_radix(address, 16).ok()?, kind.parse().ok()?))
    }
}

fn call(line: &str) -> Option<Call> {
    let mut words = Words(line.split_ascii_whitespace());
    let thread = words.number()?;
    let event = match words.0.next()? {
        "strand" => Event::Strand {
            ticks: words.number()?,
            program_task: words.hexadecimal()?,
            path: words.number()?,
        },
        "parallel_begin" => Event::ParallelBegin {
            task: words.id()?,
            region: words.id()?,
            threads: words.number()?,
            flags: words.flags()?,
            code: words.code()?,
        },
        "parallel_end" => Event::ParallelEnd {
            region: words.id()?,
            task: words.id()?,
            flags: words.flags()?,
            code: words.code()?,
        },
        "implicit_task" => Event::ImplicitTask {
            endpoint: words.endpoint()?,
            region: words.id()?,
            task: words.id()?,
            threads: words.number()?,
            index: words.number()?,
            flags: words.flags()?,
            place: words.id()?,
        },
        "task_create" => Event::TaskCreate {
            task: words.id()?,
            new_task: words.id()?,
            flags: words.flags()?,
            has_dependences: words.number::<u32>()? != 0,
            code: words.code()?,
            running: words.id()?,
        },
        "dependences" => Event::Dependences {
            task: words.id()?,
            list: words
                .0
                .by_ref()
                .map(Words::dependence)
                .collect::<Option<_>>()?,
        },
        "task_schedule" => Event::TaskSchedule {
            prior: words.id()?,
            status: words.number()?,
            next: words.id()?,
        },
        "sync_region" => Event::SyncRegion {
            kind: words.number()?,
            endpoint: words.endpoint()?,
            region: words.id()?,
            task: words.id()?,
            code: words.code()?,
        },
        "sync_region_wait" => Event::SyncRegionWait {
            kind: words.number()?,
            endpoint: words.endpoint()?,
            region: words.id()?,
            task: words.id()?,
            code: words.code()?,
        },
        "reduction" => Event::Reduction {
            kind: words.number()?,
            endpoint: words.endpoint()?,
            region: words.id()?,
            task: words.id()?,
            code: words.code()?,
        },
        "work" => Event::Work {
            kind: words.number()?,
            endpoint: words.endpoint()?,
            region: words.id()?,
            task: words.id()?,
            count: words.number()?,
            code: words.code()?,
        },
        "dispatch" => Event::Dispatch {
            region: words.id()?,
            task: words.id()?,
            kind: words.number()?,
            instance: words.hexadecimal()?,
        },
        _ => return None,
    };
    words.0.next().is_none().then_some(Call { thread, event })
}
