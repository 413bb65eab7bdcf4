//! Another process on every core.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Processes that keep every core busy until this is dropped.
pub struct Load(Vec<Child>);

impl Load {
    /// Starts one process a core.
    pub fn on_every_core() -> Result<Load, String> {
        let start = |program: PathBuf| Command::new(program).arg("--keep-busy").spawn();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut load = Load(Vec::new());
        for _ in 0..cores {
            let child = std::env::current_exe()
                .and_then(start)
                .map_err(|error| format!("cannot keep the cores busy: {error}"))?;
            load.0.push(child);
        }
        Ok(load)
    }
}

/// What each of those processes does. It ends by itself should nobody be left to end it.
pub fn keep_busy() {
    let end = Instant::now() + Duration::from_secs(1_200);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
