//! The blocks of a record: what they hold, and whether it is as it was written.

use std::io::{self, BufRead, Read as _};

use crate::varint::unsigned;

/// A block, or what is wrong with it.
pub(super) type Checked<'a> = Result<Block<'a>, String>;

/// What a block holds.
pub(super) enum Block<'a> {
    /// Settings of the whole record.
    Header(String),
    /// Sites and nodes.
    Program(String),
    /// Events of one thread.
    Events { thread: u64, events: &'a [u8] },
    /// The record is whole.
    End,
}

/// The blocks that are still to be read.
pub(super) struct Blocks<R> {
    bytes: R,
    /// The present block.
    block: Vec<u8>,
    count: usize,
}

impl<R: BufRead> Blocks<R> {
    /// Bytes before the payload: kind and length.
    const HEAD: usize = 5;
    /// The most bytes that the first line has.
    const LONGEST_LINE: u64 = 64;

    pub(super) fn of(bytes: R) -> Self {
        Self {
            bytes,
            block: Vec::new(),
            count: 0,
        }
    }

    /// The first line with its end, or as much as there is of it.
    pub(super) fn first_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        let mut start = self.bytes.by_ref().take(Self::LONGEST_LINE);
        start.read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// How many blocks have been read.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The next block; none where the record ends, also if it does so within a block.
    pub(super) fn next(&mut self) -> io::Result<Option<Checked<'_>>> {
        self.block.clear();
        if !self.fill(Self::HEAD as u64)? {
            return Ok(None);
        }
        let length: [u8; 4] = self.block[1..Self::HEAD].try_into().expect("four bytes");
        let length = u32::from_le_bytes(length);
        if !self.fill(u64::from(length) + 4)? {
            return Ok(None);
        }
        self.count += 1;
        Ok(Some(self.checked()))
    }

    /// Appends `count` bytes to the block. False if there are not so many.
    fn fill(&mut self, count: u64) -> io::Result<bool> {
        let read = self
            .bytes
            .by_ref()
            .take(count)
            .read_to_end(&mut self.block)?;
        Ok(read as u64 == count)
    }

    fn checked(&self) -> Checked<'_> {
        let (checked, checksum) = self.block.split_last_chunk().expect("it was filled");
        if fnv_1a(checked) != u32::from_le_bytes(*checksum) {
            return Err("its checksum is wrong".to_owned());
        }
        let mut payload = &checked[Self::HEAD..];
        match checked[0] {
            b'H' => Ok(Block::Header(text(payload))),
            b'T' => Ok(Block::Program(text(payload))),
            b'E' => {
                let thread = unsigned(&mut payload).map_err(|error| error.to_string())?;
                let events = payload;
                Ok(Block::Events { thread, events })
            }
            b'Z' if payload.is_empty() => Ok(Block::End),
            b'Z' => Err("the end has contents".to_owned()),
            kind => Err(format!("its kind `{}` is not known", kind.escape_ascii())),
        }
    }
}

/// Bytes that are no UTF-8 are replaced, as in the raw profile.
fn text(payload: &[u8]) -> String {
    String::from_utf8_lossy(payload).into_owned()
}

/// FNV-1a of 32 bits (Fowler, Noll and Vo; RFC 9923).
pub(super) fn fnv_1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv_1a;

    /// Values of the algorithm's published test vectors.
    #[test]
    fn checksums_are_those_of_fnv_1a() {
        assert_eq!(fnv_1a(b""), 0x811c_9dc5);
        assert_eq!(fnv_1a(b"a"), 0xe40c_292c);
        assert_eq!(fnv_1a(b"foobar"), 0xbf9c_f968);
    }
}
