//! What a thread of a Cilk program is in the middle of: functions that may spawn, and tasks.
//!
//! A sync awaits the tasks of its sync region, and of its own function's execution only. So each entry of the stack
//! has a group of tasks for each region in which it spawned.

use std::cell::RefCell;

use workspan_rt::events::{At, Construct, Gathering, Task};
use workspan_rt::Kind;

use super::tables::{self, Table};

/// The strands of one thread.
#[derive(Default)]
pub(super) struct Strands {
    stack: Vec<Entry>,
}

/// A function or a task that has begun and not ended.
struct Entry {
    what: What,
    regions: Vec<(u32, Gathering)>,
    /// What it detached last, until it goes on behind that.
    detached: Option<Detached>,
}

enum What {
    Function(i64),
    Task(Task),
}

struct Detached {
    number: i64,
    child: Option<Task>,
    /// The task that detached it, left while the child runs.
    spawner: Option<Task>,
}

thread_local! {
    static STRANDS: RefCell<Strands> = const { RefCell::new(Strands { stack: Vec::new() }) };
}

/// Calls `f` with the strands of the calling thread. Nothing happens in a thread that is about to end.
pub(super) fn with(f: impl FnOnce(&mut Strands)) {
    let _ = STRANDS.try_with(|strands| {
        if let Ok(mut strands) = strands.try_borrow_mut() {
            f(&mut strands);
        }
    });
}

impl Entry {
    const fn new(what: What) -> Self {
        Self {
            what,
            regions: Vec::new(),
            detached: None,
        }
    }

    /// The group of the tasks of a sync region.
    fn region(&mut self, number: u32) -> &Gathering {
        let known = self
            .regions
            .iter()
            .position(|(region, _)| *region == number);
        let index = known.unwrap_or_else(|| {
            self.regions.push((number, Gathering::new()));
            self.regions.len() - 1
        });
        &self.regions[index].1
    }

    /// Awaits what no sync has awaited: before a function or a task ends, all that it spawned has ended.
    fn await_all(&mut self) {
        if self.regions.is_empty() {
            return;
        }
        if let Some(task) = Task::running() {
            for (_, region) in self.regions.drain(..) {
                region.wait(&task);
            }
        }
    }
}

impl Strands {
    /// A function that may spawn begins.
    pub(super) fn enter_function(&mut self, function: i64) {
        self.stack.push(Entry::new(What::Function(function)));
    }

    /// It ends, and with it what an exception has left above it.
    pub(super) fn exit_function(&mut self, function: i64) {
        let is_it = |entry: &Entry| matches!(entry.what, What::Function(it) if it == function);
        if let Some(index) = self.stack.iter().rposition(is_it) {
            self.unwind_to(index);
        }
    }

    /// What runs spawns a task in a sync region.
    pub(super) fn detach(&mut self, number: i64, region: u32) {
        let function = self.function();
        // Code that was entered before the tool was told of anything: a function of its own.
        if self.stack.is_empty() {
            self.enter_function(-1);
        }
        let Some(entry) = self.stack.last_mut() else {
            return;
        };
        let spawner = Task::running();
        let child = spawner.as_ref().and_then(|spawner| {
            entry
                .region(region)
                .spawn(spawner, &construct(number, function))
        });
        entry.detached = Some(Detached {
            number,
            child,
            spawner,
        });
    }

    /// The task that was detached last begins.
    pub(super) fn enter_task(&mut self) {
        let detached = self
            .stack
            .last_mut()
            .and_then(|entry| entry.detached.as_mut());
        let Some(Detached {
            child: Some(child),
            spawner: Some(spawner),
            ..
        }) = detached
        else {
            return;
        };
        spawner.leave();
        child.enter();
        let child = child.clone();
        self.stack.push(Entry::new(What::Task(child)));
    }

    /// The innermost task ends.
    pub(super) fn exit_task(&mut self) {
        let is_task = |entry: &Entry| matches!(entry.what, What::Task(_));
        if let Some(index) = self.stack.iter().rposition(is_task) {
            self.unwind_to(index);
        }
    }

    /// What detached the task goes on, behind it, or unwinding.
    pub(super) fn go_on_behind(&mut self, number: i64) {
        let is_it = |entry: &Entry| {
            let detached = entry.detached.as_ref();
            detached.is_some_and(|detached| detached.number == number)
        };
        let Some(index) = self.stack.iter().rposition(is_it) else {
            return;
        };
        self.unwind_to(index + 1);
        let detached = self.stack[index].detached.take();
        if let Some(spawner) = detached.and_then(|detached| detached.spawner) {
            let is_entered = Task::entered().is_some();
            if !is_entered {
                spawner.enter();
            }
        }
    }

    /// What runs goes on after the tasks of a sync region.
    pub(super) fn sync(&mut self, region: u32) {
        let Some(entry) = self.stack.last_mut() else {
            return;
        };
        let known = entry
            .regions
            .iter()
            .position(|(number, _)| *number == region);
        if let (Some(index), Some(task)) = (known, Task::running()) {
            let (_, region) = entry.regions.swap_remove(index);
            region.wait(&task);
        }
    }

    /// Ends what is above the first `length` entries.
    fn unwind_to(&mut self, length: usize) {
        while self.stack.len() > length {
            let Some(mut entry) = self.stack.pop() else {
                return;
            };
            entry.await_all();
            if let What::Task(task) = entry.what {
                task.end();
            }
        }
    }

    /// The function that runs.
    fn function(&self) -> Option<i64> {
        self.stack.iter().rev().find_map(|entry| match entry.what {
            What::Function(function) => Some(function),
            What::Task(_) => None,
        })
    }
}

/// The spawn site `number`, in `function`.
fn construct(number: i64, function: Option<i64>) -> Construct<'static> {
    let detach = tables::location(Table::Detaches, number);
    let function = function.and_then(|function| tables::location(Table::Functions, function));
    let name = detach
        .and_then(|detach| detach.name)
        .or_else(|| function.and_then(|function| function.name));
    let at = match detach {
        Some(detach) => At::Source {
            key: detach.key,
            file: detach.file,
            line: detach.line,
            column: detach.column,
            name,
        },
        None => At::Source {
            key: number as usize,
            file: "",
            line: 0,
            column: 0,
            name,
        },
    };
    Construct {
        kind: Kind::Task,
        at,
    }
}
