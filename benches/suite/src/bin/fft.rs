//! Fast Fourier transform of complex numbers, by Cooley and Tukey's recursion.
//!
//! From the Cilk-5 distribution (by Matteo Frigo); Cilkprof, Fig. 11 (8,388,608 points). The
//! distribution's program is generated, with radices up to 32; this one splits in two. As there,
//! the recursion is parallel, and so are the shuffle before it and the twiddle after it.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};
use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{random_numbers, size, timed, verdict};

const USAGE: &str = "usage: fft [POINTS]
  POINTS  up to the next power of two, 32 to 67108864 [default: 8388608]";

/// Points that are transformed serially.
const BASE: usize = 32;

/// Pairs of points that are shuffled or twiddled serially.
const GRAIN: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    /// The point on the unit circle at this fraction of a full turn, clockwise.
    fn root(part: f64) -> Self {
        let (sine, cosine) = (TAU * part).sin_cos();
        Complex {
            re: cosine,
            im: -sine,
        }
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// Transforms `points`; `room` has the same length. `roots` are the powers of the first root of
/// unity, half as many as points in the whole transform; this part uses every `stride`-th.
fn fft(points: &mut [Complex], room: &mut [Complex], roots: &[Complex], stride: usize) {
    let half = points.len() / 2;
    let (even, odd) = room.split_at_mut(half);
    unshuffle(points, even, odd);
    let (low, high) = points.split_at_mut(half);
    if half >= BASE {
        rayon::join(
            || fft(even, low, roots, 2 * stride),
            || fft(odd, high, roots, 2 * stride),
        );
    } else if half > 1 {
        fft(even, low, roots, 2 * stride);
        fft(odd, high, roots, 2 * stride);
    }
    twiddle(low, high, even, odd, roots, stride);
}

/// Separates the points of even and of odd index.
fn unshuffle(points: &[Complex], even: &mut [Complex], odd: &mut [Complex]) {
    if even.len() > GRAIN {
        let middle = even.len() / 2;
        let (even_low, even_high) = even.split_at_mut(middle);
        let (odd_low, odd_high) = odd.split_at_mut(middle);
        rayon::join(
            || unshuffle(&points[..2 * middle], even_low, odd_low),
            || unshuffle(&points[2 * middle..], even_high, odd_high),
        );
        return;
    }
    for (pair, (even, odd)) in points.chunks_exact(2).zip(even.iter_mut().zip(odd)) {
        *even = pair[0];
        *odd = pair[1];
    }
}

/// Computes both halves of a transform from the transforms of its even and of its odd points.
/// `roots` starts with the factor of the first of them.
fn twiddle(
    low: &mut [Complex],
    high: &mut [Complex],
    even: &[Complex],
    odd: &[Complex],
    roots: &[Complex],
    stride: usize,
) {
    if low.len() > GRAIN {
        let middle = low.len() / 2;
        let (low_first, low_second) = low.split_at_mut(middle);
        let (high_first, high_second) = high.split_at_mut(middle);
        let (even_first, even_second) = even.split_at(middle);
        let (odd_first, odd_second) = odd.split_at(middle);
        let second_roots = &roots[middle * stride..];
        rayon::join(
            || twiddle(low_first, high_first, even_first, odd_first, roots, stride),
            || {
                twiddle(
                    low_second,
                    high_second,
                    even_second,
                    odd_second,
                    second_roots,
                    stride,
                );
            },
        );
        return;
    }
    for index in 0..low.len() {
        let odd = odd[index] * roots[index * stride];
        low[index] = even[index] + odd;
        high[index] = even[index] - odd;
    }
}

/// One frequency, by definition.
fn frequency(points: &[Complex], roots: &[Complex], frequency: usize) -> Complex {
    let half = roots.len();
    points
        .par_iter()
        .enumerate()
        .map(|(index, &point)| {
            let turn = index * frequency % (2 * half);
            let sign = if turn < half { 1.0 } else { -1.0 };
            let root = roots[turn % half];
            point
                * Complex {
                    re: sign * root.re,
                    im: sign * root.im,
                }
        })
        .reduce(|| Complex::ZERO, Complex::add)
}

fn main() -> ExitCode {
    let count = size(USAGE, 8_388_608, 32..=67_108_864).next_power_of_two();
    let roots: Vec<Complex> = (0..count / 2)
        .into_par_iter()
        .map(|index| Complex::root(index as f64 / count as f64))
        .collect();
    let input: Vec<Complex> = random_numbers(count, 1)
        .into_par_iter()
        .map(|number| Complex {
            re: (number % 2_001) as f64 - 1_000.0,
            im: (number >> 32) as f64 % 2_001.0 - 1_000.0,
        })
        .collect();
    let mut points = input.clone();
    let mut room = vec![Complex::ZERO; count];
    timed("fft", || fft(&mut points, &mut room, &roots, 1));
    // Rounding grows with the logarithm of the size; a wrong result is off by about its root.
    let tolerance = 1e-6 * (count as f64).sqrt();
    let is_right = |index: usize| {
        let error = frequency(&input, &roots, index) - points[index];
        error.re.hypot(error.im) <= tolerance
    };
    verdict([0, 1, count / 3, count - 1].into_iter().all(is_right))
}
