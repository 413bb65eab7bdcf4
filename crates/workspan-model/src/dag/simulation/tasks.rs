//! The tasks that wait for a worker.

use std::collections::VecDeque;

use fastrand::Rng;

/// A deque for each worker, and a list of the workers that have tasks.
#[derive(Debug)]
pub(super) struct Tasks {
    deques: Vec<VecDeque<u32>>,
    /// Workers whose deques have tasks.
    owners: Vec<u32>,
    /// Where each worker is in `owners`, if it is there.
    places: Vec<usize>,
}

impl Tasks {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            deques: vec![VecDeque::new(); workers],
            owners: Vec::with_capacity(workers),
            places: vec![0; workers],
        }
    }

    /// Offers `task` to thieves.
    pub(super) fn push(&mut self, owner: u32, task: u32) {
        let deque = &mut self.deques[owner as usize];
        if deque.is_empty() {
            self.places[owner as usize] = self.owners.len();
            self.owners.push(owner);
        }
        deque.push_back(task);
    }

    /// Takes the youngest task of `owner`.
    pub(super) fn pop(&mut self, owner: u32) -> Option<u32> {
        let task = self.deques[owner as usize].pop_back()?;
        self.forget_if_empty(owner);
        Some(task)
    }

    /// Takes the oldest task of a random owner.
    pub(super) fn steal(&mut self, random: &mut Rng) -> Option<u32> {
        if self.owners.is_empty() {
            return None;
        }
        let owner = self.owners[random.usize(..self.owners.len())];
        let task = self.deques[owner as usize].pop_front();
        self.forget_if_empty(owner);
        task
    }

    /// How many workers have tasks.
    pub(super) fn owners(&self) -> usize {
        self.owners.len()
    }

    fn forget_if_empty(&mut self, owner: u32) {
        if self.deques[owner as usize].is_empty() {
            let place = self.places[owner as usize];
            self.owners.swap_remove(place);
            if let Some(&moved) = self.owners.get(place) {
                self.places[moved as usize] = place;
            }
        }
    }
}
