//! Random numbers that only depend on their seed.

use rayon::prelude::*;

/// Marsaglia's xorshift generator of 64 bits (Journal of Statistical Software 8:14, 2003), with
/// the output multiplied as in Vigna's xorshift64*.
#[derive(Clone, Debug)]
pub struct Xorshift {
    state: u64,
}

impl Xorshift {
    /// The generator for `seed`. Neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        Xorshift {
            state: split_mix(seed).max(1),
        }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next number, from 0 to `limit` - 1 (multiply and shift: uneven by less than
    /// `limit` / 2⁶⁴).
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }
}

/// `count` random numbers, generated in parallel; the same for any number of threads.
pub fn random_numbers(count: usize, seed: u64) -> Vec<u64> {
    const BLOCK: usize = 1 << 14;
    let mut numbers = vec![0; count];
    numbers
        .par_chunks_mut(BLOCK)
        .enumerate()
        .for_each(|(block, numbers)| {
            let mut random = Xorshift::new(seed.wrapping_add(block as u64));
            numbers.fill_with(|| random.next_u64());
        });
    numbers
}

/// The output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), which spreads seeds.
fn split_mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        assert_eq!(random_numbers(40_000, 5), random_numbers(40_000, 5));
        assert_ne!(random_numbers(10, 5), random_numbers(10, 6));
    }

    #[test]
    fn numbers_below_a_limit_are_spread_evenly() {
        let mut random = Xorshift::new(1);
        let mut counts = [0_u32; 10];
        for _ in 0..100_000 {
            counts[random.below(10) as usize] += 1;
        }
        // Ten thousand expected in each; 500 are more than five standard deviations.
        assert!(
            counts
                .iter()
                .all(|&count| (9_500..=10_500).contains(&count))
        );
    }
}
