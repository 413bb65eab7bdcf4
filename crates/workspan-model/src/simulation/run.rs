//! One run of a plan.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;

use super::Scheduler;
use super::costs::CostTicks;
use super::outcome::OutcomeTicks;
use super::plan::Plan;
use super::tasks::Tasks;

/// No worker, and no path.
const NOBODY: u32 = u32::MAX;

/// What a worker does until its event comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It runs strands, the last of which is this vertex.
    Running(u32),
    /// It is about to try to steal.
    Searching,
    /// It has missed some times, and steals next from one who has tasks.
    Taking,
    /// It is about to go on with what it waited for.
    Resuming,
    /// It has no event: there is nothing to steal.
    Idle,
}

#[derive(Debug)]
struct Worker {
    state: State,
    /// Syncs that it waits in, each on top of the one before. Only under rayon.
    waiting_in: Vec<u32>,
    /// The path that it runs or that ended last, as the vertex with which that was taken up.
    path: u32,
    /// Since when it runs nothing.
    free_since: u64,
    /// Since when it is idle, if it is.
    idle_since: u64,
    /// How much of the time since it is free has gone for what it is about to do.
    scheduling: u64,
}

/// One run: what there is between two events.
#[derive(Debug)]
pub(super) struct Run<'a> {
    plan: &'a Plan,
    costs: CostTicks,
    scheduler: Scheduler,
    random: Rng,
    now: u64,
    /// When the state of a worker ends; the earliest first.
    events: BinaryHeap<Reverse<(u64, u32)>>,
    workers: Vec<Worker>,
    tasks: Tasks,
    /// Workers that are idle, in the order in which they became so.
    idle: Vec<u32>,
    /// How many vertices each waits for still.
    missing: Vec<u32>,
    /// The path that each vertex was run on.
    paths: Vec<u32>,
    /// The worker that waits in each sync.
    waiters: Vec<u32>,
    /// How many syncs are ready that wait for their workers, and since when this number is so.
    held_up: (u32, u64),
    outcome: OutcomeTicks,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        costs: CostTicks,
        scheduler: Scheduler,
        cores: u32,
        seed: u64,
    ) -> Self {
        let worker = |_| Worker {
            state: State::Idle,
            waiting_in: Vec::new(),
            path: 0,
            free_since: 0,
            idle_since: 0,
            scheduling: 0,
        };
        let vertices = plan.vertices();
        Self {
            plan,
            costs,
            scheduler,
            random: Rng::with_seed(seed),
            now: 0,
            events: BinaryHeap::new(),
            workers: (0..cores).map(worker).collect(),
            tasks: Tasks::new(cores as usize),
            idle: (1..cores).collect(),
            missing: plan.predecessors().to_vec(),
            paths: vec![NOBODY; vertices],
            waiters: vec![NOBODY; vertices],
            held_up: (0, 0),
            outcome: OutcomeTicks {
                cores,
                ..OutcomeTicks::default()
            },
        }
    }

    /// Runs everything.
    pub(super) fn finish(mut self) -> OutcomeTicks {
        self.begin(0, 0);
        loop {
            while let Some(Reverse((time, worker))) = self.events.pop() {
                self.now = time;
                match self.workers[worker as usize].state {
                    State::Running(vertex) if vertex == self.plan.last => return self.end(worker),
                    State::Running(vertex) => self.complete(worker, vertex),
                    State::Searching => self.search(worker),
                    State::Taking => self.take(worker),
                    State::Resuming => self.go_back(worker),
                    State::Idle => unreachable!("who is idle has no event"),
                }
            }
            self.dig_out();
        }
    }

    fn end(mut self, last: u32) -> OutcomeTicks {
        for (worker, of) in self.workers.iter().enumerate() {
            if worker as u32 != last {
                self.outcome.idle += self.now - of.free_since;
            }
        }
        self.hold_up(|syncs| syncs);
        self.outcome.time = self.now;
        self.outcome
    }

    /// `worker` runs `vertex`, and what comes after it alone.
    fn begin(&mut self, worker: u32, vertex: u32) {
        let mut last = vertex;
        let mut ticks = self.run_strand(worker, vertex);
        while let Some(next) = self.plan.only_successor(last) {
            last = next;
            ticks += self.run_strand(worker, next);
        }
        let offered = self.plan.successors(last).len().saturating_sub(1) as u64;
        let spawning = offered * self.costs.spawn;
        let of = &mut self.workers[worker as usize];
        self.outcome.busy += ticks;
        self.outcome.idle += self.now - of.free_since - of.scheduling;
        self.outcome.scheduling += of.scheduling + spawning;
        of.scheduling = 0;
        of.free_since = self.now + ticks + spawning;
        self.wait(worker, State::Running(last), ticks + spawning);
    }

    /// Runs `vertex` on the path of `worker`, and gives its ticks.
    fn run_strand(&mut self, worker: u32, vertex: u32) -> u64 {
        let path = &mut self.paths[vertex as usize];
        debug_assert_eq!(*path, NOBODY, "a vertex runs once");
        *path = self.workers[worker as usize].path;
        self.outcome.vertices += 1;
        self.plan.duration(vertex)
    }

    fn wait(&mut self, worker: u32, state: State, ticks: u64) {
        self.workers[worker as usize].state = state;
        self.events.push(Reverse((self.now + ticks, worker)));
    }

    /// `worker` has run `vertex`, and goes on.
    fn complete(&mut self, worker: u32, vertex: u32) {
        let plan = self.plan;
        let successors = plan.successors(vertex);
        let runs_task_first =
            self.scheduler == Scheduler::Cilk && plan.is_spawn(vertex) && successors.len() > 1;
        let next = if runs_task_first {
            // The continuation is the oldest task.
            self.offer(worker, successors[0]);
            successors[1]
        } else {
            successors[0]
        };
        let others = &successors[if runs_task_first { 2 } else { 1 }..];
        match self.scheduler {
            Scheduler::Rayon => others.iter().for_each(|&task| self.offer(worker, task)),
            // So that the worker by itself takes them in the order of the program.
            Scheduler::Cilk => others
                .iter()
                .rev()
                .for_each(|&task| self.offer(worker, task)),
        }
        if self.is_last_to_arrive(next) {
            self.begin(worker, next);
        } else {
            if self.is_to_wait(worker, next) {
                self.waiters[next as usize] = worker;
                self.workers[worker as usize].waiting_in.push(next);
            }
            self.go_back(worker);
        }
    }

    /// One that `vertex` waits for has ended; thieves may take it if that was the last.
    fn offer(&mut self, worker: u32, vertex: u32) {
        if self.is_last_to_arrive(vertex) {
            self.tasks.push(worker, vertex);
            self.call_thief();
        }
    }

    /// One that `vertex` waits for has ended. Whether it can begin now and no worker waits in it; one who does, is told.
    fn is_last_to_arrive(&mut self, vertex: u32) -> bool {
        let missing = &mut self.missing[vertex as usize];
        *missing -= 1;
        if *missing > 0 {
            return false;
        }
        let waiter = self.waiters[vertex as usize];
        if waiter == NOBODY {
            return true;
        }
        self.hold_up(|syncs| syncs + 1);
        let of = &self.workers[waiter as usize];
        if of.state == State::Idle && of.waiting_in.last() == Some(&vertex) {
            self.idle.retain(|&idle| idle != waiter);
            self.rouse(waiter, State::Resuming, self.costs.hand_back);
        }
        false
    }

    /// Whether `worker`, which has arrived at `sync` before others, is the one that goes on there.
    fn is_to_wait(&self, worker: u32, sync: u32) -> bool {
        let path = self.workers[worker as usize].path;
        let begun_by = self.plan.begun_by(sync);
        self.scheduler == Scheduler::Rayon
            && begun_by.is_some_and(|begun_by| self.paths[begun_by as usize] == path)
    }

    /// A path of `worker` has ended, or waits: it goes back to what it has taken up before, else takes its youngest task.
    fn go_back(&mut self, worker: u32) {
        if self.resumes(worker) {
            return;
        }
        match self.tasks.pop(worker) {
            Some(task) => self.take_up(worker, task),
            None => self.find_work(worker),
        }
    }

    /// Goes on with `worker` in the sync on top of those that it waits in, if that is ready.
    fn resumes(&mut self, worker: u32) -> bool {
        let waiting_in = &self.workers[worker as usize].waiting_in;
        let is_ready = waiting_in.last().is_some_and(|&sync| self.is_ready(sync));
        if is_ready {
            self.resume(worker, waiting_in.len() - 1);
        }
        is_ready
    }

    fn is_ready(&self, sync: u32) -> bool {
        self.missing[sync as usize] == 0
    }

    /// `worker` goes on in the sync that is at `place` among those that it waits in.
    fn resume(&mut self, worker: u32, place: usize) {
        let of = &mut self.workers[worker as usize];
        let sync = of.waiting_in.remove(place);
        let begun_by = self.plan.begun_by(sync);
        of.path = self.paths[begun_by.unwrap_or(sync) as usize];
        self.hold_up(|syncs| syncs - 1);
        self.begin(worker, sync);
    }

    fn take_up(&mut self, worker: u32, task: u32) {
        self.workers[worker as usize].path = task;
        self.begin(worker, task);
    }

    /// `worker`, which has no task, looks for one.
    fn find_work(&mut self, worker: u32) {
        self.workers[worker as usize].scheduling = 0;
        if self.tasks.owners() == 0 {
            let of = &mut self.workers[worker as usize];
            of.state = State::Idle;
            of.idle_since = self.now;
            self.idle.push(worker);
        } else {
            self.look(worker, State::Searching, self.costs.steal);
        }
    }

    /// A task is new, or left over: one of the idle workers that are awake, or else one that is asleep, looks for it.
    fn call_thief(&mut self) {
        if self.idle.is_empty() {
            return;
        }
        let is_asleep = |&worker: &u32| self.is_asleep(worker);
        let mut callable = self.idle.partition_point(is_asleep)..self.idle.len();
        if callable.is_empty() {
            callable.start = 0;
        }
        let thief = self.idle.remove(self.random.usize(callable));
        self.rouse(thief, State::Searching, self.costs.steal);
    }

    fn is_asleep(&self, idle: u32) -> bool {
        self.now - self.workers[idle as usize].idle_since > self.costs.sleep_after
    }

    /// `worker`, which was idle, comes into `state` after `ticks`, or a wake-up.
    fn rouse(&mut self, worker: u32, state: State, ticks: u64) {
        let ticks = match self.is_asleep(worker) {
            true => self.costs.wake_up,
            false => ticks,
        };
        self.look(worker, state, ticks);
    }

    fn look(&mut self, worker: u32, state: State, ticks: u64) {
        self.workers[worker as usize].scheduling += ticks;
        self.wait(worker, state, ticks);
    }

    /// `worker` tries victims at random, until one has tasks.
    fn search(&mut self, worker: u32) {
        let victims = self.workers.len() - 1;
        let share = self.tasks.owners() as f64 / victims as f64;
        let missed = failures(&mut self.random, share);
        self.outcome.failed_steals += missed;
        match missed * self.costs.failed_attempt {
            0 => self.take(worker),
            ticks => self.look(worker, State::Taking, ticks),
        }
    }

    /// `worker` steals from a victim that has tasks. If what it waits for has ended meanwhile, another one may.
    fn take(&mut self, worker: u32) {
        if self.resumes(worker) {
            if self.tasks.owners() > 0 {
                self.call_thief();
            }
        } else if let Some(task) = self.tasks.steal(&mut self.random) {
            self.outcome.steals += 1;
            self.take_up(worker, task);
        } else {
            self.outcome.failed_steals += 1;
            self.find_work(worker);
        }
    }

    /// All are idle, since each waits in a sync on top of one that is ready: stacks are in the way of one another. No program
    /// does this whose tasks wait for nothing but their own; another one would hang.
    fn dig_out(&mut self) {
        let ready = self.workers.iter().enumerate().find_map(|(worker, of)| {
            let mut waiting_in = of.waiting_in.iter();
            let place = waiting_in.position(|&sync| self.is_ready(sync))?;
            Some((worker as u32, place))
        });
        let (worker, place) = ready.expect("something is ready in a valid dag that has not ended");
        self.idle.retain(|&idle| idle != worker);
        self.resume(worker, place);
    }

    /// The number of syncs that are held up changes.
    fn hold_up(&mut self, change: impl FnOnce(u32) -> u32) {
        let (syncs, since) = self.held_up;
        if syncs > 0 {
            self.outcome.held_up += self.now - since;
        }
        self.held_up = (change(syncs), self.now);
    }
}

/// How often one fails before the first success, where each attempt succeeds with probability `share`, which is more than 0.
fn failures(random: &mut Rng, share: f64) -> u64 {
    if share >= 1.0 || share <= 0.0 {
        return 0;
    }
    ((1.0 - random.f64()).ln() / (1.0 - share).ln()) as u64
}
