//! What a sample says of the cache line of an atomic instruction.

/// Which thread the previous sample at the cache line of an atomic instruction came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineUse {
    /// It is not known, or there is no such instruction.
    #[default]
    Unknown,
    /// That of this sample.
    Own,
    /// Another one, at the word of this sample.
    Shared,
    /// Another one, at another word.
    Apart,
}

impl LineUse {
    const ALL: [Self; 4] = [Self::Unknown, Self::Own, Self::Shared, Self::Apart];

    /// As a number of two bits.
    pub(crate) const fn bits(self) -> u64 {
        self as u64
    }

    pub(crate) const fn of_bits(bits: u64) -> Self {
        Self::ALL[(bits & 3) as usize]
    }

    /// In the raw profile.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "-",
            Self::Own => "own",
            Self::Shared => "shared",
            Self::Apart => "apart",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_kept_in_two_bits() {
        for line in LineUse::ALL {
            assert_eq!(LineUse::of_bits(line.bits()), line);
        }
    }
}
