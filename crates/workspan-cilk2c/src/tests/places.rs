//! Lines and places stay those of the source.

use super::{Language, elision_in, serial_elision};

fn output(text: &str) -> String {
    serial_elision(text, "a/f.c", Language::C, &|_| None).unwrap()
}

#[test]
fn sites_have_the_place_of_the_keyword_and_the_function() {
    let output = elision_in(
        Language::C,
        "\nint g(void)\n{\n    int x = cilk_spawn f();\n}\n",
    );
    assert!(output.contains(
        "WORKSPAN_CILK_SPAWN(workspan_task_1, workspan_frame_0, \"f.c\", 4, 13, \"g\");"
    ));
    assert!(output.contains("WORKSPAN_CILK_FRAME(workspan_frame_0, \"f.c\", 2, 5, \"g\");"));
}

#[test]
fn functions_are_named_with_what_is_around_them() {
    let output = elision_in(
        Language::Cpp,
        "namespace a::b { struct s { void m() { auto l = [&] { cilk_sync; }; } ~s() { cilk_sync; } }; }\n\
         template <class T> void c::d<T>::e() { cilk_sync; }",
    );
    assert!(output.contains("\"a::b::s::m::{lambda}\""), "{output}");
    assert!(output.contains("\"a::b::s::~s\""), "{output}");
    assert!(output.contains("\"c::d<T>::e\""), "{output}");
}

#[test]
fn the_header_stands_where_cilks_was() {
    let text = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <cilk/cilk.h> // Cilk\nvoid f() { cilk_sync; }\n";
    let expected = "#line 1 \"a/f.c\" /* the serial elision, by workspan cilk2c */\n#define _GNU_SOURCE\n\
                    #include <stdio.h>\n#include <workspan/cilk.h>\nvoid f() {";
    assert!(output(text).starts_with(expected), "{}", output(text));
}

#[test]
fn without_cilks_header_it_stands_behind_the_last_one() {
    let text = "#include <stdio.h>\n\nvoid f() { cilk_sync; }\n";
    let expected = "#line 1 \"a/f.c\" /* the serial elision, by workspan cilk2c */\n#include <stdio.h>\n\
                    #include <workspan/cilk.h>\n#line 2 \"a/f.c\"\n\nvoid f() {";
    assert!(output(text).starts_with(expected), "{}", output(text));
    assert!(
        output("void f() { cilk_sync; }")
            .starts_with("#include <workspan/cilk.h>\n#line 1 \"a/f.c\" ")
    );
}

#[test]
fn a_header_that_may_be_left_out_is_no_place() {
    let text = "#ifdef CILK\n#include <cilk/cilk.h>\n#endif\nvoid f() { cilk_sync; }\n";
    assert!(output(text).starts_with("#include <workspan/cilk.h>\n#line 1"));
    let guarded =
        "#ifndef F_H\n#define F_H\n#include <cilk/cilk.h>\nvoid f() { cilk_sync; }\n#endif\n";
    assert!(
        output(guarded).starts_with("#line 1"),
        "{}",
        output(guarded)
    );
}

#[test]
fn places_of_an_earlier_preprocessor_are_kept() {
    let output = output("# 1 \"src/g.c\"\n\nvoid f() {\n# 40 \"src/h.h\" 1\n  cilk_spawn f(); }\n");
    assert!(output.contains("\"src/h.h\", 40, 3, \"f\""), "{output}");
    assert!(output.contains("\"src/g.c\", 2, 6, \"f\""), "{output}");
}

#[test]
fn what_was_preprocessed_gets_the_macros_only() {
    let text = "# 1 \"f.c\"\nvoid workspan_cilk_begin();\nvoid f() { _Cilk_sync; }\n";
    assert!(
        output(text).starts_with("#include <workspan/cilk_macros.h>\n#line 1"),
        "{}",
        output(text)
    );
}

#[test]
fn lines_are_not_moved() {
    let text = "void m() {\n  x =\n cilk_spawn\n  f(g(1,\n 2),\n 3)\n ;\n cilk_for (;\n;)\n if (a)\n b();\n}\nint last;\n";
    let output = elision_in(Language::C, text);
    assert_eq!(
        output.lines().position(|line| line == "int last;"),
        Some(12),
        "{output}"
    );
}

#[test]
fn names_of_files_are_strings_of_c() {
    let output = serial_elision("void f() { cilk_sync; }", "a\\\"b.c", Language::C, &|_| {
        None
    })
    .unwrap();
    assert!(output.contains(r#"#line 1 "a\\\"b.c""#), "{output}");
}
