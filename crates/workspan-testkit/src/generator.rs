//! Random programs in which no two paths of the dag tie, so that the critical path is unique.

use std::sync::Arc;

use crate::program::{Block, Construct, PoolNumber, Site, Statement};
use crate::random::Random;

/// The most ticks of one piece of work: enough that no two different sums are equal, and few enough
/// that no sum loses digits as a floating-point number.
pub const MOST_TICKS: u64 = 1 << 38;

/// What a program may look like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Approximate number of statements in all.
    pub statements: usize,
    /// Most statements in one block.
    pub longest_block: usize,
    /// Most levels of nested blocks.
    pub depth: usize,
    /// Number of sites of each construct; few of them make recursion frequent.
    pub sites: u8,
    /// Number of pools; the program may name all but the first, the global one.
    pub pools: usize,
    /// Relative frequency of each kind of statement.
    pub frequencies: Frequencies,
}

/// Weights of the kinds of statements in a [`Shape`]; a weight of 0 leaves the kind out.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "named like the statements they stand for")]
pub struct Frequencies {
    pub work: usize,
    pub join: usize,
    pub tree: usize,
    pub scope: usize,
    pub spawn: usize,
    pub detached: usize,
    pub install: usize,
    pub broadcast: usize,
    pub region: usize,
    pub yields: usize,
    pub panic: usize,
    pub catch: usize,
}

impl Shape {
    /// A random shape: small or with a few hundred strands, deep or wide, with joins only or with
    /// everything.
    pub fn random(random: &mut Random, pools: usize) -> Shape {
        let (statements, longest_block, depth) = match random.below(8) {
            0..=2 => (12, 4, 5),
            3..=5 => (60, 5, 12),
            6 => (150, 3, 120),
            _ => (200, 40, 6),
        };
        let optional = |random: &mut Random, percent, weight| {
            if random.chance(percent) { weight } else { 0 }
        };
        let panic = optional(random, 25, 4);
        Shape {
            statements,
            longest_block,
            depth,
            sites: 1 + random.below(usize::from(Site::PER_CONSTRUCT)) as u8,
            pools,
            frequencies: Frequencies {
                work: 20,
                join: optional(random, 80, 20),
                tree: optional(random, 40, 4),
                scope: optional(random, 80, 15),
                spawn: 30,
                detached: optional(random, 10, 6),
                install: optional(random, 25, 5),
                broadcast: optional(random, 25, 5),
                region: optional(random, 40, 8),
                yields: optional(random, 25, 5),
                panic,
                catch: if panic > 0 { 10 } else { 0 },
            },
        }
    }
}

/// A random program of the given shape.
pub fn generate(random: &mut Random, shape: &Shape) -> Block {
    let mut generator = Generator {
        random,
        shape,
        statements_left: shape.statements,
        enclosing: Vec::new(),
        on_each_thread: false,
    };
    let mut program = Vec::new();
    while generator.statements_left > 0 {
        program.extend(generator.block(shape.depth));
        if program.last() == Some(&Statement::Panic) {
            break;
        }
    }
    program
}

struct Generator<'a> {
    random: &'a mut Random,
    shape: &'a Shape,
    statements_left: usize,
    /// The scopes that a spawn may name, outermost first.
    enclosing: Vec<Construct>,
    /// Whether the current block runs once on each thread of a pool.
    on_each_thread: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Work,
    Join,
    Tree,
    Scope,
    Spawn,
    Detached,
    Install,
    Broadcast,
    Region,
    Yield,
    Panic,
    Catch,
}

impl Generator<'_> {
    fn block(&mut self, depth: usize) -> Block {
        let length = 1 + self.random.below(self.shape.longest_block);
        let mut block = Vec::new();
        for _ in 0..length {
            if self.statements_left == 0 {
                break;
            }
            self.statements_left -= 1;
            let statement = self.statement(depth);
            let ends = statement == Statement::Panic;
            block.push(statement);
            if ends {
                break;
            }
        }
        block
    }

    /// A block that starts with work: two branches without any would tie.
    fn branch(&mut self, depth: usize) -> Block {
        let mut block = vec![self.work()];
        if depth > 0 {
            block.extend(self.block(depth - 1));
        }
        block
    }

    fn work(&mut self) -> Statement {
        Statement::Work(1 + self.random.bits() % MOST_TICKS)
    }

    fn kind(&mut self, depth: usize) -> Kind {
        let weights = self.shape.frequencies;
        let nested = |weight| if depth > 0 { weight } else { 0 };
        let is_in_scope = !self.enclosing.is_empty();
        let in_scope = |weight| if is_in_scope { weight } else { 0 };
        let choices = [
            (Kind::Work, weights.work),
            (Kind::Join, nested(weights.join)),
            (Kind::Tree, nested(weights.tree)),
            (Kind::Scope, nested(weights.scope)),
            (Kind::Spawn, in_scope(nested(weights.spawn))),
            (Kind::Detached, nested(weights.detached)),
            (Kind::Install, nested(weights.install)),
            (Kind::Broadcast, weights.broadcast),
            (Kind::Region, nested(weights.region)),
            (Kind::Yield, weights.yields),
            (Kind::Panic, weights.panic),
            (Kind::Catch, nested(weights.catch)),
        ];
        let mut left = self
            .random
            .below(choices.iter().map(|&(_, weight)| weight).sum());
        for (kind, weight) in choices {
            if left < weight {
                return kind;
            }
            left -= weight;
        }
        unreachable!("the number lies below the sum of the weights")
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.kind(depth) {
            Kind::Work => self.work(),
            Kind::Join => {
                let construct = self.random.pick(&[Construct::Join, Construct::JoinContext]);
                Statement::Join {
                    site: self.site(construct),
                    pool: self.method_pool(),
                    left: self.branch(depth - 1),
                    right: self.branch(depth - 1),
                }
            }
            Kind::Tree => {
                // Half the time one site recurs; otherwise several call each other.
                let several = self.random.chance(50);
                let site = self.site(Construct::Join);
                let levels = 2 + self.random.below(5);
                self.tree(site, several, depth, levels)
            }
            Kind::Scope => self.scope(depth),
            Kind::Spawn => self.spawn(depth),
            Kind::Detached => self.detached(depth),
            Kind::Install => Statement::Install {
                pool: self.pool(),
                body: self.block(depth - 1),
            },
            Kind::Broadcast => Statement::Broadcast {
                site: self.site(Construct::Broadcast),
                pool: self.method_pool(),
                ticks: 1 + self.random.bits() % MOST_TICKS,
                panics: self.shape.frequencies.panic > 0 && self.random.chance(10),
            },
            Kind::Region => Statement::Region {
                site: self.site(Construct::Region),
                body: self.block(depth - 1),
            },
            Kind::Yield => Statement::Yield {
                local: self.random.chance(50),
            },
            Kind::Panic => Statement::Panic,
            Kind::Catch => Statement::Catch {
                body: self.block(depth - 1),
            },
        }
    }

    /// A recursion over joins. Its strands are short, with a few long ones and a few other
    /// statements among them.
    fn tree(&mut self, site: Site, several: bool, depth: usize, levels: usize) -> Statement {
        let [left, right] = [(); 2].map(|()| {
            let mut branch = vec![self.strand_of_tree()];
            if levels > 1 && self.random.chance(90) {
                let next = if several {
                    self.site(Construct::Join)
                } else {
                    site
                };
                branch.push(self.tree(next, several, depth, levels - 1));
                branch.push(self.strand_of_tree());
            }
            if self.random.chance(2) && self.statements_left > 0 {
                branch.extend(self.block(depth - 1));
            }
            branch
        });
        Statement::Join {
            site,
            pool: None,
            left,
            right,
        }
    }

    fn strand_of_tree(&mut self) -> Statement {
        let most = if self.random.chance(3) {
            MOST_TICKS
        } else {
            MOST_TICKS >> 16
        };
        Statement::Work(1 + self.random.bits() % most)
    }

    fn scope(&mut self, depth: usize) -> Statement {
        let construct = self.random.pick(&[
            Construct::Scope,
            Construct::ScopeFifo,
            Construct::InPlaceScope,
            Construct::InPlaceScopeFifo,
        ]);
        let site = self.site(construct);
        let pool = self.method_pool();
        self.enclosing.push(construct);
        let body = self.block(depth - 1);
        self.enclosing.pop();
        Statement::Scope { site, pool, body }
    }

    fn spawn(&mut self, depth: usize) -> Statement {
        let level = self.random.below(self.enclosing.len());
        let target = self.enclosing.len() - 1 - level;
        let scope = self.enclosing[target];
        let construct = if self.spawns_on_each_thread() {
            scope.spawn_broadcast_into()
        } else {
            scope.spawn_into()
        };
        let site = self.site(construct);
        let hidden = self.enclosing.split_off(target + 1);
        let body = self.task(site, depth - 1);
        self.enclosing.extend(hidden);
        Statement::Spawn { site, level, body }
    }

    fn detached(&mut self, depth: usize) -> Statement {
        let construct = if self.spawns_on_each_thread() {
            Construct::DetachedBroadcast
        } else {
            self.random
                .pick(&[Construct::Detached, Construct::DetachedFifo])
        };
        let site = self.site(construct);
        let pool = self.method_pool();
        let hidden = std::mem::take(&mut self.enclosing);
        let body = self.task(site, depth - 1);
        self.enclosing = hidden;
        Statement::Detached {
            site,
            pool,
            // An uncaught panic in a detached task ends the process.
            body: Arc::new(vec![Statement::Catch { body }]),
        }
    }

    fn task(&mut self, site: Site, depth: usize) -> Block {
        let outside = self.on_each_thread;
        self.on_each_thread |= site.construct.spawns_on_each_thread();
        let body = self.branch(depth);
        self.on_each_thread = outside;
        body
    }

    /// Whether to spawn on each thread: rarely, and not within another such task, since each of
    /// them multiplies the tasks below it.
    fn spawns_on_each_thread(&mut self) -> bool {
        self.shape.frequencies.broadcast > 0 && !self.on_each_thread && self.random.chance(5)
    }

    fn site(&mut self, construct: Construct) -> Site {
        let index = self.random.below(usize::from(self.shape.sites)) as u8;
        Site { construct, index }
    }

    fn pool(&mut self) -> PoolNumber {
        1 + self.random.below(self.shape.pools - 1)
    }

    /// The pool whose method is called; `None` for the free function.
    fn method_pool(&mut self) -> Option<PoolNumber> {
        let named = self.shape.frequencies.install > 0 && self.random.chance(15);
        named.then(|| self.pool())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_program() {
        let program = |seed| {
            let mut random = Random::new(seed);
            let shape = Shape::random(&mut random, 3);
            generate(&mut random, &shape)
        };
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
    }
}
