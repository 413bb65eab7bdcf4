//! Numbers the vertices in topological order: each comes after everything that it waits for.

use workspan_model::{StrandRegion, Successor, Successors, Vertex, VertexId};

use super::draft::Draft;

/// Instead of a number: the search has not entered the vertex.
const UNVISITED: u32 = u32::MAX;
/// Instead of a number: the search has entered the vertex and not left it.
const ENTERED: u32 = u32::MAX - 1;

/// Vertices in topological order, their successors, and the regions that they refer to.
pub(super) type Numbered = (Vec<Vertex>, Successors, Vec<StrandRegion>);

/// Puts the vertices of `draft`, which begins with `first`, in the order in which a single worker
/// would run them: all of a fork's left branch before the right one.
///
/// # Errors
/// When a vertex waits for itself.
pub(super) fn number_vertices(draft: Draft, first: VertexId) -> Result<Numbered, String> {
    let Draft {
        vertices: unordered,
        mut edges,
        regions,
        ..
    } = draft;
    let numbers = topological_numbers(&Successors::new(unordered.len(), &edges), first)?;
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

/// Numbers each vertex by a depth-first search from `first`: the vertex that the search leaves last
/// is number 0.
fn topological_numbers(successors: &Successors, first: VertexId) -> Result<Vec<u32>, String> {
    let mut numbers = vec![UNVISITED; successors.vertices()];
    let mut next_number = numbers.len() as u32;
    // The vertices on the path from the first to the current one, and how many of the successors of
    // each have not been visited.
    let enter = |vertex: VertexId| (vertex, successors.of(vertex).len() as u32);
    let mut path = vec![enter(first)];
    numbers[first.index()] = ENTERED;
    while let Some((vertex, left)) = path.last_mut() {
        if *left == 0 {
            next_number -= 1;
            numbers[vertex.index()] = next_number;
            path.pop();
            continue;
        }
        *left -= 1;
        let to = successors.of(*vertex)[*left as usize].to();
        match numbers[to.index()] {
            UNVISITED => {
                numbers[to.index()] = ENTERED;
                path.push(enter(to));
            }
            ENTERED => return Err("something waits for itself".to_owned()),
            _ => {}
        }
    }
    if next_number == 0 {
        Ok(numbers)
    } else {
        Err("something waits for itself, and not for the program".to_owned())
    }
}
