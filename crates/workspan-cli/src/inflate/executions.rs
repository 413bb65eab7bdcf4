//! The two executions of a program: on one worker, and in parallel.

use anyhow::anyhow;
use workspan_model::RuntimeKind;

use super::Settings;
use crate::exit_code::{Failure, SETUP};
use crate::measure::Measure;
use crate::native::Start;
use crate::runner::Launch;

/// The two executions that are compared by one metric.
#[derive(Debug)]
pub(crate) struct Executions {
    /// On one worker.
    pub(crate) oracle: Launch,
    /// On as many threads as the settings say.
    pub(crate) parallel: Launch,
}

impl Executions {
    /// The executions for each of `measures`. `launch` makes the launch of the program for a
    /// measure.
    ///
    /// # Errors
    /// When `launch` fails, or when workspan cannot set the program's number of threads.
    pub(crate) fn for_measures(
        settings: &Settings,
        measures: &[Measure],
        launch: impl Fn(Measure) -> Result<Launch, Failure>,
    ) -> Result<Vec<Self>, Failure> {
        let launch_on = |measure: &Measure, threads| {
            launch(Measure {
                threads,
                ..measure.clone()
            })
        };
        let executions = measures.iter().map(|measure| {
            let parallel = launch_on(measure, settings.threads)?;
            check_runtime(&parallel)?;
            let oracle = launch_on(measure, 1)?;
            Ok(Self { oracle, parallel })
        });
        executions.collect()
    }

    pub(super) fn metric(&self) -> &str {
        &self.parallel.measure.metric
    }
}

/// Checks that workspan can set the program's number of threads.
fn check_runtime(launch: &Launch) -> Result<(), Failure> {
    match &launch.start {
        Start::With(preload) if preload.runtime != RuntimeKind::OpenMp => Err(Failure::new(
            SETUP,
            anyhow!(
                "`{}` uses {}, whose number of threads workspan cannot set: work is compared of programs that use rayon or OpenMP",
                launch.command[0].to_string_lossy(),
                preload.runtime.noun(),
            ),
        )),
        _ => Ok(()),
    }
}
