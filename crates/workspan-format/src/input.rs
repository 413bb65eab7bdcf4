//! Reads files that may come from anybody.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The largest file that is read, in bytes: sixteen times what a run records at most by default.
pub const MOST_BYTES: u64 = 4 << 30;

/// Reads the file or named pipe `path`.
///
/// # Errors
/// When it cannot be read, is a device, or has more than [`MOST_BYTES`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {} GiB, the most that is read",
            MOST_BYTES >> 30
        )));
    }
    Ok(bytes)
}

/// Opens the file or named pipe `path` for reading.
///
/// # Errors
/// When it cannot be opened, or is a device, which may have no end.
pub fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let kind = file.metadata()?.file_type();
    if is_device(kind) {
        return Err(io::Error::other("it is a device, and no file"));
    }
    Ok(file)
}

#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let error = read_file(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is a device, and no file");
    }
}
