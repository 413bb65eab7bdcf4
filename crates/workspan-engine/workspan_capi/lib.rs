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
mod own_sources;
mod regions;
mod running_loop;
mod site;
mod tasks;
mod threads;
mod totals;
mod users_environment;
