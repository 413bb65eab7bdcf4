use super::*;

fn function(name: &str) -> Function {
    Function::from_rust(name.to_owned())
}

#[test]
fn a_call_through_a_reference_is_named_after_the_function() {
    let shim = "<&a::b::{closure#0} as core::ops::function::FnMut<(usize,)>>::call_mut";
    assert_eq!(function(shim).readable(), "a::b::{closure}");
}

#[test]
fn library_frames_are_not_user_code() {
    for library in [
        "rayon::iter::ParallelIterator::for_each",
        "<rayon::iter::map::Map<I,F> as rayon::iter::ParallelIterator>::drive_unindexed",
        "rayon::iter::plumbing::bridge_producer_consumer::helper",
        "rayon_core_real::registry::Registry::in_worker",
        "workspan::region::in_region",
        "core::ops::function::FnOnce::call_once",
        "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once",
        "core::ops::function::impls::<impl core::ops::function::FnOnce<A> for &F>::call_once",
        "<T as core::convert::Into<U>>::into",
        "<core::panic::unwind_safe::AssertUnwindSafe<app::main::{closure#0}> as \
         core::ops::function::FnOnce<()>>::call_once",
        "main",
        "__libc_start_main",
    ] {
        assert!(!function(library).is_user_code(), "{library}");
    }
    for users in [
        "app::main",
        "app::main::{{closure}}",
        "app::sums::<impl rayon::iter::ParallelIterator for app::Sums>::drive_unindexed",
        "<app::Folder as rayon::iter::plumbing::Folder<T>>::consume",
        "<alloc::vec::Vec<T> as app::Sum>::sum",
        "<&mut app::Tree>::walk",
        "hashbrown::rayon::map::par_iter",
    ] {
        assert!(function(users).is_user_code(), "{users}");
    }
}

#[test]
fn methods_that_rayon_calls_back_start_operations() {
    for called_back in [
        "<indexmap::rayon::set::ParIter<T> as rayon::iter::IndexedParallelIterator>::with_producer",
        "<app::Set<T> as rayon::iter::FromParallelIterator<T>>::from_par_iter::<app::Source<T>>",
        "app::sums::<impl rayon::iter::ParallelIterator for app::Sums<T>>::drive_unindexed",
        "<app::Callback<C> as rayon::iter::plumbing::ProducerCallback<T>>::callback",
    ] {
        assert!(
            function(called_back).starts_rayon_operation(),
            "{called_back}"
        );
    }
    for other in [
        "app::main",
        "<app::Tree>::walk",
        "<app::Tree as app::Walk>::walk",
        "<app::Folder as rayon::iter::plumbing::Folder<T>>::consume",
        "<app::Sums as rayon::iter::ParallelIterator>::drive_unindexed::{{closure}}",
        "app::sums::<impl rayon::iter::ParallelIterator for app::Sums>::drive_unindexed::{closure#0}",
    ] {
        assert!(!function(other).starts_rayon_operation(), "{other}");
    }
}

#[test]
fn names_are_readable() {
    for (name, readable) in [
        ("app::sort::quicksort::<i32>", "app::sort::quicksort"),
        ("app::main::{{closure}}", "app::main::{closure}"),
        (
            "app::main::{closure#0}::{closure#1}",
            "app::main::{closure}::{closure}",
        ),
        ("<app::Tree<K, V>>::walk::<F>", "app::Tree::walk"),
        (
            "<app::Tree<K,V> as core::iter::Iterator>::next",
            "app::Tree::next",
        ),
        ("<T as app::Sum>::sum", "app::Sum::sum"),
        (
            "app::sums::<impl core::fmt::Display for app::Sums>::fmt",
            "app::sums::fmt",
        ),
        ("app::apply::<fn(i32) -> i32>", "app::apply"),
    ] {
        assert_eq!(function(name).readable(), readable);
    }
}

#[test]
fn methods_of_rayon_are_named_by_their_trait() {
    for (name, method) in [
        (
            "rayon::iter::ParallelIterator::for_each",
            "ParallelIterator::for_each",
        ),
        (
            "<rayon::vec::IntoIter<u8> as rayon::iter::ParallelIterator>::sum::<u8>",
            "ParallelIterator::sum",
        ),
        (
            "rayon::slice::ParallelSliceMut::par_sort_unstable",
            "ParallelSliceMut::par_sort_unstable",
        ),
        (
            "<[T] as rayon::slice::ParallelSliceMut<T>>::par_sort_by::{{closure}}",
            "ParallelSliceMut::par_sort_by",
        ),
    ] {
        assert_eq!(function(name).method(), method);
    }
}

#[test]
fn both_manglings_are_demangled() {
    assert_eq!(
        Function::from_symbol("_ZN3app4main17h0123456789abcdefE").name(),
        "app::main"
    );
    assert_eq!(
        Function::from_symbol("_RNvCs1234_3app4main").name(),
        "app::main"
    );
    assert_eq!(Function::from_symbol("main").name(), "main");
}

#[test]
fn functions_of_libraries_and_runtimes_are_not_the_programs() {
    for own in [
        "app::main",
        "dependency::work",
        "c_function",
        "_ZN3geo5Point3addIiEEvT_",
        "_ZN12_GLOBAL__N_14workEi",
        "app::main::{closure#0}",
        "<app::Job as core::ops::function::FnOnce<()>>::call_once",
        "<&app::Point as core::ops::arith::Add>::add",
    ] {
        assert!(Function::from_symbol(own).is_of_program(), "{own}");
    }
    for other in [
        "core::ptr::drop_in_place::<app::Tree>",
        "<alloc::vec::Vec<app::Tree> as core::ops::drop::Drop>::drop",
        "rayon_core::join",
        "<crossbeam_epoch::internal::Global>::collect",
        "__rustc::__rust_alloc",
        "_ZNSt6vectorIiSaIiEE9push_backEOi",
        "<&app::main::{closure#0} as core::ops::function::FnMut<(usize,)>>::call_mut",
        "<&mut app::main::{closure#0} as core::ops::function::FnOnce<(usize,)>>::call_once",
        "core::ops::function::impls::<impl core::ops::function::FnMut<A> for &F>::call_mut",
    ] {
        assert!(!Function::from_symbol(other).is_of_program(), "{other}");
    }
}

#[test]
fn names_of_cpp_have_no_types() {
    let name = |symbol| Function::from_symbol(symbol).readable();
    assert_eq!(name("_ZN3foo3barEv"), "foo::bar");
    assert_eq!(name("_ZN3geo5Point3addIiEEvT_"), "geo::Point::add");
}
