//! Parses the fields of a line.

use std::str::FromStr;

use workspan_model::Metric;

/// What is wrong with a line.
pub(crate) type Problem = String;

/// The unread fields of a line, separated by single spaces.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    rest: Option<&'a str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { rest: Some(line) }
    }

    /// Reads the next field, which must not be empty. Error messages call it `name`.
    pub(crate) fn word(&mut self, name: &str) -> Result<&'a str, Problem> {
        let rest = self
            .rest
            .take()
            .ok_or_else(|| format!("{name} is missing"))?;
        let (word, rest) = match rest.split_once(' ') {
            Some((word, rest)) => (word, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        if word.is_empty() {
            Err(format!("{name} is empty"))
        } else {
            Ok(word)
        }
    }

    /// Reads the rest of the line, spaces included.
    pub(crate) fn text(&mut self, name: &str) -> Result<String, Problem> {
        let text = self.rest.take().map(str::to_owned);
        text.ok_or_else(|| format!("{name} is missing"))
    }

    pub(crate) fn number<N: FromStr>(&mut self, name: &str) -> Result<N, Problem> {
        let word = self.word(name)?;
        word.parse()
            .map_err(|_| format!("{name} `{word}` is not a number in range"))
    }

    /// Reads a finite number.
    pub(crate) fn float(&mut self, name: &str) -> Result<f64, Problem> {
        let number: f64 = self.number(name)?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(format!("{name} is not finite"))
        }
    }

    /// Reads the rate of a clock, in ticks per second.
    pub(crate) fn rate(&mut self) -> Result<f64, Problem> {
        let rate = self.float("the rate")?;
        if rate > 0.0 {
            Ok(rate)
        } else {
            Err("the rate is not positive".to_owned())
        }
    }

    /// Reads what ticks measure: its name, then its unit.
    pub(crate) fn metric(&mut self) -> Result<Metric, Problem> {
        Ok(Metric {
            name: self.word("the metric's name")?.to_owned(),
            unit: self.text("the metric's unit")?,
        })
    }

    pub(crate) fn hex(&mut self, name: &str) -> Result<u64, Problem> {
        let word = self.word(name)?;
        let digits = word.strip_prefix("0x").unwrap_or(word);
        u64::from_str_radix(digits, 16)
            .map_err(|_| format!("{name} `{word}` is not a hexadecimal number in range"))
    }

    /// Reads `0` or `1`.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.word(name)? {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(format!("{name} `{other}` is neither 0 nor 1")),
        }
    }

    /// Reads a field by `read`, or `None` for `-`.
    pub(crate) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self, &str) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        let is_dash = |rest: &str| rest == "-" || rest.starts_with("- ");
        if self.rest.is_some_and(is_dash) {
            self.word(name).map(|_| None)
        } else {
            read(self, name).map(Some)
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_none()
    }

    pub(crate) fn finish(self) -> Result<(), Problem> {
        match self.rest {
            None => Ok(()),
            Some(rest) => Err(format!("`{rest}` is too much")),
        }
    }
}
