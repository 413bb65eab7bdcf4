//! A dag of strands, whose longest path is found by brute force.

/// A vertex of a [`Graph`].
pub type Vertex = usize;

struct Strand {
    ticks: i64,
    site: usize,
    /// The strands that must have ended, each with the burden of the edge from it.
    before: Vec<(Vertex, i64)>,
}

/// A dag of strands; each vertex is added after those that must come before it.
#[derive(Default)]
pub struct Graph {
    strands: Vec<Strand>,
}

/// The figures that a profile should have. Times in ticks.
#[derive(Debug, PartialEq, Eq)]
pub struct Longest {
    /// Sum of all strands.
    pub work: i64,
    /// Longest path.
    pub span: i64,
    /// Longest path with the burdens of its edges.
    pub burdened_span: i64,
    /// By site: ticks of all strands, and of those on the longest path.
    pub sites: Vec<(i64, i64)>,
}

impl Graph {
    /// Adds a strand of a site after those in `before`, each with the burden of the edge from it.
    pub fn add(&mut self, site: usize, ticks: i64, before: Vec<(Vertex, i64)>) -> Vertex {
        self.strands.push(Strand {
            ticks,
            site,
            before,
        });
        self.strands.len() - 1
    }

    /// The length of the longest path to the end of each strand.
    pub fn lengths(&self) -> Vec<i64> {
        let mut lengths = Vec::new();
        for strand in &self.strands {
            let before = strand.before.iter().map(|&(v, _)| lengths[v]).max();
            lengths.push(before.unwrap_or(0) + strand.ticks);
        }
        lengths
    }

    /// The figures of the dag, whose sites have numbers below `sites`.
    ///
    /// # Panics
    /// If a site has another number.
    pub fn longest(&self, sites: usize) -> Longest {
        let mut longest = Vec::<(i64, Option<Vertex>)>::new();
        let mut burdened = Vec::<i64>::new();
        for strand in &self.strands {
            let before = strand.before.iter();
            let from = before.clone().map(|&(v, _)| (longest[v].0, Some(v))).max();
            let (length, last) = from.unwrap_or((0, None));
            longest.push((length + strand.ticks, last));
            let from = before.map(|&(v, burden)| burdened[v] + burden).max();
            burdened.push(from.unwrap_or(0) + strand.ticks);
        }
        let mut figures = Longest {
            work: 0,
            span: 0,
            burdened_span: burdened.iter().copied().max().unwrap_or(0),
            sites: vec![(0, 0); sites],
        };
        for strand in &self.strands {
            figures.work += strand.ticks;
            figures.sites[strand.site].0 += strand.ticks;
        }
        let ends = longest.iter().enumerate();
        let mut next = ends.max_by_key(|(_, path)| path.0).map(|(v, _)| v);
        figures.span = next.map_or(0, |v| longest[v].0);
        while let Some(v) = next {
            figures.sites[self.strands[v].site].1 += self.strands[v].ticks;
            next = longest[v].1;
        }
        figures
    }
}
