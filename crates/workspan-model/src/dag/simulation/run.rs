//! One simulated run of a plan.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;

use super::Scheduler;
use super::costs::CostTicks;
use super::outcome::OutcomeTicks;
use super::plan::Plan;
use super::tasks::Tasks;

/// No worker, or no path.
const NONE: u32 = u32::MAX;

/// What a worker does until its next event.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It runs strands, of which this vertex is the last.
    Running(u32),
    /// It is about to try to steal.
    Searching,
    /// It has failed some times, and steals next from a worker that has tasks.
    Stealing,
    /// It is about to continue in the sync that it waited in.
    Resuming,
    /// It has no event: there is nothing to steal.
    Idle,
}

#[derive(Debug)]
struct Worker {
    state: State,
    /// The syncs that it waits in, each on top of the one before. Only under rayon.
    waiting_in: Vec<u32>,
    /// The path that it runs or that it ran last, named by the path's first vertex.
    path: u32,
    /// Since when it has run nothing.
    free_since: u64,
    /// Since when it has been idle, if it is.
    idle_since: u64,
    /// How much of the time since `free_since` goes into scheduling what it is about to do.
    scheduling: u64,
}

/// The state of one run between two events.
#[derive(Debug)]
pub(super) struct Run<'a> {
    plan: &'a Plan,
    costs: CostTicks,
    scheduler: Scheduler,
    random: Rng,
    now: u64,
    /// When the state of each worker ends; the earliest comes first.
    events: BinaryHeap<Reverse<(u64, u32)>>,
    workers: Vec<Worker>,
    tasks: Tasks,
    /// The idle workers, in the order in which they became idle.
    idle: Vec<u32>,
    /// How many vertices each vertex still waits for.
    missing: Vec<u32>,
    /// The path that each vertex was run on.
    paths: Vec<u32>,
    /// The worker that waits in each sync.
    waiters: Vec<u32>,
    /// How many syncs are ready but held up by their workers, and since when it has been this many.
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
            paths: vec![NONE; vertices],
            waiters: vec![NONE; vertices],
            held_up: (0, 0),
            outcome: OutcomeTicks {
                cores,
                ..OutcomeTicks::default()
            },
        }
    }

    /// Runs the whole plan.
    pub(super) fn finish(mut self) -> OutcomeTicks {
        self.begin(0, 0);
        loop {
            while let Some(Reverse((time, worker))) = self.events.pop() {
                self.now = time;
                match self.workers[worker as usize].state {
                    State::Running(vertex) if vertex == self.plan.last => return self.end(worker),
                    State::Running(vertex) => self.complete(worker, vertex),
                    State::Searching => self.search(worker),
                    State::Stealing => self.steal(worker),
                    State::Resuming => self.go_back(worker),
                    State::Idle => unreachable!("an idle worker has no event"),
                }
            }
            self.break_deadlock();
        }
    }

    fn end(mut self, last: u32) -> OutcomeTicks {
        for (id, worker) in self.workers.iter().enumerate() {
            if id as u32 != last {
                self.outcome.idle += self.now - worker.free_since;
            }
        }
        self.hold_up(|syncs| syncs);
        self.outcome.time = self.now;
        self.outcome
    }

    /// `worker` runs `vertex`, and then each vertex that is the only successor of the one before.
    fn begin(&mut self, worker: u32, vertex: u32) {
        let mut last = vertex;
        let mut ticks = self.run_strand(worker, vertex);
        while let Some(next) = self.plan.only_successor(last) {
            last = next;
            ticks += self.run_strand(worker, next);
        }
        let offered = self.plan.successors(last).len().saturating_sub(1) as u64;
        let spawning = offered * self.costs.spawn;
        let this = &mut self.workers[worker as usize];
        self.outcome.busy += ticks;
        self.outcome.idle += self.now - this.free_since - this.scheduling;
        self.outcome.scheduling += this.scheduling + spawning;
        this.scheduling = 0;
        this.free_since = self.now + ticks + spawning;
        self.enter(worker, State::Running(last), ticks + spawning);
    }

    /// Runs `vertex` on the path of `worker` and returns its ticks.
    fn run_strand(&mut self, worker: u32, vertex: u32) -> u64 {
        let path = &mut self.paths[vertex as usize];
        debug_assert_eq!(*path, NONE, "a vertex runs once");
        *path = self.workers[worker as usize].path;
        self.outcome.vertices += 1;
        self.plan.duration(vertex)
    }

    /// `worker` enters `state`, which lasts `ticks`.
    fn enter(&mut self, worker: u32, state: State, ticks: u64) {
        self.workers[worker as usize].state = state;
        self.events.push(Reverse((self.now + ticks, worker)));
    }

    /// `worker` has run `vertex` and continues.
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
            // A worker by itself then takes them in the order of the program.
            Scheduler::Cilk => others
                .iter()
                .rev()
                .for_each(|&task| self.offer(worker, task)),
        }
        if self.arrive(next) {
            self.begin(worker, next);
        } else {
            if self.has_to_wait(worker, next) {
                self.waiters[next as usize] = worker;
                self.workers[worker as usize].waiting_in.push(next);
            }
            self.go_back(worker);
        }
    }

    /// One predecessor of `vertex` has ended. If it was the last, thieves may take `vertex`.
    fn offer(&mut self, worker: u32, vertex: u32) {
        if self.arrive(vertex) {
            self.tasks.push(worker, vertex);
            self.call_thief();
        }
    }

    /// One predecessor of `vertex` has ended. Returns whether `vertex` can begin and no worker
    /// waits in it; a waiting worker is notified instead.
    fn arrive(&mut self, vertex: u32) -> bool {
        let missing = &mut self.missing[vertex as usize];
        *missing -= 1;
        if *missing > 0 {
            return false;
        }
        let waiter = self.waiters[vertex as usize];
        if waiter == NONE {
            return true;
        }
        self.hold_up(|syncs| syncs + 1);
        let worker = &self.workers[waiter as usize];
        if worker.state == State::Idle && worker.waiting_in.last() == Some(&vertex) {
            self.idle.retain(|&idle| idle != waiter);
            self.wake(waiter, State::Resuming, self.costs.hand_back);
        }
        false
    }

    /// Whether `worker`, which has arrived at `sync` before others, is the one to continue there.
    fn has_to_wait(&self, worker: u32, sync: u32) -> bool {
        let path = self.workers[worker as usize].path;
        let begun_by = self.plan.begun_by(sync);
        self.scheduler == Scheduler::Rayon
            && begun_by.is_some_and(|begun_by| self.paths[begun_by as usize] == path)
    }

    /// A path of `worker` has ended or waits. The worker goes back to the path that it took up
    /// before, or else takes its youngest task.
    fn go_back(&mut self, worker: u32) {
        if self.resume_if_ready(worker) {
            return;
        }
        match self.tasks.pop(worker) {
            Some(task) => self.take_up(worker, task),
            None => self.find_work(worker),
        }
    }

    /// Lets `worker` continue in the topmost sync that it waits in, if that is ready, and returns
    /// whether it is.
    fn resume_if_ready(&mut self, worker: u32) -> bool {
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

    /// `worker` continues in the sync that is at `place` among those that it waits in.
    fn resume(&mut self, worker: u32, place: usize) {
        let this = &mut self.workers[worker as usize];
        let sync = this.waiting_in.remove(place);
        let begun_by = self.plan.begun_by(sync);
        this.path = self.paths[begun_by.unwrap_or(sync) as usize];
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
            let this = &mut self.workers[worker as usize];
            this.state = State::Idle;
            this.idle_since = self.now;
            self.idle.push(worker);
        } else {
            self.enter_at_cost(worker, State::Searching, self.costs.steal);
        }
    }

    /// There is a new task, or one is left over. An idle worker looks for it: one that is awake, or
    /// else one that is asleep.
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
        self.wake(thief, State::Searching, self.costs.steal);
    }

    fn is_asleep(&self, idle: u32) -> bool {
        self.now - self.workers[idle as usize].idle_since > self.costs.sleep_after
    }

    /// `worker`, which was idle, enters `state`, which lasts `ticks`, or the time of a wake-up.
    fn wake(&mut self, worker: u32, state: State, ticks: u64) {
        let ticks = if self.is_asleep(worker) {
            self.costs.wake_up
        } else {
            ticks
        };
        self.enter_at_cost(worker, state, ticks);
    }

    /// `worker` enters `state`, which lasts `ticks` that count as scheduling.
    fn enter_at_cost(&mut self, worker: u32, state: State, ticks: u64) {
        self.workers[worker as usize].scheduling += ticks;
        self.enter(worker, state, ticks);
    }

    /// `worker` tries victims at random, until one has tasks.
    fn search(&mut self, worker: u32) {
        let victims = self.workers.len() - 1;
        let share = self.tasks.owners() as f64 / victims as f64;
        let failed = failures(&mut self.random, share);
        self.outcome.failed_steals += failed;
        match failed * self.costs.failed_attempt {
            0 => self.steal(worker),
            ticks => self.enter_at_cost(worker, State::Stealing, ticks),
        }
    }

    /// `worker` steals from a victim that has tasks. If what it waits for has ended meanwhile, it
    /// continues there, and another worker may steal.
    fn steal(&mut self, worker: u32) {
        if self.resume_if_ready(worker) {
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

    /// All workers are idle, because each waits in a sync on top of one that is ready: their stacks
    /// block one another. A program whose tasks wait only for their own tasks never does this;
    /// another one would hang.
    fn break_deadlock(&mut self) {
        let ready = self.workers.iter().enumerate().find_map(|(id, worker)| {
            let mut waiting_in = worker.waiting_in.iter();
            let place = waiting_in.position(|&sync| self.is_ready(sync))?;
            Some((id as u32, place))
        });
        let (worker, place) = ready.expect("something is ready in a valid dag that has not ended");
        self.idle.retain(|&idle| idle != worker);
        self.resume(worker, place);
    }

    /// Changes the number of syncs that are held up.
    fn hold_up(&mut self, change: impl FnOnce(u32) -> u32) {
        let (syncs, since) = self.held_up;
        if syncs > 0 {
            self.outcome.held_up += self.now - since;
        }
        self.held_up = (change(syncs), self.now);
    }
}

/// How many attempts fail before the first success, if each succeeds with probability `share`,
/// which is more than 0.
fn failures(random: &mut Rng, share: f64) -> u64 {
    if share >= 1.0 || share <= 0.0 {
        return 0;
    }
    ((1.0 - random.f64()).ln() / (1.0 - share).ln()) as u64
}
