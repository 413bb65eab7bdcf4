//! The wave equation in three dimensions by finite differences, 25 points to a cell, with the
//! parallel loop inside or outside (Cilkview, Figs 7 and 9).
//!
//! Each step computes every cell from the step before. `naive` runs the loop over x in parallel,
//! one loop for each row of each plane of each step: its tasks are a cell or a few, nanoseconds
//! long. `revised` runs the loop over z in parallel, once a step: its tasks are planes.
//!
//! What workspan should show:
//! - naive: a decent parallelism (119 in Cilkview's Fig. 8 with 492 cells a row; with shorter rows
//!   and real clocks, on which forking costs something, below 10), but a burdened parallelism below
//!   1 (0.87 there): every row waits for a chain of migrations, each far longer than the row.
//!   Hundreds of thousands of loops, an average strand of nanoseconds, a tasking overhead above the
//!   work. The program is slower on 2 cores than on one. The finding is WS002, tasks too fine;
//! - revised: a parallelism limited by the planes and by how rayon splits them into tasks: 60 to
//!   130 for 248 planes and 64 assumed cores. The burdened parallelism is close to it, and so the
//!   bounds on the speedup are close together: 20 loops, milliseconds to a plane. A real run stays
//!   below them because of memory bandwidth, which work and span do not include.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: stencil naive|revised [SIZE [STEPS]]
  naive    parallel loop over the cells of a row
  revised  parallel loop over the planes
  SIZE     cells in each direction, 16 to 1024 [default: 128 naive, 256 revised]
  STEPS    time steps, 1 to 100000 [default: 8 naive, 20 revised]";

/// How far a cell's neighbourhood reaches. Cells this close to the boundary stay as they are.
const REACH: usize = 4;

/// Weights of the cell and of its neighbours at distances 1 to 4: the second derivative to eighth
/// order, summed over three dimensions.
const WEIGHTS: [f32; REACH + 1] = [
    3.0 * -205.0 / 72.0,
    8.0 / 5.0,
    -1.0 / 5.0,
    8.0 / 315.0,
    -1.0 / 560.0,
];

/// (velocity · Δt / Δx)² of the medium.
const VELOCITY_SQUARED: f32 = 0.1;

/// The field at two consecutive time steps, and the medium.
struct Wave {
    size: usize,
    current: Vec<f32>,
    /// The step before; a step overwrites it with the one after.
    next: Vec<f32>,
    velocity_squared: Vec<f32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    Naive,
    Revised,
}

impl Wave {
    /// The lowest standing wave of a uniform medium at its largest amplitude.
    fn standing(size: usize) -> Self {
        let profile = profile(size);
        let cells = || (0..size * size * size).into_par_iter();
        let current: Vec<f32> = cells()
            .map(|cell| {
                let (x, y, z) = coordinates(cell, size);
                profile[x] * profile[y] * profile[z]
            })
            .collect();
        Wave {
            size,
            next: current.par_iter().copied().collect(),
            current,
            velocity_squared: cells().map(|_| VELOCITY_SQUARED).collect(),
        }
    }

    fn run(&mut self, variant: Variant, steps: usize) {
        for _ in 0..steps {
            match variant {
                Variant::Naive => self.step_naive(),
                Variant::Revised => self.step_revised(),
            }
            std::mem::swap(&mut self.current, &mut self.next);
        }
    }

    fn step_naive(&mut self) {
        let (size, current, velocity_squared) = (self.size, &self.current, &self.velocity_squared);
        for z in REACH..size - REACH {
            for y in REACH..size - REACH {
                let row = (z * size + y) * size;
                self.next[row + REACH..row + size - REACH]
                    .par_iter_mut()
                    .enumerate()
                    .for_each(|(x, next)| {
                        let cell = row + REACH + x;
                        *next = kernel(current, *next, velocity_squared[cell], cell, size);
                    });
            }
        }
    }

    fn step_revised(&mut self) {
        let (size, current, velocity_squared) = (self.size, &self.current, &self.velocity_squared);
        let plane = size * size;
        self.next[REACH * plane..(size - REACH) * plane]
            .par_chunks_mut(plane)
            .enumerate()
            .for_each(|(z, next_plane)| {
                for y in REACH..size - REACH {
                    for x in REACH..size - REACH {
                        let next = &mut next_plane[y * size + x];
                        let cell = (REACH + z) * plane + y * size + x;
                        *next = kernel(current, *next, velocity_squared[cell], cell, size);
                    }
                }
            });
    }

    /// Whether the field is the solution by separation of variables: after t steps the initial
    /// field times cos(ω (t + ½)) / cos(ω/2), where 2 cos ω - 2 is the eigenvalue of the finite
    /// differences. This is true for the cells that the boundary cannot have reached; all others
    /// must at least be finite.
    fn is_standing(&self, steps: usize) -> bool {
        let (size, profile) = (self.size, profile(self.size));
        let wave_number = f64::from(wave_number(size));
        let eigenvalue: f64 = f64::from(VELOCITY_SQUARED)
            * (f64::from(WEIGHTS[0])
                + (1..=REACH)
                    .map(|d| 6.0 * f64::from(WEIGHTS[d]) * (wave_number * d as f64).cos())
                    .sum::<f64>());
        let omega = (1.0 + eigenvalue / 2.0).acos();
        let amplitude = (omega * (steps as f64 + 0.5)).cos() / (omega / 2.0).cos();
        let undisturbed = REACH * (steps + 1)..size.saturating_sub(REACH * (steps + 1));
        let rounding = f64::from(f32::EPSILON) * 4.0 * (steps as f64 + 2.0).powi(2);
        self.current.par_iter().enumerate().all(|(cell, &value)| {
            let (x, y, z) = coordinates(cell, size);
            let expected = amplitude * f64::from(profile[x] * profile[y] * profile[z]);
            let inside = [x, y, z].iter().all(|i| undisturbed.contains(i));
            value.is_finite() && (!inside || (f64::from(value) - expected).abs() < rounding)
        })
    }
}

/// Half a period of a sine over a row, zero just outside of it.
fn profile(size: usize) -> Vec<f32> {
    (0..size)
        .map(|i| (wave_number(size) * (i + 1) as f32).sin())
        .collect()
}

/// Phase between neighbouring cells of [`profile`].
fn wave_number(size: usize) -> f32 {
    std::f32::consts::PI / (size + 1) as f32
}

fn coordinates(cell: usize, size: usize) -> (usize, usize, usize) {
    (cell % size, cell / size % size, cell / (size * size))
}

/// The value of `cell` at the step after `current`, given the one at the step before it.
fn kernel(current: &[f32], before: f32, velocity_squared: f32, cell: usize, size: usize) -> f32 {
    let (row, plane) = (size, size * size);
    let mut derivative = WEIGHTS[0] * current[cell];
    for distance in 1..=REACH {
        derivative += WEIGHTS[distance]
            * ((current[cell + distance] + current[cell - distance])
                + (current[cell + distance * row] + current[cell - distance * row])
                + (current[cell + distance * plane] + current[cell - distance * plane]));
    }
    2.0 * current[cell] - before + velocity_squared * derivative
}

fn main() {
    let (variant, size, steps) = Arguments::read_from_process(USAGE, |arguments| {
        let choices = [("naive", Variant::Naive), ("revised", Variant::Revised)];
        let variant = arguments.choice("VARIANT", &choices)?;
        let (size, steps) = match variant {
            Variant::Naive => (128, 8),
            Variant::Revised => (256, 20),
        };
        Ok((
            variant,
            arguments.number("SIZE", size, 16..=1_024)?,
            arguments.number("STEPS", steps, 1..=100_000)?,
        ))
    });
    let mut wave = Wave::standing(size);
    let started = Instant::now();
    wave.run(variant, steps);
    let elapsed = started.elapsed();
    assert!(wave.is_standing(steps), "the wave went astray");
    println!(
        "stencil {variant:?}: {steps} steps of {size} x {size} x {size} cells in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_variants_compute_the_same_field() {
        for (size, steps) in [(16, 1), (25, 5), (48, 4)] {
            let mut naive = Wave::standing(size);
            let mut revised = Wave::standing(size);
            naive.run(Variant::Naive, steps);
            revised.run(Variant::Revised, steps);
            assert!(naive.current == revised.current);
            assert!(naive.is_standing(steps));
        }
    }

    #[test]
    fn a_uniform_field_stays_uniform() {
        let size = 9;
        let field = vec![3.0; size * size * size];
        let cell = (4 * size + 4) * size + 4;
        assert!((kernel(&field, 3.0, 0.1, cell, size) - 3.0).abs() < 1e-5);
    }

    #[test]
    fn the_kernel_weighs_neighbours_by_their_distance() {
        let size = 9;
        let cell = (4 * size + 4) * size + 4;
        for (offset, weight) in [(1, 1), (2 * size, 2), (3 * size * size, 3)] {
            let mut field = vec![0.0; size * size * size];
            field[cell + offset] = 1.0;
            assert_eq!(
                kernel(&field, 0.5, 2.0, cell, size),
                -0.5 + 2.0 * WEIGHTS[weight]
            );
        }
    }

    #[test]
    fn a_stray_value_is_noticed() {
        let size = 48;
        let mut wave = Wave::standing(size);
        wave.run(Variant::Revised, 3);
        assert!(wave.is_standing(3));
        assert!(!wave.is_standing(4));
        wave.current[(24 * size + 24) * size + 24] += 0.001;
        assert!(!wave.is_standing(3));
    }
}
