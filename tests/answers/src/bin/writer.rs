// Situation: each item formats and writes its lines to one file, under its lock.
// usage: writer lock|collect
use rayon::prelude::*;
use std::io::Write;
use std::sync::Mutex;

fn simulate(item: u64) -> u64 {
    (0..4_000).fold(item | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn lines(x: u64, out: &mut impl Write) {
    for i in 0..100 {
        writeln!(out, "{i} {:.6}", (x ^ i) as f64 / 1e12).unwrap();
    }
}

fn main() {
    let lock = std::env::args().nth(1).is_none_or(|s| s == "lock");
    let path = std::env::temp_dir().join(format!("writer-{}", std::process::id()));
    let file = Mutex::new(std::io::BufWriter::new(std::fs::File::create(&path).unwrap()));
    (0..30_000u64).into_par_iter().for_each(|item| { //@ here
        let x = simulate(item);
        if lock {
            lines(x, &mut *file.lock().unwrap()); //@ here
        } else {
            let mut text = Vec::with_capacity(4096);
            lines(x, &mut text);
            file.lock().unwrap().write_all(&text).unwrap(); //@ here
        }
    });
    drop(file);
    println!("{}", std::fs::metadata(&path).unwrap().len());
    std::fs::remove_file(path).unwrap();
}
