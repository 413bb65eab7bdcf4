//! Finds the operation of rayon that a stack inside rayon belongs to.

use workspan_model::SiteKind;

use super::frame::Frame;
use super::function::Function;

/// The kind of the operation with these frames, all inside rayon; `None` if they do not show it.
pub(super) fn kind(inside: &[Frame]) -> Option<SiteKind> {
    let names = || {
        inside
            .iter()
            .filter_map(|frame| Some(frame.function.as_ref()?.name()))
    };
    let any = |paths: &[&str]| names().any(|name| paths.iter().any(|path| has_path(name, path)));
    if any(&["rayon::iter::par_bridge"]) {
        Some(SiteKind::ParBridge)
    } else if any(&SORTS) || names().any(is_sort_of_slices) {
        Some(SiteKind::ParSort)
    } else if any(&["rayon"]) {
        Some(SiteKind::ParIter)
    } else {
        None
    }
}

/// Modules of rayon that sort.
const SORTS: [&str; 3] = [
    "rayon::slice::sort",
    "rayon::slice::mergesort",
    "rayon::slice::quicksort",
];

/// Whether `name` has `path` in it as whole segments, from the name of a crate on.
fn has_path(name: &str, path: &str) -> bool {
    name.match_indices(path).any(|(start, _)| {
        let (before, after) = (&name[..start], &name[start + path.len()..]);
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        !before.ends_with(|letter| is_name(letter) || letter == ':') && after.starts_with("::")
    })
}

/// Whether it is one of the methods `par_sort…` of rayon.
fn is_sort_of_slices(name: &str) -> bool {
    has_path(name, "rayon::slice") && name.contains("::par_sort")
}

/// The index of the frame that called rayon's innermost operation on the stack; `None` if it is not
/// on the stack.
///
/// It is the first frame of the user's code, except in a library that implements rayon's traits:
/// then rayon was called further out, and called the library back.
pub(super) fn caller(stack: &[Frame]) -> Option<usize> {
    let next = |start: usize, is: fn(&Frame) -> bool| {
        let found = stack[start..].iter().position(is);
        found.map(|offset| start + offset)
    };
    let mut caller = next(0, Frame::is_user_code)?;
    loop {
        let run = caller..next(caller, Frame::is_inside_rayon).unwrap_or(stack.len());
        let called_back = run.rev().find(|&index| {
            let function = stack[index].function.as_ref();
            function.is_some_and(Function::starts_rayon_operation)
        });
        match called_back {
            Some(index) => caller = next(index + 1, Frame::is_user_code)?,
            None => return Some(caller),
        }
    }
}

/// The operation that the user's code called: rayon's frame next to it.
pub(super) fn entry(inside: &[Frame]) -> Option<String> {
    inside
        .iter()
        .rev()
        .filter_map(|frame| frame.function.as_ref())
        .find(|function| function.name().contains("rayon::"))
        .map(Function::method)
}

/// The user's closure in the name of one of rayon's types. Other paths in it are of items and
/// collections, which say nothing about the place.
pub(super) fn closure_in_type(type_name: &str) -> Option<String> {
    type_name
        .split(|letter: char| !(letter.is_alphanumeric() || "_:{}#".contains(letter)))
        .filter(|path| path.ends_with("{{closure}}"))
        .map(|path| Function::from_rust(path.to_owned()))
        .find(Function::is_user_code)
        .map(|function| function.readable())
}

#[cfg(test)]
mod tests {
    use workspan_model::Location;

    use super::*;

    fn stack(names: &[&str]) -> Vec<Frame> {
        names
            .iter()
            .map(|name| Frame {
                function: Some(Function::from_rust((*name).to_owned())),
                ..Frame::default()
            })
            .collect()
    }

    #[test]
    fn an_iterator_is_named_by_the_call_that_started_it() {
        let inside = stack(&[
            "rayon::iter::plumbing::bridge_producer_consumer::helper",
            "<rayon::iter::map::Map<I,F> as rayon::iter::ParallelIterator>::drive_unindexed",
            "rayon::iter::ParallelIterator::sum",
        ]);
        assert_eq!(kind(&inside), Some(SiteKind::ParIter));
        assert_eq!(entry(&inside).as_deref(), Some("ParallelIterator::sum"));
    }

    /// A stack whose frames have the places that `caller` needs.
    fn placed(names: &[&str]) -> Vec<Frame> {
        let mut frames = stack(names);
        for (line, frame) in (1..).zip(&mut frames) {
            frame.location = Some(Location {
                file: "src/main.rs".to_owned(),
                line,
                column: 1,
            });
        }
        frames
    }

    const FOR_EACH: &str = "rayon::iter::ParallelIterator::for_each";
    const HELPER: &str = "rayon::iter::plumbing::bridge_producer_consumer::helper";
    const WITH_PRODUCER: &str = "<indexmap::rayon::set::ParIter<T> as \
                                 rayon::iter::IndexedParallelIterator>::with_producer";

    #[test]
    fn a_library_that_rayon_calls_back_is_not_the_caller() {
        let through_a_set = placed(&[HELPER, WITH_PRODUCER, FOR_EACH, "app::main"]);
        assert_eq!(caller(&through_a_set), Some(3));
        assert_eq!(
            entry(&through_a_set[..3]).as_deref(),
            Some("ParallelIterator::for_each")
        );
        let through_two_libraries = placed(&[
            HELPER,
            "indexmap::rayon::collect",
            "<indexmap::IndexSet<T> as rayon::iter::FromParallelIterator<T>>::from_par_iter",
            "rayon::iter::ParallelIterator::collect",
            "<app::Set as rayon::iter::FromParallelIterator<T>>::from_par_iter",
            "rayon::iter::ParallelIterator::collect",
            "app::main",
        ]);
        assert_eq!(caller(&through_two_libraries), Some(6));
        assert_eq!(caller(&placed(&[HELPER, WITH_PRODUCER, FOR_EACH])), None);
    }

    #[test]
    fn a_closure_inside_an_operation_calls_the_next_one() {
        let nested = placed(&[
            HELPER,
            FOR_EACH,
            "app::main::{{closure}}",
            HELPER,
            FOR_EACH,
            "app::main",
        ]);
        assert_eq!(caller(&nested), Some(2));
        let nested_in_a_set = placed(&[
            HELPER,
            FOR_EACH,
            "app::main::{{closure}}",
            HELPER,
            WITH_PRODUCER,
            FOR_EACH,
            "app::main",
        ]);
        assert_eq!(caller(&nested_in_a_set), Some(2));
    }

    #[test]
    fn bridges_and_sorts_are_recognized() {
        let bridge = stack(&[
            "rayon_core::broadcast",
            "<rayon::iter::par_bridge::IterBridge<I> as rayon::iter::ParallelIterator>::drive_unindexed",
            "rayon::iter::ParallelIterator::for_each",
        ]);
        assert_eq!(kind(&bridge), Some(SiteKind::ParBridge));
        let sort = stack(&[
            "rayon::slice::sort::recurse",
            "rayon::slice::ParallelSliceMut::par_sort_unstable",
        ]);
        assert_eq!(kind(&sort), Some(SiteKind::ParSort));
        assert_eq!(
            entry(&sort).as_deref(),
            Some("ParallelSliceMut::par_sort_unstable")
        );
        assert_eq!(
            kind(&stack(&["core::ops::function::FnOnce::call_once"])),
            None
        );
    }

    #[test]
    fn names_of_the_user_are_no_operations() {
        let inside = stack(&[
            "rayon::iter::plumbing::bridge_producer_consumer::helper<rayon::range::IterProducer<u64>, \
             rayon::iter::for_each::ForEachConsumer<app::my_par_bridge::quicksort_util::{{closure}}>>",
            "<rayon::iter::map::Map<I, app::mergesort::par_sort> as rayon::iter::ParallelIterator>::for_each",
        ]);
        assert_eq!(kind(&inside), Some(SiteKind::ParIter));
        assert_eq!(kind(&stack(&["my_rayon::iter::for_each"])), None);
    }

    #[test]
    fn a_type_leads_to_the_users_closure_and_not_to_the_items() {
        let name = "rayon::iter::plumbing::bridge_producer_consumer::helper<rayon::slice::IterMut<app::Item>, \
                    rayon::iter::for_each::ForEachConsumer<app::render::{{closure}}>>::{{closure}}";
        assert_eq!(
            closure_in_type(name).as_deref(),
            Some("app::render::{closure}")
        );
        assert_eq!(closure_in_type("rayon::vec::IntoIter<app::Item>"), None);
    }
}
