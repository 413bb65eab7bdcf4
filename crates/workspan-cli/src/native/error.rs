//! The reasons why a program cannot be profiled.

use std::path::PathBuf;

/// Why a program cannot be profiled, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error(
        "`{0}` is workspan itself: one `workspan run` stands directly before the program that is to be profiled"
    )]
    Nested(String),
    #[error("cannot look into `{0}` to see which runtime it uses: {1}; `chmod +r` lets it be read")]
    Unreadable(String, std::io::Error),
    #[error("`{0}` is no program file that this system runs, but {1}")]
    OtherSystem(String, &'static str),
    #[error(
        "`{0}` is a damaged program file: {1}; build it again, or copy it again from where it was built"
    )]
    Damaged(String, object::Error),
    #[error(
        "`{0}` is a 32-bit program, into which a library of 64 bits cannot be loaded: build it without `-m32`"
    )]
    ThirtyTwoBits(String),
    #[error(
        "`{program}` is built for {built_for}, and this machine is {machine}: build it for this \
         machine, or profile it on a machine of its own kind"
    )]
    OtherProcessor {
        program: String,
        built_for: String,
        machine: &'static str,
    },
    #[error(
        "`{0}` is linked statically, so that no library can be loaded into it: link it without \
         `-static` (and without `-static-pie`)"
    )]
    Static(String),
    #[error(
        "`{program}` is started by `{loader}`, and libworkspan.so is for glibc: build the program on a \
         system with glibc, such as Debian, Ubuntu or Fedora"
    )]
    OtherLibc { program: String, loader: String },
    #[error(
        "`{program}` runs with {privilege}, and then the system loads no library into it: profile a \
         copy (`cp {program} /tmp`), which has none, as a user who may do what it does"
    )]
    Privileged {
        program: String,
        privilege: &'static str,
    },
    #[error(
        "`{0}` defines `ompt_start_tool`, so it has a tool for OpenMP built in, and there can be just \
         one: link it without that tool"
    )]
    ToolBuiltIn(String),
    #[error(
        "`{0}` has Cilkscale linked in, whose functions come before workspan's: link it without \
         `-fcilktool=cilkscale`, and compile with it as before"
    )]
    CilkscaleBuiltIn(String),
    #[error(
        "`{0}` uses OpenCilk, but was compiled without the calls that tell of its tasks: compile and \
         link it with `-fcilktool=cilkscale`"
    )]
    PlainCilk(String),
    #[error(
        "`{0}` uses oneTBB, but was built without workspan's headers, which tell of its tasks: build \
         it with `$(workspan cxxflags)` before the other flags of the compiler"
    )]
    PlainTbb(String),
    #[error(
        "`{0}` uses {1}, a TBB from before oneTBB (2021), whose tasks workspan does not see: build it \
         with oneTBB (on Debian and Ubuntu: `apt install libtbb-dev`)"
    )]
    OldTbb(String, String),
    #[error(
        "`{program}` calls {function} of GCC's OpenMP runtime, which workspan does not follow there. LLVM's libomp can \
         stand in for it, but there is none on this machine: {INSTALL_LIBOMP}"
    )]
    UnfollowedInLibgomp { program: String, function: String },
    #[error(
        "`{program}` calls {function} of GCC's OpenMP runtime, which workspan does not follow there: leave out `--libomp \
         libgomp`, and LLVM's runtime, {libomp}, stands in for it"
    )]
    UnfollowedByWish {
        program: String,
        function: String,
        libomp: String,
    },
    #[error("`--libomp libomp`: there is no LLVM OpenMP runtime on this machine: {INSTALL_LIBOMP}")]
    NoLibomp,
    #[error(
        "`{program}` uses the OpenMP runtime {library}, which has no interface for tools of OpenMP 5.0 \
         (LLVM's libomp has it since version 9), and there is no newer one to stand in for it: \
         {INSTALL_LIBOMP}"
    )]
    OldLibomp { program: String, library: String },
    #[error(
        "`{program}` uses {functions} of GCC's OpenMP runtime, which {libomp} does not have: with both \
         runtimes in one program it would compute wrongly. {advice}"
    )]
    MissingInLibomp {
        program: String,
        functions: String,
        libomp: String,
        advice: &'static str,
    },
    #[error(
        "`{0}` has GCC's OpenMP runtime linked in statically, whose calls no library can stand before: link it with \
         `-fopenmp` alone, without `libgomp.a`"
    )]
    LibgompBuiltIn(String),
    #[error(
        "`{0}` has an OpenMP runtime linked in that has no interface for tools of OpenMP 5.0 (LLVM's libomp \
         has it since version 9): link it with a newer one"
    )]
    OldLibompBuiltIn(String),
    #[error(
        "`{program}` needs LLVM's OpenMP runtime {library}, which the system does not find: {INSTALL_LIBOMP}"
    )]
    LibompNotFound { program: String, library: String },
    #[error("`--libomp {}`: {what}", .path.display())]
    GivenLibomp { path: PathBuf, what: String },
    #[error(
        "`{launcher}` uses no parallel runtime itself, but `{program}`, which it starts, does: `workspan \
         run` goes directly before it, as in `{launcher} … workspan run -- {program} …`"
    )]
    BehindLauncher { launcher: String, program: String },
    #[error(
        "--threads {threads} contradicts --assume-cores {cores}: an OpenMP program shows as many tasks \
         as it has threads, so that to assume cores is to run as many threads. Leave one of the two out"
    )]
    ThreadsAndCores { threads: u32, cores: u32 },
    #[error(
        "the variable LD_PRELOAD separates its entries by spaces and colons, so it cannot name \
         `{}`: set TMPDIR to a folder whose name has neither", .0.display()
    )]
    Unloadable(PathBuf),
}

/// How to get LLVM's OpenMP runtime.
pub(super) const INSTALL_LIBOMP: &str = "`apt install libomp5-19` (Debian 12; `apt install libomp-dev` on any Debian and \
     Ubuntu, `dnf install libomp` on Fedora), or `--libomp FILE` for one that lies elsewhere";
