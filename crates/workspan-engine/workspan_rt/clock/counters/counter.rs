//! One counter of one thread.

use super::{Event, Kernel, Page, Problem, Reading};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{fence, Ordering};
use std::time::{Duration, Instant};

/// Processor time of the thread, in nanoseconds, after which a counter that has not run counts as
/// starved. The kernel lets counters take turns every 1 to 10 ms.
const STARVED_AFTER: u64 = 100_000_000;

/// A counter of the thread that opened it; only that thread can read it correctly.
pub struct Counter<K: Kernel> {
    kernel: K,
    file: c_int,
    /// Identifies the counter: is `file` still its descriptor?
    identity: Option<u64>,
    page: Option<*const Page>,
    /// The greatest count returned so far.
    last: Cell<u64>,
    is_shared: Cell<bool>,
    is_starved: Cell<bool>,
    is_lost: Cell<bool>,
}

impl<K: Kernel> Counter<K> {
    /// Counts `event` in the calling thread, from now on.
    ///
    /// # Errors
    /// Why that cannot be, with what to do.
    pub fn open(event: &Event, kernel: K) -> Result<Self, Problem> {
        let file = kernel
            .open(event)
            .map_err(|error| event.problem(error, kernel.paranoia()))?;
        let counter = Self {
            identity: kernel.identity(file),
            page: kernel.map(file),
            kernel,
            file,
            last: Cell::new(0),
            is_shared: Cell::new(false),
            is_starved: Cell::new(false),
            is_lost: Cell::new(false),
        };
        // A counter that opens may still never count.
        let read = counter.kernel.read(file);
        match read {
            Ok(_) => Ok(counter),
            Err(error) => Err(event.problem(error, counter.kernel.paranoia())),
        }
    }

    /// How often the event has happened. It never falls, although estimates of a shared counter
    /// may.
    #[inline]
    pub fn count(&self) -> u64 {
        let count = match self.page.and_then(|page| self.count_of_page(page)) {
            Some(count) => count,
            None => self.count_of_call(),
        };
        let count = count.max(self.last.get());
        self.last.set(count);
        count
    }

    /// The last count returned.
    pub fn last(&self) -> u64 {
        self.last.get()
    }

    /// Whether the counter had to take turns with others, so that counts are estimates.
    pub fn is_shared(&self) -> bool {
        self.is_shared.get()
    }

    /// Whether the counter has not run so far, for longer than it takes until others make room:
    /// then it counts nothing, whatever happens.
    pub fn is_starved(&self) -> bool {
        self.is_starved.get()
    }

    /// Whether the program has closed the counter's descriptor: then the last count stays.
    pub fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// Is the descriptor still this counter's? Whatever else its number may stand for belongs to
    /// the program, and is neither read nor closed.
    fn has_file(&self) -> bool {
        self.identity.is_some() && self.kernel.identity(self.file) == self.identity
    }

    /// Waits until the counter has run, which it does at once unless others hold all of the
    /// processor's. The thread keeps running meanwhile, because a counter runs only while its
    /// thread does.
    ///
    /// # Errors
    /// [`Problem::NoRoom`] if it has not run within `limit`.
    pub fn await_place(&self, event: &Event, limit: Duration) -> Result<(), Problem> {
        let deadline = Instant::now() + limit;
        loop {
            // It could be read when it was opened.
            let reading = self.kernel.read(self.file).unwrap_or_default();
            if !reading.never_ran() {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let name = event.name().to_owned();
                return Err(Problem::NoRoom { name });
            }
        }
    }

    /// Whether readings take no call of the kernel.
    pub fn is_read_directly(&self) -> bool {
        self.page
            .is_some_and(|page| self.count_of_page(page).is_some())
    }

    fn count_of_call(&self) -> u64 {
        if !self.has_file() {
            self.is_lost.set(true);
            return self.last.get();
        }
        match self.kernel.read(self.file) {
            Ok(reading) => {
                self.is_shared
                    .set(self.is_shared.get() | reading.is_shared());
                self.is_starved
                    .set(reading.never_ran() && reading.enabled >= STARVED_AFTER);
                reading.scaled()
            }
            // It could be read when it was opened.
            Err(_) => self.last.get(),
        }
    }

    /// The count by the processor's own counter, read as linux/perf_event.h prescribes; `None`
    /// while that is not this thread's, and once the counter is shared.
    #[inline]
    fn count_of_page(&self, page: *const Page) -> Option<u64> {
        // SAFETY: the page stays mapped until `drop`, and the kernel writes it as other threads
        // write atomics, which is what its fields are.
        let page = unsafe { &*page };
        loop {
            // The kernel changes the lock before it writes, and again after it. It writes on the
            // processor that this thread runs on, so only the compiler must be kept from
            // reordering, for which these orderings suffice.
            let lock = page.lock.load(Ordering::Acquire);
            let index = page.index.load(Ordering::Relaxed);
            let reading = Reading {
                count: 0,
                enabled: page.enabled.load(Ordering::Relaxed),
                running: page.running.load(Ordering::Relaxed),
            };
            let capabilities = page.capabilities.load(Ordering::Relaxed);
            if index == 0 || capabilities & Page::READABLE == 0 || reading.is_shared() {
                return None;
            }
            let width = page.width.load(Ordering::Relaxed) & 0xffff;
            let unused = 64 - width.clamp(1, 64);
            let own = self.kernel.processor_counter(index - 1);
            let count = page.offset.load(Ordering::Relaxed) + ((own << unused) >> unused);
            fence(Ordering::Acquire);
            if page.lock.load(Ordering::Relaxed) == lock {
                return Some(count.max(0).unsigned_abs());
            }
        }
    }
}

impl<K: Kernel> Drop for Counter<K> {
    fn drop(&mut self) {
        if let Some(page) = self.page {
            self.kernel.unmap(page);
        }
        if self.has_file() {
            self.kernel.close(self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    fn instructions() -> Event {
        Event::named("instructions").unwrap()
    }

    #[test]
    fn a_counter_is_read_by_one_call() {
        let fake = Fake::default();
        let counter = Counter::open(&instructions(), &fake).unwrap();
        fake.set(7, 10, 10);
        assert_eq!((counter.count(), counter.is_shared()), (7, false));
        assert!(!counter.is_read_directly());
        drop(counter);
        assert_eq!(fake.files_open(), 0);
    }

    #[test]
    fn a_descriptor_that_is_the_programs_now_is_left_alone() {
        for other in [None, Some(2)] {
            let fake = Fake::default();
            let counter = Counter::open(&instructions(), &fake).unwrap();
            fake.set(7, 10, 10);
            assert_eq!((counter.count(), counter.is_lost()), (7, false));
            fake.lose(other);
            let reads = fake.reads();
            assert_eq!((counter.count(), counter.is_lost()), (7, true));
            drop(counter);
            assert_eq!((fake.reads(), fake.files_open()), (reads, 1));
        }
    }

    #[test]
    fn what_is_counted_part_of_the_time_stands_for_all_of_it() {
        let fake = Fake::default();
        let counter = Counter::open(&instructions(), &fake).unwrap();
        fake.set(30, 100, 25);
        assert_eq!((counter.count(), counter.is_shared()), (120, true));
        // A later estimate is lower, but a clock does not go back.
        fake.set(32, 200, 80);
        assert_eq!(counter.count(), 120);
        // It never ran.
        fake.set(0, 200, 0);
        assert_eq!(counter.count(), 120);
    }

    #[test]
    fn a_counter_that_gets_no_place_says_so() {
        let fake = Fake::default();
        let event = instructions();
        let counter = Counter::open(&event, &fake).unwrap();
        let place = || counter.await_place(&event, Duration::from_millis(1));
        assert_eq!(place(), Ok(()));
        // Others may have their turn first.
        fake.set(0, STARVED_AFTER - 1, 0);
        assert_eq!((counter.count(), counter.is_starved()), (0, false));
        fake.set(0, STARVED_AFTER, 0);
        assert_eq!((counter.count(), counter.is_starved()), (0, true));
        let name = "instructions".to_owned();
        assert_eq!(place(), Err(Problem::NoRoom { name }));
        fake.set(5, 2 * STARVED_AFTER, STARVED_AFTER);
        assert_eq!((counter.count(), counter.is_starved()), (10, false));
        assert_eq!(place(), Ok(()));
    }

    #[test]
    fn a_counter_that_the_processor_shows_takes_no_call() {
        let fake = Fake::with_page();
        let counter = Counter::open(&instructions(), &fake).unwrap();
        let calls = fake.reads();
        fake.show(2, 1_000, 5, 48);
        assert_eq!(counter.count(), 1_005);
        // The kernel starts at a negative number of the counter's width.
        fake.show(2, 1_000, (1 << 48) - 5, 48);
        assert_eq!(counter.count(), 1_005);
        assert!(counter.is_read_directly());
        assert_eq!(fake.reads(), calls);
        // While another thread has it, and once it is shared, the kernel is asked.
        fake.show(0, 0, 0, 48);
        fake.set(2_000, 10, 10);
        assert_eq!(counter.count(), 2_000);
        fake.show(2, 1_000, 5, 48);
        fake.share();
        fake.set(2_000, 40, 10);
        assert_eq!((counter.count(), counter.is_shared()), (8_000, true));
        drop(counter);
        assert_eq!(fake.pages_mapped(), 0);
    }

    #[test]
    fn a_write_of_the_kernel_is_seen() {
        let fake = Fake::with_page();
        let counter = Counter::open(&instructions(), &fake).unwrap();
        fake.show(1, 10, 1, 48);
        fake.write_during_next_reading(1, 500, 2);
        assert_eq!(counter.count(), 502);
    }

    #[test]
    fn a_counter_that_does_not_open_says_why() {
        for (error, words) in [
            (2, "has no counter"),
            (19, "has no counter"),
            (95, "has no counter"),
            (13, "perf_event_paranoid is 3"),
            (1, "perf_event_paranoid is 3"),
            (24, "file"),
            (28, "no room"),
            (16, "no room"),
            (38, "perf_event_open"),
            (5, "error 5"),
        ] {
            let fake = Fake::refusing(error);
            let problem = Counter::open(&instructions(), &fake).err().unwrap();
            let text = problem.to_string();
            assert!(
                text.contains("instructions") && text.contains(words),
                "{text}"
            );
        }
    }
}
