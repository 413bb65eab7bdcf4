//! Samples of the running functions.

use std::process::Command;

use workspan_format::raw::{self, RawWord};

use crate::project::Project;
use crate::stand_in::StandIn;

#[test]
fn the_rate_reaches_the_engine() {
    let program = StandIn::new("echo \"rate $WORKSPAN_SAMPLE_HZ\"");
    for (options, rate) in [("", 1000), ("--sample-hz 97", 97), ("--sample-hz 0", 0)] {
        let printed = format!("rate {rate}\n");
        program.run(options).succeeds().prints(&printed);
    }
    program.run("--sample-hz often").exits(2);
}

/// Functions that call each other below a recursion of joins.
const CALLS: &str = r#"
use std::hint::black_box;

#[inline(never)]
fn hot(rounds: u64) {
    // Stays in this function, whatever the compiler does.
    #[cfg(target_arch = "x86_64")]
    unsafe { std::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) rounds => _) };
    #[cfg(target_arch = "aarch64")]
    unsafe { std::arch::asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds => _) };
}

#[inline(never)]
fn middle(rounds: u64) {
    hot(rounds);
    black_box(rounds);
}

#[inline(never)]
fn outer(rounds: u64) {
    middle(rounds);
    black_box(rounds);
}

fn deep(levels: u32, rounds: u64) {
    match levels {
        0 => outer(rounds),
        _ => _ = rayon::join(|| deep(levels - 1, rounds), || ()),
    }
}

fn main() {
    for function in [hot, middle, outer] {
        println!("{}", function as fn(u64) as usize);
    }
    for _ in 0..300 {
        deep(100, 5_000_000);
    }
}
"#;

#[test]
#[ignore = "judges time: ci/full timed"]
fn stacks_end_at_the_current_task() {
    let name = "sampling_stacks";
    let project = Project::new(name);
    project.write("src/main.rs", CALLS).lock();
    project.run("run --no-report").succeeds();
    let file = project.folder.join("stacks.raw");
    let output = Command::new(project.kept(name).with_file_name(format!("release/{name}")))
        .env("WORKSPAN_PROFILE", &file)
        .env("WORKSPAN_SAMPLE_HZ", "1000")
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let functions: Vec<u64> = output.lines().map(|line| line.parse().unwrap()).collect();
    let profile = raw::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(profile.sampling, Some(1000), "{:?}", profile.sampling_note);
    let is_in = |function: usize, word: &(u32, RawWord)| {
        let start = functions[function];
        matches!(word.1, RawWord::Code(address) if (start..start + 256).contains(&address))
    };
    // `hot` is shorter than 24 bytes. The function after it in memory also runs now and then.
    let hot: Vec<_> = profile
        .stacks
        .iter()
        .filter(|stack| (functions[0]..functions[0] + 24).contains(&stack.copy.instruction))
        .collect();
    let (weight, on_span) = hot.iter().fold((0.0, 0.0), |sum, stack| {
        (sum.0 + stack.on_work, sum.1 + stack.on_span)
    });
    // Each sample stands for a millisecond of processor time. The rounds take some hundred of them
    // on any machine.
    let all: f64 = profile.stacks.iter().map(|stack| stack.on_work).sum();
    assert!(
        all > 100.0 && weight > 0.5 * all,
        "{weight} of {all}: {:#?}",
        profile.stacks
    );
    assert!(on_span > 0.9 * weight, "{on_span} of {weight}");
    let whole: f64 = hot
        .iter()
        .filter(|stack| {
            let mut words = stack.copy.words.iter();
            words.any(|word| is_in(1, word)) && words.any(|word| is_in(2, word))
        })
        .map(|stack| stack.on_work)
        .sum();
    assert!(whole > 0.95 * weight, "{whole} of {weight}: {hot:x?}");
    // No stack contains the hundred levels of joins.
    for stack in &hot {
        assert!(stack.copy.words.len() < 60, "{stack:x?}");
    }
}
