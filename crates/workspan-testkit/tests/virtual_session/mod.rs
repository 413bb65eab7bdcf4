//! Sessions of the engine under a virtual clock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config};

/// There is one session at a time.
pub fn lock() -> MutexGuard<'static, ()> {
    static SESSION: Mutex<()> = Mutex::new(());
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The profile of `program`.
pub fn profile_of(program: impl FnOnce()) -> RawProfile {
    let _session = lock();
    profile_with(Config::default(), program)
}

/// The profile of `program` with further settings; the caller holds the [`lock`].
pub fn profile_with(config: Config, program: impl FnOnce()) -> RawProfile {
    session::start(Config {
        clock: Clock::Virtual,
        ..config
    });
    program();
    let text = session::finish().expect("a session is under way");
    raw::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
