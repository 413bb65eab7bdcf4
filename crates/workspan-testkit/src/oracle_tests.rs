use super::*;
use crate::program::{Block, Construct, Setting, Site, Statement};

const A: u8 = 0;
const B: u8 = 1;

fn work(ticks: u64) -> Statement {
    Statement::Work(ticks)
}

fn join(index: u8, left: Block, right: Block) -> Statement {
    Statement::Join {
        site: site(Construct::Join, index),
        pool: None,
        left,
        right,
    }
}

fn scope(index: u8, body: Block) -> Statement {
    Statement::Scope {
        site: site(Construct::Scope, index),
        pool: None,
        body,
    }
}

fn spawn(index: u8, level: usize, body: Block) -> Statement {
    Statement::Spawn {
        site: site(Construct::Spawn, index),
        level,
        body,
    }
}

fn site(construct: Construct, index: u8) -> Site {
    Site { construct, index }
}

fn figures_of(program: Block, burden: u64) -> Figures {
    let setting = Setting { pools: vec![2, 3] };
    figures(&Dag::of(&program, &setting), burden)
}

fn totals(work: i64, span: i64, burdened_span: i64, spawns: u64, syncs: u64) -> Totals {
    Totals {
        work,
        span,
        burdened_span,
        spawns,
        syncs,
    }
}

#[test]
fn serial_code_belongs_to_the_root() {
    let found = figures_of(vec![work(3), Statement::Yield { local: true }, work(4)], 9);
    assert_eq!(found.totals, totals(7, 7, 7, 0, 0));
    assert!(found.sites.is_empty());
    assert_eq!(found.nodes.len(), 1);
    assert_eq!(found.nodes[&NodeKey::default()].local_span, 7);
}

#[test]
fn join_takes_the_longer_branch_and_the_right_one_bears_the_burden() {
    let program = vec![
        work(1),
        join(A, vec![work(10)], vec![work(8)]),
        work(100),
        join(A, vec![work(1_000)], vec![work(3_000)]),
    ];
    let found = figures_of(program, 5);
    // Burdened: 1 + max(10, 8 + 5) + 100 + (3000 + 5).
    assert_eq!(found.totals, totals(4_119, 3_111, 3_119, 2, 2));
    assert_eq!(
        found.sites[&site(Construct::Join, A)],
        SiteFigures {
            count: 2,
            top_count: 2,
            work: 4_018,
            span: 3_010,
            local_work: 4_018,
            count_on_span: 2,
            local_span: 3_010,
        }
    );
}

#[test]
fn recursion_counts_only_its_outermost_instances_as_top() {
    // A { 1 | B { A { 10 | 20 } | 300 } }
    let inner = join(A, vec![work(10)], vec![work(20)]);
    let program = vec![join(
        A,
        vec![work(1)],
        vec![join(B, vec![inner], vec![work(300)])],
    )];
    let found = figures_of(program, 0);
    assert_eq!(found.totals, totals(331, 300, 300, 3, 3));
    assert_eq!(
        found.sites[&site(Construct::Join, A)],
        SiteFigures {
            count: 2,
            top_count: 1,
            work: 331,
            span: 300,
            local_work: 31,
            count_on_span: 1,
            local_span: 0,
        }
    );
    assert_eq!(found.sites[&site(Construct::Join, B)].work, 330);
    let joins = &found.constructs[&Construct::Join];
    assert_eq!((joins.count, joins.top_count), (3, 1));
    assert_eq!((joins.work, joins.span), (331, 300));

    let a = site(Construct::Join, A);
    let b = site(Construct::Join, B);
    let again = NodeKey {
        path: vec![a, b],
        recursive: Some(a),
    };
    assert_eq!(found.nodes[&again].local_work, 30);
    assert_eq!(found.nodes[&again].top_count, 0);
    assert_eq!(NodeKey::of(&[a, a]).recursive, None);
    assert_eq!(NodeKey::of(&[a, b, a, b]), NodeKey::of(&[a, b]));
}

#[test]
fn scope_waits_for_its_tasks_after_the_work_between_spawns() {
    // Body 1 + 2 + 4; tasks start after 1 and after 1 + 2.
    let program = vec![scope(
        A,
        vec![
            work(1),
            spawn(A, 0, vec![work(10)]),
            work(2),
            spawn(B, 0, vec![work(7)]),
            work(4),
        ],
    )];
    let found = figures_of(program, 1_000);
    assert_eq!(found.totals, totals(24, 11, 1_010 + 1, 2, 1));
    assert_eq!(found.sites[&site(Construct::Scope, A)].local_span, 1);
    assert_eq!(found.sites[&site(Construct::Spawn, A)].local_span, 10);
    assert_eq!(found.sites[&site(Construct::Spawn, A)].count_on_span, 1);
    assert_eq!(found.sites[&site(Construct::Spawn, B)].count_on_span, 0);
}

#[test]
fn task_for_an_outer_scope_does_not_belong_to_the_inner_constructs() {
    // The task of 50 is spawned in the join's left branch, but the outer scope waits for it.
    let left = vec![work(3), spawn(A, 1, vec![work(50)]), work(1)];
    let inner = scope(B, vec![join(A, left, vec![work(5)])]);
    let found = figures_of(vec![scope(A, vec![inner, work(7)])], 0);
    assert_eq!(found.totals, totals(66, 53, 53, 2, 3));
    let scope_b = &found.sites[&site(Construct::Scope, B)];
    assert_eq!((scope_b.work, scope_b.span), (9, 5));
    // Both start on the critical path, which leaves them in the middle.
    assert_eq!((scope_b.count_on_span, scope_b.local_span), (1, 0));
    let join_a = &found.sites[&site(Construct::Join, A)];
    assert_eq!((join_a.span, join_a.local_span), (5, 3));
    let task = NodeKey::of(&[site(Construct::Scope, A), site(Construct::Spawn, A)]);
    assert_eq!(found.nodes[&task].local_span, 50);
}

#[test]
fn tasks_spawned_by_tasks_are_siblings() {
    let program = vec![scope(
        A,
        vec![spawn(
            A,
            0,
            vec![work(2), spawn(A, 0, vec![work(30)]), work(4)],
        )],
    )];
    let found = figures_of(program, 100);
    assert_eq!(found.totals, totals(36, 32, 232, 2, 1));
    let tasks = &found.sites[&site(Construct::Spawn, A)];
    assert_eq!((tasks.count, tasks.top_count), (2, 2));
    assert_eq!((tasks.work, tasks.span), (36, 36));
}

#[test]
fn broadcast_runs_on_each_thread_of_its_pool() {
    let broadcast = |pool| Statement::Broadcast {
        site: site(Construct::Broadcast, A),
        pool,
        ticks: 10,
        panics: false,
    };
    let found = figures_of(vec![broadcast(None), broadcast(Some(1))], 3);
    // Threads work for 10 and 11, then for 10, 11 and 12.
    assert_eq!(found.totals, totals(54, 23, 29, 5, 2));
}

#[test]
fn spawned_broadcast_is_a_task_on_each_thread() {
    let spawn = Statement::Spawn {
        site: site(Construct::SpawnBroadcast, A),
        level: 0,
        body: vec![work(10)],
    };
    // The scope's pool has two threads: tasks of 0 + 10 and 1 + 10, both spawned after 5.
    let found = figures_of(vec![scope(A, vec![work(5), spawn])], 3);
    assert_eq!(found.totals, totals(26, 16, 19, 2, 1));
    assert_eq!(found.sites[&site(Construct::SpawnBroadcast, A)].count, 2);
}

#[test]
fn detached_task_belongs_to_the_root_and_the_end_waits_for_it() {
    let detached = Statement::Detached {
        site: site(Construct::Detached, A),
        pool: None,
        body: vec![work(20)].into(),
    };
    let program = vec![work(1), join(A, vec![work(4), detached], vec![work(6)])];
    let found = figures_of(program, 0);
    assert_eq!(found.totals, totals(31, 25, 25, 2, 1));
    let task = NodeKey::of(&[site(Construct::Detached, A)]);
    assert_eq!(found.nodes[&task].local_span, 20);
    assert_eq!(found.sites[&site(Construct::Join, A)].span, 6);
}

#[test]
fn panic_skips_the_rest_up_to_the_catch_but_not_the_other_branches() {
    let program = vec![
        Statement::Catch {
            body: vec![
                scope(
                    A,
                    vec![
                        spawn(A, 0, vec![work(5), Statement::Panic, work(1_000)]),
                        join(A, vec![work(1), Statement::Panic], vec![work(3)]),
                        work(2_000),
                    ],
                ),
                work(4_000),
            ],
        },
        work(10),
    ];
    let found = figures_of(program, 0);
    assert_eq!(found.totals, totals(19, 15, 15, 2, 2));
}

#[test]
fn install_is_serial() {
    let install = Statement::Install {
        pool: 1,
        body: vec![work(5), join(A, vec![work(1)], vec![work(2)])],
    };
    let found = figures_of(vec![work(1), install, work(1)], 0);
    assert_eq!(found.totals, totals(10, 9, 9, 1, 1));
}
