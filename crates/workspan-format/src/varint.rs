//! Variable-length integers: LEB128, with signed ones mapped to unsigned ones by zigzag.

use std::io::{self, Read};

/// The most bytes that a 64-bit integer takes.
const LONGEST: u32 = 10;

/// Appends `number`, seven bits per byte from the lowest on; all bytes but the last have their
/// highest bit set.
pub(crate) fn put_unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends `number` so that one near 0 is short, whatever its sign.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put_unsigned(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// Reads what [`put_unsigned`] wrote.
///
/// # Errors
/// `UnexpectedEof` when the bytes end within the number, `InvalidData` when it has more than 64
/// bits, and those of reading `bytes`.
#[inline]
pub(crate) fn unsigned(bytes: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for place in 0..LONGEST {
        let mut byte = [0];
        bytes.read_exact(&mut byte)?;
        let bits = u64::from(byte[0] & 0x7f);
        if place + 1 == LONGEST && bits > 1 {
            break;
        }
        number |= bits << (7 * place);
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(invalid("a number has more than 64 bits"))
}

/// Reads what [`put_signed`] wrote.
///
/// # Errors
/// As [`unsigned`].
#[inline]
pub(crate) fn signed(bytes: &mut impl Read) -> io::Result<i64> {
    let number = unsigned(bytes)?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// An error for contents that make no sense.
pub(crate) fn invalid(problem: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_unsigned(&mut bytes, number);
            assert_eq!(unsigned(&mut &bytes[..]).unwrap(), number);
            assert!(unsigned(&mut &bytes[..bytes.len() - 1]).is_err());
        }
        for number in [0, -1, 1, 63, -64, 64, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            assert_eq!(signed(&mut &bytes[..]).unwrap(), number);
        }
    }

    #[test]
    fn numbers_near_zero_are_short() {
        let length = |number| {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            bytes.len()
        };
        assert_eq!([0, -64, 63, 64, -8192].map(length), [1, 1, 1, 2, 2]);
    }

    #[test]
    fn numbers_of_more_than_64_bits_are_refused() {
        let mut long = [0xff; 10];
        long[9] = 0x02;
        let error = unsigned(&mut &long[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(unsigned(&mut &[0x80; 20][..]).is_err());
    }
}
