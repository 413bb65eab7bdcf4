//! Programs that cannot be profiled are told why not, and what to do, before they run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{Native, THREADS, patch};

const NOTHING: &str = "int main(void) { return 0; }";
/// Fails if it is run.
const NEVER: &str = "int main(void) { return 9; }";

#[test]
fn a_program_without_a_runtime_is_told_what_is_supported() {
    let Some(native) = Native::new() else { return };
    native.gcc(NOTHING, "plain", &[]);
    native
        .run(&["./plain"])
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
    let flags = ["-m32", "-nostdlib", "-static", "-ffreestanding"];
    if let Err(error) = native.try_gcc(text, "small", &flags) {
        eprintln!("skipped: gcc does not build for 32 bits here: {error}");
        return;
    }
    native
        .run(&["./small"])
        .exits(3)
        .says("`./small` is a 32-bit program")
        .says("without `-m32`");
}

#[test]
fn a_program_for_another_processor_is_refused() {
    let Some(native) = Native::new() else { return };
    const MACHINE: usize = 18;
    const RISCV: [u8; 2] = [243, 0];
    let program = native.gcc(NEVER, "foreign", &[]);
    patch(&program, MACHINE, &RISCV);
    native
        .run(&["./foreign"])
        .exits(3)
        .says("`./foreign` is built for riscv64")
        .says(std::env::consts::ARCH);
}

#[test]
fn a_damaged_program_is_refused() {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(NEVER, "damaged", &[]);
    let bytes = fs::read(&program).unwrap();
    fs::write(&program, &bytes[..100]).unwrap();
    native
        .run(&["./damaged"])
        .exits(3)
        .says("`./damaged` is a damaged program file");
}

#[test]
fn a_static_program_is_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(NEVER, "static", &["-static"]);
    native
        .run(&["./static"])
        .exits(3)
        .says("`./static` is linked statically")
        .says("without `-static`");
}

#[test]
fn a_program_for_another_libc_is_refused() {
    let Some(native) = Native::new() else { return };
    let loader = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1";
    native.gcc(NEVER, "musl", &[loader]);
    native
        .run(&["./musl"])
        .exits(3)
        .says("`./musl` is started by `/lib/ld-musl-x86_64.so.1`")
        .says("glibc");
}

#[test]
fn a_program_with_the_rights_of_another_is_refused() {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(NEVER, "privileged", &[]);
    const NOBODY: u32 = 65_534;
    if std::os::unix::fs::chown(&program, Some(NOBODY), None).is_err() {
        eprintln!("skipped: only the superuser can give a file away");
        return;
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    native
        .run(&["./privileged"])
        .exits(3)
        .says("(it is setuid)")
        .says("profile a copy");
}

#[test]
fn a_program_that_may_not_be_executed_is_left_to_the_system() {
    let Some(native) = Native::new() else { return };
    let program = native.gcc(NEVER, "locked", &[]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    native
        .run(&["./locked"])
        .exits(126)
        .says("cannot run `./locked`: it may not be executed");
}

#[test]
fn workspan_in_workspan_is_refused() {
    let Some(native) = Native::new() else { return };
    let own = env!("CARGO_BIN_EXE_workspan");
    native
        .run(&["--", own, "run", "--", "true"])
        .exits(3)
        .says("is workspan itself")
        .says("one `workspan run`");
}

#[test]
fn a_launcher_is_told_where_workspan_goes() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", &["-fopenmp"]);
    native
        .run(&["--", "env", "A=1", "./threads"])
        .exits(3)
        .says("`env … workspan run -- ./threads …`");
}

#[test]
fn a_tool_that_is_built_in_is_refused() {
    let Some(native) = Native::new() else { return };
    let text = format!(
        "{THREADS}\nvoid *ompt_start_tool(unsigned v, const char *r) {{ return (void *)0; }}"
    );
    native.gcc(&text, "tool", &["-fopenmp", "-rdynamic"]);
    native
        .run(&["./tool"])
        .exits(3)
        .says("`./tool` defines `ompt_start_tool`");
}

#[test]
fn a_runtime_from_before_the_interface_for_tools_is_refused() {
    let Some(native) = Native::new() else { return };
    // A name for which no newer one can stand in.
    native.program_with("libomp.so", "void __kmpc_fork_call(void) {}");
    native
        .run(&["./program"])
        .exits(3)
        .says("libomp.so, which has no interface for tools of OpenMP 5.0")
        .says("apt install libomp5-19");
}

#[test]
fn a_libomp_that_lacks_functions_of_the_program_is_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", &["-fopenmp"]);
    native.library(
        "const char names[] = \"ompt_finalize_tool\"; void __kmpc_fork_call(void) {}",
        "libomp.so.5",
    );
    native
        .run(&["--libomp", ".", "./threads"])
        .exits(3)
        .says("GOMP_parallel")
        .says("it would compute wrongly");
}

#[test]
fn a_file_that_is_no_libomp_is_refused() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", &["-fopenmp"]);
    let run = |libomp: &str| native.run(&["--libomp", libomp, "./threads"]);
    run("./absent").exits(3).says("there is no such file");
    run("./threads").exits(3).says("version 9 or newer");
}

#[test]
fn programs_of_tbb_and_cilk_are_told_how_to_be_built() {
    let Some(native) = Native::new() else { return };
    let said = |library: &str, text: &str| {
        native.program_with(library, text);
        let ran = native.run(&["./program"]);
        ran.exits(3);
        ran.stderr
    };
    assert!(said("libtbb.so.12", "").contains("build it with `$(workspan cxxflags)`"));
    assert!(said("libtbb.so.2", "").contains("libtbb.so.2, a TBB from before oneTBB"));
    assert!(said("libopencilk.so.1", "").contains("`-fcilktool=cilkscale`"));
}

#[test]
fn cilkscale_that_is_linked_in_is_refused() {
    let Some(native) = Native::new() else { return };
    let text = format!("void __csi_func_entry(void) {{}}\n{NEVER}");
    native.gcc(&text, "cilk", &["-rdynamic"]);
    native
        .run(&["./cilk"])
        .exits(3)
        .says("has Cilkscale linked in");
}

#[test]
fn threads_and_assumed_cores_that_differ_are_refused() {
    let Some(native) = Native::new() else { return };
    if !super::has_libomp() {
        return;
    }
    native.gcc(THREADS, "threads", &["-fopenmp"]);
    native
        .run(&["--threads", "2", "--assume-cores", "8", "./threads"])
        .exits(3)
        .says("--threads 2 contradicts --assume-cores 8");
}
