//! A runtime that tells again what a recorded one has told: the same calls in the same order, each on its own thread.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem;
use std::ptr;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Mutex;
use std::thread;

use workspan_rt::clock::{self, Clock};
use workspan_rt::session::{self, Burden, Config};
use workspan_testkit::ompt::{Call, Code, Endpoint, Event, Id};

use super::super::abi::{self, event, Data, Dependence, Function};
use super::super::tool;

/// What the tool has registered, by the event's number.
static CALLBACKS: Mutex<Option<HashMap<c_int, Function>>> = Mutex::new(None);

thread_local! {
    /// The task that the thread executes, as the runtime answers it.
    static RUNNING: Cell<*mut Data> = const { Cell::new(ptr::null_mut()) };
}

/// # Safety
/// None of its own; it is unsafe because its type is.
unsafe extern "C" fn set_callback(event: c_int, callback: Function) -> c_int {
    let mut callbacks = CALLBACKS.lock().expect("nothing panics with it");
    callbacks
        .get_or_insert_with(HashMap::new)
        .insert(event, callback);
    5
}

/// # Safety
/// `task` may be written.
unsafe extern "C" fn get_task_info(
    _ancestor: c_int,
    _flags: *mut c_int,
    task: *mut *mut Data,
    _frame: *mut *mut abi::Frame,
    _region: *mut *mut Data,
    _thread: *mut c_int,
) -> c_int {
    // SAFETY: the tool passes the address of a variable of its own for the answer.
    unsafe { *task = RUNNING.get() };
    2
}

/// # Safety
/// `name` is a C string.
unsafe extern "C" fn lookup(name: *const c_char) -> Option<Function> {
    // SAFETY: the tool passes a name that ends in a zero.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        // SAFETY: all function pointers have one size, and the tool turns it back into this type
        // before it calls it.
        Ok("ompt_set_callback") => Some(unsafe {
            mem::transmute::<abi::SetCallback, Function>(set_callback as abi::SetCallback)
        }),
        // SAFETY: all function pointers have one size, and the tool turns it back into this type
        // before it calls it.
        Ok("ompt_get_task_info") => Some(unsafe {
            mem::transmute::<abi::GetTaskInfo, Function>(get_task_info as abi::GetTaskInfo)
        }),
        _ => None,
    }
}

/// The calls with other code addresses: small ones, and for those of the runtime ones of this one.
pub(super) fn relocated(mut calls: Vec<Call>) -> Vec<Call> {
    let mut known = HashMap::new();
    for call in &mut calls {
        let (Event::ParallelBegin { code, .. }
        | Event::ParallelEnd { code, .. }
        | Event::TaskCreate { code, .. }
        | Event::SyncRegion { code, .. }
        | Event::SyncRegionWait { code, .. }
        | Event::Reduction { code, .. }
        | Event::Work { code, .. }) = &mut call.event
        else {
            continue;
        };
        if code.address != 0 {
            let next = 1 + known.len() as u64;
            let number = *known.entry(code.address).or_insert(next);
            code.address = match code.is_of_runtime {
                true => get_task_info as *const () as u64 + number,
                false => number,
            };
        }
    }
    calls
}

/// A thread that does what it is told, one after another.
struct Worker {
    orders: Sender<Box<dyn FnOnce() + Send>>,
    done: Receiver<()>,
    thread: thread::JoinHandle<()>,
}

impl Worker {
    fn new() -> Self {
        let (orders, received) = channel::<Box<dyn FnOnce() + Send>>();
        let (tell, done) = channel();
        let thread = workspan_rt::start_unobserved(|| {
            thread::spawn(move || {
                for order in received {
                    order();
                    let _ = tell.send(());
                }
            })
        });
        Self {
            orders,
            done,
            thread,
        }
    }

    fn run(&self, order: Box<dyn FnOnce() + Send>) {
        self.orders.send(order).expect("the thread runs");
        self.done.recv().expect("the thread runs");
    }
}

/// The profile of the program that made the calls, as the engine writes it.
pub(super) fn profile(calls: &[Call], burden: i64) -> String {
    session::start(Config {
        clock: Clock::Virtual,
        burden: Burden::Cycles(burden),
        ..Config::default()
    });
    // SAFETY: this is the runtime, and null is allowed for its version. The answer is null, or
    // static and written by nobody.
    let answer = unsafe { tool::ompt_start_tool(202_011, ptr::null()).as_ref() };
    let answer = answer.expect("a session is under way");
    // SAFETY: `lookup` gives functions of the types that the tool expects by those names, and the
    // tool does not read the data, which is null.
    unsafe { (answer.initialize)(lookup, 0, ptr::null_mut()) };
    let mut places = Places::default();
    let mut workers: HashMap<usize, Worker> = HashMap::new();
    for call in calls {
        let order = places.order(&call.event);
        match call.thread {
            // The thread of the program's serial code.
            0 => order(),
            thread => workers.entry(thread).or_insert_with(Worker::new).run(order),
        }
    }
    let text = session::finish().expect("a session is under way");
    for worker in workers.into_values() {
        drop(worker.orders);
        worker.thread.join().expect("nothing panics there");
    }
    text
}

/// Where the tool keeps what it knows of tasks and regions. They stay, as a runtime's do.
#[derive(Default)]
struct Places(HashMap<u64, usize>);

impl Places {
    /// The place of a task or a region; its address, so that it may go to a thread.
    fn of(&mut self, id: Id) -> usize {
        id.map_or(0, |id| *self.0.entry(id).or_insert_with(Self::empty))
    }

    /// That of a new one.
    fn of_new(&mut self, id: Id) -> usize {
        self.0.extend(id.map(|id| (id, Self::empty())));
        self.of(id)
    }

    fn empty() -> usize {
        let empty = Data {
            pointer: ptr::null_mut(),
        };
        Box::into_raw(Box::new(empty)) as usize
    }

    /// What makes the call.
    fn order(&mut self, event: &Event) -> Box<dyn FnOnce() + Send> {
        /// Calls a callback of that type, unless the tool has none.
        macro_rules! call {
            ($event:ident: $type:ident($($argument:expr),*)) => {{
                let callbacks = CALLBACKS.lock().expect("nothing panics with it");
                let callback = callbacks.as_ref().and_then(|all| all.get(&event::$event)).copied();
                Box::new(move || {
                    if let Some(callback) = callback {
                        // SAFETY: the tool has registered a function of this type for the event.
                        // Places stay, and one thread at a time makes a call.
                        unsafe { mem::transmute::<Function, abi::$type>(callback)($($argument),*) }
                    }
                })
            }};
        }
        let end = |endpoint: &Endpoint| match endpoint {
            Endpoint::Begin => 1,
            Endpoint::End => 2,
        };
        let data = |place: usize| place as *mut Data;
        let at = |code: &Code| code.address as usize;
        match event {
            Event::Strand { ticks, .. } => {
                let ticks = *ticks;
                Box::new(move || clock::advance(ticks))
            }
            Event::ParallelBegin {
                task,
                region,
                threads,
                flags,
                code,
            } => {
                let (task, region) = (self.of(*task), self.of_new(*region));
                let (threads, flags, code) = (*threads, *flags as c_int, at(code));
                call!(PARALLEL_BEGIN: ParallelBegin(
                    data(task), ptr::null(), data(region), threads, flags, code as *const c_void
                ))
            }
            Event::ParallelEnd {
                region,
                task,
                flags,
                code,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (flags, code) = (*flags as c_int, at(code));
                call!(PARALLEL_END: ParallelEnd(
                    data(region), data(task), flags, code as *const c_void
                ))
            }
            Event::ImplicitTask {
                endpoint,
                region,
                task,
                threads,
                index,
                flags,
                place,
            } => {
                let region = self.of(*region);
                let task = match endpoint {
                    Endpoint::Begin => self.of_new(*task),
                    Endpoint::End => self.of(*task),
                };
                self.0.extend(place.map(|place| (place, task)));
                let (endpoint, threads, index, flags) =
                    (end(endpoint), *threads, *index, *flags as c_int);
                call!(IMPLICIT_TASK: ImplicitTask(
                    endpoint, data(region), data(task), threads, index, flags
                ))
            }
            Event::TaskCreate {
                task,
                new_task,
                flags,
                has_dependences,
                code,
                running,
            } => {
                let (task, new_task) = (self.of(*task), self.of_new(*new_task));
                let running = self.of(*running);
                let (flags, depends, code) =
                    (*flags as c_int, c_int::from(*has_dependences), at(code));
                let create: Box<dyn FnOnce() + Send> = call!(TASK_CREATE: TaskCreate(
                    data(task), ptr::null(), data(new_task), flags, depends, code as *const c_void
                ));
                Box::new(move || {
                    RUNNING.set(data(running));
                    create();
                })
            }
            Event::Dependences { task, list } => {
                let (task, list) = (self.of(*task), list.clone());
                call!(DEPENDENCES: Dependences(
                    data(task),
                    list.iter()
                        .map(|&(address, kind)| Dependence {
                            variable: Data { pointer: address as *mut c_void },
                            kind: kind as c_int,
                        })
                        .collect::<Vec<_>>()
                        .as_ptr(),
                    list.len() as c_int
                ))
            }
            Event::TaskSchedule {
                prior,
                status,
                next,
            } => {
                let (prior, status, next) = (self.of(*prior), *status as c_int, self.of(*next));
                call!(TASK_SCHEDULE: TaskSchedule(data(prior), status, data(next)))
            }
            Event::SyncRegion {
                kind,
                endpoint,
                region,
                task,
                code,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (kind, endpoint, code) = (*kind as c_int, end(endpoint), at(code));
                call!(SYNC_REGION: SyncRegion(
                    kind, endpoint, data(region), data(task), code as *const c_void
                ))
            }
            Event::SyncRegionWait {
                kind,
                endpoint,
                region,
                task,
                code,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (kind, endpoint, code) = (*kind as c_int, end(endpoint), at(code));
                call!(SYNC_REGION_WAIT: SyncRegion(
                    kind, endpoint, data(region), data(task), code as *const c_void
                ))
            }
            Event::Reduction {
                kind,
                endpoint,
                region,
                task,
                code,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (kind, endpoint, code) = (*kind as c_int, end(endpoint), at(code));
                call!(REDUCTION: SyncRegion(
                    kind, endpoint, data(region), data(task), code as *const c_void
                ))
            }
            Event::Work {
                kind,
                endpoint,
                region,
                task,
                count,
                code,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (kind, endpoint, count, code) =
                    (*kind as c_int, end(endpoint), *count, at(code));
                call!(WORK: Work(
                    kind, endpoint, data(region), data(task), count, code as *const c_void
                ))
            }
            Event::Dispatch {
                region,
                task,
                kind,
                instance,
            } => {
                let (region, task) = (self.of(*region), self.of(*task));
                let (kind, instance) = (*kind as c_int, *instance as usize);
                call!(DISPATCH: Dispatch(data(region), data(task), kind, instance as *mut c_void))
            }
        }
    }
}
