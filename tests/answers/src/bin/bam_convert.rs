//! SAM to BAM: one thread parses records and fills blocks, a pool of threads compresses the blocks.
use crossbeam_channel::{bounded, Receiver, Sender};
use std::thread;

const RECORDS: u64 = 600_000;
const BLOCK: usize = 64 * 1024;

fn parse_and_encode(id: u64, line: &mut String, out: &mut Vec<u8>) {
    use std::fmt::Write;
    line.clear();
    let pos = id.wrapping_mul(2654435761) % 248_956_422;
    write!(line, "read{id}\t99\tchr{}\t{pos}\t60\t100M\t=\t{}\t300\t", id % 22, pos + 200).unwrap();
    let mut x = id.wrapping_mul(0x9e3779b97f4a7c15) | 1;
    for _ in 0..100 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        line.push(b"ACGT"[(x & 3) as usize] as char);
    }
    for field in line.split('\t') {
        match field.parse::<u32>() {
            Ok(n) => out.extend_from_slice(&n.to_le_bytes()),
            Err(_) => out.extend_from_slice(field.as_bytes()),
        }
    }
    out.push(0);
}

fn deflate(block: &[u8]) -> Vec<u8> {
    let mut heads = vec![0usize; 1 << 14];
    let mut out = Vec::with_capacity(block.len());
    let mut i = 0;
    while i + 8 < block.len() {
        let word = u32::from_le_bytes(block[i..i + 4].try_into().unwrap());
        let slot = (word.wrapping_mul(0x9E37_79B1) >> 18) as usize;
        let mut best = 0;
        for back in 0..12 {
            let from = heads[(slot + back) & ((1 << 14) - 1)];
            let len = block[from..].iter().zip(&block[i..]).take(64).take_while(|(a, b)| a == b).count();
            if from < i && len > best {
                best = len;
            }
        }
        heads[slot] = i;
        out.push(if best > 4 { best as u8 } else { block[i] });
        i += 1.max(best / 4);
    }
    out
}

fn compressor(blocks: Receiver<Vec<u8>>, done: Sender<usize>) {
    for block in blocks {
        done.send(deflate(&block).len()).unwrap();
    }
}

fn main() {
    let workers = std::env::var("WORKERS").ok().and_then(|w| w.parse().ok())
        .unwrap_or_else(|| thread::available_parallelism().unwrap().get());
    let (tx, rx) = bounded::<Vec<u8>>(workers * 4);
    let (done_tx, done_rx) = crossbeam_channel::unbounded();
    let pool: Vec<_> = (0..workers)
        .map(|_| { let (rx, done) = (rx.clone(), done_tx.clone()); thread::spawn(move || compressor(rx, done)) })
        .collect();
    drop((rx, done_tx));
    let (mut line, mut block) = (String::new(), Vec::with_capacity(BLOCK + 512));
    for id in 0..RECORDS {
        parse_and_encode(id, &mut line, &mut block); //@ here
        if block.len() >= BLOCK {
            tx.send(std::mem::replace(&mut block, Vec::with_capacity(BLOCK + 512))).unwrap();
        }
    }
    tx.send(block).unwrap();
    drop(tx);
    for worker in pool {
        worker.join().unwrap();
    }
    println!("{} compressed bytes", done_rx.iter().sum::<usize>());
}
