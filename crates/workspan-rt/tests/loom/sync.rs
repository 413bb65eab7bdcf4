//! Replaces the engine's `sync.rs`: the same names, over loom. It adds what the standard library's
//! types have and loom's lack: constant constructors, `AtomicPtr::get_mut`, pointers into an `Arc`.

use loom::sync::atomic as model;
use std::alloc::{dealloc, Layout};
use std::cell::{Cell, RefCell};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Add, Deref, DerefMut};
use std::sync::LockResult;
use std::time::Duration;

pub(crate) use loom::sync::atomic::{fence, Ordering};
pub(crate) use std::sync::PoisonError;

thread_local! {
    // loom runs all threads of a model on one thread of the system.
    /// The number of the current execution; all models share the count.
    static EXECUTION: Cell<u64> = const { Cell::new(0) };
    static WITHOUT_MEMBARRIER: Cell<bool> = const { Cell::new(false) };
    static DEADLINES_PASS: Cell<bool> = const { Cell::new(false) };
    /// How often the time was read since deadlines pass.
    static LOOKS: Cell<u64> = const { Cell::new(0) };
    /// Values in an `Arc` that have not been dropped.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    /// Memory whose values have been dropped. It is only freed after the execution, to find later
    /// uses.
    static SPENT: RefCell<Vec<(*mut u8, Layout)>> = const { RefCell::new(Vec::new()) };
}

/// The statics of the engine are shared by all models.
static ONE_MODEL: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Runs `body` in every order, with at most `preemptions` in each. Everything that it makes must be
/// gone at its end.
pub(crate) fn check(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let _alone = ONE_MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    WITHOUT_MEMBARRIER.set(false);
    DEADLINES_PASS.set(false);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    let executions = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counter = executions.clone();
    builder.check(move || {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        EXECUTION.set(NEXT.fetch_add(1, Ordering::Relaxed));
        counter.fetch_add(1, Ordering::Relaxed);
        LIVE.set(0);
        LOOKS.set(0);
        for (memory, layout) in SPENT.take() {
            // SAFETY: from `Box::into_raw` in `Arc::new`; the execution that used it has ended.
            unsafe { dealloc(memory, layout) };
        }
        body();
        assert_eq!(live(), 0, "something has leaked");
    });
    println!("{} executions", executions.load(Ordering::Relaxed));
}

/// The number of values in an `Arc`.
pub(crate) fn live() -> usize {
    LIVE.get()
}

/// The engine runs on a kernel without `membarrier` from now to the end of the model.
pub(crate) fn without_membarrier() {
    WITHOUT_MEMBARRIER.set(true);
}

/// `membarrier` turns a compiler fence into a fence in every running thread; here it is a fence.
pub(crate) fn compiler_fence(ordering: Ordering) {
    if !WITHOUT_MEMBARRIER.get() {
        fence(ordering);
    }
}

/// Lets other threads run: only their steps can end the wait.
pub(crate) fn sleep(_: Duration) {
    loom::thread::yield_now();
}

/// Time stands still, so that no deadline passes; or it passes so quickly that each deadline has
/// passed at the next look.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Instant(Duration);

impl Instant {
    pub(crate) fn now() -> Self {
        let hours = LOOKS.get();
        if DEADLINES_PASS.get() {
            LOOKS.set(hours + 1);
        }
        Self(Duration::from_secs(3_600 * hours))
    }
}

/// Deadlines pass from now to the end of the model.
pub(crate) fn let_deadlines_pass() {
    DEADLINES_PASS.set(true);
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, more: Duration) -> Self {
        Self(self.0 + more)
    }
}

/// One of loom's objects, made at its first use in an execution. If two threads race for that use,
/// loom fails, so a model uses such an object once before it starts threads.
struct Late<T>(std::cell::UnsafeCell<Option<(u64, T)>>);

// SAFETY: used by one model at a time, whose threads take turns on one thread of the system.
unsafe impl<T> Sync for Late<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Late<T> {}

impl<T> Late<T> {
    const fn new() -> Self {
        Self(std::cell::UnsafeCell::new(None))
    }

    fn get(&self, make: impl FnOnce() -> T) -> &T {
        let now = EXECUTION.get();
        // SAFETY: no other thread runs meanwhile, and references of earlier executions are gone.
        unsafe {
            let slot = self.0.get();
            if !matches!(&*slot, Some((execution, _)) if *execution == now) {
                let made = make();
                *slot = Some((now, made));
            }
            &(*slot).as_ref().unwrap().1
        }
    }
}

macro_rules! atomic {
    ($name:ident, $of:ty) => {
        pub(crate) struct $name {
            first: $of,
            late: Late<model::$name>,
        }

        impl $name {
            pub(crate) const fn new(first: $of) -> Self {
                Self {
                    first,
                    late: Late::new(),
                }
            }

            fn get(&self) -> &model::$name {
                self.late.get(|| model::$name::new(self.first))
            }

            pub(crate) fn load(&self, ordering: Ordering) -> $of {
                self.get().load(ordering)
            }

            pub(crate) fn swap(&self, value: $of, ordering: Ordering) -> $of {
                self.get().swap(value, ordering)
            }

            pub(crate) fn fetch_max(&self, value: $of, ordering: Ordering) -> $of {
                self.get().fetch_max(value, ordering)
            }

            pub(crate) fn compare_exchange(
                &self,
                from: $of,
                to: $of,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$of, $of> {
                self.get().compare_exchange(from, to, success, failure)
            }
        }
    };
}

atomic!(AtomicI64, i64);
atomic!(AtomicU8, u8);

impl AtomicI64 {
    pub(crate) fn fetch_add(&self, value: i64, ordering: Ordering) -> i64 {
        self.get().fetch_add(value, ordering)
    }

    pub(crate) fn store(&self, value: i64, ordering: Ordering) {
        self.get().store(value, ordering);
    }
}

impl AtomicU8 {
    /// The only atomic of this type is the engine's mode (`stop.rs`).
    pub(crate) fn store(&self, mode: u8, ordering: Ordering) {
        const ON_FENCED: u8 = 3;
        let fenced = mode == crate::stop::ON && WITHOUT_MEMBARRIER.get();
        self.get()
            .store(if fenced { ON_FENCED } else { mode }, ordering);
    }
}

/// The value is in loom's atomic, except from a `get_mut` to the next use, by the same thread.
pub(crate) struct AtomicPtr<T> {
    shared: model::AtomicPtr<T>,
    own: Cell<Option<*mut T>>,
}

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> Self {
        Self {
            shared: model::AtomicPtr::new(value),
            own: Cell::new(None),
        }
    }

    fn get(&self) -> &model::AtomicPtr<T> {
        if let Some(own) = self.own.take() {
            // SAFETY: never a concurrent access, or loom fails.
            if unsafe { self.shared.unsync_load() } != own {
                self.shared.store(own, Ordering::Relaxed);
            }
        }
        &self.shared
    }

    pub(crate) fn load(&self, ordering: Ordering) -> *mut T {
        self.get().load(ordering)
    }

    pub(crate) fn compare_exchange(
        &self,
        from: *mut T,
        to: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.get().compare_exchange(from, to, success, failure)
    }

    pub(crate) fn get_mut(&mut self) -> &mut *mut T {
        self.get();
        let own = self.shared.with_mut(|value| *value);
        self.own.set(Some(own));
        self.own.get_mut().as_mut().unwrap()
    }
}

pub(crate) struct Mutex<T> {
    value: std::cell::UnsafeCell<T>,
    late: Late<loom::sync::Mutex<()>>,
}

// SAFETY: the value is only accessed with `late` locked.
unsafe impl<T: Send> Sync for Mutex<T> {}

pub(crate) struct Guard<'a, T> {
    value: &'a std::cell::UnsafeCell<T>,
    _locked: loom::sync::MutexGuard<'a, ()>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            value: std::cell::UnsafeCell::new(value),
            late: Late::new(),
        }
    }

    pub(crate) fn lock(&self) -> LockResult<Guard<'_, T>> {
        Ok(Guard {
            value: &self.value,
            _locked: self.late.get(|| loom::sync::Mutex::new(())).lock().unwrap(),
        })
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: locked.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: locked.
        unsafe { &mut *self.value.get() }
    }
}

/// Counts each access as a write: loom fails if the memory model does not order two of them.
pub(crate) struct UnsafeCell<T> {
    value: std::cell::UnsafeCell<T>,
    accesses: loom::cell::UnsafeCell<()>,
}

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: std::cell::UnsafeCell::new(value),
            accesses: loom::cell::UnsafeCell::new(()),
        }
    }

    pub(crate) fn get(&self) -> *mut T {
        self.accesses.with_mut(|_| ());
        self.value.get()
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.accesses.with_mut(|_| ());
        self.value.get_mut()
    }
}

/// The standard library's `Arc` without weak handles, step by step. With it loom finds a value that
/// is read before the memory model makes it visible, or dropped too early, twice or not at all.
pub(crate) struct Arc<T>(*mut Inner<T>);

#[repr(C)]
struct Inner<T> {
    /// The first field, so that a pointer to the value is one to the whole.
    value: MaybeUninit<T>,
    handles: model::AtomicUsize,
    accesses: loom::cell::UnsafeCell<()>,
    is_gone: Cell<bool>,
}

// SAFETY: as the standard library's.
unsafe impl<T: Send + Sync> Send for Arc<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Arc<T> {}

impl<T> Arc<T> {
    pub(crate) fn new(value: T) -> Self {
        LIVE.set(LIVE.get() + 1);
        let inner = Inner {
            value: MaybeUninit::new(value),
            handles: model::AtomicUsize::new(1),
            accesses: loom::cell::UnsafeCell::new(()),
            is_gone: Cell::new(false),
        };
        inner.accesses.with_mut(|_| ());
        Self(Box::into_raw(Box::new(inner)))
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: freed only after the execution.
        let inner = unsafe { &*self.0 };
        assert!(!inner.is_gone.get(), "use after the last handle");
        inner
    }

    /// Takes the value through the last handle.
    fn end(self) -> T {
        let handle = ManuallyDrop::new(self);
        let inner = handle.inner();
        fence(Ordering::Acquire);
        inner.accesses.with_mut(|_| ());
        inner.is_gone.set(true);
        LIVE.set(LIVE.get() - 1);
        SPENT.with_borrow_mut(|spent| spent.push((handle.0.cast(), Layout::new::<Inner<T>>())));
        // SAFETY: `is_gone` was not set before.
        unsafe { inner.value.assume_init_read() }
    }

    pub(crate) fn into_inner(this: Self) -> Option<T> {
        let this = ManuallyDrop::new(this);
        let left = this.inner().handles.fetch_sub(1, Ordering::Release);
        (left == 1).then(|| ManuallyDrop::into_inner(this).end())
    }

    pub(crate) fn try_unwrap(this: Self) -> Result<T, Self> {
        let one = this
            .inner()
            .handles
            .compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed);
        match one {
            Ok(_) => Ok(this.end()),
            Err(_) => Err(this),
        }
    }

    pub(crate) fn as_ptr(this: &Self) -> *const T {
        this.0.cast_const().cast()
    }

    pub(crate) fn ptr_eq(this: &Self, other: &Self) -> bool {
        this.0 == other.0
    }

    pub(crate) fn into_raw(this: Self) -> *const T {
        Self::as_ptr(&ManuallyDrop::new(this))
    }

    /// # Safety
    /// As the standard library's.
    pub(crate) unsafe fn from_raw(value: *const T) -> Self {
        Self(value.cast_mut().cast())
    }

    /// # Safety
    /// As the standard library's.
    pub(crate) unsafe fn increment_strong_count(value: *const T) {
        // SAFETY: the caller's promise.
        let this = ManuallyDrop::new(unsafe { Self::from_raw(value) });
        std::mem::forget((*this).clone());
    }
}

impl<T> Clone for Arc<T> {
    fn clone(&self) -> Self {
        self.inner().handles.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let inner = self.inner();
        inner.accesses.with(|_| ());
        // SAFETY: not gone.
        unsafe { inner.value.assume_init_ref() }
    }
}

impl<T> Drop for Arc<T> {
    fn drop(&mut self) {
        // A model that has failed must report its own failure.
        if !std::thread::panicking() {
            drop(Self::into_inner(Self(self.0)));
        }
    }
}
