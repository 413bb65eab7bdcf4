//! Sampled functions in the JSON report.

use workspan_model::{Caller, FunctionRow, Functions, SampleShare};

use super::place::place_of_function;
use crate::object::{Document, object};

pub(super) fn functions(functions: &Functions) -> impl Document {
    object! {
        /// Samples asked for in a second of a thread's processor time
        rate_hz: functions.rate,
        /// Why there are no samples, or what limits them
        note: &functions.note,
        /// The samples
        on_work: functions.on_work,
        /// Those on the critical path
        on_span: functions.on_span,
        /// The functions, those first that the span is made of (`serial`)
        functions: functions.rows.iter().map(function).collect::<Vec<_>>(),
    }
}

fn function(row: &FunctionRow) -> impl Document {
    let hottest = |(index, on_span): (usize, SampleShare)| {
        object! {
            /// Index into `functions`
            function: index,
            /// What of it that function runs
            on_span: on_span,
        }
    };
    object! {
        /// Its readable name; null stands for all that no function of the program's own called
        function: &row.function,
        #[serde(flatten)]
        definition: place_of_function(row.definition.as_ref()),
        /// Whether a spawn site stands in it, or in what it calls
        parallel: row.parallel,
        /// What it runs itself; the standard library and rayon run for the function that called them
        #[serde(rename = "self")]
        own: row.own,
        /// What it runs with all that it calls and spawns
        total: row.total,
        /// What the span is made of: serial functions that parallel ones call, each with all that it calls,
        /// and what parallel functions run themselves. The shares of all functions sum up to 1
        serial: row.serial,
        /// What its own machine code ran: functions inlined into it count as it
        physical_self: row.physical_own,
        /// What its own machine code ran, with all that it calls; what it spawns counts only where it ran on its
        /// stack
        physical_total: row.physical_total,
        /// From where it was called, the most frequent on the span first; recursion folded
        callers: row.callers.iter().map(caller).collect::<Vec<_>>(),
        /// The function that runs most of `serial` on the span itself; null where that is nothing
        hottest: row.hottest.map(hottest),
    }
}

fn caller(caller: &Caller) -> impl Document {
    object! {
        /// The calling function
        function: &caller.function,
        #[serde(flatten)]
        place: place_of_function(caller.location.as_ref()),
        #[serde(flatten)]
        share: caller.share,
    }
}
