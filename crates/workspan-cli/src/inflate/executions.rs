//! How a program is started by one worker, and in parallel.

use anyhow::anyhow;
use workspan_model::RuntimeKind;

use super::Settings;
use crate::exit_code::{Failure, SETUP};
use crate::native::Start;
use crate::runner::Launch;
use crate::session::Measure;

/// The two executions that are compared, of one metric.
#[derive(Debug)]
pub(crate) struct Executions {
    /// By one worker.
    pub(crate) oracle: Launch,
    /// By as many as the settings say.
    pub(crate) parallel: Launch,
}

impl Executions {
    /// Those of each of `measures`; `launch` starts the program measured so.
    ///
    /// # Errors
    /// When the program cannot be started so, or runs by a number of threads that nobody can set.
    pub(crate) fn of_each<'a>(
        settings: &Settings,
        measures: impl IntoIterator<Item = &'a Measure>,
        launch: impl Fn(Measure) -> Result<Launch, Failure>,
    ) -> Result<Vec<Self>, Failure> {
        let with = |measure: &Measure, threads| {
            launch(Measure {
                threads,
                ..measure.clone()
            })
        };
        let measures = measures.into_iter();
        let executions = measures.map(|measure| {
            let parallel = with(measure, settings.threads)?;
            refuse_what_has_no_oracle(&parallel)?;
            let oracle = with(measure, 1)?;
            Ok(Self { oracle, parallel })
        });
        executions.collect()
    }

    /// What is measured.
    pub(super) fn metric(&self) -> &str {
        &self.parallel.measure.metric
    }
}

fn refuse_what_has_no_oracle(launch: &Launch) -> Result<(), Failure> {
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
