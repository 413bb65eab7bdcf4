//! A genetic algorithm: the fitness of every individual in parallel, then selection and breeding.
use rayon::prelude::*;
use std::time::{Duration, Instant};

const POPULATION: usize = 300;
const GENES: usize = 400;
const GENERATIONS: usize = 100;

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn fitness(genes: &[f64]) -> f64 {
    let mut score = 0.0;
    for round in 1..=12 {
        for (i, g) in genes.iter().enumerate() {
            score += (g * round as f64 + i as f64 * 0.01).cos();
        }
    }
    score
}

fn breed(ranked: &[(f64, Vec<f64>)], rng: &mut Rng) -> Vec<Vec<f64>> {
    (0..POPULATION)
        .map(|_| {
            let mother = &ranked[(rng.unit() * rng.unit() * 100.0) as usize].1;
            let father = &ranked[(rng.unit() * rng.unit() * 100.0) as usize].1;
            (0..GENES)
                .map(|i| {
                    let gene = if rng.next() & 1 == 0 { mother[i] } else { father[i] };
                    if rng.unit() < 0.01 { gene + rng.unit() - 0.5 } else { gene }
                })
                .collect()
        })
        .collect()
}

fn main() {
    let mut rng = Rng(88172645463325252);
    let mut population: Vec<Vec<f64>> =
        (0..POPULATION).map(|_| (0..GENES).map(|_| rng.unit() * 6.0).collect()).collect();
    let (start, mut in_par, mut best) = (Instant::now(), Duration::ZERO, 0.0);
    for _ in 0..GENERATIONS {
        let t = Instant::now();
        let mut ranked: Vec<(f64, Vec<f64>)> =
            population.par_iter().map(|genes| (fitness(genes), genes.clone())).collect();
        in_par += t.elapsed();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        best = ranked[0].0;
        population = breed(&ranked, &mut rng); //@ here
    }
    println!("best {best:.6}");
    println!("{:.1}% of {:?} in par_iter", 100.0 * in_par.as_secs_f64() / start.elapsed().as_secs_f64(), start.elapsed());
}
