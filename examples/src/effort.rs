//! Work of a chosen length.

use std::hint::black_box;

/// A step of Knuth's linear congruential generator (MMIX) is `value * FACTOR + SUMMAND`.
const FACTOR: u64 = 6_364_136_223_846_793_005;
const SUMMAND: u64 = 1_442_695_040_888_963_407;

/// The upper half of the generator's value after `steps` steps from `seed`: some nanoseconds a
/// step. `black_box` keeps the compiler from turning all steps into one multiplication.
pub fn effort(seed: u64, steps: u32) -> u64 {
    let mut value = seed;
    for _ in 0..steps {
        value = black_box(value.wrapping_mul(FACTOR).wrapping_add(SUMMAND));
    }
    value >> 32
}

/// The sum of [`effort`] over `seeds`, for checks: one multiplication for each seed, since repeated
/// linear steps are linear.
pub fn sum_of_efforts(seeds: impl IntoIterator<Item = u64>, steps: u32) -> u64 {
    let (mut factor, mut summand) = (1_u64, 0_u64);
    for _ in 0..steps {
        factor = factor.wrapping_mul(FACTOR);
        summand = summand.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
    }
    let seeds = seeds.into_iter();
    seeds
        .map(|seed| seed.wrapping_mul(factor).wrapping_add(summand) >> 32)
        .fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_multiplication_makes_all_steps() {
        let efforts = (0..50).map(|seed| effort(seed, 77)).sum::<u64>();
        assert_eq!(sum_of_efforts(0..50, 77), efforts);
        assert_eq!(effort(6 << 32, 0), 6);
    }
}
