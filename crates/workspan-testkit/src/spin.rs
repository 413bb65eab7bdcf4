//! Busy work of a known length.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Keeps the calling thread's processor busy until the thread has used `duration` of processor
/// time, and at most half a microsecond more (one reading of that clock).
///
/// Time in which the thread is off the processor does not count, and a change of the processor's
/// frequency does not matter. A number of iterations fixed beforehand would be off by that change
/// and by the time that the hypervisor takes.
pub fn spin(duration: Duration) {
    let end = processor_time() + duration;
    while processor_time() < end {
        std::hint::spin_loop();
    }
}

/// Processor time that the calling thread has used since it started.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_no_less_processor_time_than_asked_for() {
        let before = processor_time();
        spin(Duration::from_millis(2));
        assert!(processor_time() - before >= Duration::from_millis(2));
    }
}
