use proptest::prelude::*;

use super::*;

/// A program of parts that run one after another, each in parallel.
#[derive(Clone, Copy, Debug)]
struct Program {
    serial: f64,
    /// What is divided for the number of threads.
    divided: f64,
    threads: u32,
    /// What is divided into so many pieces on any number of threads.
    cut: f64,
    pieces: f64,
}

impl Program {
    fn work(&self) -> f64 {
        self.serial + self.divided + self.cut
    }

    /// T∞, with the divided part divided for so many threads.
    fn span_on(&self, threads: f64) -> f64 {
        self.serial + self.divided / threads + self.cut / self.pieces
    }

    /// As it was run.
    fn span(&self) -> f64 {
        self.span_on(self.threads.into())
    }

    fn parallelism(&self) -> f64 {
        self.work() / self.span()
    }
}

fn programs() -> impl Strategy<Value = Program> {
    let part = || prop_oneof![Just(0.0), 0.01..10.0_f64];
    (0.01..10.0_f64, part(), 1..64_u32, part(), 1.0..1_000.0_f64).prop_map(
        |(serial, divided, threads, cut, pieces)| Program {
            serial,
            divided,
            threads,
            cut,
            pieces,
        },
    )
}

/// What a run of `program` shows that is as fast as it can be.
fn ledger_of(program: &Program) -> Ledger {
    let divided_share = program.divided / f64::from(program.threads) / program.span();
    Ledger {
        busy: Some((
            program.threads,
            program.parallelism().min(program.threads.into()),
        )),
        others: Some(Nanos::ZERO),
        elapsed: Nanos::from_nanos(1_000_000_000),
        measured: None,
        expected: None,
        divided_for: program.threads,
        divided_share,
        division_matters: divided_share >= 0.1,
    }
}

fn at_most(speedup: f64, by: Ceiling) -> Claim {
    let reach = Reach::AnyCores;
    Claim::AtMost { speedup, by, reach }
}

/// Any claim with a speedup.
fn claims_of_speedups() -> impl Strategy<Value = Claim> {
    let speedup = || 0.1..300.0_f64;
    let end = move || prop_oneof![Just(None), speedup().prop_map(Some)];
    let ceiling = proptest::sample::select(Ceiling::ALL.to_vec());
    prop_oneof![
        (speedup(), ceiling).prop_map(|(speedup, by)| at_most(speedup, by)),
        (1..256_u32, end(), end()).prop_map(|(cores, lower, upper)| Claim::Expect {
            cores,
            lower,
            upper
        }),
    ]
}

proptest! {
    #[test]
    fn no_claim_on_any_number_of_cores_is_less_than_the_truth(program in programs()) {
        let claims = ledger_of(&program).hold([at_most(program.parallelism(), Ceiling::Span)]);
        let truth = program.work() / program.span_on(f64::INFINITY);
        for claim in claims.made {
            if let Claim::AtMost { speedup, reach, .. } = claim {
                let truth = match reach {
                    Reach::AnyCores => truth,
                    Reach::AsDivided { threads } => {
                        prop_assert_eq!(threads, program.threads);
                        program.parallelism()
                    }
                };
                prop_assert!(speedup >= truth * (1.0 - 1e-9), "{:?} below {}", claim, truth);
            }
        }
    }

    #[test]
    fn a_program_without_what_is_divided_keeps_its_claim(program in programs()) {
        let program = Program { divided: 0.0, ..program };
        let claim = at_most(program.parallelism(), Ceiling::Span);
        let claims = ledger_of(&program).hold([claim]);
        prop_assert_eq!(claims.made, [claim]);
    }

    #[test]
    fn a_claim_is_kept_unless_more_was_reached_on_no_more_cores(
        claim in claims_of_speedups(),
        busy in prop::option::of((1..128_u32, 0.0..64.0_f64)),
        measured in prop::option::of((1..128_u32, 0.1..64.0_f64)),
    ) {
        let measured = measured.map(|(processors, low)| (processors, [low, 1.2 * low]));
        let ledger = Ledger { busy, measured, ..Ledger::default() };
        let (most, cores) = match claim {
            Claim::AtMost { speedup, .. } => (speedup, u32::MAX),
            Claim::Expect { cores, upper, .. } => (upper.unwrap_or(f64::MAX), cores),
            _ => unreachable!("claims of speedups"),
        };
        let shown = [busy, measured.map(|(processors, [low, _])| (processors, low))];
        let is_exceeded = shown.iter().flatten().any(|&(on, shown)| on <= cores && shown > 1.05 * most);
        let kept = ledger.hold([claim]).made == [claim];
        prop_assert_eq!(kept, !is_exceeded);
    }

    #[test]
    fn no_speedup_is_promised_that_plain_runs_miss(
        wanted in prop::collection::vec(claims_of_speedups(), 0..6),
        speedup in 0.1..64.0_f64,
        expected in 0.1..64.0_f64,
    ) {
        let ledger = Ledger {
            measured: Some((8, [0.0, speedup])),
            expected: Some(SpeedupBounds { cores: 8, lower: expected, upper: 64.0 }),
            ..Ledger::default()
        };
        let misses = 1.05 * speedup < expected;
        for claim in ledger.hold(wanted).made {
            let promises = matches!(claim, Claim::Expect { lower: Some(_), .. });
            prop_assert!(!(promises && misses), "{:?}", claim);
        }
    }

    #[test]
    fn a_serial_program_has_one_thread(ran in 0..2_000_000_000_i64, elapsed in 1..2_000_000_000_i64) {
        let ledger = Ledger {
            others: Some(Nanos::from_nanos(ran)),
            elapsed: Nanos::from_nanos(elapsed),
            ..Ledger::default()
        };
        let is_claimed = !ledger.hold([Claim::Serial]).made.is_empty();
        let is_little = ran <= 20_000_000 || ran as f64 <= 0.1 * elapsed as f64;
        prop_assert_eq!(is_claimed, is_little);
    }
}

#[test]
fn what_is_refuted_takes_all_claims_along() {
    let ledger = Ledger {
        busy: Some((2, 1.9)),
        ..Ledger::default()
    };
    let against = Contradiction::Busier { processors: 1.9 };
    let claims = ledger.hold([Claim::WaitsForLock, at_most(1.5, Ceiling::Span)]);
    assert_eq!((claims.made, claims.withdrawn.len()), (vec![], 1));
    let span = ledger.hold([at_most(1.5, Ceiling::Span)]);
    assert_eq!(span.refuted(), Some(against));
    // What waits show is an estimate of its own.
    let waits = ledger.hold([Claim::WaitsForLock, at_most(1.5, Ceiling::Waits)]);
    assert_eq!(waits.made, [Claim::WaitsForLock]);
    assert_eq!(waits.refuted(), None);
}

#[test]
fn half_of_the_chain_divided_leaves_twice_the_speedup() {
    let ledger = Ledger {
        divided_for: 2,
        divided_share: 0.5,
        division_matters: true,
        ..Ledger::default()
    };
    let claims = ledger.hold([at_most(1.5, Ceiling::Span)]);
    let as_divided = Claim::AtMost {
        speedup: 1.5,
        by: Ceiling::Span,
        reach: Reach::AsDivided { threads: 2 },
    };
    assert_eq!(claims.made, [as_divided, at_most(3.0, Ceiling::Span)]);
    assert_eq!(claims.most(Ceiling::Span), Some(3.0));
    assert_eq!(claims.refuted(), None);
    // What is done under a lock is not divided further.
    let by_lock = at_most(1.5, Ceiling::Lock);
    assert_eq!(ledger.hold([by_lock]).made, [by_lock]);
}
