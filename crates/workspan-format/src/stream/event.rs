//! The events of a thread. `stream` defines the terms.

use std::io;

use crate::varint::{invalid, signed, unsigned};

/// An event of a thread. Error messages show its `Debug` form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A strand of the lane has ended.
    Strand { node: u32, ticks: i64 },
    /// A folded piece of the lane.
    Folded {
        node: u32,
        /// Node of the construct that the piece begins with; `None` if it begins with a strand.
        at: Option<u32>,
        figures: Figures,
    },
    /// The lane's strand has ended in a join. The left branch follows, unless it has a lane of its
    /// own.
    Fork { node: u32 },
    /// The left branch, which ran in this lane, has ended.
    Middle,
    /// The join has ended. Each field names the lane of a branch that has one of its own; it is 0
    /// if the branch ran in this lane, or not at all.
    Join { left: u64, right: u64 },
    /// Joins that are not recorded may be open here.
    Mark { mark: u64 },
    /// The left branch of such a join has ended. It is taken to begin at the mark.
    LateMiddle { mark: u64, node: u32 },
    /// Begins a lane: the right branch of a join.
    Right { lane: u64, node: u32 },
    /// Ends a lane, whatever began it.
    LaneEnd,
    /// Begins a lane: the left branch of a join from outside the pool.
    Left { lane: u64, node: u32 },
    /// The lane's strand has ended in a scope or a broadcast.
    Group { group: u64, node: u32 },
    /// Begins a lane: the body of a scope.
    Body { group: u64, node: u32 },
    /// Everything that the group awaits has ended.
    GroupEnd,
    /// The lane's strand has ended in a spawn of tasks of `node`.
    Point {
        point: u64,
        awaited: Awaited,
        node: u32,
    },
    /// Begins a lane: a task spawned after `later` ticks of its spawner's strands since the point.
    Task {
        point: u64,
        later: u64,
        lane: u64,
        node: u32,
    },
    /// Tasks of the point, with those spawned in them, ran one after another on this thread. They
    /// are parallel to each other; `later` is the smallest of theirs, and where the spans begin.
    Bulk {
        point: u64,
        later: u64,
        node: u32,
        figures: Figures,
    },
    /// Begins a lane: a task of a broadcast.
    Member { group: u64, lane: u64, node: u32 },
    /// The lane goes on in the call, often on another thread.
    Handoff { call: u64 },
    /// Begins a lane: the call.
    Call { call: u64, node: u32 },
    /// The call has returned.
    HandoffEnd,
    /// The lane goes on after another lane has ended, too: that of a thread of the program.
    Await { lane: u64 },
    /// Begins the lane of the program.
    Root { node: u32 },
    /// Begins the lane of a thread that the program started unseen, `ticks` after the program's
    /// beginning.
    Own { ticks: i64, node: u32 },
    /// The lane arrives at the hub, and may go on. `at` is the node of the construct in which its
    /// strand has ended, if any.
    Reach { hub: u64, at: Option<u32> },
    /// The lane departs from the hub: what follows waits for the hub, too.
    After { hub: u64, is_stealable: bool },
    /// Begins a lane that departs from the hub. `at` is the node of the construct behind which it
    /// begins, if any.
    Start {
        hub: u64,
        is_stealable: bool,
        node: u32,
        at: Option<u32>,
    },
    /// Tasks or parts of a construct ran one after another on this thread, and arrive at hub `to`.
    Parcel {
        from: Origin,
        to: u64,
        node: u32,
        figures: Figures,
    },
    /// Hub `to` comes after hub `from`.
    Lead { from: u64, to: u64 },
}

/// What the tasks of a parcel begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Point { point: u64, later: u64 },
    Hub { hub: u64, is_stealable: bool },
}

/// What awaits a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The end of the program.
    AtEnd,
    /// The lane that joins the thread ([`Event::Await`]).
    Joined,
    /// The end of the group of this name.
    InGroup(u64),
}

/// The figures of a piece, times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) work: i64,
    pub(super) span: i64,
    pub(super) burdened_span: i64,
    /// Tasks created in the piece.
    pub(super) tasks: u32,
}

impl Figures {
    pub(super) const fn strand(ticks: i64) -> Self {
        Self {
            work: ticks,
            span: ticks,
            burdened_span: ticks,
            tasks: 0,
        }
    }
}

impl Event {
    /// Whether the event adds a piece to the dag.
    pub(super) const fn is_piece(&self) -> bool {
        matches!(
            self,
            Self::Strand { .. } | Self::Folded { .. } | Self::Bulk { .. } | Self::Parcel { .. }
        )
    }

    /// Takes the next event off `bytes`.
    ///
    /// # Errors
    /// When the bytes are no event, or end within it.
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
            16 => Self::Bulk {
                point: unsigned(bytes)?,
                later: unsigned(bytes)?,
                node: index(bytes)?,
                figures: Figures {
                    tasks: index(bytes)?,
                    work: signed(bytes)?,
                    span: signed(bytes)?,
                    burdened_span: signed(bytes)?,
                },
            },
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
