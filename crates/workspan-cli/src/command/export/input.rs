//! The input of an export.

use std::path::Path;

use anyhow::Context as _;
use workspan_format::read_file;
use workspan_format::wsp::{self, WspError, WspProblem};
use workspan_model::{Dag, Profile, Sweep};

use crate::exit_code::{Failure, OrExit as _, PROFILE};
use crate::sweep;

/// A profile or a sweep.
pub(super) enum Input {
    /// A profile, with its task dag if one was recorded.
    Profile(Box<Profile>, Option<Dag>),
    Sweep(Box<Sweep>),
}

impl Input {
    /// Reads `file` once only, since it may be a pipe.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let wrong = |problem| WspError {
            path: file.to_owned(),
            problem,
        };
        let bytes = read_file(file).map_err(|error| wrong(WspProblem::Read(error)));
        let bytes = bytes.or_exit(PROFILE)?;
        // A profile is not JSON.
        if bytes.starts_with(b"{") {
            let sweep = sweep::decode(&bytes).with_context(|| file.display().to_string());
            return Ok(Self::Sweep(Box::new(sweep.or_exit(PROFILE)?)));
        }
        let (profile, dag) = wsp::decode_with_dag(&bytes)
            .map_err(wrong)
            .or_exit(PROFILE)?;
        Ok(Self::Profile(Box::new(profile), dag))
    }
}
