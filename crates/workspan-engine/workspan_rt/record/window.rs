//! The end of a thread's record, while it can still be folded.
//!
//! Positions number everything the thread has recorded, from 1. When a construct ends that has less
//! work than the grain and ran entirely on this thread, its entries are cut off the end and
//! replaced by one.
//!
//! A fork too large for that may still have a branch of less than an eighth of the grain that
//! neither path (span or burdened span) goes through. Such a fork is replaced by its other branch,
//! preceded by the work of the small one: a recursion that makes one tiny task at a time, however
//! many, leaves no more entries than its work holds eighths of the grain. To make that possible the
//! window grows with the number of open forks, as the program's own stack does.
//!
//! Whatever else the thread ran meanwhile, for other constructs, must not be cut off along with a
//! construct. It leaves an *obstacle*: the position where it ends, and the position where what
//! awaits it began, 0 if that began elsewhere. A construct that began between the two may not be
//! folded. One that began with or before the awaiting one may, for it contains both. Only obstacles
//! after the beginning of a construct matter to it, and when it ends they are all merged into one
//! or dropped; so they cost amortised constant time.

use super::item::{Bulk, Figures, Folded, Item, Parcel};

/// The most entries a window holds. They share the fastest cache with the program's own data.
const CAPACITY: usize = 1 << 9;

/// How many more entries the window may hold for each open fork.
const ENTRIES_A_FORK: usize = 4;

/// How many entries after a flattened fork are always left as they are.
const UNTIDY: usize = CAPACITY / 4;

pub(crate) struct Window {
    items: Vec<Item>,
    /// How many entries have left the window at its front.
    gone: u64,
    obstacles: Vec<Obstacle>,
    /// The latest position at which something began without leaving an entry of its own there.
    begun: u64,
    /// From how many entries after a flattened fork on they are tidied.
    untidy: usize,
}

#[derive(Clone, Copy, Debug)]
struct Obstacle {
    /// Position at which what awaits it began; 0 if elsewhere.
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

    /// The position of the next entry, with which something begins that has no entry of its own.
    pub(crate) fn begin(&mut self) -> u64 {
        self.begun = self.position();
        self.begun
    }

    /// Must entries leave, with so many `forks` open? Those forks may keep their first entries
    /// here, as they keep a frame on the program's stack.
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

    /// Adds a part of the lane without structure. It is merged with such a part before it where
    /// [`Item::merge`] allows. Folded tasks may lie between the two: where they begin does not
    /// depend on their place in the record, and the lane is the same before and after them. So a
    /// task that makes one tiny task after the other, each run at once, leaves no more entries than
    /// its work holds grains.
    #[inline]
    pub(crate) fn push_piece(&mut self, item: Item, grain: i64) {
        let next = self.position();
        let before = match &mut self.items[..] {
            // Unless something began after that part.
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
        // Entries that have left cannot be cut off.
        let left = (begin - 1).saturating_sub(self.gone);
        self.items.truncate(left as usize);
        while (self.obstacles.last()).is_some_and(|obstacle| obstacle.at >= begin) {
            self.obstacles.pop();
        }
    }

    /// What ends here is awaited by something that began at position `from`, 0 if elsewhere.
    pub(crate) fn obstruct(&mut self, from: u64) {
        let at = self.gone + self.items.len() as u64;
        // Whatever those obstruct, the new one obstructs as well.
        while (self.obstacles.last()).is_some_and(|last| last.from >= from) {
            self.obstacles.pop();
        }
        self.obstacles.push(Obstacle { from, at });
    }

    /// Does an obstacle keep the construct that began at position `begin` and ends here from being
    /// folded?
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

    /// May what began at position `begin`, with `work` ticks of work, be cut off?
    fn may_fold(&mut self, begin: u64, work: i64, grain: i64) -> bool {
        grain > 0 && !self.is_obstructed(begin) && work < grain && begin > self.gone
    }

    /// Ends the construct that began at position `begin` and ran entirely on this thread: replaces
    /// it by `folded` if that has less work than `grain`. Returns whether it did.
    pub(crate) fn fold(&mut self, begin: u64, folded: Folded, grain: i64) -> bool {
        let may_fold = self.may_fold(begin, folded.figures.work, grain);
        if may_fold {
            self.cut(begin);
            self.push_piece(Item::Folded(folded), grain);
        }
        may_fold
    }

    /// Replaces the fork that began at position `begin` by one of its branches, if the other has
    /// less work than an eighth of the grain and neither path goes through it. Returns whether it
    /// did. `whole` is what the fork would be folded into. A fork that has left the window stays as
    /// it is; so does every fork when each strand is kept, for then strands may have negative
    /// times.
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
                // The right branch remains: a task, whose edge carries the burden.
                self.items[fork] = beside(left, burden);
                self.items[fork + 1..=fork + entries].fill(Item::Nothing);
            }
            _ => return false,
        }
        self.tidy(fork, grain);
        true
    }

    /// Merges entries from index `begin` on, where nothing is open, if they have become many since
    /// that was last done.
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

    /// [`Window::flatten`] for a fork that began in a stretch which was broken off: replaces it by
    /// its left branch, whose paths from the fork on are those of `left`. The fork itself is
    /// counted in that stretch.
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

    /// Ends the task whose lane began at position `begin`, and which is awaited by something that
    /// began at position `from`: replaces it by `bulk` if that has less work than `grain`, else
    /// adds the lane's end.
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

    /// Ends the task whose lane began at position `begin` and ran entirely on this thread, and
    /// which is awaited by something that began at position `from`: replaces it by `parcel` if that
    /// has less work than `grain`. Returns whether it did.
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

    /// Removes the lane that began at position `begin` and ran entirely on this thread, if it has
    /// less `work` than `grain`. Returns whether it did.
    pub(crate) fn take_lane(&mut self, begin: u64, work: i64, grain: i64) -> bool {
        let may_fold = self.may_fold(begin, work, grain);
        if may_fold {
            self.cut(begin);
        }
        may_fold
    }

    /// Removes all but the last `kept` entries and passes them to `visit`.
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
