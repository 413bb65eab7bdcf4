//! What C holds of tasks, loops and groups: handles that tell whether what they are of is still there.
//!
//! A handle is the address of a cell, with the cell's generation in the bits that addresses do not use. Cells are reused and
//! never freed, and each time the generation grows. So a handle that was given back is known as such, whatever became of its
//! cell since, up to 65,535 reuses later. What is behind a handle is one word, changed by compare-and-swap: of several who
//! give the same handle back, one succeeds.
//!
//! A thread keeps some free cells for itself, and shares what it has too many of: those who spawn are often not those who end.

use crate::site::Site;
use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The bits of a word that hold an address.
const ADDRESS: u64 = (1 << 48) - 1;
/// One generation.
const NEXT: u64 = 1 << 48;

struct Cell {
    /// The generation, and the address of what the handle is of; 0 if it was given back.
    word: AtomicU64,
    /// Where that was made, or what it was of last.
    site: AtomicPtr<Site>,
}

/// A handle of a `T`, as C has it.
pub(crate) struct Handle<T> {
    word: u64,
    of: PhantomData<*const T>,
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl<T> Handle<T> {
    /// A handle of what is at `address`, made at `site`, until it is [taken](Handle::take).
    pub(crate) fn give(address: *const T, site: *const Site) -> Self {
        let cell = free_cell();
        let generation = cell.word.load(Ordering::Relaxed) & !ADDRESS;
        cell.site.store(site.cast_mut(), Ordering::Relaxed);
        cell.word
            .store(generation | address as u64 & ADDRESS, Ordering::Release);
        Self {
            word: generation | ptr::from_ref(cell) as u64,
            of: PhantomData,
        }
    }

    /// The handle that C has given back; none of null.
    ///
    /// # Safety
    /// `given` is null, or came from [`Handle::to_c`] of a handle of a `T`, which may have been
    /// taken since.
    pub(crate) unsafe fn of_c(given: *const c_void) -> Option<Self> {
        (!given.is_null()).then_some(Self {
            word: given as u64,
            of: PhantomData,
        })
    }

    pub(crate) fn to_c(self) -> *const c_void {
        self.word as *const c_void
    }

    /// The address of what the handle is of, if it is still there.
    pub(crate) fn get(self) -> Option<*const T> {
        self.address_in(self.cell().word.load(Ordering::Acquire))
    }

    /// The same, and the handle is none from here on.
    pub(crate) fn take(self) -> Option<*const T> {
        let cell = self.cell();
        let word = cell.word.load(Ordering::Acquire);
        let address = self.address_in(word)?;
        let next = (word & !ADDRESS).wrapping_add(NEXT);
        cell.word
            .compare_exchange(word, next, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        keep(cell);
        Some(address)
    }

    /// Where what the handle is or was of was made; null if that is not known any more.
    pub(crate) fn site(self) -> *const Site {
        let cell = self.cell();
        let word = cell.word.load(Ordering::Acquire);
        let was_last = word == (self.word & !ADDRESS).wrapping_add(NEXT);
        if was_last || self.address_in(word).is_some() {
            cell.site.load(Ordering::Relaxed)
        } else {
            ptr::null()
        }
    }

    fn cell(self) -> &'static Cell {
        // SAFETY: `give` and `of_c` (`# Safety`) alone make handles, with the address of a cell;
        // cells are leaked and have nothing but atomics.
        unsafe { &*((self.word & ADDRESS) as *const Cell) }
    }

    fn address_in(self, word: u64) -> Option<*const T> {
        let is_same = (word ^ self.word) & !ADDRESS == 0;
        let address = word & ADDRESS;
        (is_same && address != 0).then_some(address as *const T)
    }
}

/// How many cells a thread takes or gives away at once.
const BATCH: usize = 256;

/// Free cells that no thread keeps.
static FREE: Mutex<Vec<&'static Cell>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

/// The free cells of a thread.
struct Own(Vec<&'static Cell>);

impl Drop for Own {
    fn drop(&mut self) {
        // In a child of fork(2) a thread that is not there may hold the lock.
        if !workspan_rt::is_ours() {
            return;
        }
        lock().append(&mut self.0);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<&'static Cell>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn free_cell() -> &'static Cell {
    let own = OWN.try_with(|own| {
        let cells = &mut own.borrow_mut().0;
        if cells.is_empty() {
            *cells = batch();
        }
        cells.pop()
    });
    // A thread that is ending keeps none.
    own.ok().flatten().unwrap_or_else(|| {
        let mut cells = batch();
        let cell = cells.pop();
        lock().append(&mut cells);
        cell.expect("a batch has several")
    })
}

fn batch() -> Vec<&'static Cell> {
    let mut free = lock();
    if free.is_empty() {
        let new = || Cell {
            word: AtomicU64::new(0),
            site: AtomicPtr::new(ptr::null_mut()),
        };
        let cells: Vec<Cell> = (0..BATCH).map(|_| new()).collect();
        return cells.leak().iter().collect();
    }
    let rest = free.len().saturating_sub(BATCH);
    free.split_off(rest)
}

fn keep(cell: &'static Cell) {
    let kept = OWN.try_with(|own| {
        let cells = &mut own.borrow_mut().0;
        cells.push(cell);
        if cells.len() >= 2 * BATCH {
            let more = cells.split_off(BATCH);
            lock().extend(more);
        }
    });
    if kept.is_err() {
        lock().push(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_was_given_back_is_known() {
        let number = 7_u32;
        let site = 64 as *const Site;
        let handle = Handle::give(&number, site);
        assert_eq!(handle.get(), Some(ptr::from_ref(&number)));
        // SAFETY: `to_c` has given it, of a handle of the same type.
        let back = unsafe { Handle::<u32>::of_c(handle.to_c()) }.unwrap();
        assert_eq!(back.take(), Some(ptr::from_ref(&number)));
        assert_eq!((handle.take(), handle.get()), (None, None));
        assert_eq!(handle.site(), site);
        // The cell is another's next, and the old handle is none of that.
        let other = Handle::give(&number, ptr::null());
        assert!(other != handle);
        assert_eq!(handle.get(), None);
        assert!(handle.site().is_null());
        assert!(other.take().is_some());
    }

    #[test]
    fn null_is_no_handle() {
        // SAFETY: null is allowed.
        assert!(unsafe { Handle::<u32>::of_c(ptr::null()) }.is_none());
    }

    #[test]
    fn one_of_several_takes_it() {
        let number = 7_u32;
        for _ in 0..1000 {
            let word = Handle::give(&number, ptr::null()).word;
            let take = || {
                let of = PhantomData::<*const u32>;
                usize::from(Handle { word, of }.take().is_some())
            };
            let taken: usize = std::thread::scope(|scope| {
                let other = scope.spawn(take);
                take() + other.join().unwrap()
            });
            assert_eq!(taken, 1);
        }
    }
}
