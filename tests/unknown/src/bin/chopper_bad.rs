//! Filter a FASTQ file by mean quality and length: records come from a
//! reader, go over a bridge to the workers, and are counted and kept.
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Mutex;

struct Record {
    id: String,
    seq: String,
    qual: String,
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
    type Item = Record;
    fn next(&mut self) -> Option<Record> {  //@ here
        let id = self.line()?;
        assert!(id.starts_with('@'));
        let seq = self.line()?;
        assert!(seq.chars().all(|c| "ACGTN".contains(c)));
        self.line()?;
        let qual = self.line()?;
        assert!(qual.chars().all(|c| ('!'..='~').contains(&c)));
        assert_eq!(seq.len(), qual.len());
        Some(Record { id, seq, qual })
    }
}

fn mean_quality(q: &str) -> f64 {
    let p: f64 = q.bytes().map(|b| 10f64.powf((b as f64 - 33.0) / -10.0)).sum();
    -10.0 * (p / q.len() as f64).log10()
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or("reads.fastq".into());
    let reader = Reader { inner: BufReader::new(File::open(path).unwrap()) };
    let total = Mutex::new(0u64);
    let kept = Mutex::new(0u64);
    let out = Mutex::new(String::new());
    reader.par_bridge().for_each(|r| {  //@ here
        *total.lock().unwrap() += 1;
        if r.seq.len() > 140 && mean_quality(&r.qual) > 11.0 {
            *kept.lock().unwrap() += 1;
            let text = format!("{}\n{}\n+\n{}\n", r.id, r.seq, r.qual);
            out.lock().unwrap().push_str(&text);
        }
    });
    println!("{} of {} reads kept, {} bytes", kept.lock().unwrap(), total.lock().unwrap(), out.lock().unwrap().len());
}
