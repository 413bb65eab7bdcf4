//! Threads that run a program's tasks in a random order, report the events to the engine, and
//! record which strands came before which.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

use workspan_rt::Kind;
use workspan_rt::clock;
use workspan_rt::events::{Loop, Task, Team};
use workspan_testkit::Random;
use workspan_testkit::graph::{Graph, Vertex};

use crate::at;
use crate::program::{Action, Script};

type Id = usize;

/// How a task of the program relates to the one that made it.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Program,
    Spawned,
    Member,
    Piece,
}

struct Running {
    role: Role,
    handle: Task,
    script: Script,
    next: usize,
    /// Its last strand, or the end of its last wait.
    at: Vertex,
    /// Sites of the task itself and of its open scopes.
    sites: Vec<usize>,
    spawned: Vec<Id>,
    /// Tasks that pieces of its loops have spawned.
    spawned_in_pieces: Vec<Id>,
    /// Numbers of the scopes around it, and of its own open ones.
    scopes: Vec<usize>,
    own_scopes: Vec<usize>,
    /// The teams that it runs in.
    teams: Vec<usize>,
    state: State,
    /// Number of barriers that it has arrived at.
    arrived: usize,
    /// The pieces of the loop that it is in, or the tasks that it follows.
    parts: Vec<Id>,
    awaited_loop: Option<Loop>,
}

impl Running {
    fn children(&self) -> Vec<Id> {
        [&self.spawned[..], &self.spawned_in_pieces].concat()
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Ready,
    On(usize),
    /// Its thread has turned to other tasks, and goes on with it after them.
    Turned(usize),
    /// It begins after the tasks that it follows.
    Later,
    WaitsForChildren,
    WaitsForScope,
    WaitsForChild(Id),
    InLoop,
    InTeam(usize),
    AtBarrier,
    Ended,
}

struct RunningTeam {
    handle: Team,
    members: Vec<Id>,
    /// The vertex after each barrier.
    barriers: Vec<Vertex>,
}

/// A thread that carries out orders, one after another.
struct Worker {
    orders: Sender<Box<dyn FnOnce() + Send>>,
    done: Receiver<()>,
    thread: JoinHandle<()>,
    task: Option<Id>,
}

impl Worker {
    fn new() -> Self {
        let (orders, received) = channel::<Box<dyn FnOnce() + Send>>();
        let (finished, done) = channel();
        let thread = spawn(move || {
            for order in received {
                order();
                let _ = finished.send(());
            }
        });
        Self {
            orders,
            done,
            thread,
            task: None,
        }
    }

    fn run(&self, order: impl FnOnce() + Send + 'static) {
        self.orders.send(Box::new(order)).expect("the thread runs");
        self.done.recv().expect("the thread runs");
    }

    fn ask<R: Send + 'static>(&self, order: impl FnOnce() -> R + Send + 'static) -> R {
        let (answer, answered) = channel();
        self.run(move || answer.send(order()).expect("asked for"));
        answered.recv().expect("just sent")
    }
}

pub struct Machine {
    random: Random,
    workers: Vec<Worker>,
    tasks: Vec<Running>,
    /// For each thread, the tasks that it has turned from, the latest last.
    turned: Vec<Vec<Id>>,
    teams: Vec<RunningTeam>,
    scopes: usize,
    graph: Graph,
    burden: i64,
}

/// Runs `script` on the calling thread and `threads` others, in a random order that `seed`
/// determines.
pub fn run(script: Script, seed: u64, threads: usize, burden: i64) -> Graph {
    // The calling thread is the program's; its orders are carried out right here.
    let mut machine = Machine {
        random: Random::new(seed),
        workers: (0..threads).map(|_| Worker::new()).collect(),
        tasks: Vec::new(),
        turned: vec![Vec::new(); threads + 1],
        teams: Vec::new(),
        scopes: 0,
        graph: Graph::default(),
        burden,
    };
    machine.run(script);
    for worker in machine.workers {
        drop(worker.orders);
        worker.thread.join().expect("nothing panics there");
    }
    machine.graph
}

impl Machine {
    fn run(&mut self, script: Script) {
        let handle = Task::running().expect("a session is under way");
        let start = self.graph.add(0, 0, Vec::new());
        let program = self.workers.len();
        self.add(Role::Program, handle, script, start, 0, None);
        self.tasks[0].state = State::On(program);
        let mut own = Some(0);
        let mut idle = 0;
        while self.tasks.iter().any(|task| task.state != State::Ended) {
            assert!(idle < 100_000, "no task can go on");
            idle += 1;
            let thread = self.random.below(program + 1);
            let current = if thread == program {
                own
            } else {
                self.workers[thread].task
            };
            let after = match current {
                Some(task) if self.random.chance(10) && self.tasks[task].role != Role::Program => {
                    self.leave(thread, task);
                    None
                }
                // The program's own thread would have to turn back before the program ends.
                Some(task) if thread != program && self.random.chance(20) => {
                    self.turn(thread, task)
                }
                Some(task) => self.step(thread, task),
                // This thread runs nothing after the program's end.
                None if thread == program && self.tasks[0].state == State::Ended => None,
                None => self.take_up(thread),
            };
            if current.is_some() || after.is_some() {
                idle = 0;
            }
            if thread == program {
                own = after;
            } else {
                self.workers[thread].task = after;
            }
        }
    }

    fn on<R: Send + 'static>(
        &self,
        thread: usize,
        order: impl FnOnce() -> R + Send + 'static,
    ) -> R {
        match self.workers.get(thread) {
            Some(worker) => worker.ask(order),
            None => order(),
        }
    }

    fn add(
        &mut self,
        role: Role,
        handle: Task,
        script: Script,
        at: Vertex,
        site: usize,
        parent: Option<Id>,
    ) -> Id {
        let (scopes, teams) = parent.map_or_else(Default::default, |parent| {
            let parent = &self.tasks[parent];
            let scopes = [&parent.scopes[..], &parent.own_scopes].concat();
            (scopes, parent.teams.clone())
        });
        self.tasks.push(Running {
            role,
            handle,
            script,
            next: 0,
            at,
            sites: vec![site],
            spawned: Vec::new(),
            spawned_in_pieces: Vec::new(),
            scopes,
            own_scopes: Vec::new(),
            teams,
            state: State::Ready,
            arrived: 0,
            parts: Vec::new(),
            awaited_loop: None,
        });
        self.tasks.len() - 1
    }

    fn leave(&mut self, thread: usize, task: Id) {
        let handle = self.tasks[task].handle.clone();
        self.on(thread, move || handle.leave());
        self.tasks[task].state = State::Ready;
    }

    /// Lets `thread` turn from its task to one that is ready, if there is one. Returns the task
    /// that it runs then.
    fn turn(&mut self, thread: usize, task: Id) -> Option<Id> {
        let is_ready = |id: &Id| {
            let task = &self.tasks[*id];
            task.state == State::Ready && task.role != Role::Program
        };
        let ready: Vec<Id> = (0..self.tasks.len()).filter(is_ready).collect();
        let Some(&next) = ready.get(self.random.below(ready.len().max(1))) else {
            return Some(task);
        };
        let [from, to] = [task, next].map(|id| self.tasks[id].handle.clone());
        self.on(thread, move || from.turn_to(&to));
        self.tasks[task].state = State::Turned(thread);
        self.turned[thread].push(task);
        self.tasks[next].state = State::On(thread);
        Some(next)
    }

    fn ended(&self, tasks: &[Id]) -> bool {
        tasks
            .iter()
            .all(|&task| self.tasks[task].state == State::Ended)
    }

    /// The spawned tasks for which `is_within` holds.
    fn spawned_within(&self, is_within: impl Fn(&Running) -> bool) -> Vec<Id> {
        (0..self.tasks.len())
            .filter(|&id| self.tasks[id].role == Role::Spawned && is_within(&self.tasks[id]))
            .collect()
    }

    /// The innermost team of a task.
    fn team_of(&self, task: Id) -> usize {
        *self.tasks[task].teams.last().expect("a member")
    }

    fn tasks_of(&self, team: usize) -> Vec<Id> {
        self.spawned_within(|task| task.teams.contains(&team))
    }

    fn join(&mut self, task: Id, others: &[Id]) {
        let mut before = vec![(self.tasks[task].at, 0)];
        before.extend(others.iter().map(|&other| (self.tasks[other].at, 0)));
        self.tasks[task].at = self.graph.add(0, 0, before);
    }

    /// Lets an idle thread take up a task that can go on, if there is one.
    fn take_up(&mut self, thread: usize) -> Option<Id> {
        let program = self.workers.len();
        let can = |id: &Id| {
            let task = &self.tasks[*id];
            (task.role != Role::Program || thread == program)
                && match task.state {
                    State::Ready => true,
                    State::Turned(from) => from == thread && self.turned[thread].last() == Some(id),
                    State::Later => self.ended(&task.parts),
                    State::WaitsForChildren => self.ended(&task.children()),
                    State::WaitsForScope => {
                        let scope = *task.own_scopes.last().expect("open");
                        self.ended(&self.spawned_within(|t| t.scopes.contains(&scope)))
                    }
                    State::WaitsForChild(child) => self.tasks[child].state == State::Ended,
                    State::InLoop => self.ended(&task.parts),
                    State::InTeam(team) => {
                        self.ended(&self.teams[team].members) && self.ended(&self.tasks_of(team))
                    }
                    State::AtBarrier => {
                        let team = self.team_of(*id);
                        let arrived = |&m: &Id| self.tasks[m].arrived >= task.arrived;
                        self.teams[team].barriers.len() >= task.arrived
                            || self.teams[team].members.iter().all(arrived)
                                && self.ended(&self.tasks_of(team))
                    }
                    State::On(_) | State::Ended => false,
                }
        };
        let able: Vec<Id> = (0..self.tasks.len()).filter(can).collect();
        let task = *able.get(self.random.below(able.len().max(1)))?;
        let handle = self.tasks[task].handle.clone();
        match self.tasks[task].state {
            State::WaitsForChildren => {
                let at_once = self.random.chance(50);
                self.on(thread, move || {
                    if at_once {
                        handle.enter_after_children();
                    } else {
                        handle.enter();
                        handle.wait_for_children();
                    }
                });
                let children = self.tasks[task].children();
                self.join(task, &children);
            }
            State::WaitsForScope => {
                self.on(thread, move || {
                    handle.enter();
                    handle.end_scope();
                });
                let scope = self.tasks[task].own_scopes.pop().expect("open");
                let within = self.spawned_within(|t| t.scopes.contains(&scope));
                self.join(task, &within);
                self.tasks[task].sites.pop();
            }
            State::WaitsForChild(child) => {
                let ended = self.tasks[child].handle.clone();
                self.on(thread, move || {
                    handle.enter();
                    handle.continue_after(&ended);
                });
                self.join(task, &[child]);
            }
            State::InLoop => {
                let ended = self.tasks[task].awaited_loop.take().expect("in a loop");
                self.on(thread, move || ended.end());
                let parts = self.tasks[task].parts.clone();
                self.join(task, &parts);
                for part in parts {
                    let children = self.tasks[part].children();
                    self.tasks[task].spawned_in_pieces.extend(children);
                }
            }
            State::InTeam(team) => {
                let ended = self.teams[team].handle.clone();
                self.on(thread, move || ended.end());
                let mut others = self.teams[team].members.clone();
                others.extend(self.tasks_of(team));
                self.join(task, &others);
            }
            State::AtBarrier => {
                let team = self.team_of(task);
                let number = self.tasks[task].arrived;
                if self.teams[team].barriers.len() < number {
                    let mut all = self.teams[team].members.clone();
                    all.extend(self.tasks_of(team));
                    let before = all.iter().map(|&id| (self.tasks[id].at, 0)).collect();
                    let barrier = self.graph.add(0, 0, before);
                    self.teams[team].barriers.push(barrier);
                }
                self.tasks[task].at = self.teams[team].barriers[number - 1];
                let passed = self.teams[team].handle.clone();
                self.on(thread, move || passed.pass(&handle));
            }
            State::Later => {
                let mut before = vec![(self.tasks[task].at, 0)];
                let followed = std::mem::take(&mut self.tasks[task].parts);
                before.extend(followed.iter().map(|&id| (self.tasks[id].at, self.burden)));
                self.tasks[task].at = self.graph.add(0, 0, before);
                self.on(thread, move || handle.enter());
            }
            State::Turned(_) => {
                self.turned[thread].pop();
                self.on(thread, move || handle.enter());
            }
            _ => self.on(thread, move || handle.enter()),
        }
        self.tasks[task].state = State::On(thread);
        Some(task)
    }

    /// Lets `thread` do the next action of its task. Returns the task, unless the thread has left
    /// it.
    fn step(&mut self, thread: usize, task: Id) -> Option<Id> {
        let handle = self.tasks[task].handle.clone();
        let Some(action) = self.tasks[task].script.get(self.tasks[task].next).cloned() else {
            return self.end(thread, task);
        };
        self.tasks[task].next += 1;
        let at_task = self.tasks[task].at;
        let wait = |machine: &mut Self, state| {
            machine.tasks[task].state = state;
            None
        };
        match action {
            Action::Strand(ticks) => {
                let site = *self.tasks[task].sites.last().expect("one at least");
                self.tasks[task].at = self.graph.add(site, ticks, vec![(at_task, 0)]);
                self.on(thread, move || clock::advance(ticks));
                Some(task)
            }
            Action::Spawn {
                site,
                script,
                serially,
                after,
            } => {
                let followed: Vec<Id> =
                    after.iter().map(|&n| self.tasks[task].spawned[n]).collect();
                let before: Vec<Task> = (followed.iter())
                    .map(|&id| self.tasks[id].handle.clone())
                    .collect();
                let spawned = self.on(thread, move || {
                    let construct = at(Kind::Spawn, site);
                    let spawned = if serially {
                        handle.spawn_serially(&construct)
                    } else {
                        handle.spawn(&construct)
                    };
                    let spawned = spawned.expect("a session is under way");
                    spawned.allow_followers();
                    before.iter().for_each(|before| spawned.follow(before));
                    if serially {
                        handle.leave();
                    }
                    spawned
                });
                let burden = if serially { 0 } else { self.burden };
                let start = self.graph.add(site, 0, vec![(at_task, burden)]);
                let child = self.add(Role::Spawned, spawned, script, start, site, Some(task));
                if !followed.is_empty() {
                    self.tasks[child].parts = followed;
                    self.tasks[child].state = State::Later;
                }
                self.tasks[task].spawned.push(child);
                if serially {
                    return wait(self, State::WaitsForChild(child));
                }
                Some(task)
            }
            Action::Wait => {
                self.on(thread, move || handle.leave());
                wait(self, State::WaitsForChildren)
            }
            Action::BeginScope { site } => {
                self.on(thread, move || {
                    handle.begin_scope(site.map(|site| at(Kind::Scope, site)).as_ref());
                });
                let now = &mut self.tasks[task];
                now.sites
                    .push(site.unwrap_or(*now.sites.last().expect("one")));
                now.own_scopes.push(self.scopes);
                self.scopes += 1;
                Some(task)
            }
            Action::EndScope => {
                self.on(thread, move || handle.leave());
                wait(self, State::WaitsForScope)
            }
            Action::Loop { site, pieces } => {
                let begun = self.on(thread, move || {
                    Loop::begin(&handle, &at(Kind::Broadcast, site))
                        .expect("a session is under way")
                });
                self.pieces(task, begun, site, pieces);
                wait(self, State::InLoop)
            }
            Action::Share {
                site,
                number,
                pieces,
            } => {
                let team = self.teams[self.team_of(task)].handle.clone();
                let begun = self.on(thread, move || {
                    team.begin_share(&handle, number, &at(Kind::Broadcast, site))
                        .expect("a session is under way")
                });
                self.pieces(task, begun, site, pieces);
                wait(self, State::InLoop)
            }
            Action::Parallel { site, members } => {
                let threads = members.len();
                let team = self.on(thread, move || {
                    Team::begin(&handle, &at(Kind::Broadcast, site), threads)
                        .expect("a session is under way")
                });
                let number = self.teams.len();
                self.teams.push(RunningTeam {
                    handle: team.clone(),
                    members: Vec::new(),
                    barriers: Vec::new(),
                });
                for (index, script) in members.into_iter().enumerate() {
                    let burden = if index > 0 { self.burden } else { 0 };
                    let start = self.graph.add(site, 0, vec![(at_task, burden)]);
                    let member = team.member(index);
                    let member = self.add(Role::Member, member, script, start, site, Some(task));
                    self.tasks[member].teams.push(number);
                    self.teams[number].members.push(member);
                }
                wait(self, State::InTeam(number))
            }
            Action::Barrier => {
                let team = self.teams[self.team_of(task)].handle.clone();
                self.on(thread, move || team.arrive(&handle));
                self.tasks[task].arrived += 1;
                wait(self, State::AtBarrier)
            }
        }
    }

    fn pieces(&mut self, task: Id, begun: Loop, site: usize, pieces: Vec<Script>) {
        let start = self.tasks[task].at;
        self.tasks[task].parts.clear();
        for (index, script) in pieces.into_iter().enumerate() {
            let burden = if index > 0 { self.burden } else { 0 };
            let start = self.graph.add(site, 0, vec![(start, burden)]);
            let piece = self.add(Role::Piece, begun.piece(), script, start, site, Some(task));
            self.tasks[task].parts.push(piece);
        }
        self.tasks[task].awaited_loop = Some(begun);
    }

    fn end(&mut self, thread: usize, task: Id) -> Option<Id> {
        let handle = self.tasks[task].handle.clone();
        let role = self.tasks[task].role;
        self.tasks[task].state = State::Ended;
        if role == Role::Program {
            return None;
        }
        if role == Role::Member && self.random.chance(70) {
            let team = self.teams[self.team_of(task)].handle.clone();
            let ends_late = self.random.chance(50);
            self.on(thread, move || {
                team.arrive(&handle);
                if ends_late {
                    handle.end();
                }
            });
        } else if self.random.chance(50) && !self.turned[thread].is_empty() {
            let next = self.turned[thread].pop().expect("one at least");
            let to = self.tasks[next].handle.clone();
            self.on(thread, move || handle.end_and_turn_to(&to));
            self.tasks[next].state = State::On(thread);
            return Some(next);
        } else {
            self.on(thread, move || handle.end());
        }
        None
    }
}
