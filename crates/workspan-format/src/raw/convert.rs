//! Converts a raw profile to the model's: ticks to nanoseconds, the engine's sites to named ones.

use workspan_model::{
    Calibration, Cost, Exit, Lock, LockUse, MOST_CORES, Machine, Nanos, Node, NodeId, OnSpan,
    OnWork, PathPart, ProcessorUse, Profile, RegionInstance, Run, Site, SiteId, Span, ThreadShare,
    Timeline, TimelinePart, Timing, Waits, Work,
};

use super::{Ended, RawCalibration, RawInstance, RawLockUse, RawNode, RawProfile, RawSite};

/// What the launcher of a program knows and the program does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How the program ended.
    pub exit: Exit,
    /// When the program was started, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// The processor's name.
    pub processor: Option<String>,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The architecture, such as `x86_64`.
    pub architecture: String,
    /// Version of the workspan that built and ran the program.
    pub workspan_version: String,
}

impl RawProfile {
    /// Converts to a profile with `sites`: the named form of [`RawProfile::sites`], in the same
    /// order. [`RawSite::to_site`] converts a site without symbols.
    ///
    /// # Panics
    /// When the number of `sites` differs from the raw profile's, or the first is not the root.
    pub fn into_profile(self, launch: Launch, sites: Vec<Site>) -> Profile {
        assert_eq!(
            sites.len(),
            self.sites.len(),
            "one named site for each of the raw profile"
        );
        let ticks = Ticks {
            nanos_per_tick: 1e9 / self.ticks_per_second,
        };
        let profile = Profile {
            run: self.run(&launch, ticks),
            machine: Machine {
                cores: self.machine_cores,
                processor: launch.processor,
                os: launch.os,
                architecture: launch.architecture,
                ticks_per_second: self.ticks_per_second,
            },
            calibration: ticks.calibration(&self.calibration),
            sites,
            tree: self.nodes.iter().map(|node| ticks.node(node)).collect(),
            span: ticks.nanos(self.span_ticks).into(),
            burdened_span: ticks.nanos(self.burdened_span_ticks).into(),
            timing: Timing {
                kind: self.timing,
                span_open: ticks.nanos(self.span_open_ticks),
                burdened_span_open: ticks.nanos(self.burdened_span_open_ticks),
                shared_work: ticks.nanos(self.shared_ticks).into(),
            },
            timeline: self.timeline(),
            engine: self.engine,
            repetition: None,
            samples: None,
            waits: Waits::default(),
            shares: self
                .shares
                .iter()
                .map(|share| ThreadShare {
                    node: NodeId(share.node),
                    thread: share.thread,
                    ran: ticks.nanos(share.ran_ticks),
                })
                .collect(),
            instances: self
                .instances
                .iter()
                .map(|instance| ticks.instance(instance))
                .collect(),
            locks: self
                .locks
                .iter()
                .map(|uses| Lock {
                    uses: ticks.lock_uses(uses),
                })
                .collect(),
            other_locks: ticks.lock_uses(&self.other_locks),
        };
        profile
            .check()
            .expect("the parser lets through only trees that fit together");
        profile
    }

    /// `None` also where the rate is 0: then the samples are not of the program's time.
    fn timeline(&self) -> Option<Timeline> {
        let timeline = self.timeline.as_ref()?;
        let rate = self.sampling.filter(|rate| *rate > 0)?;
        let time = |periods: u64| Nanos::from_nanos_f64(periods as f64 * 1e9 / f64::from(rate));
        let parts = timeline.parts.iter();
        Some(Timeline {
            part: Nanos::from_nanos(timeline.part_nanos),
            parts: parts
                .map(|&(in_strands, outside)| TimelinePart {
                    strands: time(in_strands),
                    without_task: time(outside),
                })
                .collect(),
        })
    }

    fn run(&self, launch: &Launch, ticks: Ticks) -> Run {
        Run {
            command: launch.command.clone(),
            exit: launch.exit,
            started_at: launch.started_at,
            elapsed: ticks.nanos(self.elapsed_ticks),
            processors: self.processor_nanos.map(|used| ProcessorUse {
                used: Nanos::from_nanos(used),
                queued: self.queued_nanos.map(Nanos::from_nanos),
            }),
            runtimes: self.all_runtimes(),
            threads: self.threads.min(MOST_CORES),
            assumed_cores: self.assumed_cores.min(MOST_CORES),
            metric: self.metric.clone(),
            threads_unmeasured: None,
            real_cut: None,
            plain: Vec::new(),
            clock: self.clock.clone(),
            clock_note: self.clock_note.clone(),
            burden: ticks.nanos(self.burden_ticks),
            burden_source: None,
            unfinished_tasks: self.unfinished_tasks,
            interrupted: self.ended != Ended::Exit,
            still_running: Some(self.ended == Ended::Not),
            truncated_tree: self.truncated_tree,
            off_processor: ticks.nanos(self.off_processor_ticks),
            own_cost: ticks.nanos(self.own_cost_ticks),
            workspan_version: launch.workspan_version.clone(),
        }
    }
}

impl RawSite {
    /// The site by what the engine itself knows: with the location of the call, unless that is
    /// inside rayon.
    pub fn to_site(&self) -> Site {
        let location = self.location.clone();
        let mut site = Site {
            // A location without a line adds nothing to the name.
            location: location.filter(|place| !self.internal && place.line > 0),
            ..Site::unnamed(self.kind)
        };
        if self.kind.is_serial() {
            site.name = self.name.clone();
        } else {
            // It is what was called there.
            site.detail = self.name.clone();
        }
        site
    }
}

/// Converts ticks to nanoseconds.
#[derive(Clone, Copy)]
struct Ticks {
    nanos_per_tick: f64,
}

impl Ticks {
    fn nanos(self, ticks: i64) -> Nanos {
        Nanos::from_nanos_f64(ticks as f64 * self.nanos_per_tick)
    }

    fn cost(self, ticks: f64) -> Cost {
        Cost::from_nanos(ticks * self.nanos_per_tick)
    }

    fn calibration(self, raw: &RawCalibration) -> Calibration {
        Calibration {
            clock_read: self.cost(raw.clock_read),
            join: self.cost(raw.join),
            join_boundary: self.cost(raw.join_boundary),
            spawn: self.cost(raw.spawn),
            spawn_boundary: self.cost(raw.spawn_boundary),
            scope: self.cost(raw.scope),
        }
    }

    fn instance(self, raw: &RawInstance) -> RegionInstance {
        RegionInstance {
            node: NodeId(raw.node),
            number: raw.number,
            start: self.nanos(raw.start_ticks),
            work: self.nanos(raw.work_ticks).into(),
            span: self.nanos(raw.span_ticks).into(),
            burdened_span: self.nanos(raw.burdened_span_ticks).into(),
            open: self.nanos(raw.open_ticks),
            spawns: raw.spawns,
            syncs: raw.syncs,
        }
    }

    fn lock_uses(self, raw: &[RawLockUse]) -> Vec<LockUse> {
        let uses = raw.iter().map(|raw| LockUse {
            site: SiteId(raw.site),
            held: self.nanos(raw.held_ticks).into(),
            acquisitions: raw.acquisitions,
            waits: raw.waits,
            waited: self.nanos(raw.waited_ticks),
        });
        uses.collect()
    }

    fn node(self, raw: &RawNode) -> Node {
        Node {
            parent: raw.parent.map(NodeId),
            site: SiteId(raw.site),
            recursive: raw.recursive,
            on_work: OnWork {
                local_work: Work::from(self.nanos(raw.work.local_ticks)),
                blocked: self.nanos(raw.work.blocked_ticks),
                count: raw.work.count,
                top_count: raw.work.top_count,
                top_span: Span::from(self.nanos(raw.work.top_span_ticks)),
                stolen: raw.work.stolen,
                spawns: raw.work.spawns,
                syncs: raw.work.syncs,
                local_span: Span::from(self.nanos(raw.work.local_span_ticks)),
                top_burdened_span: Span::from(self.nanos(raw.region.burdened_span_ticks)),
                top_open: self.nanos(raw.region.open_ticks),
                top_spawns: raw.region.spawns,
                top_syncs: raw.region.syncs,
            },
            on_span: OnSpan {
                local_span: Span::from(self.nanos(raw.span.local_ticks)),
                count: raw.span.count,
                top_count: raw.span.top_count,
                top_work: Work::from(self.nanos(raw.span.top_work_ticks)),
                local_work: Work::from(self.nanos(raw.span.local_work_ticks)),
            },
            path: raw
                .path
                .iter()
                .map(|&(node, ticks, count)| PathPart {
                    node: NodeId(node),
                    local_span: Span::from(self.nanos(ticks)),
                    count,
                })
                .collect(),
        }
    }
}
