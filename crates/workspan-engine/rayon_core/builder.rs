//! `ThreadPoolBuilder`: how a pool is to be built, and the global one.

use crate::account::Account;
use crate::calibration::calibrate;
use crate::elision::{self, PanicHandler};
use crate::membership::{self, Size};
use rayon_core_real as real;
use real::{ThreadBuilder, ThreadPoolBuildError};
use std::any::Any;
use std::fmt;
use std::io;
use workspan_rt::{mode, start_unobserved, Mode};

type ThreadHandler = dyn Fn(usize) + Send + Sync;

/// How much larger the stacks of pool threads are than asked for.
const STACK_FACTOR: usize = 4;
/// What the standard library uses if nothing is asked for.
const DEFAULT_STACK: usize = 2 << 20;

/// Configures a pool; like rayon's `ThreadPoolBuilder`.
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    pub(crate) use_current_thread: bool,
    pub(crate) panic_handler: Option<Box<PanicHandler>>,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    stack_size: Option<usize>,
    start_handler: Option<Box<ThreadHandler>>,
    exit_handler: Option<Box<ThreadHandler>>,
    breadth_first: bool,
    spawn: S,
}

/// How a builder starts the threads. Private in rayon; public here only because it appears in a
/// public bound.
#[doc(hidden)]
pub trait ThreadSpawn {
    fn build(
        self,
        builder: real::ThreadPoolBuilder,
    ) -> Result<real::ThreadPool, ThreadPoolBuildError>;
    fn build_global(self, builder: real::ThreadPoolBuilder) -> Result<(), ThreadPoolBuildError>;
}

/// Threads are started by the standard library.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct DefaultSpawn;

/// Threads are started by a function of the program.
#[doc(hidden)]
pub struct CustomSpawn<F>(F);

impl ThreadSpawn for DefaultSpawn {
    fn build(
        self,
        builder: real::ThreadPoolBuilder,
    ) -> Result<real::ThreadPool, ThreadPoolBuildError> {
        builder.build()
    }

    fn build_global(self, builder: real::ThreadPoolBuilder) -> Result<(), ThreadPoolBuildError> {
        builder.build_global()
    }
}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn build(
        self,
        builder: real::ThreadPoolBuilder,
    ) -> Result<real::ThreadPool, ThreadPoolBuildError> {
        builder.spawn_handler(self.0).build()
    }

    fn build_global(self, builder: real::ThreadPoolBuilder) -> Result<(), ThreadPoolBuildError> {
        builder.spawn_handler(self.0).build_global()
    }
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            use_current_thread: false,
            panic_handler: None,
            thread_name: None,
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            breadth_first: false,
            spawn: DefaultSpawn,
        }
    }
}

impl ThreadPoolBuilder {
    /// A builder with rayon's defaults.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds the global pool.
    ///
    /// # Errors
    /// Like [`build`](Self::build), and if there is a global pool already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        if mode() == Mode::Elision {
            return elision::Pool::new(self.panic_handler).make_global();
        }
        calibrate();
        let (size, current) = (self.size(), self.use_current_thread);
        let (builder, spawn) = self.into_real();
        start_unobserved(|| spawn.build_global(builder))?;
        membership::note_global(size, current);
        if current {
            membership::join_global_in_place(size);
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> Size {
        if self.num_threads == 0 {
            Size::Default
        } else {
            Size::Chosen
        }
    }

    pub(crate) fn into_real(self) -> (real::ThreadPoolBuilder, S) {
        let size = self.size();
        let mut builder = real::ThreadPoolBuilder::new().num_threads(self.num_threads);
        let mut stack_size = self.stack_size;
        if let (Size::Default, Some(threads)) = (size, workspan_rt::default_threads()) {
            builder = builder.num_threads(threads);
        }
        // Where address space is short, stacks are only as large as the program asked for: few
        // recursions there are that deep.
        let is_larger = matches!(mode(), Mode::Profile | Mode::Idle);
        if is_larger && !workspan_rt::is_memory_limited() {
            let asked = stack_size.unwrap_or_else(default_stack);
            stack_size = Some(asked.saturating_mul(STACK_FACTOR));
        }
        let start_handler = self.start_handler;
        builder = builder.start_handler(move |index| {
            membership::join_pool(size);
            if let Some(handler) = &start_handler {
                handler(index);
            }
        });
        if let Some(handler) = self.exit_handler {
            builder = builder.exit_handler(handler);
        }
        if let Some(handler) = self.panic_handler {
            builder = match mode() {
                // What it calls belongs to a task.
                Mode::Idle => builder.panic_handler(move |panic| {
                    Account::Idle(None).run(|| handler(panic));
                }),
                _ => builder.panic_handler(handler),
            };
        }
        if let Some(name) = self.thread_name {
            builder = builder.thread_name(name);
        }
        if let Some(size) = stack_size {
            builder = builder.stack_size(size);
        }
        #[cfg(workspan_rayon_core_1_12)]
        if self.use_current_thread {
            builder = builder.use_current_thread();
        }
        if self.breadth_first {
            #[allow(deprecated)]
            {
                builder = builder.breadth_first();
            }
        }
        (builder, self.spawn)
    }
}

/// The standard library's stack size for threads that ask for none.
fn default_stack() -> usize {
    std::env::var("RUST_MIN_STACK")
        .ok()
        .and_then(|size| size.parse().ok())
        .unwrap_or(DEFAULT_STACK)
}

impl<S> ThreadPoolBuilder<S> {
    /// Makes `spawn` start the threads.
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            panic_handler: self.panic_handler,
            thread_name: self.thread_name,
            stack_size: self.stack_size,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            breadth_first: self.breadth_first,
            spawn: CustomSpawn(spawn),
        }
    }

    /// Names the threads by their index.
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(closure));
        self
    }

    /// Sets the number of threads; 0 means the default.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the thread that builds the pool a member of it.
    #[cfg(workspan_rayon_core_1_12)]
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Handles panics that cannot be passed on.
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.panic_handler = Some(Box::new(panic_handler));
        self
    }

    /// Sets the threads' stack size in bytes.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Makes threads run their own tasks in the order in which they were spawned.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(mut self) -> Self {
        self.breadth_first = true;
        self
    }

    /// Is called on each thread when it starts.
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Is called on each thread when it ends.
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn given<T: ?Sized>(handler: &Option<Box<T>>) -> Option<fmt::Arguments<'static>> {
            handler.as_ref().map(|_| format_args!("<closure>"))
        }
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("get_thread_name", &given(&self.thread_name))
            .field("panic_handler", &given(&self.panic_handler))
            .field("stack_size", &self.stack_size)
            .field("start_handler", &given(&self.start_handler))
            .field("exit_handler", &given(&self.exit_handler))
            .field("breadth_first", &self.breadth_first)
            .finish()
    }
}
