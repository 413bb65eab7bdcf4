//! A kernel for tests, which counts as it is told.

use super::{Event, Kernel, Page, Reading};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Default)]
pub(super) struct Fake {
    refusal: Option<c_int>,
    has_page: bool,
    page: Page,
    reading: Cell<Reading>,
    of_processor: Cell<i64>,
    files: Cell<i32>,
    pages: Cell<i32>,
    reads: Cell<u32>,
    /// Once the program has closed the descriptor: the counter to which it then belongs, if any.
    lost: Cell<Option<Option<u64>>>,
    /// What the kernel writes during the next reading of the processor's counter.
    write: RefCell<Option<(u32, i64, i64)>>,
}

impl Fake {
    pub(super) fn with_page() -> Self {
        Self {
            has_page: true,
            ..Self::default()
        }
    }

    pub(super) fn refusing(error: c_int) -> Self {
        Self {
            refusal: Some(error),
            ..Self::default()
        }
    }

    pub(super) fn set(&self, count: u64, enabled: u64, running: u64) {
        self.reading.set(Reading {
            count,
            enabled,
            running,
        });
    }

    pub(super) fn show(&self, index: u32, offset: i64, own: i64, width: u32) {
        self.page.capabilities.store(Page::READABLE, Relaxed);
        self.page.index.store(index, Relaxed);
        self.page.offset.store(offset, Relaxed);
        self.page.width.store(width, Relaxed);
        self.of_processor.set(own);
    }

    pub(super) fn share(&self) {
        self.page.enabled.store(2, Relaxed);
        self.page.running.store(1, Relaxed);
    }

    pub(super) fn write_during_next_reading(&self, index: u32, offset: i64, own: i64) {
        *self.write.borrow_mut() = Some((index, offset, own));
    }

    /// The program closes the descriptor; `other` is the number of the counter to which it then
    /// belongs, if any.
    pub(super) fn lose(&self, other: Option<u64>) {
        self.lost.set(Some(other));
    }

    pub(super) fn files_open(&self) -> i32 {
        self.files.get()
    }

    pub(super) fn pages_mapped(&self) -> i32 {
        self.pages.get()
    }

    pub(super) fn reads(&self) -> u32 {
        self.reads.get()
    }
}

impl Kernel for &Fake {
    fn open(&self, _: &Event) -> Result<c_int, c_int> {
        match self.refusal {
            Some(error) => Err(error),
            None => {
                self.files.set(self.files.get() + 1);
                Ok(5)
            }
        }
    }

    fn identity(&self, _: c_int) -> Option<u64> {
        self.lost.get().unwrap_or(Some(1))
    }

    fn read(&self, _: c_int) -> Result<Reading, c_int> {
        self.reads.set(self.reads.get() + 1);
        Ok(self.reading.get())
    }

    fn map(&self, _: c_int) -> Option<*const Page> {
        self.has_page.then(|| {
            self.pages.set(self.pages.get() + 1);
            &self.page as *const Page
        })
    }

    fn unmap(&self, _: *const Page) {
        self.pages.set(self.pages.get() - 1);
    }

    fn processor_counter(&self, _: u32) -> i64 {
        let own = self.of_processor.get();
        if let Some((index, offset, own)) = self.write.borrow_mut().take() {
            self.page.lock.fetch_add(2, Relaxed);
            self.show(index, offset, own, 48);
        }
        own
    }

    fn close(&self, _: c_int) {
        self.files.set(self.files.get() - 1);
    }

    fn paranoia(&self) -> Option<i32> {
        Some(3)
    }
}
