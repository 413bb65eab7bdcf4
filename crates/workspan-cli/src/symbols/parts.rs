//! Functions that compilers made out of parts of others, as clang does for OpenMP's constructs.

use workspan_model::Location;

use super::c;
use super::frame::Frame;

/// The name of the function in whose lines `place` lies: of those before it in the same file, the last. Debug information
/// of clang before version 17 does not say whose part a part is.
pub(super) fn around<'a>(functions: &'a [(Location, String)], place: &Location) -> Option<&'a str> {
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

/// Makes one of a part and of the function around it where that is inlined into another part of the same function.
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
    fn a_part_lies_in_the_last_function_before_it() {
        let functions = [
            (at("a.c", 19), "main".to_owned()),
            (at("a.c", 2), "fib".to_owned()),
            (at("a.c", 6), ".omp_outlined..1".to_owned()),
            (at("a.h", 5), "inline_in_a_header".to_owned()),
            (at("a.c", 12), "sum".to_owned()),
        ];
        assert_eq!(around(&functions, &at("a.c", 8)), Some("fib"));
        assert_eq!(around(&functions, &at("a.c", 12)), Some("sum"));
        assert_eq!(around(&functions, &at("a.c", 23)), Some("main"));
        assert_eq!(around(&functions, &at("b.c", 23)), None);
    }

    #[test]
    fn parts_of_one_function_at_one_address_are_one_frame() {
        let frame = |name: &str, line, inlined| Frame {
            function: Some(Function::of_symbol(name)),
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
        // A recursion that is inlined into itself has one definition, and stays.
        let mut recursion = vec![frame("fib", 8, true), frame("fib", 8, false)];
        merge(&mut recursion);
        assert_eq!(recursion.len(), 2);
    }
}
