//! What the answer claims, and whether the run bears it out.
//!
//! Whatever limits a program, its answer consists of a few kinds of [`Claim`]. Before anything is
//! printed, each is held against what the run itself shows ([`Ledger`]), by rules that know no limit.
//! One that contradicts it is withdrawn, or weakened to what is still true.

use crate::quantity::speedup::{MANY_CORES, is_sufficient};
use crate::{Nanos, SpeedupBounds};

/// For what numbers of cores a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Any.
    AnyCores,
    /// Any, as long as the work is divided as it was, for so many threads.
    AsDivided {
        /// These threads.
        threads: u32,
    },
}

named! {
    /// What keeps a speedup from being greater.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Ceiling {
        /// The longest chain of dependent strands.
        Span = "span",
        /// What is done under a lock that was recorded.
        Lock = "lock",
        /// What is done under a lock, as waits for it show.
        Waits = "waits",
        /// The iterator that feeds a `par_bridge`.
        Iterator = "iterator",
    }
}

/// Something that the answer says of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// What speedup to expect on a number of cores.
    Expect {
        /// These cores.
        cores: u32,
        /// At least; `None` if only the other end is claimed.
        lower: Option<f64>,
        /// At most; `None` if it may be more.
        upper: Option<f64>,
    },
    /// No greater speedup over one thread.
    AtMost {
        /// This one.
        speedup: f64,
        /// Why.
        by: Ceiling,
        /// For what numbers of cores.
        reach: Reach,
    },
    /// One thread does everything, so that more cores do not help.
    Serial,
    /// Threads wait for one lock.
    WaitsForLock,
    /// Threads wait for what they share: cache lines, or the kernel.
    SharesMemory,
    /// Tasks are too small for what the runtime takes to share them out.
    TooFine,
}

impl Claim {
    /// The claim's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expect { .. } => "expect",
            Self::AtMost { .. } => "at_most",
            Self::Serial => "serial",
            Self::WaitsForLock => "waits_for_lock",
            Self::SharesMemory => "shares_memory",
            Self::TooFine => "too_fine",
        }
    }
}

/// What the run shows against a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contradiction {
    /// The run kept more processors busy with the program's work than the claimed speedup.
    Busier {
        /// So many on average.
        processors: f64,
    },
    /// The program without a profile is certainly faster than claimed.
    Faster {
        /// Its speedup at least.
        speedup: f64,
    },
    /// The program without a profile is certainly slower than claimed.
    Slower {
        /// Its speedup at most.
        speedup: f64,
        /// What was to be expected on its processors at least.
        expected: f64,
    },
    /// Other threads than the one of the serial code ran, and not only the runtime.
    OthersRan {
        /// For so long.
        time: Nanos,
    },
    /// What is on the longest chain is divided by a number that follows the number of threads.
    Divided {
        /// The threads that it was divided for.
        threads: u32,
    },
}

impl Contradiction {
    /// The contradiction's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Busier { .. } => "busier",
            Self::Faster { .. } => "faster",
            Self::Slower { .. } => "slower",
            Self::OthersRan { .. } => "others_ran",
            Self::Divided { .. } => "divided",
        }
    }

    /// Whether it shows that work and span are not those of the program: then nothing that follows from
    /// them is to be said.
    pub const fn refutes_the_profile(self) -> bool {
        matches!(
            self,
            Self::Busier { .. } | Self::Faster { .. } | Self::OthersRan { .. }
        )
    }
}

/// The claims of an answer that the run bears out, and those that it does not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// What is claimed.
    pub made: Vec<Claim>,
    /// What would have been claimed, and what contradicts it.
    pub withdrawn: Vec<(Claim, Contradiction)>,
}

/// What claims are held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// The processors that the run had threads for, and how many of them it kept busy with the program's
    /// work at least, on average: processor time without that of the profiler, of the runtime, of threads
    /// that spin and of what tasks add to one thread's work, over the elapsed time. `None` if not measured.
    pub busy: Option<(u32, f64)>,
    /// How long threads ran without a strand, the runtime's own code left out as far as samples show
    /// it. `None` if not measured.
    pub others: Option<Nanos>,
    /// From the start of the process to the writing of the profile.
    pub elapsed: Nanos,
    /// Processors, and the certain interval of the speedup on them without a profile.
    pub measured: Option<(u32, [f64; 2])>,
    /// What to expect on these processors.
    pub expected: Option<SpeedupBounds>,
    /// The threads that a part of the longest chain was divided for.
    pub divided_for: u32,
    /// The share of the chain that this part is.
    pub divided_share: f64,
    /// Whether the answer would be another one if these were more.
    pub division_matters: bool,
}

/// By this factor, a figure may be off the other one by the clocks that both were taken with.
const CLOCKS: f64 = 1.05;
/// What other threads ran for less than this is starting and ending them.
const LEAST: Nanos = Nanos::from_nanos(20_000_000);
/// So is less than this share of the run.
const HARDLY: f64 = 0.1;

impl Ledger {
    /// What contradicts `claim`.
    pub fn contradiction(&self, claim: Claim) -> Option<Contradiction> {
        match claim {
            Claim::AtMost { speedup, reach, by } => self.exceeds(speedup, u32::MAX).or_else(|| {
                let follows =
                    by == Ceiling::Span && reach == Reach::AnyCores && self.divided_share > 0.0;
                follows.then_some(Contradiction::Divided {
                    threads: self.divided_for,
                })
            }),
            Claim::Expect {
                cores,
                lower,
                upper,
            } => {
                let exceeds = upper.and_then(|upper| self.exceeds(upper, cores));
                exceeds.or_else(|| lower.and(self.falls_short()))
            }
            Claim::Serial => {
                let time = self.others.filter(|&time| time > LEAST)?;
                let is_much = time.share_of(self.elapsed) > HARDLY;
                is_much.then_some(Contradiction::OthersRan { time })
            }
            Claim::WaitsForLock | Claim::SharesMemory | Claim::TooFine => None,
        }
    }

    /// What shows, on at most so many cores, a speedup greater than this.
    fn exceeds(&self, speedup: f64, cores: u32) -> Option<Contradiction> {
        let exceeds = |on: u32, shown: f64| on <= cores && shown > CLOCKS * speedup;
        let busy = self.busy.filter(|&(on, busy)| exceeds(on, busy));
        let busy = busy.map(|(_, processors)| Contradiction::Busier { processors });
        busy.or_else(|| {
            let (_, [low, _]) = self.measured.filter(|&(on, [low, _])| exceeds(on, low))?;
            Some(Contradiction::Faster { speedup: low })
        })
    }

    /// What shows less than work and span let expect on the processors of the plain runs.
    fn falls_short(&self) -> Option<Contradiction> {
        let ((_, [_, speedup]), expected) = (self.measured?, self.expected?.lower);
        (CLOCKS * speedup < expected).then_some(Contradiction::Slower { speedup, expected })
    }

    /// What is true of `claim`, instead.
    fn weakened(&self, claim: Claim, against: Contradiction) -> Vec<Claim> {
        match (claim, against) {
            (Claim::Expect { cores, upper, .. }, Contradiction::Slower { .. }) => {
                let lower = None;
                let claim = upper.map(|_| Claim::Expect {
                    cores,
                    lower,
                    upper,
                });
                claim.into_iter().collect()
            }
            (Claim::AtMost { speedup, by, .. }, Contradiction::Divided { threads }) => {
                let as_divided = Claim::AtMost {
                    speedup,
                    by,
                    reach: Reach::AsDivided { threads },
                };
                // However far that part is divided, the rest of the chain takes its time.
                let rest = (1.0 - self.divided_share).max(f64::MIN_POSITIVE);
                let however_divided = Claim::AtMost {
                    speedup: speedup / rest,
                    by,
                    reach: Reach::AnyCores,
                };
                let tells = !is_sufficient(speedup / rest, MANY_CORES);
                let claims = [
                    (as_divided, self.division_matters),
                    (however_divided, tells),
                ]
                .into_iter();
                claims
                    .filter_map(|(claim, is_made)| is_made.then_some(claim))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Divides what the answer would claim into what is borne out and what is not.
    pub fn hold(&self, wanted: impl IntoIterator<Item = Claim>) -> Claims {
        let mut claims = Claims::default();
        for claim in wanted {
            match self.contradiction(claim) {
                None => claims.made.push(claim),
                Some(against) => {
                    claims.made.extend(self.weakened(claim, against));
                    claims.withdrawn.push((claim, against));
                }
            }
        }
        if claims.refuted().is_some() {
            claims.made.clear();
        }
        claims
    }
}

impl Claims {
    /// What shows that work and span are not those of the program, if anything does. A ceiling that only
    /// waits or samples show is an estimate of its own, and stands or falls alone.
    pub fn refuted(&self) -> Option<Contradiction> {
        let of_profile = |claim| {
            !matches!(
                claim,
                Claim::AtMost {
                    by: Ceiling::Waits | Ceiling::Iterator,
                    ..
                }
            )
        };
        let mut withdrawn = self.withdrawn.iter();
        let refutation =
            withdrawn.find(|&&(claim, against)| against.refutes_the_profile() && of_profile(claim));
        refutation.map(|&(_, against)| against)
    }

    /// The speedup of plain runs that is less than what work and span let expect, and what that is.
    pub fn falls_short(&self) -> Option<(f64, f64)> {
        self.withdrawn
            .iter()
            .find_map(|&(_, against)| match against {
                Contradiction::Slower { speedup, expected } => Some((speedup, expected)),
                _ => None,
            })
    }

    /// The greatest speedup on any number of cores that is claimed because of `by`.
    pub fn most(&self, by: Ceiling) -> Option<f64> {
        self.made.iter().find_map(|&claim| match claim {
            Claim::AtMost {
                speedup,
                by: ceiling,
                reach: Reach::AnyCores,
            } if ceiling == by => Some(speedup),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
