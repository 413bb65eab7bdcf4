//! The entries of a record.

/// An entry of a record; `docs/format.md` gives the meaning of each. An entry is plain numbers, and
/// all have one size, so truncating a window costs nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Item {
    /// Not written to the file. In the window, a piece pushed after it does not merge with what
    /// precedes it.
    Nothing,
    Strand {
        node: u32,
        ticks: i64,
    },
    Folded(Folded),
    Fork {
        node: u32,
    },
    Middle,
    Join {
        left: u64,
        right: u64,
    },
    Mark {
        mark: u64,
    },
    LateMiddle {
        mark: u64,
        node: u32,
    },
    Right {
        lane: u64,
        node: u32,
    },
    LaneEnd,
    Left {
        lane: u64,
        node: u32,
    },
    Group {
        group: u64,
        node: u32,
    },
    Body {
        group: u64,
        node: u32,
    },
    GroupEnd,
    Point {
        point: u64,
        awaited: u64,
        node: u32,
    },
    Task {
        point: u64,
        later: u32,
        lane: u64,
        node: u32,
    },
    Bulk(Bulk),
    Member {
        group: u64,
        lane: u64,
        node: u32,
    },
    Handoff {
        call: u64,
    },
    Call {
        call: u64,
        node: u32,
    },
    HandoffEnd,
    Await {
        lane: u64,
    },
    Root {
        node: u32,
    },
    Own {
        ticks: i64,
        node: u32,
    },
    /// `at`: 0, or 1 + the node of the construct in which the lane's strand has ended.
    Reach {
        hub: u64,
        at: u32,
    },
    After {
        hub: u64,
        is_stealable: bool,
    },
    Start {
        hub: u64,
        is_stealable: bool,
        node: u32,
        at: u32,
    },
    /// A [`Parcel`], flat: nested, it would take more room.
    Parcel {
        origin: Origin,
        later: u32,
        from: u64,
        to: u64,
        node: u32,
        tasks: u32,
        work: i64,
        span: i64,
        burdened: i64,
    },
    Lead {
        from: u64,
        to: u64,
    },
}

/// Where tasks begin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    Point,
    Hub,
    /// A hub from which they can be stolen.
    Stealable,
}

/// Tasks that ran one after another but are parallel to each other, without their structure: from a
/// point or hub to a hub.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Parcel {
    pub(crate) origin: Origin,
    /// The hub they lead to.
    pub(crate) to: u64,
    /// Its `point` is the point or hub they begin at.
    pub(crate) bulk: Bulk,
}

impl Parcel {
    /// The parcel in `item`, if it is one.
    pub(crate) fn of(item: &Item) -> Option<Self> {
        let Item::Parcel {
            origin,
            later,
            from,
            to,
            node,
            tasks,
            work,
            span,
            burdened,
        } = *item
        else {
            return None;
        };
        let figures = Figures {
            work,
            span,
            burdened,
            tasks,
        };
        let bulk = Bulk {
            point: from,
            later,
            node,
            figures,
        };
        Some(Self { origin, to, bulk })
    }

    pub(crate) fn item(self) -> Item {
        let Bulk {
            point: from,
            later,
            node,
            figures,
        } = self.bulk;
        Item::Parcel {
            origin: self.origin,
            later,
            from,
            to: self.to,
            node,
            tasks: figures.tasks,
            work: figures.work,
            span: figures.span,
            burdened: figures.burdened,
        }
    }

    /// Both as one; `None` unless they share origin, hub, point and node.
    pub(crate) fn merged(self, other: Self) -> Option<Self> {
        let are_of_one = self.to == other.to && self.origin == other.origin;
        let bulk = (self.bulk.merged(other.bulk)).filter(|_| are_of_one)?;
        Some(Self { bulk, ..self })
    }
}

/// Work, span and burdened span of a piece of the dag, in ticks, and the number of tasks created in
/// it.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Figures {
    pub(crate) work: i64,
    pub(crate) span: i64,
    pub(crate) burdened: i64,
    pub(crate) tasks: u32,
}

impl Figures {
    pub(crate) fn of_strand(ticks: i64) -> Self {
        Self {
            work: ticks,
            span: ticks,
            burdened: ticks,
            tasks: 0,
        }
    }

    /// This and `other` in parallel.
    pub(crate) fn beside(self, other: Self) -> Self {
        Self {
            work: self.work + other.work,
            span: self.span.max(other.span),
            burdened: self.burdened.max(other.burdened),
            tasks: self.tasks.saturating_add(other.tasks),
        }
    }

    /// This, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            work: self.work + next.work,
            span: self.span + next.span,
            burdened: self.burdened + next.burdened,
            tasks: self.tasks.saturating_add(next.tasks),
        }
    }
}

/// A part of a lane, without its structure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Folded {
    /// The lane's node there.
    pub(crate) node: u32,
    /// 0 if it begins with a strand, else 1 + the node of the construct it begins with.
    pub(crate) at: u32,
    pub(crate) figures: Figures,
}

/// Tasks of one point that ran one after another but are parallel to each other, without their
/// structure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bulk {
    pub(crate) point: u64,
    /// Ticks of the spawner's strands from the point to the first of them.
    pub(crate) later: u32,
    pub(crate) node: u32,
    /// The spans reach from the spawn of the first task to whichever end is last. `tasks` counts
    /// these tasks and those created in them.
    pub(crate) figures: Figures,
}

impl Bulk {
    /// Both as one; `None` unless they share point and node.
    pub(crate) fn merged(self, other: Self) -> Option<Self> {
        if self.point != other.point || self.node != other.node {
            return None;
        }
        let later = self.later.min(other.later);
        let (ours, theirs) = (self.figures, other.figures);
        let longest = |of: fn(&Figures) -> i64| {
            let end = |bulk: &Self| i64::from(bulk.later) + of(&bulk.figures);
            end(&self).max(end(&other)) - i64::from(later)
        };
        let figures = Figures {
            work: ours.work + theirs.work,
            span: longest(|figures| figures.span),
            burdened: longest(|figures| figures.burdened),
            tasks: ours.tasks.saturating_add(theirs.tasks),
        };
        Some(Self {
            later,
            figures,
            ..self
        })
    }
}

impl Item {
    /// The entry as a part of a lane without structure, if it is one.
    #[inline]
    fn piece(&self) -> Option<Folded> {
        match *self {
            Item::Strand { node, ticks } => Some(Folded {
                node,
                at: 0,
                figures: Figures::of_strand(ticks),
            }),
            Item::Folded(folded) => Some(folded),
            _ => None,
        }
    }

    /// The figures of [`Item::piece`].
    pub(crate) fn figures(&self) -> Option<Figures> {
        self.piece().map(|piece| piece.figures)
    }

    /// Merges `next`, which follows in the lane, into this: strands of the same node, and pieces
    /// that together have less work than `grain`. Returns whether it did.
    #[inline]
    pub(crate) fn merge(&mut self, next: &Self, grain: i64) -> bool {
        if let (
            Item::Strand { node, ticks },
            Item::Strand {
                node: other,
                ticks: more,
            },
        ) = (&mut *self, next)
        {
            if node == other {
                *ticks += more;
            }
            return node == other;
        }
        let (Some(first), Some(second)) = (self.piece(), next.piece()) else {
            return false;
        };
        let may = first.node == second.node && first.figures.work + second.figures.work < grain;
        if may {
            let figures = first.figures.then(second.figures);
            *self = Item::Folded(Folded { figures, ..first });
        }
        may
    }
}

/// What awaits a task: the end of the program, whoever joins the thread, or a group. A group is
/// encoded as `AWAITED_BY_GROUP` plus its [name](super::Recorder::new_name).
pub(crate) const AWAITED_BY_END: u64 = 0;
pub(crate) const AWAITED_BY_JOINER: u64 = 1;
pub(crate) const AWAITED_BY_GROUP: u64 = 2;
