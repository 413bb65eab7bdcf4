//! A pool of threads that take jobs from a shared receiver.
//! usage: job_guard held|taken     held: the receiver's lock lives as long as the job; taken: only while it is taken (fine)
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread::{self, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;
type Jobs = Arc<Mutex<mpsc::Receiver<Job>>>;

struct Pool {
    sender: Option<mpsc::Sender<Job>>,
    workers: Vec<JoinHandle<()>>,
}

fn threads() -> usize {
    let given = std::env::var("NT").ok().and_then(|n| n.parse().ok());
    given.unwrap_or_else(|| thread::available_parallelism().unwrap().get())
}

fn work_held(jobs: Jobs) {
    while let Ok(job) = jobs.lock().unwrap().recv() { //@ here
        job(); //@ here
    }
}

fn work_taken(jobs: Jobs) {
    loop {
        let next = jobs.lock().unwrap().recv();
        match next {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

impl Pool {
    fn new(size: usize, work: fn(Jobs)) -> Self {
        let (sender, receiver) = mpsc::channel::<Job>();
        let jobs = Arc::new(Mutex::new(receiver));
        let start = |number| {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name(format!("worker {number}")).spawn(move || work(jobs)).unwrap()
        };
        let workers = (0..size).map(start).collect();
        Pool { sender: Some(sender), workers }
    }

    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.as_ref().unwrap().send(Box::new(job)).unwrap();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.sender.take());
        for worker in self.workers.drain(..) {
            worker.join().unwrap();
        }
    }
}

/// Stands for a page that is rendered for a request.
fn render(request: u64) -> u64 {
    let mut page = vec![0u8; 4096];
    let mut x = request * 2 + 1;
    let mut sum = 0u64;
    for pass in 0..60 {
        for byte in &mut page {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte ^= (x >> 56) as u8;
            sum = sum.rotate_left(5) ^ u64::from(*byte) ^ pass;
        }
    }
    sum
}

fn main() {
    let taken = std::env::args().nth(1).is_some_and(|variant| variant == "taken");
    let pool = Pool::new(threads(), if taken { work_taken } else { work_held });
    let total = Arc::new(AtomicU64::new(0));
    for request in 0..3000 {
        let total = Arc::clone(&total);
        pool.execute(move || {
            total.fetch_xor(render(request), Ordering::Relaxed);
        });
    }
    drop(pool);
    println!("{:x}", total.load(Ordering::Relaxed));
}
