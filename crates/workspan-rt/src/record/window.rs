//! The end of a thread's record, while it can still be folded.
//!
//! Entries have positions, which count from 1 over all that the thread has recorded. A construct that ends, and of which
//! everything has run here, is cut off the end and replaced by one entry, if it is of less work than the grain.
//!
//! A fork that stays, but has a branch of less than an eighth of the grain that neither path goes through, is taken for
//! the other branch, with the work of the small one before it: a recursion that makes one tiny task at a time, however
//! many, leaves no more entries than its work holds eighths of the grain. For that, the window grows with the number of
//! forks that are open, which the program's own stack does as well.
//!
//! Whatever else the thread ran meanwhile, for other constructs, must not be cut off with it. It leaves an *obstacle*:
//! the position where it ends, and the position at which what awaits it began, 0 if that began elsewhere. A construct
//! that began between the two may not be folded; one that began with or before the awaiting one may, for then it
//! contains both. Only the obstacles behind the beginning of a construct matter to it, and when it ends all of these are
//! taken together, or forgotten; so they cost amortised constant time.

use super::item::{Bulk, Figures, Folded, Item, Parcel};

/// Most entries that a window holds. They share the fastest cache with what the program has there.
const CAPACITY: usize = 1 << 9;

/// How many more entries may be open for each fork that is.
const ENTRIES_A_FORK: usize = 4;

/// How many entries behind a flattened fork are left as they are.
const UNTIDY: usize = CAPACITY / 4;

pub(crate) struct Window {
    items: Vec<Item>,
    /// How many entries have gone before the first.
    gone: u64,
    obstacles: Vec<Obstacle>,
    /// The latest position at which something began that left no entry of its own there.
    begun: u64,
    /// How many entries behind a flattened fork are too many.
    untidy: usize,
}

#[derive(Clone, Copy, Debug)]
struct Obstacle {
    /// Position at which what awaits it began.
    from: u64,
    at: u64,
}

impl Window {
    pub(crate) const fn new() -> Self {
        Self {
            items: Vec::new(),
            gone: 0,
            obstacles: Vec::new(),
            begun: 0,
            untidy: UNTIDY,
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// The position of the next entry.
    pub(crate) fn position(&self) -> u64 {
        self.gone + self.items.len() as u64 + 1
    }

    /// The same, where something begins whose first entry may be any.
    pub(crate) fn begin(&mut self) -> u64 {
        self.begun = self.position();
        self.begun
    }

    /// Should entries go, while so many `forks` are open? Their beginnings may stay, as the program's own stack does.
    pub(crate) fn is_full(&self, forks: usize) -> bool {
        self.items.len() >= CAPACITY + ENTRIES_A_FORK * forks
    }

    #[inline]
    pub(crate) fn push(&mut self, item: Item) {
        if self.items.capacity() == 0 {
            self.items.reserve_exact(CAPACITY);
        }
        self.items.push(item);
    }

    /// Adds a part of the lane without structure, merged with what is before it if that is such a part as well and both
    /// are of less work than `grain`. Folded tasks may stand between: where they begin does not depend on their place, and the
    /// lane is the same behind them as before. So a task that makes one tiny task after the other, each run at once, leaves no
    /// more entries than its work holds grains.
    #[inline]
    pub(crate) fn push_piece(&mut self, item: Item, grain: i64) {
        let next = self.position();
        let before = match &mut self.items[..] {
            // Unless something began behind that part.
            [.., before, Item::Parcel { .. }] if self.begun + 2 <= next => Some(before),
            [.., last] => Some(last),
            [] => None,
        };
        let before = before.filter(|_| grain > 0);
        if !before.is_some_and(|before| before.merge(&item, grain)) {
            self.push(item);
        }
    }

    /// Forgets everything from position `begin` on.
    pub(crate) fn cut(&mut self, begin: u64) {
        // What has gone cannot be cut.
        let left = (begin - 1).saturating_sub(self.gone);
        self.items.truncate(left as usize);
        while (self.obstacles.last()).is_some_and(|obstacle| obstacle.at >= begin) {
            self.obstacles.pop();
        }
    }

    /// What ends here is awaited by something that began at position `from`; 0 if that is elsewhere.
    pub(crate) fn obstruct(&mut self, from: u64) {
        let at = self.gone + self.items.len() as u64;
        // The new one is in the way of whatever those are.
        while (self.obstacles.last()).is_some_and(|last| last.from >= from) {
            self.obstacles.pop();
        }
        self.obstacles.push(Obstacle { from, at });
    }

    /// Is something in the way of folding the construct that began at position `begin` and ends here?
    fn is_obstructed(&mut self, begin: u64) -> bool {
        let mut behind: Option<Obstacle> = None;
        while let Some(last) = self.obstacles.last().copied() {
            if last.at < begin {
                break;
            }
            self.obstacles.pop();
            behind = Some(Obstacle {
                from: last.from,
                at: behind.map_or(last.at, |behind| behind.at),
            });
        }
        let behind = behind.filter(|behind| behind.from < begin);
        self.obstacles.extend(behind);
        behind.is_some()
    }

    /// May what began at position `begin`, and is of `work` ticks, be cut off?
    fn may_fold(&mut self, begin: u64, work: i64, grain: i64) -> bool {
        grain > 0 && !self.is_obstructed(begin) && work < grain && begin > self.gone
    }

    /// Ends the construct that began at position `begin`, all of which ran here: puts `folded` in its place if that is of
    /// less work than `grain`, and says whether it has.
    pub(crate) fn fold(&mut self, begin: u64, folded: Folded, grain: i64) -> bool {
        let may_fold = self.may_fold(begin, folded.figures.work, grain);
        if may_fold {
            self.cut(begin);
            self.push_piece(Item::Folded(folded), grain);
        }
        may_fold
    }

    /// Takes the fork that began at position `begin` for one of its branches, if the other is of less work than an eighth of
    /// the grain and neither path goes through it. Says whether it has. `whole` is what would be in the fork's place, were
    /// it folded. Of a fork that is not here any more nothing is changed, and where every strand is kept, nothing at all:
    /// strands may have negative times.
    pub(crate) fn flatten(&mut self, begin: u64, whole: Folded, burden: i64, grain: i64) -> bool {
        let fork = (begin - 1).checked_sub(self.gone).filter(|_| grain > 0);
        let branches =
            fork.and_then(|fork| Some((fork as usize, self.items.get(fork as usize + 1..)?)));
        let Some((fork, branches)) = branches else {
            return false;
        };
        let right = match branches {
            [.., Item::Middle] => Some((Figures::default(), 1)),
            [.., Item::Middle, right] => right.figures().map(|figures| (figures, 2)),
            _ => None,
        };
        let left = match branches {
            [Item::Middle, ..] => Some((Figures::default(), 1)),
            [left, Item::Middle, ..] => left.figures().map(|figures| (figures, 2)),
            _ => None,
        };
        let is_beside = |branch: &Figures, burden: i64| {
            branch.work < grain / 8
                && branch.span < whole.figures.span
                && branch.burdened + burden < whole.figures.burdened
        };
        let beside = |branch: Figures, burdened: i64| {
            let figures = Figures {
                span: 0,
                burdened,
                tasks: branch.tasks + 1,
                ..branch
            };
            Item::Folded(Folded { figures, ..whole })
        };
        match (left, right) {
            (_, Some((right, entries))) if is_beside(&right, burden) => {
                self.items[fork] = beside(right, 0);
                self.items.truncate(self.items.len() - entries);
            }
            (Some((left, entries)), _) if is_beside(&left, 0) => {
                // What is left is a task, whose edge has the burden.
                self.items[fork] = beside(left, burden);
                self.items[fork + 1..=fork + entries].fill(Item::Nothing);
            }
            _ => return false,
        }
        self.tidy(fork, grain);
        true
    }

    /// Merges entries from number `begin` on, in which nothing is open, if there are many more than when that was last done.
    fn tidy(&mut self, begin: usize, grain: i64) {
        if self.items.len() - begin < self.untidy {
            return;
        }
        let mut last = begin;
        for next in begin + 1..self.items.len() {
            let item = self.items[next];
            if item != Item::Nothing && !self.items[last].merge(&item, grain) {
                last += 1;
                self.items[last] = item;
            }
        }
        self.items.truncate(last + 1);
        let at = self.gone + self.items.len() as u64;
        for obstacle in self.obstacles.iter_mut().rev() {
            if obstacle.at <= at {
                break;
            }
            obstacle.at = at;
        }
        self.untidy = UNTIDY.max(2 * (self.items.len() - begin));
    }

    /// As [`Window::flatten`], of a fork that began in a stretch which was broken off: takes it for its left branch, whose
    /// paths from the fork on are those of `left`. The fork itself is counted in that stretch.
    pub(crate) fn flatten_late(
        &mut self,
        whole: Folded,
        left: Figures,
        burden: i64,
        grain: i64,
    ) -> bool {
        let right = match self.items[..] {
            [.., Item::LateMiddle { .. }] => Some((Figures::default(), 1)),
            [.., Item::LateMiddle { .. }, right] => right.figures().map(|figures| (figures, 2)),
            _ => None,
        };
        let is_beside = |right: &Figures| {
            grain > 0
                && right.work < grain / 8
                && right.span <= left.span
                && right.burdened + burden <= left.burdened
        };
        let Some((right, entries)) = right.filter(|(right, _)| is_beside(right)) else {
            return false;
        };
        self.items.truncate(self.items.len() - entries);
        let figures = Figures {
            span: 0,
            burdened: 0,
            ..right
        };
        if figures != Figures::default() {
            self.push_piece(Item::Folded(Folded { figures, ..whole }), grain);
        }
        true
    }

    /// Ends the task whose lane began at position `begin`, and that something which began at position `from` awaits: puts
    /// `bulk` in its place if that is of less work than `grain`, else adds the lane's end.
    pub(crate) fn end_task(&mut self, begin: u64, from: u64, bulk: Bulk, grain: i64) {
        if self.may_fold(begin, bulk.figures.work, grain) {
            self.cut(begin);
            let merged = match self.items.last() {
                Some(Item::Bulk(last)) => last.merged(bulk),
                _ => None,
            };
            match (merged, self.items.last_mut()) {
                (Some(merged), Some(last)) => *last = Item::Bulk(merged),
                _ => self.push(Item::Bulk(bulk)),
            }
        } else {
            self.push(Item::LaneEnd);
        }
        self.obstruct(from);
    }

    /// Ends the task whose lane began at position `begin`, all of which ran here, and that something which began at position
    /// `from` awaits: puts `parcel` in its place if that is of less work than `grain`, and says whether it has.
    pub(crate) fn fold_task(&mut self, begin: u64, from: u64, parcel: Parcel, grain: i64) -> bool {
        let may_fold = self.may_fold(begin, parcel.bulk.figures.work, grain);
        if may_fold {
            self.cut(begin);
            let last = self.items.last_mut();
            let before = last.as_ref().and_then(|last| Parcel::of(last));
            match (before.and_then(|before| before.merged(parcel)), last) {
                (Some(merged), Some(last)) => *last = merged.item(),
                _ => self.push(parcel.item()),
            }
            self.obstruct(from);
        }
        may_fold
    }

    /// Takes the lane that began at position `begin`, all of which ran here, out, if it is of less `work` than `grain`. Says
    /// whether it has.
    pub(crate) fn take_lane(&mut self, begin: u64, work: i64, grain: i64) -> bool {
        let may_fold = self.may_fold(begin, work, grain);
        if may_fold {
            self.cut(begin);
        }
        may_fold
    }

    /// Takes all entries but the last `kept` out.
    pub(crate) fn take(&mut self, kept: usize, mut visit: impl FnMut(&Item)) {
        let taken = self.items.len().saturating_sub(kept);
        self.items.drain(..taken).for_each(|item| visit(&item));
        self.gone += taken as u64;
        self.untidy = UNTIDY;
    }

    /// How many of the latest entries stay when the window is full: they may still be folded.
    pub(crate) const KEPT: usize = CAPACITY / 2;
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
