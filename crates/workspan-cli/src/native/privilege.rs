//! Programs that run with more privileges than their user.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// What gives a program privileges that its user does not have; `None` for most programs. The
/// dynamic linker ignores `LD_PRELOAD` for such a program.
pub(super) fn of_program(path: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(path).ok()?;
    let mode = metadata.permissions().mode();
    let user = rustix::process::getuid().as_raw();
    let group = rustix::process::getgid().as_raw();
    if mode & SET_USER != 0 && metadata.uid() != user {
        return Some("the rights of another user (it is setuid)");
    }
    if mode & SET_GROUP != 0 && metadata.gid() != group {
        return Some("the rights of another group (it is setgid)");
    }
    // Longer than any set of capabilities.
    let mut capabilities = [0_u8; 64];
    let has_capabilities =
        rustix::fs::getxattr(path, "security.capability", &mut capabilities).is_ok();
    // They give the superuser nothing new.
    (has_capabilities && user != 0).then_some("capabilities of its own (`getcap` shows them)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_program_has_no_privilege() {
        assert_eq!(of_program(&std::env::current_exe().unwrap()), None);
        assert_eq!(of_program(Path::new("/no/such/program")), None);
    }
}
