//! Transcodes the tracks of an album in parallel, each with a progress bar taken from a
//! shared list.
//! usage: transcode temporary|before     before: the bar is taken in a statement of its own (fine)
use rayon::prelude::*;
use std::sync::Mutex;

struct Bar {
    row: usize,
}

#[derive(Default)]
struct Transcoder {
    seed: u64,
    quality: u32,
    bar: Option<Bar>,
}

impl Transcoder {
    fn new(seed: u64) -> Self {
        Transcoder { seed, ..Default::default() }
    }
    fn quality(mut self, quality: u32) -> Self {
        self.quality = quality;
        self
    }
    fn progress_bar(mut self, bar: Bar) -> Self {
        self.bar = Some(bar);
        self
    }
    fn run(self) -> f64 {
        let mut signal = self.seed as f64 * 0.001 + 0.1;
        let mut energy = 0.0;
        for k in 0..self.quality * 60_000 {
            signal = (signal * 1.000_1 + k as f64 * 1e-6).sin();
            energy += signal * signal;
        }
        energy + self.bar.map_or(0.0, |bar| bar.row as f64 * 0.0)
    }
}

fn main() {
    let before = std::env::args().nth(1).is_some_and(|s| s == "before");
    let tracks: Vec<u64> = (1..=120).collect();
    let bars = Mutex::new((0..tracks.len()).map(|row| Bar { row }));
    let energies: Vec<f64> = tracks
        .par_iter()
        .map(|&track| {
            if before {
                let bar = bars.lock().unwrap().next().unwrap();
                return Transcoder::new(track).quality(10).progress_bar(bar).run();
            }
            Transcoder::new(track)
                .quality(10)
                .progress_bar(bars.lock().unwrap().next().unwrap()) //@ here
                .run() //@ here
        }) //@ here
        .collect();
    println!("{:.6}", energies.iter().sum::<f64>());
}
