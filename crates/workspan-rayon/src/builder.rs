//! `ThreadPoolBuilder`.

use crate::elision::{self, PanicHandler};
use crate::engine::{self, Account, Size};
use crate::ThreadPool;
use rayon_core_real as real;
use real::{ThreadBuilder, ThreadPoolBuildError};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io;
use std::thread;
use workspan_rt::{mode, start_unobserved, Mode};

type ThreadHandler = dyn Fn(usize) + Send + Sync;

/// How much larger than asked for the stacks of pool threads are.
const STACK_FACTOR: usize = 4;
/// What the standard library takes when nothing is asked for.
const DEFAULT_STACK: usize = 2 << 20;

/// Configures a pool; as rayon's `ThreadPoolBuilder`.
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    use_current_thread: bool,
    panic_handler: Option<Box<PanicHandler>>,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    stack_size: Option<usize>,
    start_handler: Option<Box<ThreadHandler>>,
    exit_handler: Option<Box<ThreadHandler>>,
    breadth_first: bool,
    spawn: S,
}

/// How a builder starts the threads. Rayon keeps it private; it is public here only because it stands in a
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

    /// Builds a pool whose threads may borrow, runs `with_pool` with it and ends it; as rayon's.
    ///
    /// # Errors
    /// When the pool cannot be built.
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let start = |builder: ThreadBuilder| {
                let mut thread = thread::Builder::new();
                if let Some(name) = builder.name() {
                    thread = thread.name(name.to_owned());
                }
                if let Some(size) = builder.stack_size() {
                    thread = thread.stack_size(size);
                }
                thread.spawn_scoped(scope, || wrapper(builder)).map(drop)
            };
            // The pool ends before the scope, which waits for the threads.
            self.spawn_handler(start)
                .build()
                .map(|pool| with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds a pool.
    ///
    /// # Errors
    /// When its threads cannot be started, or the current one is in a pool already.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        if mode() == Mode::Elision {
            return Ok(ThreadPool::in_place(elision::Pool::new(self.panic_handler)));
        }
        engine::calibrate();
        let (size, current) = (self.size(), self.use_current_thread);
        let (builder, spawn) = self.into_real();
        let pool = start_unobserved(|| spawn.build(builder))?;
        if current {
            engine::join_pool_in_place(size);
        }
        engine::note_pool(pool.current_num_threads(), size);
        Ok(ThreadPool::new_from(pool, size))
    }

    /// Builds the global pool.
    ///
    /// # Errors
    /// As [`build`](Self::build), or when there is a global pool already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        if mode() == Mode::Elision {
            return elision::Pool::new(self.panic_handler).make_global();
        }
        engine::calibrate();
        let (size, current) = (self.size(), self.use_current_thread);
        let (builder, spawn) = self.into_real();
        start_unobserved(|| spawn.build_global(builder))?;
        engine::note_global(size, current);
        if current {
            engine::join_global_in_place(size);
        }
        Ok(())
    }

    fn size(&self) -> Size {
        if self.num_threads == 0 {
            Size::Default
        } else {
            Size::Chosen
        }
    }

    fn into_real(self) -> (real::ThreadPoolBuilder, S) {
        let size = self.size();
        let mut builder = real::ThreadPoolBuilder::new().num_threads(self.num_threads);
        let mut stack_size = self.stack_size;
        if let (Size::Default, Some(threads)) = (size, workspan_rt::default_threads()) {
            builder = builder.num_threads(threads);
        }
        // Where address space is short, the stacks are what the program asked for: there few recursions are as deep as these.
        let is_larger = matches!(mode(), Mode::Profile | Mode::Idle);
        if is_larger && !workspan_rt::limits_memory() {
            let asked = stack_size.unwrap_or_else(default_stack);
            stack_size = Some(asked.saturating_mul(STACK_FACTOR));
        }
        let start_handler = self.start_handler;
        builder = builder.start_handler(move |index| {
            engine::join_pool(size);
            if let Some(handler) = &start_handler {
                handler(index);
            }
        });
        if let Some(handler) = self.exit_handler {
            builder = builder.exit_handler(handler);
        }
        if let Some(handler) = self.panic_handler {
            builder = match mode() {
                // What it calls is a task's.
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
    /// Lets `spawn` start the threads.
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

    /// Sets the number of threads; 0 is the default.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the thread that builds the pool one of it.
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

/// The builder's former name.
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Default)]
pub struct Configuration {
    builder: ThreadPoolBuilder,
}

#[allow(deprecated)]
impl Configuration {
    /// A configuration with rayon's defaults.
    pub fn new() -> Configuration {
        Self::default()
    }

    /// See [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// As there.
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.builder.build().map_err(Box::from)
    }

    /// See [`ThreadPoolBuilder::thread_name`].
    pub fn thread_name<F>(self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        Self {
            builder: self.builder.thread_name(closure),
        }
    }

    /// See [`ThreadPoolBuilder::num_threads`].
    pub fn num_threads(self, num_threads: usize) -> Configuration {
        Self {
            builder: self.builder.num_threads(num_threads),
        }
    }

    /// See [`ThreadPoolBuilder::panic_handler`].
    pub fn panic_handler<H>(self, panic_handler: H) -> Configuration
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        Self {
            builder: self.builder.panic_handler(panic_handler),
        }
    }

    /// See [`ThreadPoolBuilder::stack_size`].
    pub fn stack_size(self, stack_size: usize) -> Self {
        Self {
            builder: self.builder.stack_size(stack_size),
        }
    }

    /// See [`ThreadPoolBuilder::breadth_first`].
    pub fn breadth_first(self) -> Self {
        Self {
            builder: self.builder.breadth_first(),
        }
    }

    /// See [`ThreadPoolBuilder::start_handler`].
    pub fn start_handler<H>(self, start_handler: H) -> Configuration
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Self {
            builder: self.builder.start_handler(start_handler),
        }
    }

    /// See [`ThreadPoolBuilder::exit_handler`].
    pub fn exit_handler<H>(self, exit_handler: H) -> Configuration
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Self {
            builder: self.builder.exit_handler(exit_handler),
        }
    }
}

#[allow(deprecated)]
impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.builder.fmt(f)
    }
}

/// Builds the global pool; as rayon's.
///
/// # Errors
/// As [`ThreadPoolBuilder::build_global`].
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
#[allow(deprecated)]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.builder.build_global().map_err(Box::from)
}
