//! Random programs of a runtime that reports events.

use workspan_testkit::Random;

/// What a task does next.
#[derive(Clone, Debug)]
pub enum Action {
    Strand(i64),
    /// Spawns a task, which follows some of the tasks that the same task spawned before.
    Spawn {
        site: usize,
        script: Script,
        serially: bool,
        after: Vec<usize>,
    },
    Wait,
    BeginScope {
        site: Option<usize>,
    },
    EndScope,
    Loop {
        site: usize,
        pieces: Vec<Script>,
    },
    Parallel {
        site: usize,
        members: Vec<Script>,
    },
    Barrier,
    /// The member's share of a worksharing construct of its region.
    Share {
        site: usize,
        number: usize,
        pieces: Vec<Script>,
    },
}

pub type Script = Vec<Action>;

/// Number of sites; 0 is the program itself.
pub const SITES: usize = 9;

pub struct Generator {
    random: Random,
    budget: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            budget: 1 + seed as usize % 60,
        }
    }

    pub fn program(&mut self) -> Script {
        let mut script = self.script(0);
        // Every program ends with a strand.
        script.push(self.strand());
        script
    }

    fn strand(&mut self) -> Action {
        // So large that no two paths are equally long.
        Action::Strand(1 + self.random.below(1 << 30) as i64)
    }

    fn site(&mut self, choices: [usize; 2]) -> usize {
        choices[self.random.below(2)]
    }

    fn script(&mut self, depth: usize) -> Script {
        let mut script = Vec::new();
        let mut spawned = 0;
        let mut scopes = 0;
        for _ in 0..1 + self.random.below(6) {
            script.push(self.strand());
            if self.budget == 0 || depth > 5 {
                break;
            }
            self.budget -= 1;
            match self.random.below(10) {
                0..=3 => {
                    let serially = self.random.chance(15);
                    let after = if serially || self.random.chance(60) {
                        Vec::new()
                    } else {
                        (0..spawned).filter(|_| self.random.chance(40)).collect()
                    };
                    script.push(Action::Spawn {
                        site: self.site([1, 2]),
                        script: self.script(depth + 1),
                        serially,
                        after,
                    });
                    spawned += 1;
                }
                4 => script.push(Action::Wait),
                5 => {
                    let site = self.random.chance(50).then_some(3);
                    script.push(Action::BeginScope { site });
                    scopes += 1;
                }
                6 if scopes > 0 => {
                    script.push(Action::EndScope);
                    scopes -= 1;
                }
                6 | 7 => {
                    let pieces = (0..self.random.below(4))
                        .map(|_| self.script(depth + 1))
                        .collect();
                    let site = self.site([4, 5]);
                    script.push(Action::Loop { site, pieces });
                }
                _ => {
                    let members = self.members(depth + 1);
                    let site = self.site([6, 7]);
                    script.push(Action::Parallel { site, members });
                }
            }
        }
        script.push(self.strand());
        script.extend((0..scopes).map(|_| Action::EndScope));
        script
    }

    /// A script for each member of a team. Barriers and worksharing constructs come in the same
    /// order in each.
    fn members(&mut self, depth: usize) -> Vec<Script> {
        let mut members = vec![Vec::new(); 1 + self.random.below(3)];
        let mut number = 0;
        for _ in 0..self.random.below(4) {
            let is_barrier = self.random.chance(50);
            for member in &mut members {
                if self.random.chance(70) {
                    member.extend(self.script(depth + 1));
                }
                member.push(if is_barrier {
                    Action::Barrier
                } else {
                    Action::Share {
                        site: 8,
                        number,
                        pieces: (0..self.random.below(3))
                            .map(|_| self.script(depth + 1))
                            .collect(),
                    }
                });
            }
            number += usize::from(!is_barrier);
        }
        for member in &mut members {
            member.push(self.strand());
        }
        members
    }
}
