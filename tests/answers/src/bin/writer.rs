// Situation: each item formats and writes its lines to one file, under its lock.
// usage: writer lock|collect|files     files: one for each of 300 parts (fine)
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
    let variant = std::env::args().nth(1).unwrap_or("lock".into());
    let lock = variant == "lock";
    let path = std::env::temp_dir().join(format!("writer-{}", std::process::id()));
    if variant == "files" {
        std::fs::create_dir(&path).unwrap();
        (0..300u64).into_par_iter().for_each(|part| {
            let file = std::fs::File::create(path.join(part.to_string())).unwrap();
            let mut file = std::io::BufWriter::new(file);
            (part * 100..(part + 1) * 100).for_each(|item| lines(simulate(item), &mut file));
        });
        return std::fs::remove_dir_all(path).unwrap();
    }
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
