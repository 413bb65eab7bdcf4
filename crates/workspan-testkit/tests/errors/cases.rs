//! The programs: named, fixed, and each a pattern that users' programs have. Times in nanoseconds.

use workspan_testkit::{Block, Construct, Random, Site, Statement};

/// A strand of a recursion or a loop besides its leaves.
const STEP: u64 = 5;
/// A microsecond, and a millisecond.
const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// A program, the threads of its pool, and whether the machine interrupts it.
pub struct Case {
    pub name: &'static str,
    pub threads: usize,
    pub interrupted: bool,
    pub program: Block,
}

/// All programs. On two threads, one steals what [`Statement::Steal`] says.
pub fn cases() -> impl Iterator<Item = Case> {
    let one = [
        ("fib_5ns", fib(19)),
        ("tree_5ns", times(8, tree(equal(1_024, 5)))),
        ("tree_50ns", times(16, tree(equal(512, 50)))),
        ("tree_50ns_varied", times(16, tree(varied(512, 50)))),
        ("tree_500ns", times(16, tree(equal(256, 500)))),
        ("tree_500ns_varied", times(16, tree(varied(256, 500)))),
        ("tree_5us", times(8, tree(equal(256, 5 * US)))),
        ("tree_5us_varied", times(8, tree(varied(256, 5 * US)))),
        ("tree_50us", times(4, tree(equal(128, 50 * US)))),
        ("tree_1ms", tree(equal(64, MS))),
        ("tree_140ns_260ns", times(16, tree(two(256, 140, 260)))),
        ("tree_20ns_2us", times(16, tree(two(256, 20, 2 * US)))),
        ("tree_growing", growing()),
        ("small_trees_50ns", times(500, tree(equal(8, 50)))),
        (
            "small_trees_apart",
            times(200, apart(10 * US, tree(equal(16, 20)))),
        ),
        ("loop_5ns", times(8, split(equal(1_024, 5)))),
        ("loop_50ns", times(8, split(equal(1_024, 50)))),
        ("loop_500ns", times(8, split(equal(512, 500)))),
        ("loop_5us_varied", times(8, split(varied(256, 5 * US)))),
        ("loop_50us", times(8, split(equal(64, 50 * US)))),
        ("spawns_5ns", times(8, spawns(equal(512, 5)))),
        ("spawns_50ns", times(8, spawns(equal(512, 50)))),
        ("spawns_500ns_varied", times(8, spawns(varied(512, 500)))),
        ("spawns_5us", times(8, spawns(equal(256, 5 * US)))),
        ("long_in_tree", tree(one_long(1_000, MS))),
        ("long_in_loop", split(one_long(1_000, MS))),
        ("long_in_spawns", spawns(one_long(1_000, MS))),
        (
            "long_6us_in_small_trees",
            times(100, tree(one_long(30, 6 * US))),
        ),
        ("bursts_in_tree", divided(&join(0), &strands(bursts()), 50)),
        (
            "bursts_apart",
            times(3, apart(60 * US, times(13, tree(equal(512, 50))))),
        ),
        (
            "scopes_of_trees",
            times(4, scope(vec![tree(equal(64, 50)); 24])),
        ),
        (
            "scopes_of_scopes",
            times(4, scope(vec![scope(vec![tree(equal(16, 200)); 8]); 8])),
        ),
        ("sites_nested", times(8, sites_nested())),
        ("trees_before_tails", times(8, trees_before_tails())),
        (
            "sites_in_turn",
            times(8, [tree(equal(256, 50)), split(equal(64, 5 * US))].concat()),
        ),
        ("quicksort", quicksort(&mut Random::new(1), 60_000)),
        ("comb", times(60, comb(60))),
        ("list", list(400)),
    ];
    let two = [
        ("tree_50ns_stolen", times(16, stolen(tree(equal(256, 50))))),
        (
            "tree_50ns_stolen_at_first_leaf",
            times(16, stolen_at(512, 0)),
        ),
        (
            "tree_50ns_stolen_in_stretch",
            times(16, stolen_at(512, 508)),
        ),
        (
            "tree_500ns_varied_stolen",
            times(16, stolen(tree(varied(128, 500)))),
        ),
        (
            "tree_5us_stolen",
            times(8, stolen(tree(equal(128, 5 * US)))),
        ),
        (
            "loop_500ns_stolen",
            times(8, stolen(split(equal(256, 500)))),
        ),
        (
            "spawns_5us_stolen",
            times(4, stolen_spawns(equal(256, 5 * US))),
        ),
        ("long_stolen", times(4, stolen(tree(one_long(500, MS / 4))))),
    ];
    // Long enough to tell the machine's interruptions from long strands of the program.
    let interrupted = [
        ("fib_5ns_interrupted", times(20, fib(19))),
        ("tree_50ns_interrupted", times(160, tree(equal(1_024, 50)))),
        (
            "loop_200ns_interrupted",
            times(80, split(equal(1_024, 200))),
        ),
        ("tree_1us_interrupted", times(40, tree(equal(1_024, US)))),
        ("tree_20us_interrupted", times(8, tree(equal(512, 20 * US)))),
        (
            "loop_100us_interrupted",
            times(4, split(equal(512, 100 * US))),
        ),
        (
            "spawns_20us_interrupted",
            times(8, spawns(equal(512, 20 * US))),
        ),
        (
            "tree_5us_varied_interrupted",
            times(16, tree(varied(1_024, 5 * US))),
        ),
        ("bursts_interrupted", times(10, tree(bursts()))),
    ];
    let on = |threads, interrupted| {
        move |(name, program)| Case {
            name,
            threads,
            interrupted,
            program,
        }
    };
    let one = one.into_iter().map(on(1, false));
    let two = two.into_iter().map(on(2, false));
    let interrupted = interrupted.into_iter().map(on(1, true));
    one.chain(two).chain(interrupted)
}

fn work(ticks: u64) -> Statement {
    Statement::Work(ticks)
}

/// A strand, and then the block.
fn apart(ticks: u64, block: Block) -> Block {
    [vec![work(ticks)], block].concat()
}

fn times(count: usize, block: Block) -> Block {
    vec![apart(STEP, block); count].concat()
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

/// Two lengths in turn.
fn two(count: usize, one: u64, other: u64) -> Vec<u64> {
    [one, other].into_iter().cycle().take(count).collect()
}

/// Strands of 100 ns and a long one, neither among the first nor among the last.
fn one_long(count: usize, long: u64) -> Vec<u64> {
    let mut lengths = equal(count, 100);
    lengths[count / 3] = long;
    lengths
}

/// Short strands, among them one of 60 µs for each millisecond.
fn bursts() -> Vec<u64> {
    let length = |leaf| if leaf % 6_600 == 3_000 { 60 * US } else { 50 };
    (0..16_384).map(length).collect()
}

fn strands(lengths: Vec<u64>) -> Vec<Block> {
    lengths.into_iter().map(|ticks| vec![work(ticks)]).collect()
}

fn fork(construct: Construct, index: u8) -> impl Fn(Block, Block) -> Statement {
    move |left, right| Statement::Join {
        site: Site { construct, index },
        pool: None,
        left,
        right,
    }
}

fn join(index: u8) -> impl Fn(Block, Block) -> Statement {
    fork(Construct::Join, index)
}

/// A balanced binary tree, with a strand before and after each fork.
fn divided(fork: &impl Fn(Block, Block) -> Statement, leaves: &[Block], step: u64) -> Block {
    if let [leaf] = leaves {
        return leaf.clone();
    }
    let (left, right) = leaves.split_at(leaves.len() / 2);
    let [left, right] = [left, right].map(|half| divided(fork, half, step));
    vec![work(step), fork(left, right), work(step)]
}

fn tree(leaves: Vec<u64>) -> Block {
    divided(&join(0), &strands(leaves), STEP)
}

/// As rayon divides a parallel iterator.
fn split(leaves: Vec<u64>) -> Block {
    divided(&fork(Construct::JoinContext, 0), &strands(leaves), STEP)
}

/// Trees at one site in the leaves of a tree at another, with strands of another length.
fn sites_nested() -> Block {
    let inner = divided(&join(1), &strands(equal(8, US)), 10);
    divided(&join(0), &vec![inner; 64], STEP)
}

/// As [`sites_nested`], with a strand of the outer site after each tree that is as long as the tree.
fn trees_before_tails() -> Block {
    let mut inner = divided(&join(1), &strands(equal(100, 10)), STEP);
    inner.push(work(2 * US));
    divided(&join(0), &vec![inner; 64], STEP)
}

/// The recursion for Fibonacci's numbers.
fn fib(n: u32) -> Block {
    match n {
        0 | 1 => vec![work(STEP)],
        _ => vec![work(STEP), join(0)(fib(n - 1), fib(n - 2)), work(STEP)],
    }
}

/// Trees whose leaves get longer.
fn growing() -> Block {
    let trees = [5, 50, 500, 5 * US].map(|leaf| times(8, tree(equal(128, leaf))));
    trees.concat()
}

/// Partitions of random sizes, down to small ones.
fn quicksort(random: &mut Random, items: u64) -> Block {
    if items <= 32 {
        return vec![work(8 * items)];
    }
    let less = items / 8 + random.bits() % (3 * items / 4);
    let [left, right] = [less, items - less].map(|part| quicksort(random, part));
    vec![work(2 * items), join(0)(left, right)]
}

/// Nested right branches, each with a short left one.
fn list(levels: usize) -> Block {
    match levels {
        0 => vec![work(40)],
        _ => vec![work(40), join(0)(vec![work(10)], list(levels - 1))],
    }
}

/// Nested left branches, each with a short right one.
fn comb(levels: usize) -> Block {
    match levels {
        0 => vec![work(40)],
        _ => vec![work(40), join(0)(comb(levels - 1), vec![work(10)])],
    }
}

/// A scope with a task for each body.
fn scope(bodies: Vec<Block>) -> Block {
    scope_with(bodies, |_| false)
}

/// The same, where the oldest task is stolen after those spawns of which `steals` holds.
fn scope_with(bodies: Vec<Block>, steals: impl Fn(usize) -> bool) -> Block {
    let site = |construct| Site {
        construct,
        index: 0,
    };
    let spawn = |(number, body)| {
        let spawn = Statement::Spawn {
            site: site(Construct::Spawn),
            level: 0,
            body,
        };
        let steal = steals(number).then_some(Statement::Steal);
        [work(STEP), spawn].into_iter().chain(steal)
    };
    vec![Statement::Scope {
        site: site(Construct::Scope),
        pool: None,
        body: bodies.into_iter().enumerate().flat_map(spawn).collect(),
    }]
}

fn spawns(lengths: Vec<u64>) -> Block {
    scope(strands(lengths))
}

fn stolen_spawns(lengths: Vec<u64>) -> Block {
    scope_with(strands(lengths), |number| number % 8 == 5)
}

/// The block twice in parallel, the second stolen.
fn stolen(block: Block) -> Block {
    let left = [vec![Statement::Steal], block.clone()].concat();
    vec![join(0)(left, block)]
}

/// A tree in one leaf of which the oldest task is stolen: in the first, the root's right branch; in a
/// late one, a task of a stretch that has long begun.
fn stolen_at(leaves: usize, leaf: usize) -> Block {
    let mut leaves = strands(equal(leaves, 50));
    leaves[leaf].insert(0, Statement::Steal);
    divided(&join(0), &leaves, STEP)
}
