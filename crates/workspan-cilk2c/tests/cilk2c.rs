//! The executable on files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The exit code of `workspan-cilk2c ARGUMENTS` in a folder, and what it prints.
fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workspan-cilk2c"));
    command.args(arguments.split_whitespace());
    let output = command.current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// What such a command prints, which has to succeed.
#[track_caller]
fn printed(folder: &Path, arguments: &str) -> String {
    let (code, stdout, stderr) = run(folder, arguments);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{arguments}");
    stdout
}

#[test]
fn the_output_goes_to_the_chosen_place() {
    let folder = tempfile::tempdir().unwrap();
    let source =
        "#include <cilk/cilk.h>\nint f(void) { int x = cilk_spawn g(); cilk_sync; return x; }\n";
    fs::write(folder.path().join("f.c"), source).unwrap();
    let output = printed(folder.path(), "f.c");
    assert!(output.contains("#include <workspan/cilk.h>"), "{output}");
    assert!(output.contains("\"f.c\", 2, 23, \"f\""), "{output}");
    assert_eq!(printed(folder.path(), "f.c -o out.c"), "");
    let written = fs::read_to_string(folder.path().join("out.c")).unwrap();
    assert_eq!(written, output);
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
        let is_found = printed(folder.path(), arguments).contains("__auto_type");
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
        let (ended, _, stderr) = run(folder.path(), arguments);
        assert_eq!(ended, Some(code), "{arguments}");
        assert!(stderr.contains(text), "no `{text}` in: {stderr}");
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
    printed(folder.path(), "g.h -o out/g.h");
    printed(folder.path(), "uses.c -o out/uses.c");
}

#[test]
fn output_that_cannot_be_written_is_an_error_unless_the_reader_has_enough() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.c"), "void f() {}").unwrap();
    let into = |stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workspan-cilk2c"));
        let command = command.current_dir(folder.path()).arg("f.c");
        let ended = command.stdout(stdout).output().unwrap();
        (
            ended.status.code(),
            String::from_utf8(ended.stderr).unwrap(),
        )
    };
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(into(writer.into()), (Some(0), String::new()));
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let (code, stderr) = into(full.unwrap().into());
    assert_eq!(code, Some(3));
    assert!(stderr.contains("cannot write standard output"), "{stderr}");
}

#[test]
fn names_of_the_source_do_nothing_to_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#line 1 \"a\x1b]0;b\"\n#define G cilk_sync\n";
    fs::write(folder.path().join("f.c"), source).unwrap();
    let (code, _, stderr) = run(folder.path(), "f.c");
    assert_eq!(code, Some(3));
    assert_eq!(
        stderr.matches(char::is_control).collect::<String>(),
        "\n",
        "{stderr:?}"
    );
    assert!(stderr.contains("a\u{fffd}]0;b:1:1"), "{stderr}");
}
