//! The table of measurements that a program under Cilkscale writes: a row for each `wsp_dump`, the last one for the
//! whole program, without a tag.

use std::ffi::{c_char, c_int};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use workspan_rt::{events, Output};

use super::measurement::Measurement;

/// Where the rows go: the file that `CILKSCALE_OUT` names, else standard output.
enum Table {
    NotBegun,
    Begun(Option<Output>),
}

static TABLE: Mutex<Table> = Mutex::new(Table::NotBegun);

/// What work and spans are in, and how many of these one amount of the engine's is: as Cilkscale has them, and other metrics as they
/// are counted.
fn unit_of(metric: &str) -> (&str, f64) {
    // Without the modes of the processor in which it counts.
    match metric.split(':').next().unwrap_or(metric) {
        "time" | "task-clock" | "cpu-clock" => ("seconds", 1e-9),
        "cycles" | "cpu-cycles" => ("Gcycles", 1e-9),
        "instructions" => ("Minstructions", 1e-6),
        _ => (metric, 1.0),
    }
}

fn header(unit: &str) -> String {
    format!(
        "tag,work ({unit}),span ({unit}),parallelism,burdened_span ({unit}),burdened_parallelism\n"
    )
}

/// What the engine measures: the same all the time.
fn metric() -> &'static str {
    static METRIC: OnceLock<String> = OnceLock::new();
    METRIC.get_or_init(|| workspan_rt::metric().unwrap_or_else(|| "time".to_owned()))
}

/// Has the last row written when the program ends.
pub(super) fn write_at_exit() {
    static ONCE: Once = Once::new();
    if workspan_rt::active() {
        ONCE.call_once(|| {
            // SAFETY: atexit(3) only keeps a pointer, to a function that takes nothing and is there
            // as long as the program. Should there be no room for it, the row is missing.
            unsafe { atexit(write_last_row) };
        });
    }
}

extern "C" fn write_last_row() {
    write_row("", Measurement::now());
}

/// Writes a row, after the header if it is the first.
pub(super) fn write_row(tag: &str, measured: Measurement) {
    if !workspan_rt::active() {
        return;
    }
    // What it takes to write is nobody's work.
    events::pause_begin();
    let row = format!("{}\n", row(tag, measured));
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let (text, file) = match std::mem::replace(&mut *table, Table::Begun(None)) {
        Table::NotBegun => {
            let header = header(unit_of(metric()).0);
            (format!("{header}{row}"), open())
        }
        Table::Begun(file) => (row, file),
    };
    let written = match &file {
        Some(file) => file.append(text.as_bytes()),
        None => write_to_stdout(&text),
    };
    if let Err(error) = written {
        workspan_rt::say(format_args!(
            "the table of measurements cannot be written: {error}"
        ));
    }
    *table = Table::Begun(file);
    events::pause_end();
}

/// The file that the environment names.
fn open() -> Option<Output> {
    let name = std::env::var_os("CILKSCALE_OUT").filter(|name| !name.is_empty())?;
    match Output::create(Path::new(&name)) {
        Ok(file) => Some(file),
        Err(error) => {
            let name = name.to_string_lossy();
            workspan_rt::say(format_args!(
                "{name} cannot be written, so its rows go to standard output: {error}"
            ));
            None
        }
    }
}

/// Writes behind what the program has written by C's own streams.
fn write_to_stdout(text: &str) -> io::Result<()> {
    // SAFETY: null stands for all streams, each of which fflush(3) locks itself.
    unsafe { fflush(std::ptr::null_mut()) };
    workspan_rt::without_signals(|| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    })
}

fn row(tag: &str, measured: Measurement) -> String {
    format!("{tag},{}", figures(measured))
}

/// The figures of a row: work, span and parallelism, burdened span and burdened parallelism.
pub(super) fn figures(measured: Measurement) -> String {
    figures_in(unit_of(metric()).1, measured)
}

fn figures_in(unit: f64, measured: Measurement) -> String {
    let in_unit = |amount: i64| amount as f64 * unit;
    let Measurement {
        work,
        span,
        burdened_span,
    } = measured;
    let figures = [
        in_unit(work),
        in_unit(span),
        work as f64 / span as f64,
        in_unit(burdened_span),
        work as f64 / burdened_span as f64,
    ];
    figures.map(general).join(",")
}

/// A number as C++ streams write it: six digits, and an exponent where that is shorter.
fn general(number: f64) -> String {
    let mut buffer = [0_u8; 32];
    // SAFETY: `%g` takes one `double`, the format ends in a zero, and `buffer` may be written for
    // the size that is passed.
    let length = unsafe {
        snprintf(
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            c"%g".as_ptr(),
            number,
        )
    };
    let length = usize::try_from(length).unwrap_or(0).min(buffer.len());
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn fflush(stream: *mut u8) -> c_int;
    fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_seconds_and_ratios() {
        let measured = Measurement {
            work: 2_000_000_000,
            span: 500_000_000,
            burdened_span: 1_000_000_000,
        };
        assert_eq!(figures(measured), "2,0.5,4,1,2");
        assert_eq!(row("a part", measured), "a part,2,0.5,4,1,2");
    }

    #[test]
    fn other_metrics_have_their_units() {
        let measured = Measurement {
            work: 2_000_000,
            span: 500_000,
            burdened_span: 1_000_000,
        };
        let (unit, amount) = unit_of("instructions:u");
        assert_eq!(figures_in(amount, measured), "2,0.5,4,1,2");
        assert!(header(unit).starts_with("tag,work (Minstructions),span (Minstructions),"));
        let (unit, amount) = unit_of("page-faults");
        assert_eq!(figures_in(amount, measured), "2e+06,500000,4,1e+06,2");
        assert!(header(unit).contains(",burdened_span (page-faults),"));
        assert!(header(unit_of("time").0).starts_with("tag,work (seconds),"));
    }

    #[test]
    fn numbers_have_six_digits() {
        let measured = Measurement {
            work: 1_234_567_890_123,
            span: 3,
            burdened_span: 7_000,
        };
        assert_eq!(
            figures(measured),
            "1234.57,3e-09,4.11523e+11,7e-06,1.76367e+08"
        );
    }
}
