//! What the record is to hold of a parallel region.

use super::block::Block;
use super::point::Point;
use crate::record::{Bulk, Figures, Origin, Parcel};
use crate::thread::Thread;

/// What small parts of a team did up to a barrier. It is held back from the record until the whole
/// turns out not to be small, so that a small region is folded on whatever threads it ran.
#[derive(Default)]
pub(super) struct Parts {
    /// Of parts that no other thread could have taken, and of parts that one could.
    figures: [Option<Figures>; 2],
    /// Does the record have other parts?
    is_told: bool,
}

impl Parts {
    /// Adds a part: what was `taken` out of the record, and whether another thread could have taken
    /// the part; `None` if the record has it.
    pub(super) fn add(&mut self, taken: Option<(Figures, bool)>) {
        let Some((mut figures, is_stealable)) = taken else {
            self.is_told = true;
            return;
        };
        figures.tasks += u32::from(is_stealable);
        let place = &mut self.figures[usize::from(is_stealable)];
        *place = Some(place.map_or(figures, |before| before.beside(figures)));
    }

    /// Work and tasks of all.
    fn sum(&self) -> Figures {
        let all = self.figures.iter().flatten();
        all.fold(Figures::default(), |sum, figures| sum.beside(*figures))
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_told && self.figures.iter().all(Option::is_none)
    }
}

/// The phases of a region, in sequence.
#[derive(Default)]
pub(super) struct Phases {
    /// The hub after which the present phase begins, and where the path stood there.
    from: u64,
    depth: i64,
    burdened: i64,
    /// Small phases held back from the record: the hub they begin at, and their figures. They end
    /// at `from`.
    kept: Option<(u64, Figures)>,
}

impl Phases {
    /// Before the first phase, which begins after the hub `from`.
    pub(super) fn new(from: u64, start: &Point) -> Self {
        Self {
            from,
            depth: start.depth,
            burdened: start.burdened,
            kept: None,
        }
    }

    /// A phase of `construct` that consists of `parts` is over; everything continues at `end`,
    /// after the hub `to`.
    pub(super) fn add(
        &mut self,
        thread: &Thread,
        construct: &Block,
        parts: &Parts,
        (end, to): (&Point, u64),
    ) {
        let figures = Figures {
            span: end.depth - self.depth,
            burdened: end.burdened - self.burdened,
            ..parts.sum()
        };
        let grain = thread.settings.get().record_grain.unwrap_or(0);
        let whole = match self.kept {
            Some((_, kept)) => kept.then(figures),
            None => figures,
        };
        if !parts.is_told && whole.work < grain {
            let from = self.kept.map_or(self.from, |(from, _)| from);
            self.kept = Some((from, whole));
        } else {
            self.tell(thread, construct);
            if !parts.is_told && figures.work < grain {
                self.kept = Some((self.from, figures));
            } else {
                self.tell_parts(thread, construct, parts, to);
            }
        }
        (self.from, self.depth, self.burdened) = (to, end.depth, end.burdened);
    }

    /// Records the phases held back.
    pub(super) fn tell(&mut self, thread: &Thread, construct: &Block) {
        if let Some((from, figures)) = self.kept.take() {
            tell(thread, construct, (from, self.from), figures, false);
        }
    }

    /// Records `parts` of the present phase, which lead to the hub `to`.
    pub(super) fn tell_parts(&self, thread: &Thread, construct: &Block, parts: &Parts, to: u64) {
        construct.add_elsewhere();
        for (figures, is_stealable) in parts.figures.iter().zip([false, true]) {
            if let Some(figures) = *figures {
                tell(thread, construct, (self.from, to), figures, is_stealable);
            }
        }
    }
}

fn tell(
    thread: &Thread,
    construct: &Block,
    (from, to): (u64, u64),
    mut figures: Figures,
    is_stealable: bool,
) {
    construct.add_elsewhere();
    let origin = if is_stealable {
        Origin::Stealable
    } else {
        // A reader counts the edge as one of the tasks; this edge is none.
        figures.tasks += 1;
        Origin::Hub
    };
    let bulk = Bulk {
        point: from,
        later: 0,
        node: construct.node(),
        figures,
    };
    let parcel = Parcel { origin, to, bulk };
    thread.record_tie(parcel.item(), construct.position_on(thread));
}
