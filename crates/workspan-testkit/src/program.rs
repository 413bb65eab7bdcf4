//! The small fork-join language of the random programs: the interpreter runs them on the real
//! scheduler, and the oracle expands them into a dag.

use std::fmt;
use std::sync::Arc;

/// Statements, run one after another.
pub type Block = Vec<Statement>;

/// Number of a thread pool of the [setting](Setting). Pool 0 is the global one.
pub type PoolNumber = usize;

/// A construct of rayon that a program can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Construct {
    /// `join`.
    Join,
    /// `join_context`.
    JoinContext,
    /// `scope`.
    Scope,
    /// `scope_fifo`.
    ScopeFifo,
    /// `in_place_scope`.
    InPlaceScope,
    /// `in_place_scope_fifo`.
    InPlaceScopeFifo,
    /// `Scope::spawn`.
    Spawn,
    /// `ScopeFifo::spawn_fifo`.
    SpawnFifo,
    /// The free function `spawn`: no scope waits for the task.
    Detached,
    /// The free function `spawn_fifo`.
    DetachedFifo,
    /// `broadcast`.
    Broadcast,
    /// `Scope::spawn_broadcast`.
    SpawnBroadcast,
    /// `ScopeFifo::spawn_broadcast`.
    SpawnBroadcastFifo,
    /// The free function `spawn_broadcast`.
    DetachedBroadcast,
    /// A named region, which is not a construct of rayon.
    Region,
}

impl Construct {
    /// The construct by which a task enters a scope opened by `self`.
    ///
    /// # Panics
    /// When `self` opens no scope.
    pub fn spawn_into(self) -> Construct {
        match self {
            Construct::Scope | Construct::InPlaceScope => Construct::Spawn,
            Construct::ScopeFifo | Construct::InPlaceScopeFifo => Construct::SpawnFifo,
            other => panic!("{other:?} opens no scope"),
        }
    }

    /// The construct by which a task for each thread enters a scope opened by `self`.
    ///
    /// # Panics
    /// When `self` opens no scope.
    pub fn spawn_broadcast_into(self) -> Construct {
        match self.spawn_into() {
            Construct::Spawn => Construct::SpawnBroadcast,
            _ => Construct::SpawnBroadcastFifo,
        }
    }

    /// Whether the construct makes a task for each thread of a pool, each an instance of its own.
    /// Thread `i` works for `i` ticks before it runs the task's body.
    pub fn spawns_on_each_thread(self) -> bool {
        matches!(
            self,
            Construct::SpawnBroadcast
                | Construct::SpawnBroadcastFifo
                | Construct::DetachedBroadcast
        )
    }

    /// Whether the scope's body runs on the thread that opens it, whatever its pool.
    pub fn is_in_place(self) -> bool {
        matches!(self, Construct::InPlaceScope | Construct::InPlaceScopeFifo)
    }
}

/// A place in the source of the program: the `index`-th call of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// What the place calls.
    pub construct: Construct,
    /// Which of the calls of this construct it is, below [`Site::PER_CONSTRUCT`].
    pub index: u8,
}

impl Site {
    /// Number of sites of each construct. It is small, so that recursion is frequent.
    pub const PER_CONSTRUCT: u8 = 5;
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.construct, self.index)
    }
}

/// A step of a [`Block`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Serial work of this many ticks.
    Work(u64),
    /// Two blocks that may run in parallel.
    Join {
        /// `Join` or `JoinContext`.
        site: Site,
        /// The pool whose method is called; `None` for the free function.
        pool: Option<PoolNumber>,
        /// Run by the caller.
        left: Block,
        /// Offered to thieves.
        right: Block,
    },
    /// A block that waits at its end for every task spawned into it.
    Scope {
        /// One of the four scopes.
        site: Site,
        /// The pool whose method is called; `None` for the free function.
        pool: Option<PoolNumber>,
        /// Run by the caller, or by the pool unless the scope is in place.
        body: Block,
    },
    /// A task for an enclosing scope, or one on each thread of the scope's pool.
    Spawn {
        /// `Spawn`, `SpawnFifo` or one of their broadcasts, as the scope demands.
        site: Site,
        /// Which enclosing scope takes the task, 0 being the innermost. A task's body sees the
        /// scope it was spawned into as its innermost one.
        level: usize,
        /// The task.
        body: Block,
    },
    /// A task that only the program's end waits for, or one on each thread of a pool. It sees no
    /// scope.
    Detached {
        /// `Detached`, `DetachedFifo` or `DetachedBroadcast`.
        site: Site,
        /// The pool whose method is called; `None` for the free function.
        pool: Option<PoolNumber>,
        /// The task; shared because it may outlive the frame that spawns it.
        body: Arc<Block>,
    },
    /// Runs a block in a pool other than the global one and waits for it: serial.
    Install {
        /// The pool.
        pool: PoolNumber,
        /// Run by one of the pool's threads.
        body: Block,
    },
    /// Work on each thread of a pool.
    Broadcast {
        /// A `Broadcast`.
        site: Site,
        /// The pool whose method is called; `None` for the free function.
        pool: Option<PoolNumber>,
        /// Thread `i` works for `ticks + i`.
        ticks: u64,
        /// Each thread panics after its work.
        panics: bool,
    },
    /// A block in a named region: serial.
    Region {
        /// A `Region`.
        site: Site,
        /// Run in place.
        body: Block,
    },
    /// Lets the thread run another task.
    Yield {
        /// Only a task of its own deque.
        local: bool,
    },
    /// Has the pool's other thread run the oldest task that waits, while this one stands still. Only
    /// in a pool whose other thread does nothing by itself.
    Steal,
    /// Unwinds to the next `Catch`, join, scope or task around it.
    Panic,
    /// Stops the unwinding of its body.
    Catch {
        /// What may panic.
        body: Block,
    },
    /// Waits for every detached task, outside the pools: not part of the dag.
    AwaitDetached,
}

impl Statement {
    /// Its blocks, but for that of a detached task, which is shared.
    pub fn bodies(&self) -> impl Iterator<Item = &Block> {
        let (first, second) = match self {
            Statement::Join { left, right, .. } => (Some(left), Some(right)),
            Statement::Scope { body, .. }
            | Statement::Spawn { body, .. }
            | Statement::Install { body, .. }
            | Statement::Region { body, .. }
            | Statement::Catch { body } => (Some(body), None),
            Statement::Detached { .. }
            | Statement::Work(_)
            | Statement::Broadcast { .. }
            | Statement::Yield { .. }
            | Statement::Steal
            | Statement::Panic
            | Statement::AwaitDetached => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// Where a program runs. It starts on a thread outside every pool, so that calls without a pool go
/// to the global one, pool 0, until an `Install` says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Threads of each pool.
    pub pools: Vec<usize>,
}

/// Writes the block as indented pseudo-code, for reports of failures.
pub fn write_block(f: &mut impl fmt::Write, block: &[Statement], depth: usize) -> fmt::Result {
    block
        .iter()
        .try_for_each(|statement| write_statement(f, statement, depth))
}

fn write_statement(f: &mut impl fmt::Write, statement: &Statement, depth: usize) -> fmt::Result {
    let margin = " ".repeat(depth);
    match statement {
        Statement::Work(ticks) => writeln!(f, "{margin}work {ticks}"),
        Statement::Join {
            site,
            pool,
            left,
            right,
        } => {
            writeln!(f, "{margin}{site}{}", Via(*pool))?;
            writeln!(f, "{margin} left")?;
            write_block(f, left, depth + 2)?;
            writeln!(f, "{margin} right")?;
            write_block(f, right, depth + 2)
        }
        Statement::Scope { site, pool, body } => {
            writeln!(f, "{margin}{site}{}", Via(*pool))?;
            write_block(f, body, depth + 1)
        }
        Statement::Spawn { site, level, body } => {
            writeln!(f, "{margin}{site} into level {level}")?;
            write_block(f, body, depth + 1)
        }
        Statement::Detached { site, pool, body } => {
            writeln!(f, "{margin}{site}{}", Via(*pool))?;
            write_block(f, body, depth + 1)
        }
        Statement::Install { pool, body } => {
            writeln!(f, "{margin}install in pool {pool}")?;
            write_block(f, body, depth + 1)
        }
        Statement::Broadcast {
            site,
            pool,
            ticks,
            panics,
        } => {
            let panics = if *panics { ", panics" } else { "" };
            writeln!(f, "{margin}{site}{} work {ticks}{panics}", Via(*pool))
        }
        Statement::Region { site, body } => {
            writeln!(f, "{margin}{site}")?;
            write_block(f, body, depth + 1)
        }
        Statement::Yield { local: false } => writeln!(f, "{margin}yield"),
        Statement::Yield { local: true } => writeln!(f, "{margin}yield locally"),
        Statement::Steal => writeln!(f, "{margin}steal"),
        Statement::Panic => writeln!(f, "{margin}panic"),
        Statement::AwaitDetached => writeln!(f, "{margin}await detached tasks"),
        Statement::Catch { body } => {
            writeln!(f, "{margin}catch")?;
            write_block(f, body, depth + 1)
        }
    }
}

struct Via(Option<PoolNumber>);

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(pool) => write!(f, " of pool {pool}"),
        }
    }
}
