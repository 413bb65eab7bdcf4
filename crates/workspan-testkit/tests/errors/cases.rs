//! The programs: named, fixed, and each a pattern that users' programs have. Times in nanoseconds.

use workspan_testkit::{Block, Construct, Random, Site, Statement};

/// A strand of a recursion or a loop besides its leaves.
const STEP: u64 = 5;
/// A microsecond, and a millisecond.
const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// A program, and the threads of its pool.
pub struct Case {
    pub name: &'static str,
    pub threads: usize,
    pub program: Block,
}

/// All programs. On two threads, one steals what [`Statement::Steal`] says.
pub fn cases() -> Vec<Case> {
    let one: [(&str, Block); _] = [
        ("fib_5ns", fib(19, STEP)),
        ("tree_5ns", times(8, tree(&equal(1_024, 5)))),
        ("tree_50ns", times(16, tree(&equal(512, 50)))),
        ("tree_50ns_varied", times(16, tree(&varied(512, 50)))),
        ("tree_500ns", times(16, tree(&equal(256, 500)))),
        ("tree_500ns_varied", times(16, tree(&varied(256, 500)))),
        ("tree_5us", times(8, tree(&equal(256, 5 * US)))),
        ("tree_5us_varied", times(8, tree(&varied(256, 5 * US)))),
        ("tree_50us", times(4, tree(&equal(128, 50 * US)))),
        ("tree_1ms", tree(&equal(64, MS))),
        (
            "tree_alternating_200ns",
            times(16, tree(&alternating(256, 140, 260))),
        ),
        (
            "tree_alternating_20ns_2us",
            times(16, tree(&alternating(256, 20, 2 * US))),
        ),
        ("tree_growing", growing()),
        ("tree_small_50ns", times(500, tree(&equal(8, 50)))),
        ("tree_small_between_10us", times(200, small_between())),
        ("loop_5ns", times(8, split(&equal(1_024, 5)))),
        ("loop_50ns", times(8, split(&equal(1_024, 50)))),
        ("loop_500ns", times(8, split(&equal(512, 500)))),
        ("loop_5us_varied", times(8, split(&varied(256, 5 * US)))),
        ("loop_50us", times(8, split(&equal(64, 50 * US)))),
        ("spawns_5ns", times(8, spawns(&equal(512, 5)))),
        ("spawns_50ns", times(8, spawns(&equal(512, 50)))),
        ("spawns_500ns_varied", times(8, spawns(&varied(512, 500)))),
        ("spawns_5us", times(8, spawns(&equal(256, 5 * US)))),
        ("long_in_tree", tree(&with_long(1_000, 100, MS))),
        ("long_in_loop", split(&with_long(1_000, 100, MS))),
        ("long_in_spawns", spawns(&with_long(1_000, 100, MS))),
        (
            "burst_in_tree",
            divided(&|left, right| join(0, left, right), &bursts(), 50),
        ),
        ("burst_between_trees", burst_between_trees()),
        (
            "scopes_of_trees",
            times(4, scope_of(&vec![tree(&equal(64, 50)); 24])),
        ),
        (
            "nested_scopes",
            times(
                4,
                scope_of(&vec![scope_of(&vec![tree(&equal(16, 200)); 8]); 8]),
            ),
        ),
        ("two_sites_in_tree", times(8, two_sites(64, 8, 10, US))),
        (
            "two_sites_in_series",
            times(
                8,
                in_series(&[tree(&equal(256, 50)), split(&equal(64, 5 * US))]),
            ),
        ),
        ("quicksort", quicksort(&mut Random::new(1), 60_000)),
        ("comb", times(60, comb(60))),
    ];
    let two: [(&str, Block); _] = [
        ("tree_50ns_stolen", times(16, stolen(tree(&equal(256, 50))))),
        (
            "tree_500ns_stolen",
            times(16, stolen(tree(&varied(128, 500)))),
        ),
        (
            "tree_5us_stolen",
            times(8, stolen(tree(&equal(128, 5 * US)))),
        ),
        (
            "tree_50ns_stolen_at_first_leaf",
            times(16, stolen_at_leaf(512, 0)),
        ),
        (
            "tree_50ns_stolen_in_stretch",
            times(16, stolen_at_leaf(512, 508)),
        ),
        (
            "loop_500ns_stolen",
            times(8, stolen(split(&equal(256, 500)))),
        ),
        ("spawns_5us_stolen", times(4, stolen_spawns(256, 5 * US))),
        (
            "long_stolen",
            times(4, stolen(tree(&with_long(500, 100, MS / 4)))),
        ),
    ];
    let case = |threads| {
        move |(name, program)| Case {
            name,
            threads,
            program,
        }
    };
    one.into_iter()
        .map(case(1))
        .chain(two.into_iter().map(case(2)))
        .collect()
}

fn work(ticks: u64) -> Statement {
    Statement::Work(ticks)
}

fn times(count: usize, block: Block) -> Block {
    in_series(&vec![block; count])
}

/// The blocks one after another, each after a step.
fn in_series(blocks: &[Block]) -> Block {
    let block = |block: &Block| [vec![work(STEP)], block.clone()].concat();
    blocks.iter().flat_map(block).collect()
}

fn equal(count: usize, ticks: u64) -> Vec<u64> {
    vec![ticks; count]
}

/// From half to three halves of the mean.
fn varied(count: usize, mean: u64) -> Vec<u64> {
    let mut random = Random::new(mean);
    let mut length = || mean / 2 + random.bits() % (mean + 1);
    (0..count).map(|_| length()).collect()
}

fn alternating(count: usize, one: u64, other: u64) -> Vec<u64> {
    [one, other].into_iter().cycle().take(count).collect()
}

/// Short strands and a long one, neither among the first nor among the last.
fn with_long(count: usize, short: u64, long: u64) -> Vec<u64> {
    let mut lengths = equal(count, short);
    lengths[count / 3] = long;
    lengths
}

/// Short strands, among them one of 60 µs for each millisecond.
fn bursts() -> Vec<u64> {
    let length = |leaf| if leaf % 6_600 == 3_000 { 60 * US } else { 50 };
    (0..16_384).map(length).collect()
}

fn join(index: u8, left: Block, right: Block) -> Statement {
    fork(Construct::Join, index, left, right)
}

fn fork(construct: Construct, index: u8, left: Block, right: Block) -> Statement {
    Statement::Join {
        site: Site { construct, index },
        pool: None,
        left,
        right,
    }
}

/// A balanced binary tree with a strand before and after each fork.
fn divided(fork: &impl Fn(Block, Block) -> Statement, leaves: &[u64], step: u64) -> Block {
    if let [leaf] = leaves {
        return vec![work(*leaf)];
    }
    let (left, right) = leaves.split_at(leaves.len() / 2);
    let [left, right] = [left, right].map(|half| divided(fork, half, step));
    vec![work(step), fork(left, right), work(step)]
}

fn tree(leaves: &[u64]) -> Block {
    divided(&|left, right| join(0, left, right), leaves, STEP)
}

/// As rayon divides a parallel iterator.
fn split(leaves: &[u64]) -> Block {
    let fork = |left, right| fork(Construct::JoinContext, 0, left, right);
    divided(&fork, leaves, STEP)
}

fn fib(n: u32, step: u64) -> Block {
    match n {
        0 | 1 => vec![work(step)],
        _ => vec![
            work(step),
            join(0, fib(n - 1, step), fib(n - 2, step)),
            work(step),
        ],
    }
}

/// Trees whose leaves get longer.
fn growing() -> Block {
    let trees = [5, 50, 500, 5 * US].map(|leaf| times(8, tree(&equal(128, leaf))));
    trees.concat()
}

fn small_between() -> Block {
    in_series(&[vec![work(10 * US)], tree(&equal(16, 20))])
}

fn burst_between_trees() -> Block {
    let millisecond = times(13, tree(&equal(512, 50)));
    times(3, in_series(&[millisecond, vec![work(60 * US)]]))
}

/// A scope with a task for each body.
fn scope_of(bodies: &[Block]) -> Block {
    scope_with(bodies, |_| false)
}

/// The other thread steals after those spawns of which `steals` holds.
fn scope_with(bodies: &[Block], steals: impl Fn(usize) -> bool) -> Block {
    let site = |construct| Site {
        construct,
        index: 0,
    };
    let mut body = Vec::new();
    for (number, task) in bodies.iter().enumerate() {
        body.push(work(STEP));
        body.push(Statement::Spawn {
            site: site(Construct::Spawn),
            level: 0,
            body: task.clone(),
        });
        if steals(number) {
            body.push(Statement::Steal);
        }
    }
    vec![Statement::Scope {
        site: site(Construct::Scope),
        pool: None,
        body,
    }]
}

fn strands(lengths: &[u64]) -> Vec<Block> {
    lengths.iter().map(|&ticks| vec![work(ticks)]).collect()
}

fn spawns(lengths: &[u64]) -> Block {
    scope_of(&strands(lengths))
}

fn stolen_spawns(count: usize, ticks: u64) -> Block {
    scope_with(&strands(&equal(count, ticks)), |number| number % 8 == 5)
}

/// A tree at one site whose leaves are trees at another, with leaves of another length.
fn two_sites(outer: usize, inner: usize, step: u64, leaf: u64) -> Block {
    let leaves = || {
        let fork = |left, right| join(1, left, right);
        divided(&fork, &equal(inner, leaf), step)
    };
    fn replaced(block: Block, leaves: &impl Fn() -> Block) -> Block {
        let replace = |statement| match statement {
            Statement::Join {
                site,
                pool,
                left,
                right,
            } => vec![Statement::Join {
                site,
                pool,
                left: replaced(left, leaves),
                right: replaced(right, leaves),
            }],
            Statement::Work(0) => leaves(),
            other => vec![other],
        };
        block.into_iter().flat_map(replace).collect()
    }
    replaced(tree(&equal(outer, 0)), &leaves)
}

/// Partitions of random sizes, down to small ones.
fn quicksort(random: &mut Random, items: u64) -> Block {
    if items <= 32 {
        return vec![work(8 * items)];
    }
    let less = items / 8 + random.bits() % (3 * items / 4);
    let [left, right] = [less, items - less].map(|part| quicksort(random, part));
    vec![work(2 * items), join(0, left, right)]
}

/// Nested left branches, with a short right one each.
fn comb(levels: usize) -> Block {
    let inner = if levels > 1 {
        comb(levels - 1)
    } else {
        vec![work(40)]
    };
    vec![work(40), join(0, inner, vec![work(10)])]
}

/// The block twice in parallel, the second stolen.
fn stolen(block: Block) -> Block {
    let left = [vec![Statement::Steal], block.clone()].concat();
    vec![work(STEP), join(0, left, block)]
}

/// A tree at one leaf of which the oldest task is stolen: at the first, the root's right branch; at
/// one before which all others have ended but those that it is right of, one in the middle of a
/// stretch.
fn stolen_at_leaf(leaves: usize, steals: usize) -> Block {
    fn part(leaves: std::ops::Range<usize>, steals: usize) -> Block {
        if leaves.len() == 1 {
            let mut leaf = vec![work(50)];
            if leaves.start == steals {
                leaf.insert(0, Statement::Steal);
            }
            return leaf;
        }
        let middle = leaves.start + leaves.len() / 2;
        let (left, right) = (leaves.start..middle, middle..leaves.end);
        vec![
            work(STEP),
            join(0, part(left, steals), part(right, steals)),
            work(STEP),
        ]
    }
    part(0..leaves, steals)
}
