//! What to say where the run contradicts what its answer would claim.

use workspan_model::{Analysis, Contradiction, PlainRuns, RuntimeKind};

use super::answer::{SiteAnswer, scale};
use crate::notation::figures::{counted, duration, ratio};

/// What the run shows against the answer that work and span give, in sentences.
pub(crate) fn contradicted(analysis: &Analysis) -> Option<String> {
    let work = duration(analysis.totals.work.time());
    Some(match analysis.claims.refuted()? {
        Contradiction::OthersRan { time } => format!(
            "Besides the {work} of work that was recorded, other threads ran for {}, in no task that workspan knows of: what \
             was recorded is not the whole program.",
            duration(time)
        ),
        Contradiction::Busier { processors } => format!(
            "Its {work} of work kept {} processors busy on average, though by its work and span they cannot all have had \
             something to do: what was recorded is not the whole program.",
            ratio(processors)
        ),
        Contradiction::Faster { speedup } => format!(
            "Without a profile the program is at least {} times as fast on all processors as on one, more than its work and \
             span allow: what was recorded is not the whole program.",
            ratio(speedup)
        ),
        Contradiction::Slower { .. } | Contradiction::Divided { .. } => return None,
    })
}

/// What would tell.
pub(super) fn to_try(analysis: &Analysis) -> Option<SiteAnswer> {
    let contradiction = analysis.claims.refuted()?;
    let unseen = match (contradiction, analysis.runtime) {
        (Contradiction::OthersRan { .. }, Some(RuntimeKind::Tbb)) => {
            " Flow graphs, and what oneTBB's own algorithms start, are not recorded."
        }
        (Contradiction::OthersRan { .. }, _) => " Tasks of other runtimes are not recorded.",
        _ => "",
    };
    Some(SiteAnswer {
        short: "Measure it as a whole".to_owned(),
        text: format!(
            "`{}` measures how fast it is on more cores.{unseen}",
            scale(analysis)
        ),
        row: None,
    })
}

/// That the program without a profile is slower than work and span let expect, in a sentence.
pub(super) fn shortfall(analysis: &Analysis) -> Option<String> {
    let (speedup, expected) = analysis.claims.falls_short()?;
    let processors = analysis
        .plain
        .as_ref()
        .map_or(1, |plain: &PlainRuns| plain.processors);
    Some(format!(
        " On {} it is at most {} times as fast as on one today, where {} was to be expected, and this run does not show why.",
        counted(processors.into(), "core", "cores"),
        ratio(speedup),
        ratio(expected),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::answers::{enough_parallelism, makes_up_the_span};
    use workspan_model::{Analysis, Nanos, Note, ProcessorUse, analyse, example};

    #[test]
    fn nothing_is_serial_that_other_threads_ran_beside() {
        let analysis = |others: i64| {
            let mut profile = example::serial();
            let ran = profile.tree[0].on_work.local_work.time() + profile.run.own_cost;
            profile.run.processors = Some(ProcessorUse {
                used: ran + Nanos::from_nanos(others),
                queued: None,
            });
            analyse(&profile)
        };
        let with_others = analysis(300_000_000);
        let answer = enough_parallelism(&with_others);
        assert_eq!(answer.is_enough, None);
        assert!(answer.text.contains("other threads ran for 300 ms"));
        let span = makes_up_the_span(&with_others);
        assert_eq!(span.short, "Not known");
        assert!(span.text.contains("of what was recorded"), "{}", span.text);
        let is_said = |analysis: &Analysis| analysis.notes.contains(&Note::NoParallelConstruct);
        assert!(!is_said(&with_others));

        let alone = analysis(0);
        assert_eq!(enough_parallelism(&alone).is_enough, Some(false));
        assert!(makes_up_the_span(&alone).short.ends_with("serial code"));
        assert!(is_said(&alone));
    }
}
