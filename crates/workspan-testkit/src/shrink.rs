//! Shrinks programs that fail.

use crate::program::{Block, Statement};

/// Removes statements, or replaces them by the blocks that they run, as long as `fails` still holds
/// for the rest. Calls it at most `attempts` times.
pub fn shrink(program: &Block, attempts: usize, mut fails: impl FnMut(&Block) -> bool) -> Block {
    let mut smallest = program.clone();
    let mut attempts_left = attempts;
    loop {
        let before = count(&smallest);
        // From the end, since a change moves only the statements after it.
        let mut position = before;
        while position > 0 {
            position -= 1;
            let changes: [fn(Place<'_>) -> bool; 3] =
                [remove, |place| hoist(place, 0), |place| hoist(place, 1)];
            for change in changes {
                let mut candidate = smallest.clone();
                let changed =
                    place(&mut candidate, position, false).is_some_and(|place| change(place));
                if !changed {
                    continue;
                }
                if attempts_left == 0 {
                    return smallest;
                }
                attempts_left -= 1;
                if fails(&candidate) {
                    smallest = candidate;
                    position = position.min(count(&smallest));
                    break;
                }
            }
        }
        if count(&smallest) == before {
            return smallest;
        }
    }
}

fn count(block: &Block) -> usize {
    block
        .iter()
        .map(|statement| 1 + statement.bodies().map(count).sum::<usize>())
        .sum()
}

/// A statement within its block.
struct Place<'a> {
    block: &'a mut Block,
    index: usize,
    /// Whether it is the work at the start of a branch. That stays, since branches without work
    /// tie.
    begins_branch: bool,
}

/// The statement at `position` in depth-first order.
fn place(block: &mut Block, mut position: usize, is_branch: bool) -> Option<Place<'_>> {
    let mut index = 0;
    while position > 0 {
        let within = block.get(index)?.bodies().map(count).sum::<usize>();
        if position <= within {
            return place_within(&mut block[index], position - 1);
        }
        position -= 1 + within;
        index += 1;
    }
    (index < block.len()).then_some(Place {
        block,
        index,
        begins_branch: is_branch && index == 0,
    })
}

fn place_within(statement: &mut Statement, position: usize) -> Option<Place<'_>> {
    match statement {
        Statement::Join { left, right, .. } => match position.checked_sub(count(left)) {
            None => place(left, position, true),
            Some(position) => place(right, position, true),
        },
        Statement::Spawn { body, .. } => place(body, position, true),
        Statement::Scope { body, .. }
        | Statement::Install { body, .. }
        | Statement::Region { body, .. }
        | Statement::Catch { body } => place(body, position, false),
        _ => None,
    }
}

/// Removes the statement. Returns whether it did.
fn remove(place: Place<'_>) -> bool {
    if !place.begins_branch {
        place.block.remove(place.index);
    }
    !place.begins_branch
}

/// Replaces a statement by one of its blocks. Returns whether it did.
fn hoist(place: Place<'_>, which: usize) -> bool {
    let statement = &place.block[place.index];
    // The scopes that a spawn sees must not change.
    let sees_the_same = match statement {
        Statement::Scope { body, .. } => !has_spawn(body),
        Statement::Spawn { level, .. } => *level == 0,
        _ => true,
    };
    let body = statement.bodies().nth(which).filter(|_| sees_the_same);
    let Some(body) = body.cloned() else {
        return false;
    };
    place.block.splice(place.index..=place.index, body);
    true
}

fn has_spawn(block: &Block) -> bool {
    block.iter().any(|statement| {
        matches!(statement, Statement::Spawn { .. }) || statement.bodies().any(has_spawn)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};
    use crate::random::Random;

    fn has_yield(block: &Block) -> bool {
        block.iter().any(|statement| {
            matches!(statement, Statement::Yield { .. }) || statement.bodies().any(has_yield)
        })
    }

    #[test]
    fn keeps_only_what_the_failure_needs() {
        let mut random = Random::new(1);
        let mut shape = Shape::random(&mut random, 2);
        shape.frequencies.yields = 10;
        shape.frequencies.detached = 0;
        shape.statements = 100;
        let program = generate(&mut random, &shape);
        assert!(has_yield(&program));
        let smallest = shrink(&program, 1_000, has_yield);
        assert!(has_yield(&smallest));
        assert_eq!(count(&smallest), 1, "{smallest:?}");
    }
}
