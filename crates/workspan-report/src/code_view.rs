//! Pieces of code, in words and as source.

use std::collections::BTreeMap;

use workspan_model::{
    Boundary, Code, CodeRegion, Estimate, HotFunction, Metric, Profile, Repeats, Side, Site,
    SiteKind, Span,
};

/// What pages about code need besides its figures.
#[derive(Clone, Copy, Debug)]
pub struct CodeView<'a> {
    /// The profile that the code belongs to.
    pub profile: &'a Profile,
    /// The code.
    pub code: &'a Code,
    /// Functions that run in pieces of the code, by the piece's index into [`Code::regions`].
    pub hot: &'a BTreeMap<usize, Vec<HotFunction>>,
    /// Texts of source files, by their names in the profile.
    pub sources: &'a BTreeMap<String, String>,
    /// What is known of the profile's span.
    pub span: Estimate<Span>,
    /// Whether the task dag ends before the program did.
    pub is_truncated: bool,
}

/// Pieces of code with at most this many lines are shown whole; of longer ones, the first lines and
/// the last.
const MOST_LINES: usize = 12;

/// Lines to show around a piece of which only one line is known.
const AROUND: u32 = 3;

impl CodeView<'_> {
    /// What the profile's amounts count.
    pub(crate) fn metric(&self) -> &Metric {
        &self.profile.run.metric
    }

    pub(crate) fn region(&self, code: usize) -> &CodeRegion {
        &self.code.regions[code]
    }

    /// Words that `workspan whatif` takes for the code.
    pub(crate) fn words(&self, code: usize) -> String {
        self.region(code).words(self.profile)
    }

    /// Where the code is, for a sentence.
    pub(crate) fn phrase(&self, code: usize) -> String {
        let region = self.region(code);
        let (from, to) = (region.from, region.to);
        match (from == to, from.side) {
            (true, Side::Outside) => format!("from one {} to the next", self.construct(from)),
            (true, _) => format!("in {}", self.inside(region, from)),
            (false, side) => {
                let begin = match side {
                    Side::Outside => format!("behind the {}", self.construct(from)),
                    _ => format!("from the beginning of {}", self.inside(region, from)),
                };
                let end = match to.side {
                    Side::Outside if to.site == from.site => "to it within".to_owned(),
                    Side::Outside => format!("to the {}", self.construct(to)),
                    _ => format!("to the end of {}", self.inside(region, to)),
                };
                format!("{begin} {end}")
            }
        }
    }

    fn site(&self, boundary: Boundary) -> &Site {
        &self.profile.sites[boundary.site.index()]
    }

    /// `join at src/main.rs:40:9`.
    fn construct(&self, boundary: Boundary) -> String {
        let site = self.site(boundary);
        let what = match (site.kind, &site.name) {
            (SiteKind::Function, Some(name)) => format!("call of {name}"),
            (SiteKind::Region, Some(name)) => format!("region {name}"),
            (kind, _) => kind.noun().to_owned(),
        };
        match (&site.location, &site.function) {
            (Some(location), _) => format!("{what} at {location}"),
            (None, Some(function)) => format!("{what} in {function}"),
            (None, None) => what,
        }
    }

    fn inside(&self, region: &CodeRegion, boundary: Boundary) -> String {
        let site = self.site(boundary);
        let construct = self.construct(boundary);
        match (site.kind, boundary.side) {
            (SiteKind::Root, _) => "the program".to_owned(),
            (_, Side::Left) if region.is_of_both_branches => {
                format!("a branch of the {construct}")
            }
            (_, Side::Left) => format!("the left branch of the {construct}"),
            (_, Side::Right) => format!("the right branch of the {construct}"),
            (SiteKind::Function | SiteKind::Region, _) => format!("the {construct}"),
            (kind, _) if kind.is_group() => format!("the body of the {construct}"),
            (SiteKind::Parallel | SiteKind::Task | SiteKind::Thread, _) => {
                format!("the {construct}")
            }
            (SiteKind::Loop, _) => format!("a piece of the {construct}"),
            (SiteKind::Sections, _) => format!("one of the {construct}"),
            _ => format!("a task of the {construct}"),
        }
    }

    /// Lines of the source with their numbers; `None` stands for those left out.
    pub(crate) fn excerpt(&self, code: usize) -> Option<Vec<Option<(u32, &str)>>> {
        let (file, first, last) = self.region(code).lines(self.profile)?;
        let text = self.sources.get(file)?;
        let (first, last) = if last == first {
            (first.saturating_sub(AROUND), last + AROUND)
        } else {
            (first, last)
        };
        let numbered = (1..).zip(text.lines());
        let lines: Vec<(u32, &str)> = numbered
            .filter(|(number, _)| (first..=last).contains(number))
            .collect();
        if lines.is_empty() {
            return None;
        }
        if lines.len() <= MOST_LINES {
            return Some(lines.into_iter().map(Some).collect());
        }
        let half = MOST_LINES / 2;
        let (begin, end) = (&lines[..half], &lines[lines.len() - half..]);
        let shown = begin.iter().copied().map(Some).chain([None]);
        Some(shown.chain(end.iter().copied().map(Some)).collect())
    }

    /// Why the code runs more than once, if that is known.
    pub(crate) fn repeats(&self, code: usize) -> Option<&'static str> {
        Some(match self.region(code).repeats? {
            Repeats::Recursion => "part of a recursion",
            Repeats::Loop => "in a loop",
            Repeats::Iterator => "items of a parallel iterator",
        })
    }

    pub(crate) fn hot(&self, code: usize) -> &[HotFunction] {
        self.hot.get(&code).map_or(&[], Vec::as_slice)
    }
}
