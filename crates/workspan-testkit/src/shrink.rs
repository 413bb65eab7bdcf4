//! Smaller programs that still fail.

use crate::program::{Block, Statement};

/// Removes statements, and puts blocks in the place of statements that run them, for as long as `fails` holds of what is
/// left, in at most `attempts` calls.
pub fn shrink(program: &Block, attempts: usize, mut fails: impl FnMut(&Block) -> bool) -> Block {
    let mut smallest = program.clone();
    let mut attempts_left = attempts;
    loop {
        let before = count(&smallest);
        // From the end, since a change moves only the statements behind it.
        let mut position = before;
        while position > 0 {
            position -= 1;
            for change in [remove, hoist_first, hoist_second] {
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
        .map(|statement| 1 + bodies(statement).map(count).sum::<usize>())
        .sum()
}

fn bodies(statement: &Statement) -> impl Iterator<Item = &Block> {
    let (first, second) = match statement {
        Statement::Join { left, right, .. } => (Some(left), Some(right)),
        Statement::Scope { body, .. }
        | Statement::Spawn { body, .. }
        | Statement::Install { body, .. }
        | Statement::Region { body, .. }
        | Statement::Catch { body } => (Some(body), None),
        // A shared body is kept whole: it is never changed in place.
        Statement::Detached { .. }
        | Statement::Work(_)
        | Statement::Broadcast { .. }
        | Statement::Yield { .. }
        | Statement::Panic
        | Statement::AwaitDetached => (None, None),
    };
    first.into_iter().chain(second)
}

/// Where a statement stands.
struct Place<'a> {
    block: &'a mut Block,
    index: usize,
    /// It is the work that a branch starts with, which stays, because branches without work tie.
    begins_branch: bool,
}

/// The place of the statement `position` places on in depth-first order.
fn place(block: &mut Block, mut position: usize, is_branch: bool) -> Option<Place<'_>> {
    let mut index = 0;
    while position > 0 {
        let within = bodies(block.get(index)?).map(count).sum::<usize>();
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

/// Removes the statement. Says whether it has.
fn remove(place: Place<'_>) -> bool {
    if !place.begins_branch {
        place.block.remove(place.index);
    }
    !place.begins_branch
}

/// Puts the first block of a statement in its place. Says whether it has.
fn hoist_first(place: Place<'_>) -> bool {
    hoist(place, 0)
}

/// The same of the second block.
fn hoist_second(place: Place<'_>) -> bool {
    hoist(place, 1)
}

fn hoist(place: Place<'_>, which: usize) -> bool {
    let statement = &place.block[place.index];
    // Which scopes a spawn sees must not change.
    let sees_the_same = match statement {
        Statement::Scope { body, .. } => !has_spawn(body),
        Statement::Spawn { level, .. } => *level == 0,
        _ => true,
    };
    let body = bodies(statement).nth(which).filter(|_| sees_the_same);
    let Some(body) = body.cloned() else {
        return false;
    };
    place.block.splice(place.index..=place.index, body);
    true
}

fn has_spawn(block: &Block) -> bool {
    block.iter().any(|statement| {
        matches!(statement, Statement::Spawn { .. }) || bodies(statement).any(has_spawn)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};
    use crate::random::Random;

    fn has_yield(block: &Block) -> bool {
        block.iter().any(|statement| {
            matches!(statement, Statement::Yield { .. }) || bodies(statement).any(has_yield)
        })
    }

    #[test]
    fn leaves_only_what_the_failure_needs() {
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
