//! Stages one after the other, each serial and then parallel: a span whose length can be chosen.
//!
//! A stage's serial part takes as many steps as each of its eight parallel blocks, half of the
//! span: PERCENT more span is twice as much more of it. The work grows by a ninth of that.
//!
//! What workspan should show:
//! - a parallelism of 4.5, and at PERCENT 10 of 4.2;
//! - `workspan compare`: no change at one PERCENT; from 0 to 10, 10 % more span (`xtask truth compare`).

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use workspan_examples::{Arguments, effort};

const USAGE: &str = "usage: stages [PERCENT [STAGES]]
  PERCENT  by how much to make the span longer, 0 to 1000 [default: 0]
  STAGES   how many stages, 1 to 10000 [default: 10]";

/// Steps of the generator for a block: about a millisecond.
const STEPS: u32 = 300_000;

/// Parallel blocks of each stage.
const BLOCKS: u64 = 8;

fn blocks(seeds: Range<u64>) -> u64 {
    if seeds.end - seeds.start == 1 {
        return effort(seeds.start, STEPS);
    }
    let middle = seeds.start.midpoint(seeds.end);
    let (left, right) = rayon::join(|| blocks(seeds.start..middle), || blocks(middle..seeds.end));
    left ^ right
}

fn serial_steps(percent: u32) -> u32 {
    STEPS / 100 * (100 + 2 * percent)
}

fn main() {
    let (percent, stages) = Arguments::read_from_process(USAGE, |arguments| {
        Ok((
            arguments.number("PERCENT", 0, 0..=1_000)? as u32,
            arguments.number("STAGES", 10, 1..=10_000)?,
        ))
    });
    let started = Instant::now();
    for stage in 0..stages {
        black_box(effort(stage as u64, serial_steps(percent)));
        black_box(blocks(0..BLOCKS));
    }
    println!(
        "stages: {stages} in {:.3} s",
        started.elapsed().as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_part_is_half_of_the_span() {
        assert_eq!(serial_steps(0), STEPS);
        assert_eq!(serial_steps(10) - STEPS, 2 * STEPS / 10);
    }

    #[test]
    fn all_blocks_are_run() {
        let one_by_one = (0..BLOCKS).map(|seed| effort(seed, STEPS));
        assert_eq!(blocks(0..BLOCKS), one_by_one.fold(0, |all, one| all ^ one));
    }
}
