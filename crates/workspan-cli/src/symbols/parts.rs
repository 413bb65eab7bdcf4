//! Functions that compilers make out of parts of others, as clang does for OpenMP constructs.

use workspan_model::Location;

use super::c;
use super::frame::Frame;

/// The name of the function whose lines contain `place`: the last one that begins before it in the
/// same file. Debug information of clang before version 17 does not say what a part is a part of.
pub(super) fn enclosing<'a>(
    functions: &'a [(Location, String)],
    place: &Location,
) -> Option<&'a str> {
    functions
        .iter()
        .filter(|(begin, name)| {
            begin.file == place.file
                && begin.line <= place.line
                && !c::is_nameless_part(name)
                && !c::is_nameless_lambda(name)
        })
        .max_by_key(|(begin, _)| begin.line)
        .map(|(_, name)| name.as_str())
}

/// Merges a frame with the next outer one if both are parts of the same function, one of them
/// inlined into the other.
pub(super) fn merge(frames: &mut Vec<Frame>) {
    let is_same = |inner: &Frame, outer: &Frame| {
        let rust = |frame: &Frame| frame.function.as_ref().is_none_or(|it| it.is_rust());
        inner.inlined
            && !rust(inner)
            && inner.function == outer.function
            && inner.definition.as_ref().map(|place| &place.file)
                == outer.definition.as_ref().map(|place| &place.file)
            && inner.definition != outer.definition
    };
    frames.dedup_by(|outer, inner| {
        let same = is_same(inner, outer);
        if same {
            inner.inlined = outer.inlined;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::super::function::Function;
    use super::*;

    fn at(file: &str, line: u32) -> Location {
        Location {
            file: file.to_owned(),
            line,
            column: 0,
        }
    }

    #[test]
    fn a_part_belongs_to_the_last_function_before_it() {
        let functions = [
            (at("a.c", 19), "main".to_owned()),
            (at("a.c", 2), "fib".to_owned()),
            (at("a.c", 6), ".omp_outlined..1".to_owned()),
            (at("a.h", 5), "inline_in_a_header".to_owned()),
            (at("a.c", 12), "sum".to_owned()),
        ];
        assert_eq!(enclosing(&functions, &at("a.c", 8)), Some("fib"));
        assert_eq!(enclosing(&functions, &at("a.c", 12)), Some("sum"));
        assert_eq!(enclosing(&functions, &at("a.c", 23)), Some("main"));
        assert_eq!(enclosing(&functions, &at("b.c", 23)), None);
    }

    #[test]
    fn parts_of_one_function_at_one_address_are_one_frame() {
        let frame = |name: &str, line, inlined| Frame {
            function: Some(Function::from_symbol(name)),
            location: Some(at("a.c", line)),
            definition: Some(at("a.c", line)),
            inlined,
            ..Frame::default()
        };
        let mut frames = vec![
            frame("fib", 8, true),
            frame("fib", 7, false),
            frame("main", 20, false),
        ];
        merge(&mut frames);
        let lines = frames
            .iter()
            .map(|frame| frame.location.as_ref().unwrap().line);
        assert_eq!(lines.collect::<Vec<_>>(), [8, 20]);
        assert!(!frames[0].inlined);
        // A recursive function inlined into itself has a single definition, and stays.
        let mut recursion = vec![frame("fib", 8, true), frame("fib", 8, false)];
        merge(&mut recursion);
        assert_eq!(recursion.len(), 2);
    }
}
