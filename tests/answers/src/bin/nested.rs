// Situation: tasks carry most of their work by install to an encoder's pool, which has one thread.
// usage: nested one|here     here: the tasks encode themselves (fine)
use rayon::prelude::*;

fn work(x: u64, rounds: u32) -> u64 {
    (0..rounds).fold(x | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

struct Encoder {
    pool: rayon::ThreadPool,
}

impl Encoder {
    fn new() -> Self {
        Encoder { pool: rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap() } //@ here
    }

    fn encode(frame: u64) -> u64 {
        work(frame, 300_000)
    }

    fn encode_in_pool(&self, frame: u64) -> u64 {
        self.pool.install(|| Self::encode(frame)) //@ here
    }
}

fn main() {
    let one = std::env::args().nth(1).is_none_or(|s| s == "one");
    let encoder = one.then(Encoder::new);
    let frame = |number| {
        let frame = work(number, 100_000);
        match &encoder {
            Some(encoder) => encoder.encode_in_pool(frame), //@ here
            None => Encoder::encode(frame),
        }
    };
    println!("{}", (0..2_000u64).into_par_iter().map(frame).reduce(|| 0, |a, b| a ^ b)); //@ here
}
