//! The crate as a user's compiler sees it, in a normal and in a profiled build.

mod compiler;

use compiler::Build;

/// [`MARKED`] without the regions.
const PLAIN: &str = include_str!("../programs/plain.rs");
const MARKED: &str = include_str!("../programs/marked.rs");

#[test]
fn nothing_of_it_remains_in_an_optimised_build() {
    for level in ["1", "2", "3", "s", "z"] {
        let options = [
            "--crate-type=lib",
            "--emit=asm",
            "-C",
            &format!("opt-level={level}"),
        ];
        let assembly = |source| Build::Normal.compile("work", source, &options).assembly();
        let (plain, marked) = (assembly(PLAIN), assembly(MARKED));
        assert!(plain.contains("work_function"), "{plain}");
        assert_eq!(plain, marked, "at level {level}");
    }
}

#[test]
fn a_profiled_program_without_an_engine_runs_as_usual() {
    let source = "fn main() { let _one = workspan::region(\"one\"); println!(\"ran\"); }";
    for options in [
        &[][..],
        &["-C", "opt-level=3"],
        &["-C", "relocation-model=static"],
    ] {
        assert_eq!(
            Build::Profiled.compile("alone", source, options).run(),
            "ran\n"
        );
    }
}

#[test]
fn names_places_and_ends_are_reported_to_the_engine() {
    let source = include_str!("../programs/told.rs");
    let expected = include_str!("../programs/told.txt");
    for level in ["0", "3"] {
        let options = ["-C", &format!("opt-level={level}")];
        assert_eq!(
            Build::Profiled.compile("told", source, &options).run(),
            expected
        );
    }
}

#[test]
fn names_are_not_formatted_in_a_normal_build() {
    let source = "
        struct Loud;
        impl std::fmt::Display for Loud {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                println!(\"formatted\");
                Ok(())
            }
        }
        fn main() { let _one = workspan::region(format_args!(\"{Loud}\")); }";
    assert_eq!(Build::Normal.compile("quiet", source, &[]).run(), "");
}

#[test]
fn what_cannot_be_a_region_is_refused_with_the_reason() {
    for (item, reason) in [
        ("#[workspan::function] const fn f() {}", "a `const fn` cannot be a region"),
        ("#[workspan::function] pub async fn f() {}", "an `async fn` cannot be a region"),
        ("#[workspan::function] struct S;", "marks functions only"),
        ("#[workspan::function] const F: fn() = main;", "marks functions only"),
        ("#[workspan::function] impl S { fn f() {} }", "marks functions only"),
        ("trait T { #[workspan::function] fn f(); }", "functions with a body"),
        ("extern \"C\" { #[workspan::function] fn f(); }", "functions with a body"),
        ("#[workspan::function(\"name\")] fn f() {}", "takes no arguments"),
        ("fn f() { workspan::region(\"x\"); }\n#[deny(unused_must_use)] fn g() { workspan::region(\"x\"); }", "unused `Region` that must be used"),
        ("fn f(r: workspan::Region) { std::thread::spawn(move || drop(r)); }", "cannot be sent between threads safely"),
    ] {
        let errors = Build::Normal.refuse("refused", &format!("{item}\nfn main() {{}}\nstruct S;"));
        assert!(errors.contains(reason), "no `{reason}` for `{item}` in: {errors}");
    }
}
