//! Standard input, which every run of a program must find at the same position.

use std::fs::File;
use std::io::{self, IsTerminal as _, Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;

/// Standard input of this process, which its children share.
pub(crate) enum StandardInput {
    /// A file, and the position at which the first run starts to read.
    File(File, u64),
    /// A pipe: what one run has read is gone for the others.
    Pipe,
    /// A socket, of which the same holds.
    Socket,
    /// A terminal, a device, or nothing.
    Other,
}

impl StandardInput {
    pub(crate) fn of_this_process() -> Self {
        let input = io::stdin();
        if input.is_terminal() {
            return Self::Other;
        }
        let Ok(mut file) = input.as_fd().try_clone_to_owned().map(File::from) else {
            return Self::Other;
        };
        match file.metadata().map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_file() => match file.stream_position() {
                Ok(position) => Self::File(file, position),
                Err(_) => Self::Other,
            },
            Ok(kind) if kind.is_fifo() => Self::Pipe,
            Ok(kind) if kind.is_socket() => Self::Socket,
            _ => Self::Other,
        }
    }

    pub(crate) const fn can_be_repeated(&self) -> bool {
        !matches!(self, Self::Pipe | Self::Socket)
    }

    /// Returns to the position at which the first run starts to read.
    pub(crate) fn rewind(&self) -> io::Result<()> {
        match self {
            Self::File(file, position) => {
                // The descriptors of the children share their position with this one.
                let mut file = file;
                file.seek(SeekFrom::Start(*position)).map(drop)
            }
            Self::Pipe | Self::Socket | Self::Other => Ok(()),
        }
    }
}
