//! Which of rayon's operations a stack inside rayon belongs to.

use workspan_model::SiteKind;

use super::frame::Frame;
use super::function::Function;

/// Kind of the operation whose frames, all inside rayon, are given. None if they tell nothing.
pub(super) fn kind(inside: &[Frame]) -> Option<SiteKind> {
    let names = || {
        inside
            .iter()
            .filter_map(|frame| Some(frame.function.as_ref()?.name()))
    };
    let any = |parts: &[&str]| names().any(|name| parts.iter().any(|part| name.contains(part)));
    if any(&["par_bridge"]) {
        Some(SiteKind::ParBridge)
    } else if any(&["rayon::slice::sort", "::par_sort", "mergesort", "quicksort"]) {
        Some(SiteKind::ParSort)
    } else if any(&[
        "rayon::iter",
        "rayon::slice",
        "rayon::vec",
        "rayon::range",
        "rayon::",
    ]) {
        Some(SiteKind::ParIter)
    } else {
        None
    }
}

/// The operation that the user's code called: the frame of rayon's next to it.
pub(super) fn entry(inside: &[Frame]) -> Option<String> {
    inside
        .iter()
        .rev()
        .filter_map(|frame| frame.function.as_ref())
        .find(|function| function.name().contains("rayon::"))
        .map(Function::method)
}

/// The user's function that a type of rayon's was made for: the first path in it that leads to neither rayon nor
/// the standard library.
pub(super) fn user_function_in_type(type_name: &str) -> Option<String> {
    type_name
        .split(|letter: char| !(letter.is_alphanumeric() || "_:{}#".contains(letter)))
        .filter(|path| path.contains("::"))
        .map(Function::of_symbol)
        .find(Function::is_user_code)
        .map(|function| function.readable())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(names: &[&str]) -> Vec<Frame> {
        names
            .iter()
            .map(|name| Frame {
                function: Some(Function::of_symbol(name)),
                location: None,
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

    #[test]
    fn bridges_and_sorts_are_told_apart() {
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
    fn a_type_leads_to_the_users_closure() {
        let name = "rayon::iter::plumbing::bridge_producer_consumer::helper<rayon::range::IterProducer<i32>, \
                    rayon::iter::for_each::ForEachConsumer<app::render::{{closure}}>>::{{closure}}";
        assert_eq!(
            user_function_in_type(name).as_deref(),
            Some("app::render::{closure}")
        );
        assert_eq!(user_function_in_type("rayon::vec::IntoIter<u8>"), None);
    }
}
