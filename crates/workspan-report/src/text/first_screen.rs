//! What people read after a run: whether the program scales, why, which lines, and what to try.

use std::io;

use anstyle::{AnsiColor, Style};
use workspan_model::{
    Analysis, Books, Claim, Discrepancy, Nanos, Note, Profile, Reach, SampleShare, SourceFile,
    SourceLine, Spent, source_files,
};

use super::bar::lengths;
use super::page::{CodeLine, Page};
use super::speedup::median;
use super::table::TableOf;
use super::totals::unit;
use crate::notation::figures::{counted, duration};
use crate::notation::place::code_of;
use crate::notation::program::{program, threads};
use crate::sentences::answer::{Enough, command};
use crate::sentences::answers::{enough_parallelism, makes_up, makes_up_the_span};
use crate::sentences::because;
use crate::sentences::books::run;
use crate::sentences::plain::today;
use crate::sentences::questions::Tone;
use crate::sentences::to_try::{line_to_change, numbered, to_try_in_short};
use crate::{Renderer, Screen, sentences};

/// The lines of a terminal that nobody has enlarged, less those of two notes and the next prompt.
const LINES: usize = 21;

/// At most this many lines of source are shown, besides the one to change.
const MOST_CODE: usize = 3;

/// Lines that run a smaller share are not shown, and none if no line runs twice as much.
const LEAST_CODE: f64 = 0.05;

/// Parts of the threads' time that are smaller are not named.
const LEAST_SPENT: f64 = 0.005;

const LONGEST_BAR: usize = 76;

/// Leads what keeps the program from scaling.
const WHY: &str = "Why:";

/// How the parts of the threads' time look. The signs alone tell them apart.
const LOOKS: [(Spent, &str, Style); 7] = [
    (Spent::Work, "█", AnsiColor::Green.on_default()),
    (Spent::WaitingInTasks, "▓", AnsiColor::Yellow.on_default()),
    (Spent::WaitingForLocks, "▒", AnsiColor::Red.on_default()),
    (Spent::RanWithoutTask, "░", AnsiColor::Magenta.on_default()),
    (Spent::IdleOnSpan, "·", AnsiColor::Blue.on_default()),
    (Spent::Profiler, "*", AnsiColor::Cyan.on_default()),
    (Spent::Unexplained, "?", AnsiColor::Yellow.on_default()),
];

/// The first screen: at most 21 lines of 80 columns, unless its sentences and lines of code take
/// more. What is the least needed goes first.
///
/// ```
/// use workspan_model::{analyse, example};
/// use workspan_report::{FirstScreen, Renderer, Screen};
///
/// let profile = example::quicksort();
/// let screen = FirstScreen { screen: Screen::default(), source: &|_| None, file: None };
/// let mut text = Vec::new();
/// screen.render(&profile, &analyse(&profile), &mut text).unwrap();
/// assert!(String::from_utf8(text).unwrap().contains("Does not scale."));
/// ```
pub struct FirstScreen<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The text of a source file, by the name that locations give it; `None` if it cannot be
    /// shown.
    pub source: &'a dyn Fn(&str) -> Option<String>,
    /// What `workspan report` is to be given for it: a file, or nothing if it is the newest kept;
    /// `None` if it is not kept.
    pub file: Option<&'a str>,
}

/// What may be left out, the least needed first.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    LineToChange,
    ThreadsTime,
    Speedups,
    Always,
}

impl Renderer for FirstScreen<'_> {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let written = |write: &dyn Fn(&mut Page<'_>) -> io::Result<()>| {
            let mut text = Vec::new();
            write(&mut Page::new(&mut text, self.screen))?;
            io::Result::Ok(text)
        };
        let enough = enough_parallelism(analysis);
        let [code, to_change] = self.code(profile, analysis, enough.tone());
        let mut parts = vec![
            (
                Need::Always,
                written(&|page| answer(page, profile, analysis, &enough))?,
            ),
            (
                Need::Always,
                written(&|page| cause(page, analysis, enough.tone(), code.as_ref()))?,
            ),
            (
                Need::LineToChange,
                written(&|page| (to_change.iter()).try_for_each(|file| file.write(page)))?,
            ),
            (Need::Always, written(&|page| advice(page, analysis))?),
            (Need::Speedups, written(&|page| speedups(page, analysis))?),
            (
                Need::ThreadsTime,
                written(&|page| threads_time(page, analysis))?,
            ),
            (Need::Always, written(&|page| self.more(page, analysis))?),
        ];
        parts.retain(|(_, text)| !text.is_empty());
        for need in [Need::LineToChange, Need::ThreadsTime, Need::Speedups] {
            // A gap before each part but the first.
            let lines = |text: &[u8]| 1 + text.iter().filter(|&&byte| byte == b'\n').count();
            if parts.iter().map(|(_, text)| lines(text)).sum::<usize>() - 1 > LINES {
                parts.retain(|(needed, _)| *needed != need);
            }
        }
        let texts: Vec<Vec<u8>> = parts.into_iter().map(|(_, text)| text).collect();
        output.write_all(&texts.join(&b'\n'))
    }
}

impl FirstScreen<'_> {
    /// The user's own lines that run most, and the one that the advice is about, if its text is
    /// known: among the others, or else by itself.
    fn code(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        enough: Tone,
    ) -> [Option<CodeOfFile>; 2] {
        let mut hot = self.hot_code(profile, analysis, enough);
        let to_change = line_to_change(analysis).and_then(|place| {
            let text = (self.source)(&place.file)?;
            let line = CodeLine {
                number: place.line,
                text: line_of(&text, place.line)?,
                shares: Default::default(),
                is_to_change: true,
            };
            Some((place, line))
        });
        let Some((place, line)) = to_change else {
            return [hot, None];
        };
        let Some(file) = hot.as_mut().filter(|file| file.name == place.file) else {
            let name = place.file.clone();
            let lines = vec![line];
            return [hot, Some(CodeOfFile { name, lines })];
        };
        match file.lines.binary_search_by_key(&place.line, |it| it.number) {
            Ok(at) => file.lines[at].is_to_change = true,
            Err(at) => file.lines.insert(at, line),
        }
        [hot, None]
    }

    /// The user's own lines that run most, with the file that they are in, if their text is known:
    /// of the critical path, or else of the work if that may be the reason.
    fn hot_code(&self, profile: &Profile, analysis: &Analysis, enough: Tone) -> Option<CodeOfFile> {
        let functions = analysis.functions.as_ref()?;
        let on_span = functions.cover_the_span();
        let explains = on_span || !limits(analysis, enough) && functions.cover_the_work();
        if !explains || makes_up_the_span(analysis).row.is_none() {
            return None;
        }
        let share = |line: &SourceLine| {
            let [path, work] = line.own.shares();
            if on_span { path } else { work }
        };
        let mut files = source_files(profile);
        files.retain(|file| file.is_users(profile));
        for file in &mut files {
            file.lines
                .retain(|line| line.line > 0 && share(line) >= LEAST_CODE);
            file.lines
                .sort_by(|one, other| share(other).total_cmp(&share(one)));
            file.lines.truncate(MOST_CODE);
        }
        let most = |file: &SourceFile| file.lines.first().map_or(0.0, share);
        files.retain(|file| most(file) >= 2.0 * LEAST_CODE);
        files.sort_by(|one, other| most(other).total_cmp(&most(one)));
        files.into_iter().find_map(|mut file| {
            file.lines.sort_by_key(|line| line.line);
            let text = (self.source)(&file.file)?;
            let lines = file.lines.iter().map(|line| {
                Some(CodeLine {
                    number: line.line,
                    text: line_of(&text, line.line)?,
                    shares: [
                        if on_span {
                            share_of_samples(line.own.on_span)
                        } else {
                            String::new()
                        },
                        share_of_samples(line.own.on_work),
                    ],
                    is_to_change: false,
                })
            });
            let lines = lines.collect::<Option<_>>()?;
            Some(CodeOfFile {
                name: file.file,
                lines,
            })
        })
    }

    fn more(&self, page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
        let notes = analysis.notes.iter().filter(|note| !qualifies(note));
        let lead = match notes.count() {
            0 => "More:".to_owned(),
            notes => format!("More, with {}:", counted(notes as u64, "note", "notes")),
        };
        let commands = match self.file {
            Some(file) => {
                let words = [command(analysis), "report", file, "--full, or --open"];
                let words = words.into_iter().filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join(" ")
            }
            None => "--full reports all figures, -o FILE.wsp keeps them".to_owned(),
        };
        neutral(page, &lead, &commands)
    }
}

/// Lines of a source file to show.
struct CodeOfFile {
    name: String,
    lines: Vec<CodeLine>,
}

impl CodeOfFile {
    fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.code(&self.name, &self.lines)
    }
}

/// The line of this number; `None` if there is none.
fn line_of(text: &str, number: u32) -> Option<String> {
    let line = text.lines().nth((number as usize).checked_sub(1)?);
    line.map(str::to_owned)
}

/// A share, with half of its interval where that is more than a tenth of it; empty without
/// samples.
fn share_of_samples(share: SampleShare) -> String {
    if share.samples <= 0.0 {
        return String::new();
    }
    let (value, half) = (share.share.value, share.share.half_width());
    let interval = match half > 0.1 * value {
        true => format!(" ± {:.0}", half * 100.0),
        false => String::new(),
    };
    format!("{:.0}%{interval}", value * 100.0)
}

/// What ran, and how it ended.
fn title(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    let elapsed = duration(analysis.totals.elapsed);
    let program = Some(program(&profile.run.command)).filter(|program| !program.is_empty());
    let metric = (!analysis.metric.is_default()).then(|| format!("in {}", unit(&analysis.metric)));
    let runs = analysis.runs.as_ref();
    let runs = runs.map(|runs| format!("median of {} runs", runs.runs.len()));
    let measured = [threads(profile), Some(elapsed), runs, metric];
    let measured = measured
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let parts = [Some("workspan".to_owned()), program, Some(measured)];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>();
    page.rule(&parts.join(" · "))?;
    let mut qualifying = analysis.notes.iter().filter(|note| qualifies(note));
    qualifying.try_for_each(|note| page.item("!", &sentences::note(note, analysis)))
}

/// Whether a note is about all figures, so that they cannot be read without it.
fn qualifies(note: &Note) -> bool {
    matches!(
        note,
        Note::Failed(_) | Note::StillRunning | Note::Counts | Note::NoLines { .. }
    )
}

fn neutral(page: &mut Page<'_>, lead: &str, text: &str) -> io::Result<()> {
    page.paragraph(lead, Tone::Neutral, text)
}

/// Whether the program scales, below what ran.
fn answer(
    page: &mut Page<'_>,
    profile: &Profile,
    analysis: &Analysis,
    enough: &Enough,
) -> io::Result<()> {
    title(page, profile, analysis)?;
    page.paragraph(&enough.short.headline(), enough.tone(), &enough.text)?;
    let today = analysis.plain.as_ref().map(today);
    today.map_or(Ok(()), |(_, text)| neutral(page, "Today:", &text))
}

/// What makes up the critical path.
fn cause(
    page: &mut Page<'_>,
    analysis: &Analysis,
    enough: Tone,
    code: Option<&CodeOfFile>,
) -> io::Result<()> {
    let (lead, chain) = match limits(analysis, enough) {
        true => (WHY, "the critical path"),
        false if analysis.claims.refuted().is_some() => ("Recorded:", "it"),
        false => ("Critical path:", "it"),
    };
    let span = makes_up(analysis, chain, code.is_none());
    if span.row.is_some() {
        let finding = numbered(analysis).filter(|it| lead == WHY && Some(it.row) == span.row);
        let because = finding.and_then(|finding| because(finding, analysis));
        let because = because.map(|because| format!(" {because}"));
        neutral(page, lead, &(span.text + &because.unwrap_or_default()))?;
    }
    code.map_or(Ok(()), |file| file.write(page))
}

/// Whether what makes up the critical path is why the program does not scale.
fn limits(analysis: &Analysis, enough: Tone) -> bool {
    enough == Tone::Bad && analysis.verdict.limit.is_span()
}

fn advice(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let to_try = to_try_in_short(analysis);
    let is_new =
        |row: &usize| numbered(analysis).is_some() && Some(*row) != makes_up_the_span(analysis).row;
    let site = to_try.row.filter(is_new);
    let site = site.map(|row| format!(" This is about {}.", code_of(&analysis.sites[row])));
    neutral(page, "Try:", &(to_try.text + &site.unwrap_or_default()))
}

/// What is expected on numbers of cores, as far as the answer claims it.
fn speedups(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let claims = &analysis.claims.made;
    let expected = claims.iter().find_map(|claim| match *claim {
        Claim::Expect { lower, upper, .. } => Some((lower.is_some(), upper.is_some())),
        _ => None,
    });
    // For one number of cores alone, the answer has it.
    let Some((has_lower, has_upper)) = expected.filter(|_| analysis.speedup.len() > 1) else {
        return Ok(());
    };
    let ceilings = claims.iter().filter_map(|claim| match *claim {
        Claim::AtMost {
            speedup,
            reach: Reach::AnyCores,
            ..
        } => Some(speedup),
        _ => None,
    });
    let most = ceilings.fold(f64::INFINITY, f64::min);
    let bounds = analysis.speedup.iter();
    let mut rows: Vec<(&str, Vec<f64>)> = Vec::new();
    if has_lower && analysis.verdict.bounds.lower <= 1.0 {
        // Anything from none on: a table of the upper ends alone would promise them.
        return Ok(());
    }
    if has_lower {
        let lower = bounds.clone().map(|on| on.lower);
        rows.push(("at least", lower.clone().collect()));
        // The bounds are its interval.
        rows.extend(analysis.predicted.iter().map(|curve| {
            let (name, figures) = median(curve);
            let figures = figures.into_iter().zip(lower.clone());
            (
                name,
                figures.map(|(middle, lower)| middle.max(lower)).collect(),
            )
        }));
    }
    if has_upper {
        rows.push(("at most", bounds.map(|on| on.upper).collect()));
    }
    if rows.is_empty() {
        return Ok(());
    }
    let table = TableOf::new(rows).left("cores", |(name, _)| (*name).to_owned());
    let cores = analysis.speedup.iter().map(|on| on.cores);
    page.table(table.cores(cores, 0, |(_, figures), at| figures[at].min(most)))
}

/// What the threads spent their time on, as one bar.
fn threads_time(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let unseen = matches!(analysis.discrepancy(), Some((_, Discrepancy::Unseen)));
    let Some(books) = analysis.books.as_ref().filter(|_| !unseen) else {
        return Ok(());
    };
    let parts = shares(books);
    if parts.is_empty() {
        return Ok(());
    }
    let of_bar: Vec<f64> = parts.iter().map(|(share, ..)| *share).collect();
    let lengths = lengths(&of_bar, page.columns().min(LONGEST_BAR));
    let pieces = lengths.into_iter().zip(&parts);
    let pieces: Vec<_> = pieces
        .map(|(length, &(_, (_, mark, style)))| (length, mark, style))
        .collect();
    page.bar(&pieces)?;
    let named = parts
        .iter()
        .map(|(share, (spent, mark, _))| format!("{mark} {:.0}% {}", share * 100.0, spent.name()));
    let taken = books.taken_by_others;
    let taken = match taken.share_of(books.threads_time() + taken) >= LEAST_SPENT {
        true => format!(", less {} that other programs took", duration(taken)),
        false => String::new(),
    };
    page.sentence(&format!(
        "{}{taken}: {}",
        run(books),
        named.collect::<Vec<_>>().join(", "),
    ))
}

/// The parts of the threads' time that are worth naming, as shares of all of them, with how they
/// look; without what other programs took.
fn shares(books: &Books) -> Vec<(f64, (Spent, &'static str, Style))> {
    let parts = books.parts().into_iter().filter_map(|(spent, time)| {
        let look = LOOKS.into_iter().find(|(looks, ..)| *looks == spent)?;
        Some((time, look))
    });
    let parts: Vec<(Nanos, _)> = parts.collect();
    let whole: Nanos = parts.iter().map(|(time, _)| *time).sum();
    let shares = parts
        .into_iter()
        .map(|(time, look)| (time.share_of(whole), look));
    shares.filter(|(share, _)| *share >= LEAST_SPENT).collect()
}
