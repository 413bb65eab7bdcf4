//! Figures as people read them: three significant digits and a unit.

use serde::Serialize;
use workspan_model::{Cost, Estimate, Metric, Nanos, Span};

/// What a figure is in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// What the profile's metric counts.
    Amount,
    /// Nanoseconds, whatever the metric.
    Time,
    Ratio,
    Count,
    Share,
}

impl Unit {
    pub(crate) fn words(self, figure: f64, metric: &Metric) -> String {
        match self {
            Self::Amount => amount(Nanos::from_nanos_f64(figure), metric),
            Self::Time => duration(Nanos::from_nanos_f64(figure)),
            Self::Ratio => ratio(figure),
            Self::Count => grouped(figure as u64),
            Self::Share => percent(figure),
        }
    }
}

/// What is not known or does not exist.
pub(crate) const NONE: &str = "–";

/// From here on, numbers have an exponent: nobody reads all digits.
pub(crate) const GREAT: f64 = 1e15;

/// A time: `0 ns`, `602 ns`, `7.50 µs`, `98.0 ms`, `1.06 s`, `1,230 s`. Negative times show as 0.
pub(crate) fn duration(time: Nanos) -> String {
    nanoseconds(time.shown())
}

/// As [`duration`], for a number of nanoseconds.
pub(crate) fn nanoseconds(nanos: u64) -> String {
    if nanos < 1_000 {
        return format!("{nanos} ns");
    }
    let nanos = nanos as f64;
    let units = [(1e3, "µs"), (1e6, "ms"), (1e9, "s")];
    // 999.5 µs rounds to 1.00 ms, not to 1,000 µs.
    let fits = |&&(unit, _): &&(f64, &str)| nanos / unit < 999.5;
    let (unit, name) = units.iter().find(fits).unwrap_or(&units[2]);
    format!("{} {name}", three_digits(nanos / unit))
}

/// How long ago something was: `59 s`, `5 min`, `2 h`, `3 days`.
pub(crate) fn age(seconds: u64) -> String {
    let units = [
        (172_800, 86_400, "days"),
        (3_600, 3_600, "h"),
        (60, 60, "min"),
    ];
    let unit = units.iter().find(|(least, ..)| seconds >= *least);
    let (_, unit, name) = unit.unwrap_or(&(0, 1, "s"));
    format!("{} {name}", seconds / unit)
}

/// An amount of `metric`, as [`duration`] or [`short_count`] writes it: for tables, whose headings
/// say what is counted.
pub(crate) fn amount(amount: Nanos, metric: &Metric) -> String {
    if metric.is_time() {
        duration(amount)
    } else {
        short_count(amount.shown())
    }
}

/// As [`amount`], for sentences, which name what is counted: `39.0M page faults`.
pub(crate) fn amount_in_words(amount: Nanos, metric: &Metric) -> String {
    if metric.is_time() {
        duration(amount)
    } else {
        format!("{} {}", short_count(amount.shown()), metric.unit)
    }
}

/// What one operation takes on average, in `metric`.
pub(crate) fn average(average: Cost, metric: &Metric) -> String {
    match (metric.is_time(), average.as_nanos()) {
        (true, _) => cost(average),
        (false, events) if events < 99.95 => three_digits(events),
        (false, events) => short_count(events.round() as u64),
    }
}

/// As [`average`], for sentences.
pub(crate) fn average_in_words(average: Cost, metric: &Metric) -> String {
    if metric.is_time() {
        cost(average)
    } else {
        format!("{} {}", self::average(average, metric), metric.unit)
    }
}

/// The time of one operation: `0.41 ns`, `10.5 ns`, `7.50 µs`.
pub(crate) fn cost(cost: Cost) -> String {
    let nanos = cost.as_nanos();
    if nanos < 99.95 {
        format!("{} ns", three_digits(nanos))
    } else {
        duration(Nanos::from_nanos_f64(nanos))
    }
}

/// From one figure to another: `400 ns … 1.50 µs`, `1.20 … 1.50 µs` if the unit is the same, or one
/// of them if both read the same.
pub(crate) fn range(lower: &str, upper: &str) -> String {
    if lower == upper {
        return upper.to_owned();
    }
    let lower = match (lower.split_once(' '), upper.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => number,
        _ => lower,
    };
    format!("{lower} … {upper}")
}

/// The ends of an interval; `None` if both read the same.
pub(crate) fn ends<T: Copy>(estimate: Estimate<T>, words: impl Fn(T) -> String) -> Option<String> {
    let [low, high] = estimate.ends().map(words);
    (low != high).then(|| range(&low, &high))
}

/// From one end of an interval to the other; once if both read the same.
pub(crate) fn within<T: Copy>(estimate: Estimate<T>, words: impl Fn(T) -> String) -> String {
    ends(estimate, &words).unwrap_or_else(|| words(estimate.low))
}

/// An interval within a sentence: `1.20 to 1.50`, `400 ns to 1.50 µs`.
pub(crate) fn in_prose<T: Copy>(estimate: Estimate<T>, words: impl Fn(T) -> String) -> String {
    within(estimate, words).replace(" … ", " to ")
}

/// The ends of an interval in brackets: `(1.20 … 1.50)`; nothing if both read the same.
pub(crate) fn bracketed<T: Copy>(estimate: Estimate<T>, words: impl Fn(T) -> String) -> String {
    ends(estimate, words).map_or_else(String::new, |ends| format!("({ends})"))
}

/// A figure, and the ends of its interval in brackets: `1.34 (1.20 … 1.50)`.
pub(crate) fn estimated<T: Copy>(estimate: Estimate<T>, words: impl Fn(T) -> String) -> String {
    let value = words(estimate.value);
    let ends = bracketed(estimate, words);
    format!("{value} {ends}").trim_end().to_owned()
}

/// The ends of a ratio's interval where there is little room: `1.20…1.50`.
pub(crate) fn narrow(estimate: Estimate<f64>) -> String {
    ends(estimate, ratio).map_or_else(String::new, |ends| ends.replace(' ', ""))
}

/// A ratio: `0.87`, `1.85`, `21.3`, `812`, `1,234`, `1.50e300`.
pub(crate) fn ratio(ratio: f64) -> String {
    three_digits(ratio)
}

/// The ends of an interval, rounded outwards to the unit that its width leaves known, and that unit.
pub(crate) fn outwards(lower: f64, upper: f64) -> (f64, f64, f64) {
    let unit = 10_f64.powf(((upper - lower) / 2.0).log10().floor());
    if !unit.is_normal() {
        return (lower, upper, 0.0);
    }
    let down = (lower / unit).floor() * unit;
    // Of a lower end above 0, rounding may leave nothing.
    let down = if down > 0.0 { down } else { lower };
    (down, (upper / unit).ceil() * unit, unit)
}

/// An upper end that exceeds the lower one by this factor says nothing.
const OPEN: f64 = 100.0;

/// The interval of an amount, rounded outwards to the digits that are known; `at most 1.50 ms`.
pub(crate) fn amount_within(estimate: Estimate<f64>, metric: &Metric) -> String {
    let words = |nanos: f64| amount(Nanos::from_nanos_f64(nanos), metric);
    if estimate.low.is_infinite() {
        return format!("at most {}", words(estimate.high));
    }
    let (lower, upper, _) = outwards(estimate.low, estimate.high);
    range(&words(lower), &words(upper))
}

/// The interval of a span.
pub(crate) fn span_within(span: Estimate<Span>, metric: &Metric) -> String {
    amount_within(span.map(|span| span.time().as_nanos() as f64), metric)
}

/// An interval of a ratio with the digits that are known: `340 … 500` for 342 to 499, `7.7 … 8.3`,
/// `at least 340`.
pub(crate) fn ratio_within(estimate: Estimate<f64>) -> String {
    let [lower, upper] = estimate.ends();
    if upper.is_infinite() || upper >= OPEN * lower {
        return format!("at least {}", ratio(lower));
    }
    let (lower, upper, unit) = outwards(lower, upper);
    if unit >= 0.001 && upper < 1e3 {
        let digits = (-unit.log10().round()).max(0.0) as usize;
        let lower = if lower < unit {
            // Rounding would leave nothing.
            ratio(lower)
        } else {
            format!("{lower:.digits$}")
        };
        range(&lower, &format!("{upper:.digits$}"))
    } else {
        range(&ratio(lower), &ratio(upper))
    }
}

/// A share: `0%`, `<0.01%`, `0.78%`, `7.82%`, `78.2%`, `100%`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent <= 0.0 {
        "0%".to_owned()
    } else if percent < 0.005 {
        "<0.01%".to_owned()
    } else {
        format!("{}%", three_digits(percent))
    }
}

/// A share in percent that may be below 0.
pub(crate) fn signed_percent(share: f64) -> String {
    if share < 0.0 {
        format!("−{}", percent(-share))
    } else {
        percent(share)
    }
}

/// A share and half of its interval in percent, with the digits that the interval warrants:
/// `62% ± 3`, `0.4% ± 0.6`.
pub(crate) fn interval(share: Estimate<f64>) -> String {
    let (middle, half) = (share.value * 100.0, share.half_width() * 100.0);
    if half < 0.95 {
        format!("{middle:.1}% ± {half:.1}")
    } else {
        format!("{middle:.0}% ± {half:.0}")
    }
}

/// A count in few characters: `37`, `9,999`, `587k`, `8.52M`, `1.20G`, `3.00T`.
pub(crate) fn short_count(count: u64) -> String {
    if count < 10_000 {
        return grouped(count);
    }
    let count = count as f64;
    let units = [(1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
    let fits = |&&(unit, _): &&(f64, &str)| count / unit < 999.5;
    let (unit, name) = units.iter().find(fits).unwrap_or(&units[3]);
    format!("{}{name}", three_digits(count / unit))
}

/// A count with all its digits, in groups of three: `8,518,398`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count of things: `1 vertex`, `2,000 vertices`.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    let name = if count == 1 { one } else { several };
    format!("{} {name}", grouped(count))
}

fn three_digits(number: f64) -> String {
    if number < 9.995 {
        format!("{number:.2}")
    } else if number < 99.95 {
        format!("{number:.1}")
    } else if number < GREAT {
        grouped(number.round() as u64)
    } else {
        format!("{number:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        let ages = [0, 59, 60, 3_599, 3_600, 172_799, 172_800].map(age);
        assert_eq!(
            ages,
            ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 days"]
        );
    }

    #[test]
    fn durations() {
        let cases = [
            (-5, "0 ns"),
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_994, "9.99 µs"),
            (9_996, "10.0 µs"),
            (99_960, "100 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (98_000_000, "98.0 ms"),
            (1_060_000_000, "1.06 s"),
            (1_234_000_000_000, "1,234 s"),
        ];
        for (nanos, expected) in cases {
            assert_eq!(duration(Nanos::from_nanos(nanos)), expected);
        }
    }

    #[test]
    fn costs_and_ranges() {
        assert_eq!(cost(Cost::from_nanos(0.406)), "0.41 ns");
        assert_eq!(cost(Cost::from_nanos(10.5)), "10.5 ns");
        assert_eq!(cost(Cost::from_nanos(7_500.2)), "7.50 µs");
        assert_eq!(range("400 ns", "1.50 µs"), "400 ns … 1.50 µs");
        assert_eq!(range("1.20 µs", "1.50 µs"), "1.20 … 1.50 µs");
        assert_eq!(range("1.20", "∞"), "1.20 … ∞");
    }

    #[test]
    fn ratios() {
        let cases = [
            (0.0, "0.00"),
            (0.867, "0.87"),
            (21.309, "21.3"),
            (811.6, "812"),
            (1234.5, "1,235"),
            (1e15, "1.00e15"),
            (f64::INFINITY, "inf"),
        ];
        for (number, expected) in cases {
            assert_eq!(ratio(number), expected);
        }
    }

    #[test]
    fn intervals_have_the_digits_that_are_known() {
        let shown = |low, high| {
            ratio_within(Estimate {
                value: low,
                low,
                high,
            })
        };
        assert_eq!(shown(342.0, 499.0), "340 … 500");
        assert_eq!(shown(466.2, 479.9), "466 … 480");
        assert_eq!(shown(7.76, 8.24), "7.7 … 8.3");
        assert_eq!(shown(3.0, 80.0), "3.00 … 80");
        assert_eq!(shown(9.6, 40.4), "9.60 … 50");
        assert_eq!(shown(5.0, 5.0), "5.00");
        assert_eq!(shown(5.0, f64::INFINITY), "at least 5.00");
    }

    #[test]
    fn shares() {
        let cases = [
            (0.0, "0%"),
            (0.000_04, "<0.01%"),
            (0.007_8, "0.78%"),
            (0.782, "78.2%"),
            (0.999_9, "100%"),
        ];
        for (share, expected) in cases {
            assert_eq!(percent(share), expected);
        }
    }

    #[test]
    fn intervals() {
        let shown = |share: f64, half: f64| {
            interval(Estimate {
                value: share,
                low: share - half,
                high: share + half,
            })
        };
        assert_eq!(shown(0.6193, 0.031), "62% ± 3");
        assert_eq!(shown(0.824, 0.154), "82% ± 15");
        assert_eq!(shown(0.0041, 0.0058), "0.4% ± 0.6");
    }

    #[test]
    fn counts() {
        let cases = [
            (0, "0", "0"),
            (999, "999", "999"),
            (9_999, "9,999", "9,999"),
            (10_000, "10.0k", "10,000"),
            (999_600, "1.00M", "999,600"),
            (8_518_398, "8.52M", "8,518,398"),
        ];
        for (count, short, long) in cases {
            assert_eq!(
                (short_count(count).as_str(), grouped(count).as_str()),
                (short, long)
            );
        }
    }
}
