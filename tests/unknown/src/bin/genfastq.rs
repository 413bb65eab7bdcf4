//! usage: genfastq PATH [READS]
//! Writes the input of chopper.
use std::io::{BufWriter, Write};

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).expect("path");
    let n: u32 = std::env::args().nth(2).map_or(150_000, |a| a.parse().unwrap());
    let mut w = BufWriter::new(std::fs::File::create(path)?);
    let mut s = 1u32;
    let mut seq = Vec::new();
    let mut qual = Vec::new();
    for i in 0..n {
        s = s.wrapping_mul(1664525).wrapping_add(1013904223);
        let len = 100 + (s >> 24) as usize;
        seq.clear();
        qual.clear();
        for k in 0..len {
            s = s.wrapping_mul(1664525).wrapping_add(1013904223);
            seq.push(b"ACGT"[(s >> 30) as usize]);
            qual.push(b'!' + 5 + (s >> 27) as u8 % 20 + (k % 4) as u8 * (i % 3) as u8);
        }
        // '@' as a quality would make cutting at record starts ambiguous
        for q in qual.iter_mut() {
            if *q == b'@' {
                *q = b'A';
            }
        }
        writeln!(w, "@read{} runid=ab12 ch={}", i, i % 512)?;
        w.write_all(&seq)?;
        w.write_all(b"\n+\n")?;
        w.write_all(&qual)?;
        w.write_all(b"\n")?;
    }
    w.flush()
}
