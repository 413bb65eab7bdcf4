//! Counts the words of a text with `par_iter` chains.
//!
//! The text is made from a vocabulary in which word k is about 1/k as frequent as the first (Zipf's
//! law), then three chains run over it: `par_lines` into `fold` and `reduce` of hash maps, a
//! `collect` into a vector, and a parallel sort by frequency.
//!
//! Work is Θ(n) for n words. Folding is perfectly parallel, but every task ends with a map of the
//! words it saw, and `reduce` merges two maps serially: near the root of the reduction both have
//! most of the vocabulary of v words, so the span is n/tasks + Θ(v log tasks). Splitting the text
//! finer makes more merges, not shorter ones. Joining the generated lines to one text is a serial
//! copy of Θ(n), and freeing the lines one by one is serial too.
//!
//! What workspan should show:
//! - a parallelism of 10 to 20, however many cores are assumed;
//! - each chain as one site in this file, named after the chain and not after rayon's `join`;
//! - with the largest share of the span the root, for the serial copy and the freeing, then the
//!   counting chain with its merges;
//! - a burdened parallelism as high as the parallelism: the strands are milliseconds.

use std::collections::HashMap;
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, Xorshift};

const USAGE: &str = "usage: wordcount [COUNT]
  COUNT  words of the text, in lines of 10, 1 to 1000000000 [default: 10000000]";

/// Words in a line of the text.
const LINE: usize = 10;

/// How many different words there are.
const VOCABULARY: u64 = 20_000;

type Counts<'text> = HashMap<&'text str, u64>;

/// The numbers of the words in a line of a text of `count` words; the last line may be shorter.
fn words_of_line(line: usize, count: usize) -> impl Iterator<Item = u64> {
    let mut random = Xorshift::new(line as u64);
    let words = LINE.min(count - line * LINE);
    (0..words).map(move |_| zipf(&mut random))
}

/// A number from 0 to `VOCABULARY` - 1: k with a probability of about 1/((k + 1) ln VOCABULARY).
fn zipf(random: &mut Xorshift) -> u64 {
    let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let rank = (VOCABULARY as f64).powf(uniform) as u64;
    rank.clamp(1, VOCABULARY) - 1
}

/// Word `number` of the vocabulary: its digits as letters. The first words are the shortest.
fn push_word(text: &mut String, number: u64) {
    const LETTERS: &[u8; 20] = b"etaoinshrdlucmfwypvb";
    let mut rest = number + 1;
    while rest > 0 {
        text.push(char::from(LETTERS[(rest % 20) as usize]));
        rest /= 20;
    }
}

fn generate(count: usize) -> String {
    let lines: Vec<String> = (0..count.div_ceil(LINE))
        .into_par_iter()
        .map(|line| {
            let mut text = String::with_capacity(6 * LINE);
            for word in words_of_line(line, count) {
                push_word(&mut text, word);
                text.push(' ');
            }
            text.push('\n');
            text
        })
        .collect();
    lines.concat()
}

fn count_words(text: &str) -> Counts<'_> {
    text.par_lines()
        .fold(Counts::new, |mut counts, line| {
            for word in line.split_whitespace() {
                *counts.entry(word).or_default() += 1;
            }
            counts
        })
        .reduce(Counts::new, merge)
}

fn merge<'text>(left: Counts<'text>, right: Counts<'text>) -> Counts<'text> {
    let (mut large, small) = if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    };
    for (word, count) in small {
        *large.entry(word).or_default() += count;
    }
    large
}

/// The words and their counts, by descending frequency, then alphabetically.
fn by_frequency<'text>(counts: &Counts<'text>) -> Vec<(&'text str, u64)> {
    let mut words: Vec<(&str, u64)> = counts
        .par_iter()
        .map(|(word, count)| (*word, *count))
        .collect();
    words.par_sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    words
}

/// How often each word of the vocabulary was generated for a text of `count` words.
fn generated_counts(count: usize) -> Vec<u64> {
    let zeros = || vec![0; VOCABULARY as usize];
    (0..count.div_ceil(LINE))
        .into_par_iter()
        .fold(zeros, |mut counts, line| {
            for word in words_of_line(line, count) {
                counts[word as usize] += 1;
            }
            counts
        })
        .reduce(zeros, |mut left, right| {
            left.iter_mut().zip(right).for_each(|(a, b)| *a += b);
            left
        })
}

fn is_count_of(counts: &Counts, count: usize) -> bool {
    let expected = generated_counts(count);
    let different = expected.iter().filter(|&&count| count > 0).count();
    let mut word = String::new();
    counts.len() == different
        && expected.iter().enumerate().all(|(number, &expected)| {
            word.clear();
            push_word(&mut word, number as u64);
            counts.get(word.as_str()).copied().unwrap_or(0) == expected
        })
}

fn main() {
    let count = Arguments::read_from_process(USAGE, |arguments| {
        arguments.number("COUNT", 10_000_000, 1..=1_000_000_000)
    });
    let text = generate(count);
    let started = Instant::now();
    let counts = count_words(&text);
    let words = by_frequency(&counts);
    let elapsed = started.elapsed();
    assert!(is_count_of(&counts, count), "the words are miscounted");
    assert!(
        words.par_windows(2).all(|pair| pair[0].1 >= pair[1].1),
        "the words are out of order"
    );
    let (first, times) = words[0];
    println!(
        "wordcount: {count} words, {} different, '{first}' {times} times, counted in {:.3} s",
        words.len(),
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_was_generated() {
        for count in [1, 9, 10, 11, 50_000] {
            let text = generate(count);
            assert_eq!(text.split_whitespace().count(), count);
            assert!(is_count_of(&count_words(&text), count));
        }
    }

    #[test]
    fn a_miscounted_word_is_noticed() {
        let text = generate(1_000);
        let mut counts = count_words(&text);
        *counts.values_mut().next().unwrap() += 1;
        assert!(!is_count_of(&counts, 1_000));
    }

    #[test]
    fn frequent_words_come_first() {
        let counts = count_words("b a c\na b\na d");
        assert_eq!(
            by_frequency(&counts),
            [("a", 3), ("b", 2), ("c", 1), ("d", 1)]
        );
    }

    #[test]
    fn vocabulary_words_differ() {
        let mut words = std::collections::HashSet::new();
        for number in 0..VOCABULARY {
            let mut word = String::new();
            push_word(&mut word, number);
            assert!(words.insert(word));
        }
    }
}
