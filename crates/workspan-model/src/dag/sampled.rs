//! Finds code that samples know: functions, and lines of them.

use std::collections::BTreeSet;

use super::code::{exact_or_all, is_file, lines};
use super::{ChangedCode, CodeError, CodeEstimate, CodePart, Dag, StrandRegionId};
use crate::profile::sample_weight::{Weight, Whole};
use crate::run::site::enclosing_function;
use crate::sites::selection::is_called;
use crate::{FrameId, Profile, SampledStack, Samples, StackFrame};

/// The code that the samples of a profile know.
pub(super) struct Sampled<'a> {
    profile: &'a Profile,
    samples: &'a Samples,
    /// The frames of the user's code that are on stacks.
    frames: Vec<&'a StackFrame>,
}

impl<'a> Sampled<'a> {
    /// `None` if the profile has no samples.
    pub(super) fn from_profile(profile: &'a Profile) -> Option<Self> {
        let samples = profile.samples.as_ref()?;
        let ids = samples.stacks.iter().flat_map(|stack| &stack.frames);
        let ids: BTreeSet<FrameId> = ids.copied().collect();
        let frames = ids.into_iter().map(|id| &samples.frames[id.index()]);
        let sampled = Self {
            profile,
            samples,
            frames: frames.filter(|frame| frame.user_code).collect(),
        };
        (!samples.stacks.is_empty()).then_some(sampled)
    }

    /// The full names of the user's functions that `name` means, or only the one that it equals. A
    /// closure that it does not name itself stands for the function around it.
    pub(super) fn functions(&self, name: &str) -> BTreeSet<&'a str> {
        let functions: BTreeSet<&str> = self
            .frames
            .iter()
            .filter_map(|frame| meant_function(frame, name))
            .collect();
        exact_or_all(functions, name)
    }

    /// The names of all the user's functions.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        let names = self
            .frames
            .iter()
            .filter_map(|frame| frame.function.as_deref());
        names.map(enclosing_function)
    }

    /// The lines that samples saw in `file`, or in files whose paths end like that, each with its
    /// file.
    pub(super) fn lines_of(&self, file: &str) -> BTreeSet<(u32, &'a str)> {
        let locations = self
            .frames
            .iter()
            .filter_map(|frame| frame.location.as_ref());
        let of_file = locations.filter(|location| is_file(&location.file, file));
        of_file
            .map(|location| (location.line, location.file.as_str()))
            .collect()
    }

    /// The code that `words` name: a function, `FILE:LINE` or `FILE:FIRST-LAST`. `None` if no
    /// sample saw it.
    ///
    /// # Errors
    /// If the words name several functions, or lines in several files.
    pub(super) fn find(&self, dag: &Dag, words: &str) -> Result<Option<ChangedCode>, CodeError> {
        let meanings: BTreeSet<String> = match lines(words) {
            Some((file, first, last)) => {
                let seen = self.lines_of(file).into_iter();
                let seen = seen.filter(|(line, _)| (first..=last).contains(line));
                let files = exact_or_all(seen.map(|(_, file)| file).collect(), file);
                let end = if first == last {
                    String::new()
                } else {
                    format!("-{last}")
                };
                let words = files.iter().map(|file| format!("{file}:{first}{end}"));
                words.collect()
            }
            None => self
                .functions(words)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        };
        let mut meanings = meanings.into_iter();
        match (meanings.next(), meanings.next()) {
            (None, _) => Ok(None),
            (Some(meaning), None) => Ok(self.code(dag, meaning)),
            (Some(first), Some(second)) => Err(CodeError::Ambiguous {
                words: words.to_owned(),
                candidates: [first, second].into_iter().chain(meanings).collect(),
            }),
        }
    }

    /// The code of one meaning of the words of [`find`](Self::find); `None` if it is on no stack.
    fn code(&self, dag: &Dag, meaning: String) -> Option<ChangedCode> {
        let is_meant = |frame: &StackFrame| match lines(&meaning) {
            Some((file, first, last)) => frame.location.as_ref().is_some_and(|location| {
                location.file == file && (first..=last).contains(&location.line)
            }),
            None => meant_function(frame, &meaning) == Some(&meaning),
        };
        let frames = self.samples.frames.iter();
        let meant: Vec<bool> = frames
            .map(|frame| frame.user_code && is_meant(frame))
            .collect();
        let whole = Whole::new(self.profile, self.samples);
        let mut all = vec![Periods::default(); self.profile.tree.len()];
        let mut of_code = all.clone();
        let mut weight = Weight::default();
        for stack in &self.samples.stacks {
            all[stack.node.index()].add(stack);
            if stack.frames.iter().any(|frame| meant[frame.index()]) {
                of_code[stack.node.index()].add(stack);
                weight.add(whole.weight(stack));
            }
        }
        if of_code.iter().all(|periods| periods.on_work <= 0.0) {
            return None;
        }
        let regions = (0..).map(StrandRegionId).zip(&dag.regions);
        let parts = regions.map(|(id, region)| {
            let (part, all) = (of_code[region.node.index()], all[region.node.index()]);
            let on_work = share(part.on_work, all.on_work).unwrap_or(0.0);
            CodePart {
                region: id,
                on_work,
                on_span: share(part.on_span, all.on_span).unwrap_or(on_work),
            }
        });
        let shares = whole.share(weight);
        let has_samples_on_span = whole.on_span.effective > 0.0;
        Some(ChangedCode {
            parts: parts.collect(),
            estimate: Some(CodeEstimate {
                meaning,
                samples_on_work: whole.on_work.samples,
                samples_on_span: whole.on_span.samples,
                on_work: shares.on_work.share,
                on_span: if has_samples_on_span {
                    shares.on_span.share
                } else {
                    shares.on_work.share
                },
            }),
        })
    }
}

/// Sampling periods at a node.
#[derive(Clone, Copy, Debug, Default)]
struct Periods {
    on_work: f64,
    on_span: f64,
}

impl Periods {
    fn add(&mut self, stack: &SampledStack) {
        self.on_work += stack.on_work;
        self.on_span += stack.on_span;
    }
}

fn share(part: f64, all: f64) -> Option<f64> {
    (all > 0.0).then(|| (part / all).clamp(0.0, 1.0))
}

/// The function of a frame, or the one around it, if `name` is the end of its path.
fn meant_function<'a>(frame: &'a StackFrame, name: &str) -> Option<&'a str> {
    let function = frame.function.as_deref()?;
    let ways = [function, enclosing_function(function)];
    ways.into_iter().find(|way| is_called(Some(way), name))
}
