//! usage: chopper bad|good [PATH]
//! Filter a FASTQ file by mean quality and length.
//! bad: records come from a reader, go over a bridge to the workers, and are
//! counted and kept.
//! good: the file is mapped, cut at record starts, and each piece is parsed,
//! filtered and kept by itself.
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Mutex;

struct Record<S> {
    id: S,
    seq: S,
    qual: S,
}

impl<S: AsRef<str>> Record<S> {
    fn parse(mut line: impl FnMut() -> Option<S>) -> Option<Record<S>> {  //@ here
        let id = line()?;
        assert!(id.as_ref().starts_with('@'));
        let seq = line()?;
        assert!(seq.as_ref().chars().all(|c| "ACGTN".contains(c)));
        line()?;
        let qual = line()?;
        assert!(qual.as_ref().chars().all(|c| ('!'..='~').contains(&c)));
        assert_eq!(seq.as_ref().len(), qual.as_ref().len());
        Some(Record { id, seq, qual })
    }
    fn is_kept(&self) -> bool {
        self.seq.as_ref().len() > 140 && mean_quality(self.qual.as_ref()) > 11.0
    }
}

struct Reader<R> {
    inner: R,
}

impl<R: BufRead> Reader<R> {
    fn line(&mut self) -> Option<String> {
        let mut s = String::new();
        if self.inner.read_line(&mut s).unwrap() == 0 {
            return None;
        }
        while s.ends_with('\n') || s.ends_with('\r') {
            s.pop();
        }
        Some(s)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Record<String>;
    fn next(&mut self) -> Option<Record<String>> {  //@ here
        Record::parse(|| self.line())
    }
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

/// First record start at or after `at`.
fn boundary(data: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    (at..data.len()).find(|&i| data[i] == b'@' && data[i - 1] == b'\n').unwrap_or(data.len())
}

fn mean_quality(q: &str) -> f64 {
    let p: f64 = q.bytes().map(|b| 10f64.powf((b as f64 - 33.0) / -10.0)).sum();
    -10.0 * (p / q.len() as f64).log10()
}

fn bridge(file: File) {
    let reader = Reader { inner: BufReader::new(file) };
    let total = Mutex::new(0u64);
    let kept = Mutex::new(0u64);
    let out = Mutex::new(String::new());
    reader.par_bridge().for_each(|r| {  //@ here
        *total.lock().unwrap() += 1;
        if r.is_kept() {
            *kept.lock().unwrap() += 1;
            let text = format!("{}\n{}\n+\n{}\n", r.id, r.seq, r.qual);
            out.lock().unwrap().push_str(&text);
        }
    });
    println!("{} of {} reads kept, {} bytes", kept.lock().unwrap(), total.lock().unwrap(), out.lock().unwrap().len());
}

fn pieces(file: File) {
    let data = unsafe { Mmap::map(&file).unwrap() };
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
            while let Some(r) = Record::parse(|| line(&mut rest)) {
                total += 1;
                if r.is_kept() {
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

fn main() {
    let good = std::env::args().nth(1).is_some_and(|variant| variant == "good");
    let path = std::env::args().nth(2).unwrap_or("reads.fastq".into());
    let file = File::open(path).unwrap();
    if good {
        pieces(file)
    } else {
        bridge(file)
    }
}
