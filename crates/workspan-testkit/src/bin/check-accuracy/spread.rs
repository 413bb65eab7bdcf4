//! How far the parallelism of one program varies from run to run.

use workspan_gate::{Estimate, Form, Gates, Machine};

use crate::program::Program;

/// A program whose dag does not change from run to run.
pub struct Repeated {
    /// Its name on the command line, and the start of its gate's name.
    pub name: &'static str,
    /// The example that it is, and that example's executable.
    example: &'static str,
    file: &'static str,
    argument: &'static str,
    /// An argument that gives it next to nothing to do.
    idle: &'static str,
}

/// Every program that is run repeatedly.
pub const REPEATED: &[Repeated] = &[
    Repeated {
        name: "fib_32",
        example: "fib",
        file: "examples/fib",
        argument: "32",
        idle: "2",
    },
    Repeated {
        name: "quicksort",
        example: "quicksort",
        file: "examples/quicksort",
        argument: "10000000",
        idle: "10",
    },
];

/// Builds each program.
pub fn build<'a>(programs: &[&'a Repeated]) -> anyhow::Result<Vec<(&'a Repeated, Program)>> {
    let built = programs.iter().map(|repeated| {
        let target = [
            "--package",
            "workspan-examples",
            "--example",
            repeated.example,
        ];
        let program = Program::build(&target, repeated.file, &[repeated.idle])?;
        Ok((*repeated, program))
    });
    built.collect()
}

/// Judges the greatest parallelism over the least, while the caller keeps every core busy.
pub fn check(
    gates: &mut Gates,
    programs: &[(&Repeated, Program)],
    form: Form,
) -> anyhow::Result<()> {
    for (repeated, program) in programs {
        let readings = (0..form.select(20, 5))
            .map(|_| {
                program
                    .profile(&[repeated.argument], None)?
                    .parallelism_of_main_site()
            })
            .collect::<anyhow::Result<Vec<f64>>>()?;
        let shown: Vec<String> = readings.iter().map(|read| format!("{read:.1}")).collect();
        eprintln!("{}/parallelism: {}", repeated.name, shown.join(" "));
        let gate = format!("{}/parallelism", repeated.name);
        gates.judge_estimate(&gate, spread(&readings), Machine::UNWATCHED)?;
    }
    Ok(())
}

/// The greatest reading over the least. The lower end of the interval leaves out one reading, the
/// one that matters most.
fn spread(readings: &[f64]) -> Estimate {
    let mut sorted = readings.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len() - 1;
    let figure = sorted[last] / sorted[0];
    Estimate {
        figure,
        low: (sorted[last] / sorted[1]).min(sorted[last - 1] / sorted[0]),
        high: figure,
        readings: readings.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_four_readings_by_hand() {
        let spread = spread(&[6.0, 4.0, 2.0, 5.0]);
        assert_eq!((spread.low, spread.figure), (1.5, 3.0));
    }
}
