//! What a program writes when it was started to measure the idle time of its workers.

use std::io;
use std::path::{Path, PathBuf};

use workspan_model::{IdlePhase, Nanos, Worker, Workers};

/// The first line.
const FIRST_LINE: &str = "workspan-idle 1";

/// Why idle time could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdleError {
    /// The file could not be read.
    #[error(
        "cannot read the idle time in {}: {error}; the program has to be one that workspan built, to use rayon, and to leave \
         by its end or by `exit`",
        .path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The text is of another version, or none.
    #[error("this is no idle time that this workspan can read; build the program again with it")]
    Foreign,
    /// The text ends too early.
    #[error(
        "the idle time is truncated: the program could not write all of it; check the space on the disk"
    )]
    Truncated,
    /// A line is not understood.
    #[error(
        "line {line} of the idle time is not understood; build the program again with this workspan"
    )]
    Malformed {
        /// The line, from 1.
        line: usize,
    },
}

/// Reads the file `path`.
///
/// # Errors
/// When it cannot be read, or is not what this version of workspan writes.
pub fn read(path: &Path) -> Result<Workers, IdleError> {
    let text = crate::read_file(path).map_err(|error| IdleError::Read {
        path: path.to_owned(),
        error,
    })?;
    parse(&String::from_utf8_lossy(&text))
}

/// Reads the text of such a file. Lines that only say what follows from others are left out.
///
/// # Errors
/// When it is not what this version of workspan writes.
pub fn parse(text: &str) -> Result<Workers, IdleError> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first != FIRST_LINE) {
        return Err(IdleError::Foreign);
    }
    let mut workers = Workers::default();
    for (index, line) in lines {
        if line == "end" {
            return Ok(workers);
        }
        take(line, &mut workers).ok_or(IdleError::Malformed { line: index + 1 })?;
    }
    Err(IdleError::Truncated)
}

/// Adds what a line tells. `None` if it is not understood.
fn take(line: &str, workers: &mut Workers) -> Option<()> {
    let (name, rest) = line.split_once(' ')?;
    let numbers =
        || -> Option<Vec<i64>> { rest.split(' ').map(|word| word.parse().ok()).collect() };
    match name {
        "elapsed" => workers.elapsed = Nanos::from_nanos(rest.parse().ok()?),
        "outside" => workers.outside = Nanos::from_nanos(rest.parse().ok()?),
        "threads" | "ended" | "work" | "scheduling" | "idle" | "balance" => {}
        "worker" => {
            let [number, busy, idle, scheduling] = numbers()?.try_into().ok()?;
            (usize::try_from(number) == Ok(workers.workers.len())).then_some(())?;
            workers.workers.push(Worker {
                work: Nanos::from_nanos(busy),
                scheduling: Nanos::from_nanos(scheduling),
                idle: Nanos::from_nanos(idle),
                idle_parts: Vec::new(),
            });
        }
        "interval" => {
            let [number, from, to, waited] = numbers()?.try_into().ok()?;
            let worker = workers.workers.get_mut(usize::try_from(number).ok()?)?;
            let phase = IdlePhase {
                from: Nanos::from_nanos(from),
                to: Nanos::from_nanos(to),
                waited: Nanos::from_nanos(waited),
            };
            worker.keep_idle_phase(phase, workers.elapsed);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "workspan-idle 1\nelapsed 100\nthreads 2\nended exit\nwork 129\nscheduling 1\nidle 70\noutside 30\n\
                        balance 1.000000\nworker 0 60 40 0\nworker 1 39 60 1\ninterval 0 0 40 40\ninterval 1 0 50 45\n\
                        interval 1 85 100 15\nend\n";

    #[test]
    fn the_times_of_each_worker_are_read() {
        let workers = parse(TEXT).unwrap();
        assert_eq!(workers.elapsed, Nanos::from_nanos(100));
        assert_eq!(workers.workers.len(), 2);
        assert_eq!(workers.workers[1].scheduling, Nanos::from_nanos(1));
        // What the program computed itself.
        assert_eq!(workers.idle(), Nanos::from_nanos(70));
        assert_eq!(workers.work(), Nanos::from_nanos(129));
    }

    /// Half of the time in 48 of 2400, which are 4.8 of 240 parts.
    #[test]
    fn when_a_worker_waited_is_kept() {
        let text = "workspan-idle 1\nelapsed 2400\nworker 0 2376 24 0\ninterval 0 0 48 24\nend\n";
        let workers = parse(text).unwrap();
        let parts = workers.workers[0].idle_parts.iter();
        let parts: Vec<i64> = parts.map(|part| part.as_nanos()).collect();
        assert_eq!(parts[..6], [5, 5, 5, 5, 4, 0]);
    }

    #[test]
    fn what_is_not_whole_or_not_ours_is_refused() {
        assert!(matches!(
            parse("workspan-idle 2\nend\n"),
            Err(IdleError::Foreign)
        ));
        assert!(matches!(parse(""), Err(IdleError::Foreign)));
        let truncated = TEXT.strip_suffix("end\n").unwrap();
        assert!(matches!(parse(truncated), Err(IdleError::Truncated)));
        for wrong in [
            "worker 3 1 1 1",
            "interval 7 0 1 1",
            "worker 0 x 1 1",
            "elapsed",
            "new 1",
        ] {
            let text = format!("workspan-idle 1\n{wrong}\nend\n");
            assert!(
                matches!(parse(&text), Err(IdleError::Malformed { line: 2 })),
                "{wrong}"
            );
        }
        let missing = read(Path::new("/no/such/file")).unwrap_err();
        assert!(missing.to_string().contains("/no/such/file"));
    }
}
