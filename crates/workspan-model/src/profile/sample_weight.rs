//! What samples stand for: parts of the work and of the span.

use serde::Serialize;

use crate::run::samples::SampleWeight;
use crate::{Nanos, Node, Profile, SampleShare, SampleSize, SampledStack, Samples};

/// Shares on the work and on the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct OnBoth {
    /// Of all samples
    pub on_work: SampleShare,
    /// Of those on the critical path
    pub on_span: SampleShare,
}

impl OnBoth {
    /// The shares of the span and of the work.
    pub fn shares(&self) -> [f64; 2] {
        [self.on_span, self.on_work].map(|on| on.share.value)
    }
}

/// The weight of samples, on the work and on the span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weight {
    pub(crate) on_work: SampleWeight,
    pub(crate) on_span: SampleWeight,
}

impl Weight {
    pub(crate) fn add(&mut self, other: Self) {
        self.on_work.add(other.on_work);
        self.on_span.add(other.on_span);
    }

    pub(crate) fn is_sampled(self) -> bool {
        self.on_work.samples > 0.0 || self.on_span.samples > 0.0
    }
}

/// The samples of a profile, and the time that they stand for.
///
/// That time is known more precisely than from the samples: the engine measured how long the
/// strands of every node ran. So the samples of a site stand for the time of that site, in equal
/// parts, and only determine how it is divided among functions (stratified sampling, W. G. Cochran,
/// *Sampling Techniques*, 1977, §5A.9 on strata that are weighted after the sampling). This makes
/// the shares of functions agree with those of sites. It also removes most of the bias of samples
/// on the span: a strand that was interrupted for a sample takes a little longer than others like
/// it, and so is more often on the critical path. Sites without any sample are left out of the
/// whole.
///
/// All samples of a site are assumed to have equal weight: which of them came late is not recorded.
pub(crate) struct Whole {
    pub(crate) on_work: SampleSize,
    pub(crate) on_span: SampleSize,
    /// For each site, its samples and its time.
    strata: Vec<Weight>,
    /// For each node, its site.
    sites: Vec<usize>,
    periods_per_sample: f64,
}

impl Whole {
    pub(crate) fn new(profile: &Profile, samples: &Samples) -> Self {
        let periods_per_sample = samples.periods_per_sample();
        let sites: Vec<usize> = profile.tree.iter().map(|node| node.site.index()).collect();
        let mut strata = vec![Weight::default(); profile.sites.len()];
        for (node, site) in profile.tree.iter().zip(&sites) {
            strata[*site].on_work.nanos += running_work(node).shown() as f64;
            strata[*site].on_span.nanos += running_span(node).shown() as f64;
        }
        for stack in &samples.stacks {
            let stratum = &mut strata[sites[stack.node.index()]];
            stratum.on_work.samples += stack.on_work / periods_per_sample;
            stratum.on_span.samples += stack.on_span / periods_per_sample;
        }
        Self {
            on_work: SampleSize::new(strata.iter().map(|stratum| stratum.on_work)),
            on_span: SampleSize::new(strata.iter().map(|stratum| stratum.on_span)),
            strata,
            sites,
            periods_per_sample,
        }
    }

    /// The weight of the samples of a stack.
    pub(crate) fn weight(&self, stack: &SampledStack) -> Weight {
        let stratum = &self.strata[self.sites[stack.node.index()]];
        let part = |periods: f64, stratum: SampleWeight| {
            let samples = periods / self.periods_per_sample;
            let nanos = if samples > 0.0 {
                samples * stratum.nanos / stratum.samples
            } else {
                0.0
            };
            SampleWeight { samples, nanos }
        };
        Weight {
            on_work: part(stack.on_work, stratum.on_work),
            on_span: part(stack.on_span, stratum.on_span),
        }
    }

    pub(crate) fn share(&self, weight: Weight) -> OnBoth {
        OnBoth {
            on_work: self.on_work.share(weight.on_work),
            on_span: self.on_span.share(weight.on_span),
        }
    }
}

/// The work of a node's strands without their waits: samples are only taken on processor time.
fn running_work(node: &Node) -> Nanos {
    node.on_work.local_work.time() - node.on_work.blocked
}

/// The time of a node's strands on the critical path, without the waits that are certainly on it.
///
/// Waits are known only for all strands of the node together. As in the verdict, those off the path
/// are assumed to have done nothing but wait, so what is left of the waits is on the path.
fn running_span(node: &Node) -> Nanos {
    let on_path = node.on_span.local_span.time();
    let off_path = (node.on_work.local_work.time() - on_path).max(Nanos::ZERO);
    on_path - (node.on_work.blocked - off_path).max(Nanos::ZERO)
}
