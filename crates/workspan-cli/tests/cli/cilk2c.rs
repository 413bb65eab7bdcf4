//! `workspan cilk2c` on files.

use std::fs;

use crate::project::workspan;

#[test]
fn the_output_goes_to_the_chosen_place() {
    let folder = tempfile::tempdir().unwrap();
    let source =
        "#include <cilk/cilk.h>\nint f(void) { int x = cilk_spawn g(); cilk_sync; return x; }\n";
    fs::write(folder.path().join("f.c"), source).unwrap();
    let printed = workspan(folder.path(), "cilk2c f.c");
    let printed = &printed.succeeds().stdout;
    assert!(printed.contains("#include <workspan/cilk.h>"), "{printed}");
    assert!(printed.contains("\"f.c\", 2, 23, \"f\""), "{printed}");
    workspan(folder.path(), "cilk2c f.c -o out.c").succeeds();
    let written = fs::read_to_string(folder.path().join("out.c")).unwrap();
    assert_eq!(written, *printed);
}

#[test]
fn the_name_decides_the_language_unless_an_option_does() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["f.c", "f.cpp"] {
        fs::write(folder.path().join(name), "void f() { cilk_spawn g(h()); }").unwrap();
    }
    for (arguments, is_c) in [
        ("f.c", true),
        ("f.cpp", false),
        ("f.c --language c++", false),
        ("f.cpp --language c", true),
    ] {
        let ran = workspan(folder.path(), &format!("cilk2c {arguments}"));
        let is_found = ran.succeeds().stdout.contains("__auto_type");
        assert_eq!(is_found, is_c, "{arguments}");
    }
}

#[test]
fn unsupported_code_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write(
        "f.c",
        b"int f() {\n  return cilk_spawn g();\n}\n#define G cilk_sync\n",
    );
    write("latin.c", b"int a;\n/* \xe9 */\n");
    write("g.h", b"void g() { cilk_sync; }\n");
    write("uses.c", b"#include \"g.h\"\n");
    let says = |arguments: &str, code, text| {
        workspan(folder.path(), &format!("cilk2c {arguments}"))
            .exits(code)
            .says(text);
    };
    says("f.c", 3, "f.c:4:1: `cilk_sync` in the macro `G`");
    says("missing.c", 3, "cannot read missing.c");
    says("latin.c", 3, "latin.c:2: not UTF-8");
    says("f.c -o f.c", 2, "would be overwritten");
    says(
        "uses.c",
        3,
        "uses.c:1:1: the included file `g.h` has `cilk_sync`",
    );
    says("", 2, "<FILE>");
    write("f.c", b"int f() {\n  return cilk_spawn g();\n}\n");
    says(
        "f.c",
        3,
        "f.c:2:10: `cilk_spawn` inside a larger expression",
    );
    says("g.h -o no/out.h", 3, "no/out.h");
    // Once the included file is translated, the compiler will find the translation next to the
    // output.
    fs::create_dir(folder.path().join("out")).unwrap();
    workspan(folder.path(), "cilk2c g.h -o out/g.h").succeeds();
    workspan(folder.path(), "cilk2c uses.c -o out/uses.c").succeeds();
}
