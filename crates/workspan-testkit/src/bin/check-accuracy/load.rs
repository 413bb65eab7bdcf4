//! Another process on every core.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// Processes that keep every core busy until this is dropped.
pub struct Load(Vec<Child>);

impl Load {
    /// Starts one process a core.
    pub fn on_every_core() -> anyhow::Result<Load> {
        let start = |program: PathBuf| Command::new(program).arg("--keep-busy").spawn();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut load = Load(Vec::new());
        for _ in 0..cores {
            let child = std::env::current_exe()
                .and_then(start)
                .context("cannot keep the cores busy")?;
            load.0.push(child);
        }
        Ok(load)
    }
}

/// The work of each of these processes. It ends by itself in case nobody is left to end it.
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
