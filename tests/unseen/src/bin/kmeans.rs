//! Clusters points by k-means. The nearest centre of each point is found in parallel.
//! usage: kmeans update|fold     update: the new centres and the cost are computed by one thread; fold: in parallel (fine)
use rayon::prelude::*;

const POINTS: usize = 60_000;
const DIMENSIONS: usize = 16;
const CENTRES: usize = 6;
const ROUNDS: usize = 300;

type Point = [f32; DIMENSIONS];

#[derive(Clone)]
struct Sums {
    sum: Vec<[f64; DIMENSIONS]>,
    count: Vec<u32>,
    cost: f64,
}

impl Sums {
    fn new() -> Self {
        Sums { sum: vec![[0.0; DIMENSIONS]; CENTRES], count: vec![0; CENTRES], cost: 0.0 }
    }

    fn add(&mut self, point: &Point, nearest: usize, centres: &[Point]) {
        for (sum, &x) in self.sum[nearest].iter_mut().zip(point) {
            *sum += f64::from(x);
        }
        self.count[nearest] += 1;
        self.cost += f64::from(distance(point, &centres[nearest]).sqrt());
    }

    fn merge(mut self, other: &Sums) -> Self {
        for (sum, more) in self.sum.iter_mut().flatten().zip(other.sum.iter().flatten()) {
            *sum += more;
        }
        for (count, more) in self.count.iter_mut().zip(&other.count) {
            *count += more;
        }
        self.cost += other.cost;
        self
    }

    fn centres(&self, old: &[Point]) -> Vec<Point> {
        let mut centres = old.to_vec();
        for (centre, (sum, &count)) in centres.iter_mut().zip(self.sum.iter().zip(&self.count)) {
            if count > 0 {
                for (x, &total) in centre.iter_mut().zip(sum) {
                    *x = (total / f64::from(count)) as f32;
                }
            }
        }
        centres
    }
}

fn make_points() -> Vec<Point> {
    let mut x = 0x2545_f491_u32;
    let mut random = move || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        (x >> 8) as f32 / 16_777_216.0
    };
    let mut make = |k: usize| {
        let mut point = [0.0; DIMENSIONS];
        for (d, x) in point.iter_mut().enumerate() {
            *x = random() + ((k % CENTRES * (d + 3)) % 7) as f32 * 0.2;
        }
        point
    };
    (0..POINTS).map(&mut make).collect()
}

fn distance(a: &Point, b: &Point) -> f32 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn nearest(point: &Point, centres: &[Point]) -> usize {
    let mut best = (0, f32::INFINITY);
    for (k, centre) in centres.iter().enumerate() {
        let far = distance(point, centre);
        if far < best.1 {
            best = (k, far);
        }
    }
    best.0
}

fn round_update(points: &[Point], centres: &[Point], assigned: &mut [usize]) -> Sums {
    assigned.par_iter_mut().zip(points).for_each(|(at, point)| *at = nearest(point, centres));
    let mut sums = Sums::new();
    for (point, &at) in points.iter().zip(assigned.iter()) { //@ here
        sums.add(point, at, centres); //@ here
    }
    sums
}

fn round_fold(points: &[Point], centres: &[Point]) -> Sums {
    let part = |part: &[Point]| {
        let mut sums = Sums::new();
        for point in part {
            sums.add(point, nearest(point, centres), centres);
        }
        sums
    };
    points.par_chunks(500).map(part).reduce(Sums::new, |a, b| a.merge(&b))
}

fn main() {
    let fold = std::env::args().nth(1).is_some_and(|variant| variant == "fold");
    let points = make_points();
    let mut centres = points[..CENTRES].to_vec();
    let mut assigned = vec![0; POINTS];
    let mut cost = 0.0;
    for _ in 0..ROUNDS {
        let sums = if fold { round_fold(&points, &centres) } else { round_update(&points, &centres, &mut assigned) };
        centres = sums.centres(&centres);
        cost = sums.cost;
    }
    println!("{cost:.2}");
}
