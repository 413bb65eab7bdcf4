//! What the growth of a counter says about the cause of inflation.

/// Why the same work takes longer in parallel (TaskProf, dissertation §5.4). The most specific
/// cause comes first: data from another socket, or from a cache there, also misses the last-level
/// cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InflationCause {
    /// Cores take cache lines from one another: true or false sharing.
    Coherence,
    /// Data is in the memory of another socket.
    RemoteMemory,
    /// The data of all tasks that run at once does not fit into the last-level cache.
    LastLevelMisses,
}

/// Parts of event names that indicate a cause. Vendors name the same event differently; these are
/// the names in the kernel's lists for Intel and AMD. `remote_hitm` is a line that another socket
/// has modified, so coherence comes first.
const EVENTS: [(InflationCause, &[&str]); 3] = [
    (
        InflationCause::Coherence,
        &[
            "hitm",
            "snoop_fwd",
            "xsnp_fwd",
            "snp_fwd",
            "machine_clears.memory_ordering",
            "cache_to_cache",
        ],
    ),
    (
        InflationCause::RemoteMemory,
        &[
            "remote_dram",
            "remote_mem",
            "dram_io_far",
            "mem_io_remote",
            "node-load-misses",
            "node-store-misses",
        ],
    ),
    (
        InflationCause::LastLevelMisses,
        &[
            "cache-misses",
            "llc-load-misses",
            "llc-store-misses",
            "llc-misses",
            "l3_miss",
            "longest_lat_cache.miss",
        ],
    ),
];

impl InflationCause {
    /// The cause that inflation of the event of this name indicates. `None` for other events,
    /// including raw codes, whose meaning depends on the processor: the user may prefix these with
    /// what they are (`xsnp_hitm=r4d2`).
    pub fn from_event(event: &str) -> Option<Self> {
        let event = event.to_lowercase();
        let mut causes = EVENTS.iter();
        let stands_for =
            |(_, names): &&(Self, &[&str])| names.iter().any(|name| event.contains(name));
        causes.find(stands_for).map(|&(cause, _)| cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_known_by_their_names() {
        use InflationCause::{Coherence, LastLevelMisses, RemoteMemory};
        let known = [
            ("mem_load_l3_hit_retired.xsnp_hitm", Some(Coherence)),
            ("mem_load_l3_miss_retired.remote_hitm", Some(Coherence)),
            ("mem_load_l3_miss_retired.remote_dram", Some(RemoteMemory)),
            ("node-load-misses", Some(RemoteMemory)),
            ("cache-misses", Some(LastLevelMisses)),
            ("LLC-load-misses", Some(LastLevelMisses)),
            ("mem_load_retired.l3_miss", Some(LastLevelMisses)),
            ("L1-dcache-load-misses", None),
            ("instructions", None),
            ("r20d1", None),
            ("xsnp_hitm=r4d2", Some(Coherence)),
            ("time", None),
        ];
        for (event, cause) in known {
            assert_eq!(InflationCause::from_event(event), cause, "{event}");
        }
    }
}
