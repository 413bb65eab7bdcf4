//! What cannot be treated is reported with its place.

use super::{Language, problems, serial_elision};

#[test]
fn a_spawn_in_a_larger_expression() {
    for text in [
        "x = 1 + cilk_spawn f();",
        "x = cilk_spawn f() + 1;",
        "return cilk_spawn f();",
        "g(cilk_spawn f());",
        "if (cilk_spawn f()) g();",
        "x = y = cilk_spawn f();",
        "x = a, y = cilk_spawn f();",
        "x = (int) cilk_spawn f();",
        "x = cilk_spawn (int) f();",
        "x = cilk_spawn new f();",
        "x = cilk_spawn f;",
        "int x = cilk_spawn f(), y = 2;",
        "x = c ? cilk_spawn f() : 0;",
        "for (int x = cilk_spawn f();;) g();",
        "int x[] = {cilk_spawn f()};",
    ] {
        let column = 12 + text.find("cilk_spawn").unwrap();
        let said = problems(&format!("void m() {{ {text} }}"));
        let expected = format!("f.c:1:{column}: `cilk_spawn` inside a larger expression; make it");
        assert!(said.starts_with(&expected), "{text}: {said}");
    }
}

#[test]
fn all_problems_are_told_in_order() {
    let said = problems(
        "void m() {\n g(cilk_spawn f());\n cilk_sync + 1;\n cilk_scope f();\n cilk_for f();\n}\ncilk_sync;",
    );
    let places: Vec<&str> = said.lines().map(|line| &line[..7]).collect();
    assert_eq!(
        places,
        ["f.c:2:4", "f.c:3:2", "f.c:4:2", "f.c:5:2", "f.c:7:1"],
        "{said}"
    );
    assert!(
        said.contains("`cilk_sync` must be followed by a semicolon"),
        "{said}"
    );
    assert!(
        said.contains("`cilk_scope` must be followed by a block in braces"),
        "{said}"
    );
    assert!(
        said.contains("`cilk_sync` outside of the functions that cilk2c finds"),
        "{said}"
    );
}

#[test]
fn a_keyword_in_a_macro() {
    let said = problems("\n#define RUN(f) \\\n  cilk_spawn f()\nvoid m() { RUN(f); }");
    assert!(
        said.starts_with("f.c:2:1: `cilk_spawn` in the macro `RUN`; preprocess the file first"),
        "{said}"
    );
}

#[test]
fn an_included_file_with_keywords() {
    let read = |name: &str| {
        (name == "g.h").then(|| "/* cilk_spawn */\nvoid g() { cilk_sync; }".to_owned())
    };
    let text = "#include \"h.h\"\n#include \"g.h\"\nint x;";
    let said = serial_elision(text, "f.c", Language::C, &read).unwrap_err();
    assert_eq!(said.len(), 1);
    let said = said[0].to_string();
    assert!(
        said.starts_with("f.c:2:1: the included file `g.h` has `cilk_sync` (line 2)"),
        "{said}"
    );
}

#[test]
fn a_library_of_reducers() {
    let said = problems("#include <cilk/reducer_opadd.h>\n");
    assert!(
        said.starts_with("f.c:1:1: `cilk/reducer_opadd.h` is of Cilk Plus' library"),
        "{said}"
    );
}

#[test]
fn braces_that_do_not_match() {
    let said =
        problems("void m() {\n#if A\n if (a) {\n#else\n if (b) {\n#endif\n cilk_spawn f(); } }");
    assert!(
        said.starts_with("f.c:1:10: `{` has no partner; if branches of #if"),
        "{said}"
    );
}

#[test]
fn a_construct_across_branches() {
    let said = problems("void m() {\n#if A\n cilk_for (;;)\n#else\n for (;;)\n#endif\n { f(); } }");
    assert!(
        said.starts_with("f.c:3:2: `cilk_for` begins in one branch of #if and ends in another"),
        "{said}"
    );
}

/// What is no program has some output or some problem, and never a panic.
#[test]
fn a_text_may_begin_anyhow() {
    for text in [
        "noexcept(n) { cilk_sync; }",
        "-> int { cilk_sync; }",
        ") { cilk_sync; }",
    ] {
        for language in [Language::C, Language::Cpp] {
            let _ = serial_elision(text, "f.c", language, &|_| None);
        }
    }
}
