//! The command `cargo workspan`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    workspan_cli::main()
}
