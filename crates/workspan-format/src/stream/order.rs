//! Numbers for the vertices: each comes after all that it waits for.

use workspan_model::{StrandRegion, Successor, Successors, Vertex, VertexId};

use super::draft::Draft;

const UNSEEN: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

/// Vertices in order, their successors, and the regions that they are of.
pub(super) type Numbered = (Vec<Vertex>, Successors, Vec<StrandRegion>);

/// The vertices of `draft`, their successors and their regions, in the order in which one worker would run them: of what a
/// fork makes, all of the left branch before the right one.
///
/// # Errors
/// When something waits for itself.
pub(super) fn numbered(draft: Draft, first: VertexId) -> Result<Numbered, String> {
    let Draft {
        vertices: unordered,
        mut edges,
        regions,
        ..
    } = draft;
    let numbers = numbers(&Successors::new(unordered.len(), &edges), first)?;
    let renumbered = |old: VertexId| VertexId(numbers[old.index()]);
    for (from, to) in &mut edges {
        *from = renumbered(*from);
        *to = Successor::new(renumbered(to.to()), to.is_stealable());
    }
    let mut vertices = unordered.clone();
    for (vertex, number) in unordered.into_iter().zip(&numbers) {
        vertices[*number as usize] = Vertex {
            begun_by: renumbered(vertex.begun_by),
            ..vertex
        };
    }
    let successors = Successors::new(vertices.len(), &edges);
    Ok((vertices, successors, regions))
}

/// The number of each vertex: their order by depth-first search, from the last one left to the first one entered.
fn numbers(successors: &Successors, first: VertexId) -> Result<Vec<u32>, String> {
    let mut numbers = vec![UNSEEN; successors.vertices()];
    let mut next_number = numbers.len() as u32;
    // The vertices on the way from the first, with how many of their successors have not been looked at.
    let enter = |vertex: VertexId| (vertex, successors.of(vertex).len() as u32);
    let mut way = vec![enter(first)];
    numbers[first.index()] = OPEN;
    while let Some((vertex, left)) = way.last_mut() {
        if *left == 0 {
            next_number -= 1;
            numbers[vertex.index()] = next_number;
            way.pop();
            continue;
        }
        *left -= 1;
        let to = successors.of(*vertex)[*left as usize].to();
        match numbers[to.index()] {
            UNSEEN => {
                numbers[to.index()] = OPEN;
                way.push(enter(to));
            }
            OPEN => return Err("something waits for itself".to_owned()),
            _ => {}
        }
    }
    if next_number == 0 {
        Ok(numbers)
    } else {
        Err("something waits for itself, and not for the program".to_owned())
    }
}
