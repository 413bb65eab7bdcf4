//! The processors of this machine, and the order in which a sweep puts threads on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity};
use workspan_model::Pinning;

/// Where the kernel describes the processors.
const SYSTEM: &str = "/sys/devices/system/cpu";

/// A processor as the system counts them: a core, or one of the hardware threads of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Processor {
    number: usize,
    /// The first processor of the same core.
    core: usize,
    socket: usize,
}

/// The processors that this process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Processors(Vec<Processor>);

impl Processors {
    /// Those of this machine. Without information from the kernel, each counts as a core of its
    /// own, all on one socket.
    pub(super) fn of_this_machine() -> Self {
        let allowed = sched_getaffinity(None).unwrap_or_default();
        let numbers = (0..CpuSet::MAX_CPU).filter(|&number| allowed.is_set(number));
        Self::read(numbers, Path::new(SYSTEM))
    }

    fn read(numbers: impl Iterator<Item = usize>, system: &Path) -> Self {
        let processor = |number| {
            let topology = system.join(format!("cpu{number}/topology"));
            let read = |file: &str| fs::read_to_string(topology.join(file)).ok();
            let siblings = read("thread_siblings_list");
            Processor {
                number,
                core: siblings
                    .and_then(|list| first_number(&list))
                    .unwrap_or(number),
                socket: read("physical_package_id")
                    .and_then(|text| first_number(&text))
                    .unwrap_or(0),
            }
        };
        Self(numbers.map(processor).collect())
    }

    pub(super) fn numbers(&self) -> Vec<usize> {
        self.0.iter().map(|processor| processor.number).collect()
    }

    /// The number of processors, at least 1.
    pub(super) fn count(&self) -> usize {
        self.0.len().max(1)
    }

    /// The number of cores that they belong to, at least 1.
    pub(super) fn cores(&self) -> usize {
        let cores: BTreeSet<usize> = self.0.iter().map(|processor| processor.core).collect();
        cores.len().max(1)
    }

    /// The number of sockets that they are on, at least 1.
    pub(super) fn sockets(&self) -> usize {
        let sockets: BTreeSet<usize> = self.0.iter().map(|processor| processor.socket).collect();
        sockets.len().max(1)
    }

    /// The numbers of the processors, in the order in which a growing number of threads uses them:
    /// one processor of each core first. `None` if the system is to choose.
    pub(super) fn order(&self, pinning: Pinning) -> Option<Vec<usize>> {
        let mut ranked: Vec<(usize, Processor)> = self
            .0
            .iter()
            .map(|&processor| (self.rank(processor), processor))
            .collect();
        match pinning {
            Pinning::None => return None,
            Pinning::Compact => {
                ranked.sort_by_key(|&(rank, processor)| (rank, processor.socket, processor.number));
            }
            Pinning::Spread => {
                let place = |&(rank, processor): &(usize, Processor)| {
                    let before = ranked.iter().filter(|(other_rank, other)| {
                        *other_rank == rank
                            && other.socket == processor.socket
                            && other.number < processor.number
                    });
                    (rank, before.count(), processor.socket)
                };
                let mut placed: Vec<_> = ranked.iter().map(|one| (place(one), *one)).collect();
                placed.sort_by_key(|&(place, _)| place);
                ranked = placed.into_iter().map(|(_, one)| one).collect();
            }
        }
        Some(
            ranked
                .into_iter()
                .map(|(_, processor)| processor.number)
                .collect(),
        )
    }

    /// How many processors of the same core come before it.
    fn rank(&self, processor: Processor) -> usize {
        let before = self
            .0
            .iter()
            .filter(|other| other.core == processor.core && other.number < processor.number);
        before.count()
    }
}

/// The first number of a list such as `0-3,8`.
fn first_number(list: &str) -> Option<usize> {
    let digits = list
        .trim()
        .split(|character: char| !character.is_ascii_digit());
    digits.into_iter().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sockets with two cores of two hardware threads each, numbered as Linux numbers them.
    fn two_sockets() -> Processors {
        let processor = |number| Processor {
            number,
            core: number % 4,
            socket: number % 4 / 2,
        };
        Processors((0..8).map(processor).collect())
    }

    #[test]
    fn cores_come_before_their_second_threads() {
        let processors = two_sockets();
        let counts = (processors.count(), processors.cores(), processors.sockets());
        assert_eq!(counts, (8, 4, 2));
        let order = |pinning| processors.order(pinning);
        assert_eq!(order(Pinning::Compact), Some(vec![0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(order(Pinning::Spread), Some(vec![0, 2, 1, 3, 4, 6, 5, 7]));
        assert_eq!(order(Pinning::None), None);
    }

    #[test]
    fn second_threads_may_be_numbered_right_after_the_first() {
        let processor = |number| Processor {
            number,
            core: number / 2 * 2,
            socket: 0,
        };
        let processors = Processors((0..4).map(processor).collect());
        assert_eq!(processors.order(Pinning::Compact), Some(vec![0, 2, 1, 3]));
    }

    #[test]
    fn the_topology_is_read_from_the_kernel() {
        let system = tempfile::tempdir().unwrap();
        for (number, siblings, socket) in
            [(0, "0,2\n", "0\n"), (1, "1\n", "1\n"), (2, "0,2\n", "0\n")]
        {
            let folder = system.path().join(format!("cpu{number}/topology"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("thread_siblings_list"), siblings).unwrap();
            fs::write(folder.join("physical_package_id"), socket).unwrap();
        }
        let processors = Processors::read(0..4, system.path());
        let found: Vec<_> = processors
            .0
            .iter()
            .map(|one| (one.core, one.socket))
            .collect();
        assert_eq!(found, [(0, 0), (1, 1), (0, 0), (3, 0)]);
    }
}
