//! Reads the file in which a program reports the idle time of its workers.

use std::io;
use std::path::{Path, PathBuf};

use workspan_model::{IdlePhase, Nanos, Worker, Workers};

/// The first line.
const FIRST_LINE: &str = "workspan-idle 1";

/// Why idle time could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdleError {
    /// Reading the file failed.
    #[error(
        "cannot read the idle time in {}: {error}; the program has to be one that workspan built, to use rayon, and to leave \
         by its end or by `exit`",
        .path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The text is of another version, or no idle time at all.
    #[error("this is no idle time that this workspan can read; build the program again with it")]
    Foreign,
    /// The text ends too early.
    #[error(
        "the idle time is truncated: the program could not write all of it; check the space on the disk"
    )]
    Truncated,
    /// A line cannot be parsed.
    #[error(
        "line {line} of the idle time is not understood; build the program again with this workspan"
    )]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
    },
}

/// Reads the idle time in the file `path`.
///
/// # Errors
/// Any [`IdleError`].
pub fn read(path: &Path) -> Result<Workers, IdleError> {
    let text = crate::read_file(path).map_err(|error| IdleError::Read {
        path: path.to_owned(),
        error,
    })?;
    parse(&String::from_utf8_lossy(&text))
}

/// Parses the text of such a file. Lines whose figures follow from others are skipped.
///
/// # Errors
/// Any [`IdleError`] except [`IdleError::Read`].
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
        parse_line(line, &mut workers).ok_or(IdleError::Malformed { line: index + 1 })?;
    }
    Err(IdleError::Truncated)
}

/// Adds the contents of a line to `workers`. `None` if it cannot be parsed.
fn parse_line(line: &str, workers: &mut Workers) -> Option<()> {
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
        // As the program computed it.
        assert_eq!(workers.idle(), Nanos::from_nanos(70));
        assert_eq!(workers.work(), Nanos::from_nanos(129));
    }

    /// The worker waited half of the first 48 ns of 2400: 4.8 of 240 parts.
    #[test]
    fn the_idle_time_of_each_part_is_kept() {
        let text = "workspan-idle 1\nelapsed 2400\nworker 0 2376 24 0\ninterval 0 0 48 24\nend\n";
        let workers = parse(text).unwrap();
        let parts = workers.workers[0].idle_parts.iter();
        let parts: Vec<i64> = parts.map(|part| part.as_nanos()).collect();
        assert_eq!(parts[..6], [5, 5, 5, 5, 4, 0]);
    }

    #[test]
    fn truncated_foreign_and_malformed_texts_are_refused() {
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
