//! Smaller programs that still fail.

use crate::program::{Block, Statement};

/// Removes statements for as long as `fails` holds of what is left, in at most `attempts` calls.
pub fn shrink(program: &Block, attempts: usize, mut fails: impl FnMut(&Block) -> bool) -> Block {
    let mut smallest = program.clone();
    let mut attempts_left = attempts;
    // From the end, since a removal moves only the statements behind it.
    let mut position = count(&smallest);
    while position > 0 && attempts_left > 0 {
        position -= 1;
        let mut candidate = smallest.clone();
        if !remove(&mut candidate, &mut position.clone(), false) {
            continue;
        }
        attempts_left -= 1;
        if fails(&candidate) {
            smallest = candidate;
            position = position.min(count(&smallest));
        }
    }
    smallest
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

/// Removes the statement `position` places on in depth-first order. The work that a branch starts
/// with stays, because branches without work tie. Says whether it removed one.
fn remove(block: &mut Block, position: &mut usize, is_branch: bool) -> bool {
    let mut index = 0;
    while index < block.len() {
        if *position == 0 {
            let kept = is_branch && index == 0;
            if !kept {
                block.remove(index);
            }
            return !kept;
        }
        *position -= 1;
        let (found, removed) = match &mut block[index] {
            Statement::Join { left, right, .. } => {
                let (found, removed) = remove_within(left, position, true);
                if found {
                    (found, removed)
                } else {
                    remove_within(right, position, true)
                }
            }
            Statement::Spawn { body, .. } => remove_within(body, position, true),
            Statement::Scope { body, .. }
            | Statement::Install { body, .. }
            | Statement::Region { body, .. }
            | Statement::Catch { body } => remove_within(body, position, false),
            _ => (false, false),
        };
        if found {
            return removed;
        }
        index += 1;
    }
    false
}

fn remove_within(body: &mut Block, position: &mut usize, is_branch: bool) -> (bool, bool) {
    let length = count(body);
    if *position < length {
        (true, remove(body, position, is_branch))
    } else {
        *position -= length;
        (false, false)
    }
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
        assert!(count(&smallest) <= 2 * shape.depth, "{smallest:?}");
    }
}
