//! Sessions of the engine under a virtual clock.

use std::sync::{Mutex, PoisonError};

use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config};

/// The profile of `program` under a virtual clock. There is one session at a time.
pub fn profile_of(program: impl FnOnce()) -> RawProfile {
    static SESSION: Mutex<()> = Mutex::new(());
    let _session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    program();
    let text = session::finish().expect("a session is under way");
    raw::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
