//! What is written into the output: macros of `workspan-engine/include/workspan/cilk_macros.h`, one
//! line each.

use super::place::Place;

/// The line that makes these known.
pub(super) const INCLUDE: &str = "#include <workspan/cilk.h>";

/// The same where the text has the declarations already: it included Cilk's header before it was preprocessed.
pub(super) const INCLUDE_MACROS: &str = "#include <workspan/cilk_macros.h>";

/// One of the declarations.
pub(super) const DECLARED: &str = "workspan_cilk_begin";

/// A string of C.
pub(super) fn string(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

fn at(place: &Place, function: &str) -> String {
    let Place { file, line, column } = place;
    format!("{}, {line}, {column}, {}", string(file), string(function))
}

/// The name of a frame.
fn frame_name(number: usize) -> String {
    format!("workspan_frame_{number}")
}

/// The name of a task.
pub(super) fn task_name(number: usize) -> String {
    format!("workspan_task_{number}")
}

/// The declaration of a frame, behind an opening brace.
pub(super) fn frame(number: usize, place: &Place, function: &str) -> String {
    format!(
        " WORKSPAN_CILK_FRAME({}, {});",
        frame_name(number),
        at(place, function)
    )
}

/// What begins a task.
pub(super) fn spawn(number: usize, frame: usize, place: &Place, function: &str) -> String {
    let (task, frame) = (task_name(number), frame_name(frame));
    format!(
        "WORKSPAN_CILK_SPAWN({task}, {frame}, {});",
        at(place, function)
    )
}

/// What prepares a task that begins when its arguments are known.
pub(super) fn spawn_later(number: usize, frame: usize, place: &Place, function: &str) -> String {
    let (task, frame) = (task_name(number), frame_name(frame));
    format!(
        "WORKSPAN_CILK_SPAWN_LATER({task}, {frame}, {});",
        at(place, function)
    )
}

/// What ends a task before its block does.
pub(super) fn end(number: usize) -> String {
    format!(" workspan_cilk_end(&{});", task_name(number))
}

/// A sync, without its semicolon.
pub(super) fn sync(frame: usize) -> String {
    format!("workspan_cilk_sync(&{})", frame_name(frame))
}

/// A sync at the end of the block, however it is left; `token` makes its name unique.
pub(super) fn sync_at_end(frame: usize, token: usize) -> String {
    format!(
        " WORKSPAN_CILK_SYNC_AT_END(workspan_try_{token}, {});",
        frame_name(frame)
    )
}

/// What begins a parallel loop, in the place of its keyword.
pub(super) fn loop_begin(
    number: usize,
    grain: Option<&str>,
    place: &Place,
    function: &str,
) -> String {
    let grain = grain.unwrap_or("1");
    format!(
        "{{ WORKSPAN_CILK_LOOP(workspan_loop_{number}, ({grain}), {}); for",
        at(place, function)
    )
}

/// What begins an iteration.
pub(super) fn piece_begin(number: usize) -> String {
    format!(" {{ WORKSPAN_CILK_PIECE(workspan_loop_{number}, workspan_piece_{number});")
}

/// The name of an argument that is computed before its task begins.
pub(super) fn argument(task: usize, index: usize) -> String {
    format!("workspan_argument_{task}_{}", index + 1)
}
