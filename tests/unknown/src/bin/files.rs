//! usage: files bad|good [SCALE]
//! Process the files of a repository by threads of our own; each thread gets
//! the same number of files, or takes the next one, large ones first.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Sizes in walk order: mostly small, one vendored directory of large ones.
fn sizes() -> Vec<usize> {
    (0..2000usize)
        .map(|i| if (1800..1860).contains(&i) { 300_000 } else { 500 + (i * 7919) % 2000 })
        .collect()
}

fn process(id: usize, size: usize) -> u64 {
    let (mut s, mut h, mut word) = (id as u32 + 1, 0xcbf29ce484222325u64, 0u64);
    let mut sum = 0;
    for _ in 0..size {
        s = s.wrapping_mul(1664525).wrapping_add(1013904223);
        let c = (s >> 24) as u8;
        if c < 200 {
            h = (h ^ c as u64).wrapping_mul(0x100000001b3);
            word += 1;
        } else {
            sum += (h >> 32) % (word + 3);
            h = 0xcbf29ce484222325;
            word = 0;
        }
    }
    sum
}

fn main() {
    let good = std::env::args().nth(1).is_some_and(|variant| variant == "good");
    let scale: usize = std::env::args().nth(2).map_or(12, |a| a.parse().unwrap());
    let nt = std::env::var("NTHREADS")
        .ok()
        .map(|v| v.parse().unwrap())
        .unwrap_or_else(|| thread::available_parallelism().unwrap().get());
    let mut files: Vec<(usize, usize)> = sizes().into_iter().map(|s| s * scale).enumerate().collect();
    if good {
        files.sort_by_key(|f| std::cmp::Reverse(f.1));
    }
    let (files, next) = (&files, &AtomicUsize::new(0));
    let chunk = files.len().div_ceil(nt);
    let total: u64 = thread::scope(|sc| {
        let hs: Vec<_> = if good {
            (0..nt)
                .map(|_| {
                    sc.spawn(move || {
                        let mut sum = 0;
                        while let Some(&(i, s)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                            sum += process(i, s);
                        }
                        sum
                    })
                })
                .collect()
        } else {
            files
                .chunks(chunk)  //@ here
                .map(|part| sc.spawn(move || part.iter().map(|&(i, s)| process(i, s)).sum::<u64>()))
                .collect()
        };
        hs.into_iter().map(|h| h.join().unwrap()).sum()
    });
    println!("{}", total);
}
