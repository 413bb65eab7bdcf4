// Situation: std threads take jobs from a queue by a Condvar; each is answered before the next.
// usage: jobs each|all     all: all jobs are put, then all are waited for (fine)
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<u64>,
    put: u64,
    done: u64,
    sum: u64,
}

const JOBS: u64 = 600;

fn work(x: u64) -> u64 {
    (0..1_000_000).fold(x | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let each = std::env::args().nth(1).is_none_or(|s| s == "each");
    let (queue, ready, answered) = (Mutex::<Queue>::default(), Condvar::new(), Condvar::new());
    let serve = || loop {
        let mut taken = ready.wait_while(queue.lock().unwrap(), |q| q.jobs.is_empty() && q.put < JOBS).unwrap(); //@ here
        let Some(job) = taken.jobs.pop_front() else { return };
        drop(taken);
        let answer = work(job);
        let mut given = queue.lock().unwrap();
        given.done += 1;
        given.sum ^= answer;
        answered.notify_one();
    };
    thread::scope(|scope| {
        (0..2).for_each(|_| _ = scope.spawn(serve)); //@ here
        for job in 0..JOBS {
            let mut put = queue.lock().unwrap();
            put.jobs.push_back(job);
            put.put += 1;
            ready.notify_one();
            if each {
                drop(answered.wait_while(put, |q| q.done < q.put).unwrap()); //@ here
            }
        }
        ready.notify_all();
    });
    println!("{}", queue.into_inner().unwrap().sum);
}
