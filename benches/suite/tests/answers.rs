//! Every program finds the right answer to a small problem, and refuses what it cannot do.

use std::process::{Command, Output};

fn run(program: &str, size: &str) -> Output {
    Command::new(program)
        .arg(size)
        .output()
        .expect("the program starts")
}

/// One test per program, which succeeds at each size.
macro_rules! answers {
    ($($program:ident $sizes:expr;)*) => {
        $(
            #[test]
            fn $program() {
                for size in $sizes {
                    let program = env!(concat!("CARGO_BIN_EXE_", stringify!($program)));
                    let output = run(program, size);
                    let problem = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "size {size}: {problem}");
                }
            }
        )*
    };
}

answers! {
    bfs ["1", "2", "30"];
    cholesky ["4", "50", "200"];
    cilksort ["0", "1", "2047", "50000"];
    fft ["32", "4096"];
    fib ["0", "1", "20"];
    heat ["0", "2"];
    lu ["16", "32", "128"];
    matmul ["32", "128"];
    mis ["100", "20000"];
    nbody ["2", "100"];
    nqueens ["1", "2", "8"];
    par_sort ["0", "1", "50000"];
    pipeline ["0", "1"];
    quicksort ["0", "1", "50000"];
    reader ["0", "1", "500"];
    rectmul ["32", "64", "256"];
    spawns ["1", "2", "1000"];
    strassen ["64", "256"];
}

#[test]
fn a_size_out_of_range_is_refused() {
    let output = run(env!("CARGO_BIN_EXE_nqueens"), "17");
    assert_eq!(output.status.code(), Some(2));
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(
        problem.contains("give a whole number from 1 to 16"),
        "{problem}"
    );
}
