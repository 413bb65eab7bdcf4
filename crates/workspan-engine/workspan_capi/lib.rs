//! `libworkspan.so`: the engine for programs in C and C++.
//!
//! The library is loaded before the program ([`LD_PRELOAD`][preload]) and starts a session if the environment asks for
//! one. From then on it is told what runs where: by an OpenMP runtime ([`ompt`]), by the hooks of OpenCilk's compiler, or
//! by the program itself through `include/workspan.h`, whose functions these modules define:
//! [`tasks`], [`loops`], [`locks`], [`regions`], [`totals`], [`dump`], [`order`].
//!
//! [`functions`] has what compilers have a program's functions call.
//!
//! Nothing here keeps figures: all becomes calls of [`workspan_rt::events`].
//!
//! [preload]: https://man7.org/linux/man-pages/man8/ld.so.8.html

mod cilk;
mod clock;
mod dump;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod functions;
mod handles;
mod locks;
mod loops;
mod nest;
mod ompt;
mod order;
mod regions;
mod running_loop;
mod site;
mod tasks;
mod threads;
mod totals;
mod users_environment;

/// The hash of the sources that the library was made of: the command knows by it which library is its own.
#[no_mangle]
pub static WORKSPAN_LIBRARY_SOURCES: [u8; 16] = {
    const HASH: &[u8] = match option_env!("WORKSPAN_SOURCES") {
        Some(hash) => hash.as_bytes(),
        None => &[b'?'; 16],
    };
    let mut sources = [0; 16];
    let mut at = 0;
    while at < sources.len() {
        sources[at] = HASH[at];
        at += 1;
    }
    sources
};
