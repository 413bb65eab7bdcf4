//! After https://github.com/xacrimon/dashmap/issues/184 "dashmap loading only one thread": values
//! of an Arc<DashMap<i64, MetaData>> are parsed in place with par_iter_mut, one core is busy.
use dashmap::DashMap;
use rayon::prelude::*;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;

#[derive(Default)]
struct IdHasher(u64);
impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 << 8) | b as u64;
        }
    }
    fn write_i64(&mut self, i: i64) {
        self.0 = i as u64;
    }
}

struct Meta {
    text: String,
    sum: u64,
}
impl Meta {
    fn parse(&mut self) {
        let mut s = 0u64;
        for round in 0..180 {
            for w in self.text.split_ascii_whitespace() {
                let v: u64 = w.parse().unwrap();
                s = s.wrapping_mul(31).wrapping_add(v ^ round);
            }
        }
        self.sum = s;
    }
}

fn work<S: BuildHasher + Clone + Send + Sync>(map: Arc<DashMap<i64, Meta, S>>) -> u64 {
    for i in 0..4000i64 {
        let text = (0..200).map(|k| (i * 7919 + k * 104729).to_string()).collect::<Vec<_>>().join(" ");
        map.insert(i, Meta { text, sum: 0 });
    }
    map.par_iter_mut().for_each(|mut m| m.parse()); //@ here
    map.iter().fold(0, |a, m| a ^ m.sum)
}

fn main() {
    let fixed = std::env::args().nth(1).as_deref() == Some("fixed");
    let r = if fixed {
        work(Arc::new(DashMap::with_hasher_and_shard_amount(RandomState::new(), 256)))
    } else {
        work(Arc::new(DashMap::with_hasher(BuildHasherDefault::<IdHasher>::default())))
    };
    println!("{r:x}");
}
