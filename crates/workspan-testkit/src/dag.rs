//! The explicit dag of a program: every strand is a vertex, every dependency an edge.

use crate::program::{Block, PoolNumber, Setting, Site, Statement};

/// Index into [`Dag::vertices`].
pub type VertexId = usize;

/// Index into [`Dag::instances`].
pub type InstanceId = usize;

/// A strand, or a fork or join point without work.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Ticks of work.
    pub weight: u64,
    /// The innermost instance that contains the strand; `None` for serial code of the program.
    pub instance: Option<InstanceId>,
    /// What must have ended before this vertex begins.
    pub predecessors: Vec<Edge>,
}

/// A dependency on an earlier vertex.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The earlier vertex.
    pub from: VertexId,
    /// Whether the later vertex starts a task that a thief can take, so that the burden is due.
    pub stealable: bool,
}

/// One execution of a construct.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The place that was executed.
    pub site: Site,
    /// The instance that waits for this one; `None` if only the program's end does.
    pub contained_in: Option<InstanceId>,
    /// The instance whose strand made this one.
    pub made_in: Option<InstanceId>,
    /// The vertex before all others of the instance.
    pub begin: VertexId,
    /// For a join, the first vertex of its right branch.
    pub right: Option<VertexId>,
    /// For a join, the number of threads of the pool that its branches run in.
    pub threads: usize,
    /// The vertex after all others of the instance.
    pub end: VertexId,
    /// Tasks that the construct creates.
    pub spawns: u64,
    /// Times that the construct waits.
    pub syncs: u64,
}

/// A program's strands and their dependencies. Every edge leads from a vertex to one of higher
/// index.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    /// The strands.
    pub vertices: Vec<Vertex>,
    /// The executions of constructs.
    pub instances: Vec<Instance>,
    /// Where a strand ends at anything but a join in its own pool, in the order of the vertices.
    pub interruptions: Vec<Interruption>,
}

/// A boundary between strands that does not belong to a join in the pool of its caller.
#[derive(Clone, Copy, Debug)]
pub struct Interruption {
    /// The innermost instance that contains it.
    pub instance: Option<InstanceId>,
    /// The last vertex before it.
    pub after: VertexId,
    /// Whether the strand unwinds there; otherwise it goes on.
    pub unwinds: bool,
}

impl Dag {
    /// Expands a program. An uncaught panic ends it.
    pub fn of(program: &Block, setting: &Setting) -> Dag {
        let mut expansion = Expansion {
            dag: Dag::default(),
            setting,
            detached_ends: Vec::new(),
        };
        let begin = expansion.vertex(0, None, &[]);
        let surroundings = Surroundings {
            instance: None,
            pool: 0,
            scopes: None,
        };
        let flow = expansion.block(program, begin, surroundings);
        let mut ends = std::mem::take(&mut expansion.detached_ends);
        ends.push(flow.at);
        expansion.join_point(None, &ends);
        expansion.dag
    }

    /// The vertices of an instance and of all that it contains, in order. They lie between its
    /// first and its last vertex, but so may others, since an instance can spawn into a scope
    /// around it.
    pub fn within(&self, instance: InstanceId) -> impl Iterator<Item = VertexId> + '_ {
        let Instance { begin, end, .. } = self.instances[instance];
        (begin..=end).filter(move |&vertex| {
            self.chain(self.vertices[vertex].instance)
                .any(|container| container == instance)
        })
    }

    /// The instance and all that contain it, from the inside out.
    pub fn chain(&self, instance: Option<InstanceId>) -> impl Iterator<Item = InstanceId> + '_ {
        std::iter::successors(instance, |&inner| self.instances[inner].contained_in)
    }

    /// Whether the instance is a top instance of its group: none of the group contains it.
    pub fn is_top<G: PartialEq>(
        &self,
        instance: InstanceId,
        group: impl Fn(InstanceId) -> G,
    ) -> bool {
        self.chain(self.instances[instance].contained_in)
            .all(|outer| group(outer) != group(instance))
    }

    /// Whether the instance is a top instance of its site.
    pub fn is_top_of_site(&self, instance: InstanceId) -> bool {
        self.is_top(instance, |instance| self.instances[instance].site)
    }

    /// The sites of the instance and of all that contain it, from the outside in.
    pub fn stack(&self, instance: Option<InstanceId>) -> Vec<Site> {
        let mut sites: Vec<Site> = self
            .chain(instance)
            .map(|inner| self.instances[inner].site)
            .collect();
        sites.reverse();
        sites
    }
}

/// Where a block runs.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    instance: Option<InstanceId>,
    pool: PoolNumber,
    scopes: Option<&'a OpenScope<'a>>,
}

/// A scope that tasks can be spawned into, and those around it.
struct OpenScope<'a> {
    instance: InstanceId,
    pool: PoolNumber,
    outer: Option<&'a OpenScope<'a>>,
    task_ends: std::cell::RefCell<Vec<Flow>>,
}

/// How a block ended.
#[derive(Clone, Copy)]
struct Flow {
    at: VertexId,
    panicked: bool,
}

struct Expansion<'s> {
    dag: Dag,
    setting: &'s Setting,
    detached_ends: Vec<VertexId>,
}

impl Expansion<'_> {
    fn vertex(&mut self, weight: u64, instance: Option<InstanceId>, edges: &[Edge]) -> VertexId {
        self.dag.vertices.push(Vertex {
            weight,
            instance,
            predecessors: edges.to_vec(),
        });
        self.dag.vertices.len() - 1
    }

    /// Adds a join point that waits for `ends`.
    fn join_point(&mut self, instance: Option<InstanceId>, ends: &[VertexId]) -> VertexId {
        let edges: Vec<Edge> = ends.iter().map(|&from| serial(from)).collect();
        self.vertex(0, instance, &edges)
    }

    /// Opens an instance that starts after `edge`.
    fn open(&mut self, site: Site, contained_in: Option<InstanceId>, edge: Edge) -> InstanceId {
        let instance = self.dag.instances.len();
        let begin = self.vertex(0, Some(instance), &[edge]);
        self.dag.instances.push(Instance {
            site,
            contained_in,
            made_in: contained_in,
            begin,
            right: None,
            threads: 0,
            end: begin,
            spawns: 0,
            syncs: 0,
        });
        instance
    }

    /// Closes an instance that waits for `ends`.
    fn close(&mut self, instance: InstanceId, ends: &[VertexId]) -> VertexId {
        let end = self.join_point(Some(instance), ends);
        self.dag.instances[instance].end = end;
        end
    }

    fn block(&mut self, block: &Block, at: VertexId, surroundings: Surroundings) -> Flow {
        let mut flow = Flow {
            at,
            panicked: false,
        };
        for statement in block {
            flow = self.statement(statement, flow.at, surroundings);
            if flow.panicked {
                break;
            }
        }
        flow
    }

    fn interrupt(&mut self, instance: Option<InstanceId>, unwinds: bool) {
        self.dag.interruptions.push(Interruption {
            instance,
            after: self.dag.vertices.len() - 1,
            unwinds,
        });
    }

    fn statement(&mut self, statement: &Statement, at: VertexId, here: Surroundings) -> Flow {
        let is_interruption = match statement {
            Statement::Work(_)
            | Statement::Steal
            | Statement::Catch { .. }
            | Statement::AwaitDetached => false,
            Statement::Join { pool, .. } => pool.is_some(),
            _ => true,
        };
        if is_interruption {
            self.interrupt(here.instance, *statement == Statement::Panic);
        }
        let goes_on = |at| Flow {
            at,
            panicked: false,
        };
        match statement {
            Statement::Work(ticks) => goes_on(self.vertex(*ticks, here.instance, &[serial(at)])),
            Statement::Join {
                site,
                pool,
                left,
                right,
            } => {
                let join = self.open(*site, here.instance, serial(at));
                self.dag.instances[join].spawns = 1;
                self.dag.instances[join].syncs = 1;
                let inside = Surroundings {
                    instance: Some(join),
                    pool: pool.unwrap_or(here.pool),
                    ..here
                };
                self.dag.instances[join].threads = self.setting.pools[inside.pool];
                let begin = self.dag.instances[join].begin;
                let left = self.block(left, begin, inside);
                let right_begin = self.vertex(0, Some(join), &[stealable(begin)]);
                self.dag.instances[join].right = Some(right_begin);
                let right = self.block(right, right_begin, inside);
                Flow {
                    at: self.close(join, &[left.at, right.at]),
                    panicked: left.panicked || right.panicked,
                }
            }
            Statement::Scope { site, pool, body } => {
                let scope = self.open(*site, here.instance, serial(at));
                self.dag.instances[scope].syncs = 1;
                let tasks_pool = pool.unwrap_or(here.pool);
                let open = OpenScope {
                    instance: scope,
                    pool: tasks_pool,
                    outer: here.scopes,
                    task_ends: Default::default(),
                };
                let inside = Surroundings {
                    instance: Some(scope),
                    pool: if site.construct.is_in_place() {
                        here.pool
                    } else {
                        tasks_pool
                    },
                    scopes: Some(&open),
                };
                let begin = self.dag.instances[scope].begin;
                let mut flows = vec![self.block(body, begin, inside)];
                flows.extend(open.task_ends.take());
                let ends: Vec<VertexId> = flows.iter().map(|flow| flow.at).collect();
                Flow {
                    at: self.close(scope, &ends),
                    panicked: flows.iter().any(|flow| flow.panicked),
                }
            }
            Statement::Spawn { site, level, body } => {
                let target = std::iter::successors(here.scopes, |scope| scope.outer)
                    .nth(*level)
                    .expect("a task is spawned into an enclosing scope");
                for thread in 0..self.task_count(*site, target.pool) {
                    let task = self.task(*site, Some(target.instance), at);
                    self.dag.instances[task].made_in = here.instance;
                    let inside = Surroundings {
                        instance: Some(task),
                        pool: target.pool,
                        scopes: Some(target),
                    };
                    let flow = self.task_body(task, thread, body, inside);
                    target.task_ends.borrow_mut().push(flow);
                }
                goes_on(at)
            }
            Statement::Detached { site, pool, body } => {
                let pool = pool.unwrap_or(here.pool);
                for thread in 0..self.task_count(*site, pool) {
                    let task = self.task(*site, None, at);
                    self.dag.instances[task].made_in = here.instance;
                    let inside = Surroundings {
                        instance: Some(task),
                        pool,
                        scopes: None,
                    };
                    let flow = self.task_body(task, thread, body, inside);
                    assert!(!flow.panicked, "a detached task's panic ends the process");
                    self.detached_ends.push(flow.at);
                }
                goes_on(at)
            }
            Statement::Region { site, body } => {
                let region = self.open(*site, here.instance, serial(at));
                let inside = Surroundings {
                    instance: Some(region),
                    ..here
                };
                let flow = self.block(body, self.dag.instances[region].begin, inside);
                Flow {
                    at: self.close(region, &[flow.at]),
                    ..flow
                }
            }
            Statement::Install { pool, body } => {
                let inside = Surroundings {
                    pool: *pool,
                    ..here
                };
                let flow = self.block(body, at, inside);
                self.interrupt(here.instance, flow.panicked);
                flow
            }
            Statement::Broadcast {
                site,
                pool,
                ticks,
                panics,
            } => {
                let threads = self.setting.pools[pool.unwrap_or(here.pool)];
                let broadcast = self.open(*site, here.instance, serial(at));
                self.dag.instances[broadcast].spawns = threads as u64;
                self.dag.instances[broadcast].syncs = 1;
                let begin = self.dag.instances[broadcast].begin;
                let ends: Vec<VertexId> = (0..threads as u64)
                    .map(|thread| self.vertex(ticks + thread, Some(broadcast), &[stealable(begin)]))
                    .collect();
                Flow {
                    at: self.close(broadcast, &ends),
                    panicked: *panics,
                }
            }
            Statement::Yield { .. } | Statement::Steal | Statement::AwaitDetached => goes_on(at),
            Statement::Panic => Flow { at, panicked: true },
            Statement::Catch { body } => goes_on(self.block(body, at, here).at),
        }
    }

    /// Number of tasks that a spawn makes in a pool.
    fn task_count(&self, site: Site, pool: PoolNumber) -> usize {
        if site.construct.spawns_on_each_thread() {
            self.setting.pools[pool]
        } else {
            1
        }
    }

    fn task(&mut self, site: Site, contained_in: Option<InstanceId>, at: VertexId) -> InstanceId {
        let task = self.open(site, contained_in, stealable(at));
        self.dag.instances[task].spawns = 1;
        task
    }

    /// The body of the `thread`-th task of a spawn.
    fn task_body(
        &mut self,
        task: InstanceId,
        thread: usize,
        body: &Block,
        inside: Surroundings,
    ) -> Flow {
        let begin = serial(self.dag.instances[task].begin);
        let begin = self.vertex(thread as u64, inside.instance, &[begin]);
        let flow = self.block(body, begin, inside);
        Flow {
            at: self.close(task, &[flow.at]),
            panicked: flow.panicked,
        }
    }
}

fn serial(from: VertexId) -> Edge {
    Edge {
        from,
        stealable: false,
    }
}

fn stealable(from: VertexId) -> Edge {
    Edge {
        from,
        stealable: true,
    }
}
