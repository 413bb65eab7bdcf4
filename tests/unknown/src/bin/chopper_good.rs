//! Filter a FASTQ file by mean quality and length: the file is mapped, cut
//! at record starts, and each piece is parsed, filtered and kept by itself.
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::sync::Mutex;

struct Record<'a> {
    id: &'a str,
    seq: &'a str,
    qual: &'a str,
}

fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    if rest.is_empty() {
        return None;
    }
    let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    let l = std::str::from_utf8(&rest[..end]).unwrap();
    *rest = &rest[(end + 1).min(rest.len())..];
    Some(l)
}

fn record<'a>(rest: &mut &'a [u8]) -> Option<Record<'a>> {
    let id = line(rest)?;
    assert!(id.starts_with('@'));
    let seq = line(rest)?;
    assert!(seq.chars().all(|c| "ACGTN".contains(c)));
    line(rest)?;
    let qual = line(rest)?;
    assert!(qual.chars().all(|c| ('!'..='~').contains(&c)));
    assert_eq!(seq.len(), qual.len());
    Some(Record { id, seq, qual })
}

fn mean_quality(q: &str) -> f64 {
    let p: f64 = q.bytes().map(|b| 10f64.powf((b as f64 - 33.0) / -10.0)).sum();
    -10.0 * (p / q.len() as f64).log10()
}

/// First record start at or after `at`.
fn boundary(data: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    (at..data.len()).find(|&i| data[i] == b'@' && data[i - 1] == b'\n').unwrap_or(data.len())
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or("reads.fastq".into());
    let data = unsafe { Mmap::map(&File::open(path).unwrap()).unwrap() };
    const PIECE: usize = 64 << 10;
    let out: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());
    let (total, kept) = (0..data.len().div_ceil(PIECE))
        .into_par_iter()
        .with_max_len(1)
        .map(|p| {
            let lo = boundary(&data, p * PIECE);
            let hi = boundary(&data, data.len().min((p + 1) * PIECE));
            let mut rest = &data[lo..hi.max(lo)];
            let mut text = String::with_capacity(PIECE);
            let (mut total, mut kept) = (0u64, 0u64);
            while let Some(r) = record(&mut rest) {
                total += 1;
                if r.seq.len() > 140 && mean_quality(r.qual) > 11.0 {
                    kept += 1;
                    for s in [r.id, "\n", r.seq, "\n+\n", r.qual, "\n"] {
                        text.push_str(s);
                    }
                }
            }
            out.lock().unwrap().push((p, text));
            (total, kept)
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let bytes: usize = out.lock().unwrap().iter().map(|t| t.1.len()).sum();
    println!("{} of {} reads kept, {} bytes", kept, total, bytes);
}
