//! Bodies that attract each other: ten steps, each of which computes every pair of bodies.
//!
//! The Cilk-5 distribution and the Problem Based Benchmark Suite (TaskProf, Table 6.1) approximate
//! far bodies; this is the direct sum, as in rayon's own demonstration programs, softened as in
//! Nyland, Harris and Prins, "Fast N-body simulation with CUDA" (GPU Gems 3, chapter 31).

use std::ops::{Add, AddAssign, Mul, Sub};
use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{Xorshift, size, timed, verdict};

const USAGE: &str = "usage: nbody [BODIES]
  BODIES  how many, 2 to 1000000 [default: 8000]";

const STEPS: usize = 10;
const TIME_STEP: f64 = 1e-3;

/// Bodies attract each other as if at least this far apart, squared.
const SOFTENING: f64 = 1e-2;

#[derive(Clone, Copy, Default)]
struct Vector {
    x: f64,
    y: f64,
    z: f64,
}

impl Vector {
    fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl Add for Vector {
    type Output = Vector;

    fn add(self, other: Vector) -> Vector {
        Vector {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Vector) {
        *self = *self + other;
    }
}

impl Sub for Vector {
    type Output = Vector;

    fn sub(self, other: Vector) -> Vector {
        self + other * -1.0
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;

    fn mul(self, factor: f64) -> Vector {
        Vector {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }
}

#[derive(Clone, Copy)]
struct Body {
    position: Vector,
    velocity: Vector,
    mass: f64,
}

/// Bodies in a cube, at rest, with a total mass of one.
fn random_bodies(count: usize) -> Vec<Body> {
    let mut random = Xorshift::new(1);
    let mut coordinate = || random.below(1 << 32) as f64 / f64::from(u32::MAX);
    (0..count)
        .map(|_| Body {
            position: Vector {
                x: coordinate(),
                y: coordinate(),
                z: coordinate(),
            },
            velocity: Vector::default(),
            mass: 1.0 / count as f64,
        })
        .collect()
}

fn acceleration(body: &Body, bodies: &[Body]) -> Vector {
    let mut sum = Vector::default();
    for other in bodies {
        let way = other.position - body.position;
        let square = way.dot(way) + SOFTENING;
        sum += way * (other.mass / (square * square.sqrt()));
    }
    sum
}

/// Leapfrog: half a step of velocity, a step of position, half a step of velocity.
fn simulate(bodies: &mut [Body]) {
    accelerate(bodies, TIME_STEP / 2.0);
    for step in 1..=STEPS {
        for body in bodies.iter_mut() {
            body.position += body.velocity * TIME_STEP;
        }
        accelerate(
            bodies,
            if step < STEPS {
                TIME_STEP
            } else {
                TIME_STEP / 2.0
            },
        );
    }
}

fn accelerate(bodies: &mut [Body], time: f64) {
    let accelerations: Vec<Vector> = bodies
        .par_iter()
        .map(|body| acceleration(body, bodies))
        .collect();
    for (body, acceleration) in bodies.iter_mut().zip(accelerations) {
        body.velocity += acceleration * time;
    }
}

/// Twice the kinetic energy, and twice the potential energy up to a constant.
fn energies(bodies: &[Body]) -> (f64, f64) {
    bodies
        .par_iter()
        .map(|body| {
            let kinetic = body.mass * body.velocity.dot(body.velocity);
            let potential: f64 = bodies
                .iter()
                .map(|other| {
                    let way = other.position - body.position;
                    -other.mass / (way.dot(way) + SOFTENING).sqrt()
                })
                .sum();
            (kinetic, body.mass * potential)
        })
        .reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
}

fn main() -> ExitCode {
    let mut bodies = random_bodies(size(USAGE, 8_000, 2..=1_000_000));
    let (_, potential_before) = energies(&bodies);
    timed("nbody", || simulate(&mut bodies));
    let (kinetic, potential) = energies(&bodies);
    // They started at rest, so their kinetic energy is the potential energy that they lost.
    let lost = potential_before - potential;
    let momentum = bodies.iter().fold(Vector::default(), |sum, body| {
        sum + body.velocity * body.mass
    });
    verdict((kinetic - lost).abs() < 1e-3 * kinetic && momentum.dot(momentum) < 1e-24)
}
