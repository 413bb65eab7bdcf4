//! The events of a thread.

use std::io;

use crate::varint::{invalid, signed, unsigned};

/// What a thread came by. Names of lanes, groups, points, calls and marks are unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A strand of the lane has ended.
    Strand { node: u32, ticks: i64 },
    /// A piece of the lane without its structure.
    Folded {
        node: u32,
        /// Node of the construct that it begins with; `None`: it begins with a strand.
        at: Option<u32>,
        figures: Figures,
    },
    /// The lane's strand has ended in a join, whose left branch follows.
    Fork { node: u32 },
    /// The left branch has ended.
    Middle,
    /// The join has ended. Lanes of branches that ran apart; 0: here.
    Join { left: u64, right: u64 },
    /// Joins that are not told of may be open here.
    Mark { mark: u64 },
    /// The left branch of such a join has ended, which began at the mark.
    LateMiddle { mark: u64, node: u32 },
    /// Begins a lane: the right branch of a join.
    Right { lane: u64, node: u32 },
    /// Ends a lane.
    LaneEnd,
    /// Begins a lane: the left branch of a join.
    Left { lane: u64, node: u32 },
    /// The lane's strand has ended in a scope or a broadcast.
    Group { group: u64, node: u32 },
    /// Begins a lane: the body of the scope.
    Body { group: u64, node: u32 },
    /// All that the group awaits has ended.
    GroupEnd,
    /// The lane's strand has ended in a spawn.
    Point {
        point: u64,
        awaited: Awaited,
        node: u32,
    },
    /// Begins a lane: a task spawned `later` ticks after the point.
    Task {
        point: u64,
        later: u64,
        lane: u64,
        node: u32,
    },
    /// Tasks of the point ran here one after another.
    Bulk {
        point: u64,
        later: u64,
        node: u32,
        figures: Figures,
    },
    /// Begins a lane: a task of a broadcast.
    Member { group: u64, lane: u64, node: u32 },
    /// The lane goes on in a call elsewhere.
    Handoff { call: u64 },
    /// Begins a lane: the call.
    Call { call: u64, node: u32 },
    /// The call has come back.
    HandoffEnd,
    /// The lane goes on after another one, too.
    Await { lane: u64 },
    /// Begins the lane of the program.
    Root { node: u32 },
    /// Begins the lane of a thread, so many ticks after the program.
    Own { ticks: i64, node: u32 },
    /// What follows the hub waits for the lane up to here, which ends in a construct, unless that is `None`.
    Reach { hub: u64, at: Option<u32> },
    /// The lane goes on after the hub, too.
    After { hub: u64, is_stealable: bool },
    /// Begins a lane that goes on after the hub, behind a construct, if one is told.
    Start {
        hub: u64,
        is_stealable: bool,
        node: u32,
        at: Option<u32>,
    },
    /// Tasks ran here one after another, which hub `to` waits for.
    Parcel {
        from: Origin,
        to: u64,
        node: u32,
        figures: Figures,
    },
    /// Hub `to` waits for hub `from`.
    Lead { from: u64, to: u64 },
}

/// Where tasks begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Point { point: u64, later: u64 },
    Hub { hub: u64, is_stealable: bool },
}

/// Who awaits a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The end of the program.
    AtEnd,
    /// Who joins the thread.
    Joined,
    InGroup(u64),
}

/// The figures of a piece without structure, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) work: i64,
    pub(super) span: i64,
    pub(super) burdened_span: i64,
    pub(super) tasks: u32,
}

impl Figures {
    pub(super) const fn of_strand(ticks: i64) -> Self {
        Self {
            work: ticks,
            span: ticks,
            burdened_span: ticks,
            tasks: 0,
        }
    }
}

impl Event {
    /// Whether it tells of a strand, or of a subtree without its strands.
    pub(super) const fn is_piece(&self) -> bool {
        matches!(
            self,
            Self::Strand { .. } | Self::Folded { .. } | Self::Bulk { .. } | Self::Parcel { .. }
        )
    }

    /// The next event of `bytes`.
    ///
    /// # Errors
    /// When the bytes end within it, or are none.
    pub(super) fn next(bytes: &mut &[u8]) -> io::Result<Self> {
        let code = unsigned(bytes)?;
        let event = match code {
            1 => Self::Strand {
                node: index(bytes)?,
                ticks: signed(bytes)?,
            },
            2 => Self::Folded {
                node: index(bytes)?,
                at: index(bytes)?.checked_sub(1),
                figures: figures(bytes)?,
            },
            3 => Self::Fork {
                node: index(bytes)?,
            },
            4 => Self::Middle,
            5 => Self::Join {
                left: unsigned(bytes)?,
                right: unsigned(bytes)?,
            },
            6 => Self::Mark {
                mark: unsigned(bytes)?,
            },
            7 => Self::LateMiddle {
                mark: unsigned(bytes)?,
                node: index(bytes)?,
            },
            8 => Self::Right {
                lane: unsigned(bytes)?,
                node: index(bytes)?,
            },
            9 => Self::LaneEnd,
            10 => Self::Left {
                lane: unsigned(bytes)?,
                node: index(bytes)?,
            },
            11 => Self::Group {
                group: unsigned(bytes)?,
                node: index(bytes)?,
            },
            12 => Self::Body {
                group: unsigned(bytes)?,
                node: index(bytes)?,
            },
            13 => Self::GroupEnd,
            14 => Self::Point {
                point: unsigned(bytes)?,
                awaited: match unsigned(bytes)? {
                    0 => Awaited::AtEnd,
                    1 => Awaited::Joined,
                    group => Awaited::InGroup(group - 2),
                },
                node: index(bytes)?,
            },
            15 => Self::Task {
                point: unsigned(bytes)?,
                later: unsigned(bytes)?,
                lane: unsigned(bytes)?,
                node: index(bytes)?,
            },
            16 => {
                let (point, later) = (unsigned(bytes)?, unsigned(bytes)?);
                let (node, tasks) = (index(bytes)?, index(bytes)?);
                Self::Bulk {
                    point,
                    later,
                    node,
                    figures: Figures {
                        work: signed(bytes)?,
                        span: signed(bytes)?,
                        burdened_span: signed(bytes)?,
                        tasks,
                    },
                }
            }
            17 => Self::Member {
                group: unsigned(bytes)?,
                lane: unsigned(bytes)?,
                node: index(bytes)?,
            },
            18 => Self::Handoff {
                call: unsigned(bytes)?,
            },
            19 => Self::Call {
                call: unsigned(bytes)?,
                node: index(bytes)?,
            },
            20 => Self::HandoffEnd,
            21 => Self::Await {
                lane: unsigned(bytes)?,
            },
            22 => Self::Root {
                node: index(bytes)?,
            },
            23 => Self::Own {
                ticks: signed(bytes)?,
                node: index(bytes)?,
            },
            24 => Self::Reach {
                hub: unsigned(bytes)?,
                at: index(bytes)?.checked_sub(1),
            },
            25 => Self::After {
                hub: unsigned(bytes)?,
                is_stealable: flag(bytes)?,
            },
            26 => Self::Start {
                hub: unsigned(bytes)?,
                is_stealable: flag(bytes)?,
                node: index(bytes)?,
                at: index(bytes)?.checked_sub(1),
            },
            27 => Self::Parcel {
                from: Origin::Point {
                    point: unsigned(bytes)?,
                    later: unsigned(bytes)?,
                },
                to: unsigned(bytes)?,
                node: index(bytes)?,
                figures: figures(bytes)?,
            },
            28 => Self::Parcel {
                from: Origin::Hub {
                    hub: unsigned(bytes)?,
                    is_stealable: flag(bytes)?,
                },
                to: unsigned(bytes)?,
                node: index(bytes)?,
                figures: figures(bytes)?,
            },
            29 => Self::Lead {
                from: unsigned(bytes)?,
                to: unsigned(bytes)?,
            },
            other => return Err(invalid(format!("the event {other} is not known"))),
        };
        Ok(event)
    }
}

fn index(bytes: &mut &[u8]) -> io::Result<u32> {
    let index = unsigned(bytes)?;
    u32::try_from(index).map_err(|_| invalid(format!("{index} is no index")))
}

fn flag(bytes: &mut &[u8]) -> io::Result<bool> {
    match unsigned(bytes)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(invalid(format!("{other} is neither 0 nor 1"))),
    }
}

fn figures(bytes: &mut &[u8]) -> io::Result<Figures> {
    Ok(Figures {
        work: signed(bytes)?,
        span: signed(bytes)?,
        burdened_span: signed(bytes)?,
        tasks: index(bytes)?,
    })
}
