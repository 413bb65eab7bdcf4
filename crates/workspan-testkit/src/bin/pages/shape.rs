//! Whether an excerpt has the words of an output; figures may differ.

use std::ops::RangeInclusive;

/// Separates two parts of an excerpt between which something was left out.
const GAP: &str = "…";

/// The lines of `output` that `excerpt` shows. Each part between gaps becomes all lines from its
/// first words to its last.
///
/// # Errors
/// The output lacks words of the excerpt, or a part has none.
pub(super) fn found_in(excerpt: &[String], output: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = output.lines().collect();
    let words: Vec<(usize, &str)> = (lines.iter().enumerate())
        .flat_map(|(at, line)| line.split_whitespace().map(move |word| (at, word)))
        .collect();
    let mut found = Vec::new();
    let mut from = 0;
    for part in excerpt.split(|line| line.trim() == GAP) {
        if from > 0 || !found.is_empty() {
            found.push(gap_of(excerpt));
        }
        if part.is_empty() {
            found.push(gap_of(excerpt));
            continue;
        }
        let (range, end) = place_of(part, &words, from)?;
        found.extend(lines[range].iter().map(|line| line.trim_end().to_owned()));
        from = end;
    }
    found.dedup_by(|next, line| next.trim() == GAP && line.trim() == GAP);
    Ok(found)
}

/// A gap, written as in `excerpt`.
fn gap_of(excerpt: &[String]) -> String {
    let gap = excerpt.iter().find(|line| line.trim() == GAP);
    gap.map_or(GAP, |gap| gap).to_owned()
}

/// The lines of the output that `part` shows, and the number of words up to their end. The search
/// starts at word `from`.
fn place_of(
    part: &[String],
    words: &[(usize, &str)],
    from: usize,
) -> Result<(RangeInclusive<usize>, usize), String> {
    let mut start = None;
    let mut end = from;
    for phrase in part.iter().flat_map(|line| phrases(line)) {
        let Some(at) = position_of(&phrase, &words[end..]) else {
            return Err(format!("\"{}\" is not there", phrase.join(" ")));
        };
        start.get_or_insert(words[end + at].0);
        end += at + phrase.len();
    }
    match start {
        Some(start) => Ok((start..=words[end - 1].0, end)),
        None => Err(format!("nothing to compare in \"{}\"", part.join(" "))),
    }
}

fn position_of(phrase: &[&str], words: &[(usize, &str)]) -> Option<usize> {
    let mut places = words.windows(phrase.len());
    places.position(|place| place.iter().map(|(_, word)| word).eq(phrase))
}

/// What an output of the same shape must contain: the words of a line between its figures. If the
/// line has columns, these are the words of the first column that has any. A line of a plot has
/// none.
fn phrases(line: &str) -> Vec<Vec<&str>> {
    if line.contains(['│', '┤', '└']) {
        return Vec::new();
    }
    let mut cells = line.trim().split("  ").map(between_figures);
    cells.find(|cell| !cell.is_empty()).unwrap_or_default()
}

fn between_figures(text: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let phrases = words.split(|word| is_figure(word));
    let phrases = phrases.filter(|phrase| phrase.concat().contains(char::is_alphabetic));
    phrases.map(<[&str]>::to_vec).collect()
}

/// Whether `word` may differ in another run: a number, a unit, a sign, or something cut to fit.
fn is_figure(word: &str) -> bool {
    let bare = word.trim_matches(|sign: char| sign.is_ascii_punctuation());
    let is_unit = matches!(bare, "s" | "ms" | "µs" | "ns" | "kB" | "MB" | "GB");
    let is_number = !bare.starts_with(char::is_alphabetic);
    is_unit || is_number || word.starts_with('…')
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
noise
Limited by its span: on 64 cores expect a speedup
of 3.66 to 6.58; 71.6% of it is code at
examples/a.rs:36:5.

Profile
  Work     1.24 s  time of all strands
  Span     189 ms  longest chain

Sites
  …icksort.rs:36:5  join   619k
  WS001 Too little
";

    fn found(excerpt: &str) -> Result<String, String> {
        let lines: Vec<String> = excerpt.lines().map(str::to_owned).collect();
        found_in(&lines, OUTPUT).map(|lines| lines.join("\n"))
    }

    #[test]
    fn figures_and_line_ends_may_differ() {
        let excerpt = "Limited by its span: on 8 cores\nexpect a speedup of 40 to 60.1;\n7% of it is code at examples/a.rs:36:5.";
        assert_eq!(
            found(excerpt).unwrap(),
            OUTPUT
                .lines()
                .skip(1)
                .take(3)
                .collect::<Vec<_>>()
                .join("\n")
        );
    }

    #[test]
    fn parts_take_all_lines_from_their_first_words_to_their_last() {
        assert_eq!(
            found("Profile\nSpan  9 µs  whatever\n  …\n  …s.rs:1:1  join  3").unwrap(),
            "Profile\n  Work     1.24 s  time of all strands\n  Span     189 ms  longest chain\n  …\n  …icksort.rs:36:5  join   619k"
        );
        assert_eq!(found("…\nProfile\n…").unwrap(), "…\nProfile\n…");
    }

    #[test]
    fn other_words_places_and_orders_are_noticed() {
        for excerpt in [
            "Limited by its work",
            "code at examples/a.rs:37:5.",
            "  WS002 Too little",
            "Span  1 s\nWork  1 s",
            "Sites\n…\nProfile",
        ] {
            assert!(
                found(excerpt).unwrap_err().contains("is not there"),
                "{excerpt}"
            );
        }
        assert!(found("12 ms").unwrap_err().contains("nothing to compare"));
    }
}
