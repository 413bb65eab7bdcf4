//! Programs that cannot be profiled are refused before they run, with the reason and advice.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{Native, THREADS};
use crate::skip::skip;

/// A program that fails if it is run.
const NEVER: &str = "int main(void) { return 9; }";

/// Builds a program, changes its file, and asserts that running it is refused with these words.
fn assert_refused(text: &str, flags: &str, change: impl FnOnce(&mut Vec<u8>), said: &[&str]) {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(text, "program", flags);
    let mut bytes = fs::read(&program).unwrap();
    change(&mut bytes);
    fs::write(&program, bytes).unwrap();
    let ran = native.run("./program");
    for words in said {
        ran.exits(3).says(words);
    }
}

#[test]
fn a_program_without_a_runtime_gets_a_list_of_those_supported() {
    let Some(native) = Native::new() else { return };
    native.gcc("int main(void) { return 0; }", "plain", "");
    native
        .run("./plain")
        .exits(4)
        .says("warning: `./plain` uses no parallel runtime that workspan knows")
        .says("OpenMP (as gcc, clang and g++ build them)")
        .says("oneTBB (built with `$(workspan cxxflags)`)")
        .says("`--runtime openmp`");
}

#[test]
fn a_program_for_32_bits_is_refused() {
    let Some(native) = Native::new() else { return };
    let text = "void _start(void) { for (;;); }";
    let flags = "-m32 -nostdlib -static -ffreestanding";
    if let Err(error) = native.try_gcc(text, "small", flags) {
        skip("gcc-m32", &error);
        return;
    }
    native
        .run("./small")
        .exits(3)
        .says("`./small` is a 32-bit program")
        .says("without `-m32`");
}

#[test]
fn a_program_for_another_processor_is_refused() {
    const MACHINE: usize = 18;
    const RISCV: [u8; 2] = [243, 0];
    assert_refused(
        NEVER,
        "",
        |bytes| bytes[MACHINE..MACHINE + 2].copy_from_slice(&RISCV),
        &["`./program` is built for riscv64", std::env::consts::ARCH],
    );
}

#[test]
fn a_damaged_program_is_refused() {
    let said = ["`./program` is a damaged program file"];
    assert_refused(NEVER, "", |bytes| bytes.truncate(100), &said);
}

#[test]
fn a_static_program_is_refused() {
    let said = ["`./program` is linked statically", "without `-static`"];
    assert_refused(NEVER, "-static", |_| (), &said);
}

#[test]
fn a_program_for_another_libc_is_refused() {
    let loader = "/lib/ld-musl-x86_64.so.1";
    let said = format!("`./program` is started by `{loader}`");
    let flags = format!("-Wl,--dynamic-linker={loader}");
    assert_refused(NEVER, &flags, |_| (), &[said.as_str(), "glibc"]);
}

#[test]
fn a_built_in_tool_is_refused() {
    let text = format!(
        "{THREADS}\nvoid *ompt_start_tool(unsigned v, const char *r) {{ return (void *)0; }}"
    );
    let said = ["`./program` defines `ompt_start_tool`"];
    assert_refused(&text, "-fopenmp -rdynamic", |_| (), &said);
}

#[test]
fn a_program_with_cilkscale_linked_in_is_refused() {
    let text = format!("void __csi_func_entry(void) {{}}\n{NEVER}");
    assert_refused(&text, "-rdynamic", |_| (), &["has Cilkscale linked in"]);
}

#[test]
fn a_program_with_the_rights_of_another_user_is_refused() {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(NEVER, "privileged", "");
    const NOBODY: u32 = 65_534;
    if std::os::unix::fs::chown(&program, Some(NOBODY), None).is_err() {
        skip("root", "only the superuser can give a file away");
        return;
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    native
        .run("./privileged")
        .exits(3)
        .says("(it is setuid)")
        .says("profile a copy");
}

#[test]
fn a_program_that_may_not_be_executed_is_left_to_the_system() {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(NEVER, "locked", "");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    native
        .run("./locked")
        .exits(126)
        .says("cannot run `./locked`: it may not be executed");
}

#[test]
fn workspan_in_workspan_is_refused() {
    let Some(native) = Native::new() else { return };
    let own = env!("CARGO_BIN_EXE_workspan");
    native
        .run(&format!("-- {own} run -- true"))
        .exits(3)
        .says("is workspan itself")
        .says("one `workspan run`");
}

#[test]
fn a_launcher_is_refused_with_the_place_for_workspan() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", "-fopenmp");
    native
        .run("-- env A=1 ./threads")
        .exits(3)
        .says("`env … workspan run -- ./threads …`");
}

#[test]
fn programs_of_other_runtimes_are_refused_with_how_to_build_them() {
    let Some(native) = Native::new() else { return };
    // No newer runtime of this name could replace it.
    let libomp = ("libomp.so", "void __kmpc_fork_call(void) {}");
    let old = "libomp.so, which has no interface for tools of OpenMP 5.0";
    for ((library, text), said) in [
        (("libtbb.so.12", ""), "build it with `$(workspan cxxflags)`"),
        (("libtbb.so.2", ""), "libtbb.so.2, a TBB from before oneTBB"),
        (("libopencilk.so.1", ""), "`-fcilktool=cilkscale`"),
        (libomp, old),
        (libomp, "apt install libomp5-19"),
    ] {
        native.program_with(library, text);
        native.run("./program").exits(3).says(said);
    }
}

#[test]
fn a_libomp_without_functions_that_the_program_needs_is_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", "-fopenmp");
    native.library(
        "const char names[] = \"ompt_finalize_tool\"; void __kmpc_fork_call(void) {}",
        "libomp.so.5",
    );
    native
        .run("--libomp . ./threads")
        .exits(3)
        .says("GOMP_parallel")
        .says("it would compute wrongly");
}

#[test]
fn a_file_that_is_no_libomp_is_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", "-fopenmp");
    let run = |libomp: &str| native.run(&format!("--libomp {libomp} ./threads"));
    run("./absent").exits(3).says("there is no such file");
    run("./threads").exits(3).says("version 9 or newer");
}

#[test]
fn threads_and_assumed_cores_that_differ_are_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", "-fopenmp");
    native
        .run("--threads 2 --assume-cores 8 ./threads")
        .exits(3)
        .says("--threads 2 contradicts --assume-cores 8");
}
