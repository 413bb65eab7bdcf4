//! Regions of every form, and an engine that prints what they report.

use std::sync::atomic::{AtomicU64, Ordering};

static LAST: AtomicU64 = AtomicU64::new(0);

#[no_mangle]
unsafe extern "C" fn workspan_region_begin(
    name: *const u8,
    name_length: usize,
    file: *const u8,
    file_length: usize,
    line: u32,
    column: u32,
) -> u64 {
    let text = |start, length| {
        let bytes = unsafe { std::slice::from_raw_parts(start, length) };
        std::str::from_utf8(bytes).unwrap()
    };
    let token = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let place = text(file, file_length);
    println!(
        "{token}: {} at {place}:{line}:{column}",
        text(name, name_length)
    );
    token
}

#[no_mangle]
unsafe extern "C" fn workspan_region_end(token: u64) {
    println!("{token} ends");
}

struct List<T>(Vec<T>);

impl<T: Clone> List<T> {
    /// The mark is among other attributes, and before those of the body.
    #[workspan::function]
    #[must_use]
    pub(crate) unsafe fn copies<'a, const N: usize>(&'a self) -> impl Iterator<Item = T> + 'a
    where
        [u8; N]: Sized,
    {
        #![allow(clippy::needless_lifetimes)]
        const TWO: usize = 2;
        (0..N * TWO).flat_map(|_| self.0.clone())
    }
}

trait Shape {
    #[workspan::function]
    fn area(&self) -> u32 {
        self.width() * self.width()
    }

    fn width(&self) -> u32;
}

impl Shape for List<u32> {
    #[workspan::function]
    fn width(&self) -> u32 {
        self.0.len() as u32
    }
}

#[workspan::function]
extern "C" fn called_from_c() -> i32 {
    7
}

macro_rules! functions {
    ($visibility:vis $name:ident $body:block $other:item) => {
        #[workspan::function]
        $visibility fn $name() $body

        #[workspan::function]
        $other
    };
}

functions! {
    pub(crate) from_parts {
        println!("in one");
    }
    fn from_a_whole() {
        println!("in another");
    }
}

fn nested() {
    let closure = || {
        let _region = workspan::region_here!();
    };
    closure();
}

fn main() {
    let list = List(vec![1_u32, 2]);
    println!("{}", unsafe { list.copies::<2>() }.count());
    println!("{} {}", list.area(), called_from_c());
    from_parts();
    from_a_whole();
    nested();
    {
        let first = workspan::region("first");
        let _second = workspan::region(String::from("second"));
        drop(first);
        println!(
            "{}",
            workspan::in_region(format_args!("level {}", 3), || "in a closure")
        );
    }
    let unwound = std::panic::catch_unwind(|| {
        let _region = workspan::region("unwound");
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(unwound.is_err());
}
