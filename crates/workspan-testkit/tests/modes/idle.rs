//! `WORKSPAN_IDLE=FILE`.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::{printed, program, scratch};

/// Attempts for each program: something else may get the processor between the program's reading of
/// the clock and the engine's.
const TRIES: usize = 10;

/// The contents of the file, in nanoseconds.
#[derive(Debug, Default)]
pub struct Account {
    pub elapsed: i64,
    pub threads: i64,
    pub work: i64,
    pub scheduling: i64,
    pub idle: i64,
    outside: i64,
    balance: f64,
    ended: String,
    /// Busy, idle and scheduling.
    workers: Vec<[i64; 3]>,
    /// Worker, begin, end and time waited.
    intervals: Vec<[i64; 4]>,
}

impl Account {
    /// Runs a program. Also returns what it printed.
    pub fn of(name: &str, variables: &[(&str, &str)]) -> (Self, String) {
        let file = scratch(name);
        let output = with_file(name, &file)
            .envs(variables.iter().copied())
            .output();
        let text = printed(&output.expect("it starts"));
        (Self::read(&file), text)
    }

    /// Reads a file, checks that its parts are consistent, and removes it.
    fn read(file: &std::path::Path) -> Self {
        let account = Self::parse(&text_of(file));
        account.check();
        account
    }

    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("workspan-idle 1"));
        let mut account = Self::default();
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let numbers: Vec<i64> = rest
                .split(' ')
                .map_while(|word| word.parse().ok())
                .collect();
            match word {
                "elapsed" => account.elapsed = numbers[0],
                "threads" => account.threads = numbers[0],
                "work" => account.work = numbers[0],
                "scheduling" => account.scheduling = numbers[0],
                "idle" => account.idle = numbers[0],
                "outside" => account.outside = numbers[0],
                "balance" => account.balance = rest.parse().expect("a number"),
                "ended" => account.ended = rest.into(),
                "worker" => account.workers.push([numbers[1], numbers[2], numbers[3]]),
                "interval" => account.intervals.push(numbers.try_into().expect("four")),
                "end" => return account,
                other => panic!("what is {other}?"),
            }
        }
        panic!("the file has no end")
    }

    fn check(&self) {
        let whole = (self.threads * self.elapsed) as f64;
        let sum = (self.work + self.scheduling + self.idle) as f64;
        assert!((sum / whole - 1.0).abs() < 0.001, "{self:?}");
        assert!((self.balance - 1.0).abs() < 0.001, "{self:?}");
        let rounding = 100 + self.intervals.len() as i64;
        for (number, [busy, idle, scheduling]) in self.workers.iter().enumerate() {
            assert!(
                (busy + idle + scheduling - self.elapsed).abs() < rounding,
                "{self:?}"
            );
            let own = |interval: &&[i64; 4]| interval[0] == number as i64;
            let waited: i64 = self.intervals.iter().filter(own).map(|one| one[3]).sum();
            assert!((waited - idle).abs() < rounding, "{self:?}");
        }
        for pair in self.intervals.windows(2) {
            assert!(
                pair[0][0] < pair[1][0] || pair[0][2] <= pair[1][1],
                "{self:?}"
            );
        }
        assert!(
            self.intervals
                .iter()
                .all(|one| one[1] + one[3] <= one[2] + 2)
        );
        let busy: i64 = self.workers.iter().map(|worker| worker[0]).sum();
        assert!((busy + self.outside - self.work).abs() < rounding);
    }

    /// Idle time during the program's tasks in milliseconds, including the time to wake up: idle
    /// time during serial code is left out.
    fn idle_in_pool(&self) -> f64 {
        (self.idle + self.scheduling - (self.threads - 1) * self.outside) as f64 / 1e6
    }
}

/// The contents of a file, which is removed.
fn text_of(file: &std::path::Path) -> String {
    let text = std::fs::read_to_string(file).expect("the file is there");
    std::fs::remove_file(file).expect("it can be removed");
    text
}

fn with_file(name: &str, file: &std::path::Path) -> Command {
    let file = file.to_str().expect("plain letters");
    program(name, &[("WORKSPAN_IDLE", file)])
}

/// Runs a program of spins until the idle time in the pool is near that by the program's own clock:
/// the time of all threads during its calls into the pool, without the spins. If something else has
/// a thread's processor while the runtime is before or after a wait, that time counts as work, and
/// the idle time may be less by as much. Returns the account.
fn expect(name: &str, threads: i64, variables: &[(&str, &str)]) -> Account {
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let (account, printed) = Account::of(name, variables);
        assert_eq!(account.threads, threads, "{name}: {account:?}");
        let times: Vec<f64> = printed
            .split_whitespace()
            .map(|number| number.parse::<f64>().expect("a number") / 1e6)
            .collect();
        let [in_pool, spun, kept_waiting] = times[..] else {
            panic!("{name} printed {printed}");
        };
        let (found, expected) = (account.idle_in_pool(), threads as f64 * in_pool - spun);
        let waking_up = account.scheduling as f64 / 1e6;
        let figures = format!(
            "{name}: {found:.1} ms, by its own clock {expected:.1} ms; {waking_up:.1} ms of waking up, \
             {kept_waiting:.1} ms without a processor"
        );
        eprintln!("{figures}");
        let (near, less) = (NEAR * spun, expected - found);
        let as_work = kept_waiting.min(MOST_AS_WORK * spun);
        // Most of the idle time must be waiting, not waking up.
        let is_awake = waking_up <= 0.5 * found + near + as_work;
        if -near <= less && less <= near + as_work && is_awake {
            return account;
        }
        seen.push(figures);
    }
    panic!("{seen:#?}");
}

/// How far idle time may be off, as a share of the time of the spins.
const NEAR: f64 = 0.02;
/// How much idle time may count as work while something else has the processors, as such a share.
const MOST_AS_WORK: f64 = 0.25;

pub fn of_spins() {
    expect("spins", 2, &[]);
    // One thread has nothing to wait for.
    expect("spins", 1, &[("RAYON_NUM_THREADS", "1")]);
}

pub fn with_work_meanwhile() {
    // The left branch waits 10 ms for tasks, and 10 ms after the shorter one of them.
    expect("meanwhile", 2, &[]);
}

pub fn of_serial_code() {
    let account = expect("serial", 2, &[]);
    assert!(account.idle >= 200_000_000, "{account:?}");
    assert!(account.outside >= 200_000_000, "{account:?}");
}

pub fn of_scopes() {
    // 30 ms in the scope, 10 ms in the broadcast. While the main thread waits for the detached
    // tasks, it runs its own code, so that three threads run for 10 ms and two for 30: −10 ms idle
    // in all, from which idle_in_pool takes off the 40 ms of one core.
    expect("scopes", 2, &[]);
}

pub fn of_tasks_that_others_come_to_late() {
    expect("broadcast late", 2, &[]);
    // Both pools have one thread: the first one's is idle for 100 ms.
    expect("another pool", 2, &[]);
}

pub fn after_a_panic_handler() {
    // It idles for 100 ms, unless the task itself had to wait for its processor for as long.
    let idles = (0..TRIES).any(|_| {
        let (account, _) = Account::of("handler", &[]);
        let [busy, idle, scheduling] = account.workers[0];
        assert!(busy + idle + scheduling >= 100_000_000, "{account:?}");
        idle > busy
    });
    assert!(idles);
}

pub fn of_a_current_thread() {
    expect("current", 2, &[]);
    expect("current global", 2, &[]);
}

pub fn of_several_pools() {
    expect("pools", 2, &[]);
}

pub fn after_a_signal() {
    let file = scratch("endless");
    let mut child = with_file("endless", &file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut printed = BufReader::new(child.stdout.take().expect("a pipe"));
    printed.read_line(&mut line).expect("it prints");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let killed = Command::new("kill").arg(child.id().to_string()).status();
    assert!(killed.expect("kill is there").success());
    let status = child.wait().expect("it ends");
    let _ = printed.read_to_string(&mut line);
    assert!(!status.success());
    let account = Account::read(&file);
    assert_eq!(account.ended, "signal 15");
    assert!(account.idle > 100_000_000, "{account:?}");
}

pub fn after_exit_and_panic() {
    for (name, code) in [("exits", 0), ("panics", 101)] {
        let file = scratch(name);
        let output = with_file(name, &file).output().expect("it starts");
        assert_eq!(output.status.code(), Some(code));
        let account = Account::parse(&text_of(&file));
        assert_eq!((account.ended.as_str(), account.threads), ("exit", 2));
    }
}

pub fn unless_asked() {
    let file = scratch("spins");
    printed(
        &program("serial", &[("WORKSPAN_IDLE", "")])
            .output()
            .expect("it starts"),
    );
    assert!(!file.exists());
    let nowhere = scratch("missing").join("file");
    let output = with_file("serial", &nowhere).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success());
    assert!(
        error.contains("the idle time could not be written to"),
        "{error}"
    );
}
