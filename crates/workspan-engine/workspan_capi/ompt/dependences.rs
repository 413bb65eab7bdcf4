//! `depend`: which siblings a task follows.
//!
//! The runtime tells of an edge only where the predecessor has not ended yet. So edges are computed from the lists of
//! dependences, in the order in which the tasks are created, by the rules of OpenMP 5.2, section 15.9.5.

use std::collections::HashMap;

/// How a task depends on what a place holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// `in`: beside others of its kind.
    Read,
    /// `out` and `inout`: alone.
    Write,
    /// `mutexinoutset`: in any order with others of its kind, but not at the same time. It is taken for a set: which of them
    /// comes first is the schedule's choice.
    ExclusiveSet,
    /// `inoutset`: beside others of its kind.
    Set,
}

/// The dependences among the children of one task, each of which is a `T`.
pub(super) struct Dependences<T> {
    places: HashMap<usize, Place<T>>,
    /// The last task that depends on all memory.
    everything: Option<T>,
}

/// The tasks that the next one at a place has to follow.
struct Place<T> {
    access: Access,
    /// The last task that writes, or the members of the set that is being built.
    last: Vec<T>,
    /// What each member of that set follows.
    before: Vec<T>,
}

impl<T> Default for Dependences<T> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            everything: None,
        }
    }
}

impl<T: Clone> Dependences<T> {
    /// Adds a task with what it accesses, and tells whom it has to follow.
    pub fn add(&mut self, task: &T, accesses: &[(usize, Access)], mut follow: impl FnMut(&T)) {
        for (index, &(address, access)) in accesses.iter().enumerate() {
            if accesses[..index].iter().any(|earlier| earlier.0 == address) {
                continue;
            }
            let named_otherwise = |other: &(usize, Access)| other.0 == address && other.1 != access;
            // A place named twice in different ways is written.
            let access = match accesses[index..].iter().any(named_otherwise) {
                true => Access::Write,
                false => access,
            };
            self.access(task, address, access, &mut follow);
        }
    }

    /// Adds a task that follows all siblings with dependences, and that all later ones follow.
    pub fn add_everything(&mut self, task: &T, mut follow: impl FnMut(&T)) {
        self.everything.iter().for_each(&mut follow);
        for place in self.places.values() {
            place.last.iter().for_each(&mut follow);
        }
        self.places.clear();
        self.everything = Some(task.clone());
    }

    fn access(&mut self, task: &T, address: usize, access: Access, follow: &mut impl FnMut(&T)) {
        let everything = &self.everything;
        let place = self.places.entry(address).or_insert_with(|| Place {
            access: Access::Write,
            last: everything.iter().cloned().collect(),
            before: Vec::new(),
        });
        if access == Access::Write || access != place.access {
            place.before = std::mem::take(&mut place.last);
            place.access = access;
        }
        place.before.iter().for_each(follow);
        place.last.push(task.clone());
        if access == Access::Write {
            place.before.clear();
        }
    }
}

#[cfg(test)]
#[path = "dependences_tests.rs"]
mod tests;
