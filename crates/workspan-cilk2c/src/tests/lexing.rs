//! Texts that only look like keywords, and texts without any.

use super::{Language, body, elision_in, serial_elision, short};

#[test]
fn comments_strings_and_characters_stay() {
    let text = "// cilk_spawn f();\n/* cilk_sync; \n { */ const char *s = \"cilk_for (\\\"{\" \"x\"; char c = '{';\n\
                const char *r = R\"x(cilk_spawn )\" { )x\";\nint n = 1'000'000 + 0x1.8p+3;\nint my_cilk_spawn;\n";
    assert_eq!(elision_in(Language::Cpp, text), text);
    let with_keyword = format!("{text}void f() {{ cilk_sync; }}\n");
    assert!(elision_in(Language::Cpp, &with_keyword).starts_with(text));
}

#[test]
fn continued_lines_are_joined() {
    assert_eq!(
        body("cilk_sp\\\nawn f();"),
        "{ SPAWN(task_1, frame_0); f(); }"
    );
    assert_eq!(body("// no \\\ncilk_sync;\n"), "// no \\\ncilk_sync;\n");
}

#[test]
fn digraphs_are_brackets() {
    assert_eq!(
        short("void m() <% cilk_spawn f(a<:0:>); %>"),
        "void m() <% FRAME(frame_0); { SPAWN(task_1, frame_0); f(a<:0:>); } %>"
    );
}

#[test]
fn what_is_never_compiled_may_be_anything() {
    let text = "#if 0\nDon't { cilk_spawn\n#if X\n(\n#endif\n#endif\nvoid f() { }\n";
    assert_eq!(elision_in(Language::C, text), text);
    let with_keyword = format!("{text}void g() {{ cilk_sync; }}\n");
    assert!(elision_in(Language::C, &with_keyword).starts_with(text));
}

#[test]
fn own_elisions_by_macros_are_left() {
    let text = "#ifndef CILK\n#define cilk_spawn\n#define cilk_sync\n#endif\n";
    assert_eq!(elision_in(Language::C, text), text);
}

/// Pieces of a source that need not fit together.
const PIECES: [&str; 30] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "int x",
    " ",
    "\n",
    "\\\n",
    "\"s\"",
    "\"",
    "'",
    "'c'",
    "/* c */",
    "// c\n",
    "/*",
    "#define A {\n",
    "\n#if 0\n",
    "\n#endif\n",
    "R\"(",
    ")\"",
    "<:",
    "%>",
    "1'0",
    "template<",
    "é",
    "\r\n",
    "\\",
];

#[test]
fn without_keywords_the_output_is_the_input() {
    let mut random = fastrand::Rng::with_seed(8);
    for _ in 0..3000 {
        let count = random.usize(..30);
        let text: String = (0..count)
            .map(|_| PIECES[random.usize(..PIECES.len())])
            .collect();
        assert_eq!(elision_in(Language::Cpp, &text), text, "{text:?}");
    }
}

#[test]
fn any_text_gives_an_output_or_a_problem() {
    let keywords = [
        "cilk_spawn ",
        "cilk_sync",
        "cilk_for ",
        "cilk_scope ",
        "cilk_reducer ",
        "f(a)",
        "x = ",
        "void m() {",
    ];
    let pieces: Vec<&str> = PIECES.into_iter().chain(keywords).chain(keywords).collect();
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..20_000 {
        let count = random.usize(..20);
        let text: String = (0..count)
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect();
        if let Ok(output) = serial_elision(&text, "f.c", Language::Cpp, &|_| None) {
            let added = output.lines().count() - text.lines().count();
            assert!(added <= 3, "{text:?} became {output:?}");
        }
    }
}
