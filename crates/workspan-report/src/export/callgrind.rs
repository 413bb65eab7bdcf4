//! The format of Callgrind, for KCachegrind and callgrind_annotate.
//!
//! As described in Valgrind's manual, "Callgrind Format Specification".

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::io;

use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;

/// Writes a profile in the format of Callgrind: an event for each measure, first that of `by`,
/// which viewers show by default.
///
/// The format has functions and calls between them, not stacks. A function that is already active
/// becomes another one, `name'2`, as Callgrind itself does with `--separate-recs`, so that no time
/// is counted twice. How often something was called is not written: a call is written once for each
/// place that it has in the call tree.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn callgrind(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let measures: Vec<&MeasuredFlame> = stacks.from(by).collect();
    head(stacks, &measures, output)?;
    let mut written = Names::default();
    for (function, costs) in &functions(stacks, &measures) {
        let (file, name) = written.file_and_name(function);
        writeln!(output, "\nfl={file}\nfn={name}")?;
        for (line, own) in &costs.own {
            writeln!(output, "{line} {}", spaced(own))?;
        }
        for (call, cost) in &costs.calls {
            let (file, name) = written.file_and_name(&call.to);
            writeln!(output, "cfi={file}\ncfn={name}")?;
            writeln!(output, "calls={} {}", cost.places, call.to_line)?;
            writeln!(output, "{} {}", call.from_line, spaced(&cost.whole))?;
        }
    }
    Ok(())
}

fn head(
    stacks: &Stacks,
    measures: &[&MeasuredFlame],
    output: &mut dyn io::Write,
) -> io::Result<()> {
    writeln!(output, "# callgrind format\nversion: 1")?;
    writeln!(output, "creator: {}", stacks.creator)?;
    writeln!(output, "cmd: {}", stacks.command)?;
    writeln!(
        output,
        "desc: Calls: one for each place of the call tree, not for each time"
    )?;
    for measured in measures {
        let measure = measured.measure;
        let unit = match stacks.counted(measure) {
            None => " in nanoseconds".to_owned(),
            Some("samples") => String::new(),
            Some(events) => format!(" in {events}"),
        };
        writeln!(
            output,
            "event: {} : {}{unit}",
            event(measure),
            measure.name()
        )?;
    }
    let events: Vec<&str> = measures
        .iter()
        .map(|measured| event(measured.measure))
        .collect();
    let totals: Vec<u64> = measures.iter().map(|measured| measured.total()).collect();
    writeln!(output, "positions: line\nevents: {}", events.join(" "))?;
    writeln!(output, "summary: {}", spaced(&totals))
}

/// The name of an event, which is one word.
const fn event(measure: FlameMeasure) -> &'static str {
    match measure {
        FlameMeasure::Work => "Work",
        FlameMeasure::Span => "Span",
        FlameMeasure::BurdenedSpan => "BurdenedSpan",
        FlameMeasure::Samples => "Samples",
    }
}

fn spaced(costs: &[u64]) -> String {
    let costs: Vec<String> = costs.iter().map(u64::to_string).collect();
    costs.join(" ")
}

/// File and name.
type Function = (String, String);

/// What is written below a function.
#[derive(Default)]
struct Costs {
    /// By line.
    own: BTreeMap<u32, Vec<u64>>,
    calls: BTreeMap<Call, CallCost>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    to: Function,
    to_line: u32,
    from_line: u32,
}

#[derive(Default)]
struct CallCost {
    /// In how many places of the call tree the call is.
    places: u64,
    whole: Vec<u64>,
}

fn functions(stacks: &Stacks, measures: &[&MeasuredFlame]) -> BTreeMap<Function, Costs> {
    let mut functions: BTreeMap<Function, Costs> = BTreeMap::new();
    let of_frame: Vec<Function> = (0..stacks.frames.len())
        .map(|frame| function(stacks, frame))
        .collect();
    for (index, frame) in stacks.frames.iter().enumerate() {
        let code = stacks.code_of(index);
        let own = measures.iter().map(|measured| measured.own[index]);
        let costs = functions.entry(of_frame[index].clone()).or_default();
        add(costs.own.entry(code.line).or_default(), own);
        let Some(parent) = frame.parent else {
            continue;
        };
        let call = Call {
            to: of_frame[index].clone(),
            to_line: code.line,
            from_line: stacks.code_of(parent).line,
        };
        let costs = functions.entry(of_frame[parent].clone()).or_default();
        let cost = costs.calls.entry(call).or_default();
        cost.places += 1;
        let whole = measures.iter().map(|measured| measured.whole[index]);
        add(&mut cost.whole, whole);
    }
    functions
}

/// The function of a frame, whose name says if it is already active.
fn function(stacks: &Stacks, frame: usize) -> Function {
    let code = stacks.code_of(frame);
    let file = code.file.as_deref().unwrap_or("???");
    let is_same = |frame: &usize| {
        let other = stacks.code_of(*frame);
        (&other.file, &other.name) == (&code.file, &code.name)
    };
    let depth = stacks.stack(frame).iter().filter(|at| is_same(at)).count();
    let name = match depth {
        1 => code.name.clone(),
        depth => format!("{}'{depth}", code.name),
    };
    (file.to_owned(), name)
}

fn add(sums: &mut Vec<u64>, costs: impl Iterator<Item = u64>) {
    let costs: Vec<u64> = costs.collect();
    sums.resize(costs.len(), 0);
    for (sum, cost) in sums.iter_mut().zip(costs) {
        *sum += cost;
    }
}

/// The names written so far: a name is written in full with a number first, later as that number
/// alone.
#[derive(Default)]
struct Names {
    files: HashMap<String, usize>,
    functions: HashMap<Function, usize>,
}

impl Names {
    fn file_and_name(&mut self, function: &Function) -> (String, String) {
        let (file, name) = function;
        (
            numbered(&mut self.files, file, file),
            numbered(&mut self.functions, function, name),
        )
    }
}

/// `name` with its number, which is new if `known` does not have `key`.
fn numbered<K: Clone + Eq + Hash>(known: &mut HashMap<K, usize>, key: &K, name: &str) -> String {
    if let Some(number) = known.get(key) {
        return format!("({number})");
    }
    let number = known.len() + 1;
    known.insert(key.clone(), number);
    format!("({number}) {name}")
}
