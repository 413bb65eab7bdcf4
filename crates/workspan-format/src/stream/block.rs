//! Splits a record into blocks, and verifies their checksums.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use crate::varint::unsigned;

/// A block, or what is wrong with it.
pub(super) type Checked<'a> = Result<Block<'a>, String>;

/// The contents of a block.
pub(super) enum Block<'a> {
    /// Settings of the whole record.
    Header(Cow<'a, str>),
    /// Sites and nodes.
    Program(Cow<'a, str>),
    /// Events of one thread.
    Events { thread: u64, events: &'a [u8] },
    /// The record is whole. No block follows.
    End,
}

/// Reads the blocks of a record one by one.
pub(super) struct Blocks<R> {
    bytes: R,
    /// The current block.
    block: Vec<u8>,
    /// How many blocks have been read.
    count: usize,
}

impl<R: BufRead> Blocks<R> {
    /// Bytes of a block before its payload: kind and length.
    const HEAD: usize = 5;
    /// How many bytes of the first line are read at most.
    const LONGEST_LINE: u64 = 64;

    pub(super) fn new(bytes: R) -> Self {
        Self {
            bytes,
            block: Vec::new(),
            count: 0,
        }
    }

    /// Reads the first line, with its line end, or as much of it as there is.
    pub(super) fn first_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        let mut start = self.bytes.by_ref().take(Self::LONGEST_LINE);
        start.read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Reads the next block; `None` if the record ends before or within it.
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
        Ok(Some(self.decode()))
    }

    /// Appends `count` bytes to the current block. Returns whether there were so many.
    fn fill(&mut self, count: u64) -> io::Result<bool> {
        let read = self
            .bytes
            .by_ref()
            .take(count)
            .read_to_end(&mut self.block)?;
        Ok(read as u64 == count)
    }

    fn decode(&self) -> Checked<'_> {
        let (checked, checksum) = self.block.split_last_chunk().expect("it was filled");
        if fnv_1a(checked) != u32::from_le_bytes(*checksum) {
            return Err("its checksum is wrong".to_owned());
        }
        let mut payload = &checked[Self::HEAD..];
        match checked[0] {
            // Invalid UTF-8 is replaced, as in the raw profile.
            b'H' => Ok(Block::Header(String::from_utf8_lossy(payload))),
            b'T' => Ok(Block::Program(String::from_utf8_lossy(payload))),
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

/// The 32-bit FNV-1a hash (Fowler, Noll and Vo; RFC 9923).
fn fnv_1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv_1a;

    /// From the published test vectors.
    #[test]
    fn checksums_are_those_of_fnv_1a() {
        assert_eq!(fnv_1a(b""), 0x811c_9dc5);
        assert_eq!(fnv_1a(b"a"), 0xe40c_292c);
        assert_eq!(fnv_1a(b"foobar"), 0xbf9c_f968);
    }
}
