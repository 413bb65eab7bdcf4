//! Reads and writes the `.wsp` profile file: a header, checksummed sections, a closing section.

mod dag;

use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use workspan_model::{Dag, Profile, Run};

use crate::{MOST_BYTES, open_file, read_file, replace_file};

/// First bytes of every `.wsp` file. The first is not ASCII. The line ends and the end-of-file mark
/// reveal a file that was transferred as text.
const MAGIC: [u8; 8] = *b"\x89WSP\r\n\x1a\n";

/// Version of the format that is written, and the newest that is read. Earlier versions are read as
/// they are: everything that later ones added to the profile has a meaning where it is absent.
const VERSION: u32 = 12;

const PROFILE_TAG: Tag = Tag(*b"PROF");
const DAG_TAG: Tag = Tag(*b"DAG ");
const END_TAG: Tag = Tag(*b"END ");

/// Size in bytes of a file's beginning, up to the payload of its first section.
const HEAD: usize = MAGIC.len() + size_of_val(&VERSION) + size_of::<Tag>() + LENGTH;
/// Size in bytes of the length of a payload.
const LENGTH: usize = size_of::<u64>();
/// Size in bytes of the checksum of a section.
const CHECKSUM: u64 = size_of::<u32>() as u64;

/// Why reading or writing a `.wsp` file failed, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{}", .path.display())]
pub struct WspError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: WspProblem,
}

/// What is wrong with a `.wsp` file, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WspProblem {
    /// Reading the file failed.
    #[error("cannot read the profile: {0}; check the path and its permissions")]
    Read(io::Error),
    /// Writing the file failed.
    #[error(
        "cannot write the profile: {0}; check the space and the permissions there, or name another file"
    )]
    Write(io::Error),
    /// The file is not a `.wsp` file.
    #[error("not a workspan profile; give a file that was written with `-o FILE.wsp`")]
    Foreign,
    /// The file was written by a later version.
    #[error(
        "written in format version {found}, this workspan reads up to {VERSION}; \
         update workspan (`cargo install workspan-cli`)"
    )]
    Newer {
        /// The file's version.
        found: u32,
    },
    /// The file ends too early.
    #[error("the profile is truncated; copy it again whole, or profile the program again")]
    Truncated,
    /// The contents do not match their checksum, or are not valid.
    #[error("the profile is damaged ({0}); copy it again, or profile the program again")]
    Damaged(String),
}

/// Writes `profile`, and the task dag of the same run if there is one, to the file `path`, either
/// completely or not at all.
///
/// # Errors
/// [`WspProblem::Write`]. An existing file keeps its contents.
pub fn write(path: &Path, profile: &Profile, dag: Option<&Dag>) -> Result<(), WspError> {
    replace_file(path, &encode(profile, dag)).map_err(|error| WspError {
        path: path.to_owned(),
        problem: WspProblem::Write(error),
    })
}

/// Reads the profile in the file `path`, and ignores a task dag.
///
/// # Errors
/// Any [`WspProblem`] except [`WspProblem::Write`].
pub fn read(path: &Path) -> Result<Profile, WspError> {
    read_as(path, decode)
}

/// Reads the profile in the file `path`, and the task dag if there is one.
///
/// # Errors
/// Any [`WspProblem`] except [`WspProblem::Write`].
pub fn read_with_dag(path: &Path) -> Result<(Profile, Option<Dag>), WspError> {
    read_as(path, decode_with_dag)
}

/// The size in bytes of the task dag in the file `path`; `None` if it has none. Decodes neither the
/// dag nor the profile.
///
/// # Errors
/// Any [`WspProblem`] except [`WspProblem::Write`].
pub fn dag_bytes(path: &Path) -> Result<Option<u64>, WspError> {
    let length = |bytes: &[u8]| {
        let dag = Sections::split(bytes)?.dag;
        Ok(dag.map(|dag| dag.len() as u64))
    };
    read_as(path, length)
}

/// How the program was run whose profile is in the file `path`. Reads the first section alone, so no
/// task dag.
///
/// # Errors
/// Any [`WspProblem`] except [`WspProblem::Write`].
pub fn read_run(path: &Path) -> Result<Run, WspError> {
    decode_as(path, read_first_section(path), decode_run)
}

/// The beginning of the file `path`, up to the end of its first section.
fn read_first_section(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEAD as u64).read_to_end(&mut bytes)?;
    if bytes.len() == HEAD
        && let Some(length) = bytes.last_chunk::<LENGTH>()
    {
        let rest = u64::from_le_bytes(*length).saturating_add(CHECKSUM);
        file.take(rest.min(MOST_BYTES)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn read_as<T>(
    path: &Path,
    decode: impl FnOnce(&[u8]) -> Result<T, WspProblem>,
) -> Result<T, WspError> {
    decode_as(path, read_file(path), decode)
}

fn decode_as<T>(
    path: &Path,
    bytes: io::Result<Vec<u8>>,
    decode: impl FnOnce(&[u8]) -> Result<T, WspProblem>,
) -> Result<T, WspError> {
    bytes
        .map_err(WspProblem::Read)
        .and_then(|bytes| decode(&bytes))
        .map_err(|problem| WspError {
            path: path.to_owned(),
            problem,
        })
}

/// The contents of a `.wsp` file with `profile`, and the task dag of the same run if there is one.
///
/// # Panics
/// Never: JSON can hold everything but maps with keys other than strings, which a profile does not
/// have, and compressing into memory does not fail.
pub fn encode(profile: &Profile, dag: Option<&Dag>) -> Vec<u8> {
    let payload = serde_json::to_vec(profile).expect("a profile is plain data");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    put_section(&mut bytes, PROFILE_TAG, &payload);
    if let Some(dag) = dag {
        let payload = dag::encode(dag).expect("memory takes all");
        put_section(&mut bytes, DAG_TAG, &payload);
    }
    put_section(&mut bytes, END_TAG, &[]);
    bytes
}

/// The profile in the contents of a `.wsp` file. Skips all other sections.
///
/// # Errors
/// [`WspProblem::Foreign`], `Newer`, `Truncated` and `Damaged`.
pub fn decode(bytes: &[u8]) -> Result<Profile, WspProblem> {
    parse_profile(Sections::split(bytes)?.profile)
}

/// The profile in the contents of a `.wsp` file, and the task dag if there is one. Skips all other
/// sections.
///
/// # Errors
/// [`WspProblem::Foreign`], `Newer`, `Truncated` and `Damaged`.
pub fn decode_with_dag(bytes: &[u8]) -> Result<(Profile, Option<Dag>), WspProblem> {
    let sections = Sections::split(bytes)?;
    let profile = parse_profile(sections.profile)?;
    let dag = sections.dag.map(|payload| parse_dag(payload, &profile));
    Ok((profile, dag.transpose()?))
}

/// How the program was run whose profile is in the first section of the contents of a `.wsp` file,
/// of which the rest may be missing.
///
/// # Errors
/// [`WspProblem::Foreign`], `Newer`, `Truncated` and `Damaged`.
pub fn decode_run(bytes: &[u8]) -> Result<Run, WspProblem> {
    #[derive(Deserialize)]
    struct Head {
        run: Run,
    }
    let mut input = Input(bytes);
    input.head()?;
    let (tag, payload) = input.section()?;
    if tag != PROFILE_TAG {
        return Err(WspProblem::Damaged(format!("it begins with {tag}")));
    }
    let head: Head = parse_json(payload)?;
    Ok(head.run)
}

/// The payloads of the known sections.
struct Sections<'a> {
    profile: &'a [u8],
    dag: Option<&'a [u8]>,
}

impl<'a> Sections<'a> {
    fn split(bytes: &'a [u8]) -> Result<Self, WspProblem> {
        let mut input = Input(bytes);
        input.head()?;
        let (mut profile, mut dag) = (None, None);
        loop {
            let (tag, payload) = input.section()?;
            let known = match tag {
                END_TAG => break,
                PROFILE_TAG => &mut profile,
                DAG_TAG => &mut dag,
                _ => continue,
            };
            if known.replace(payload).is_some() {
                return Err(WspProblem::Damaged(format!("two sections {tag}")));
            }
        }
        if !input.0.is_empty() {
            return Err(WspProblem::Damaged(format!(
                "{} bytes after its end",
                input.0.len()
            )));
        }
        let profile =
            profile.ok_or_else(|| WspProblem::Damaged(format!("no section {PROFILE_TAG}")))?;
        Ok(Self { profile, dag })
    }
}

fn parse_profile(payload: &[u8]) -> Result<Profile, WspProblem> {
    let profile: Profile = parse_json(payload)?;
    profile
        .check()
        .map_err(|error| WspProblem::Damaged(error.to_string()))?;
    Ok(profile)
}

fn parse_json<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Result<T, WspProblem> {
    serde_json::from_slice(payload)
        .map_err(|error| WspProblem::Damaged(format!("section {PROFILE_TAG}: {error}")))
}

fn parse_dag(payload: &[u8], profile: &Profile) -> Result<Dag, WspProblem> {
    let dag = dag::decode(payload).map_err(|error| {
        WspProblem::Damaged(match error.kind() {
            io::ErrorKind::UnexpectedEof => format!("section {DAG_TAG} ends too early"),
            _ => format!("section {DAG_TAG}: {error}"),
        })
    })?;
    dag.check(profile.tree.len(), profile.sites.len())
        .map_err(|error| WspProblem::Damaged(error.to_string()))?;
    Ok(dag)
}

/// The tag of a section, in ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tag([u8; 4]);

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.escape_ascii())
    }
}

fn put_section(bytes: &mut Vec<u8>, tag: Tag, payload: &[u8]) {
    let start = bytes.len();
    bytes.extend(tag.0);
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(payload);
    let checksum = crc32fast::hash(&bytes[start..]);
    bytes.extend(checksum.to_le_bytes());
}

/// The unread bytes. Lengths are checked against these before anything is taken.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// The magic and the version.
    fn head(&mut self) -> Result<(), WspProblem> {
        let start = &self.0[..self.0.len().min(MAGIC.len())];
        if start.is_empty() || !MAGIC.starts_with(start) {
            return Err(WspProblem::Foreign);
        }
        self.take::<{ MAGIC.len() }>()?;
        match u32::from_le_bytes(self.take()?) {
            0 => Err(WspProblem::Damaged("format version 0".to_owned())),
            version if version > VERSION => Err(WspProblem::Newer { found: version }),
            _ => Ok(()),
        }
    }

    fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], WspProblem> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(WspProblem::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn section(&mut self) -> Result<(Tag, &'a [u8]), WspProblem> {
        let start = self.0;
        let tag = Tag(self.take()?);
        let length = u64::from_le_bytes(self.take()?);
        let length = usize::try_from(length).map_err(|_| WspProblem::Truncated)?;
        let (payload, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(WspProblem::Truncated)?;
        self.0 = rest;
        let checked = &start[..start.len() - rest.len()];
        if crc32fast::hash(checked) != u32::from_le_bytes(self.take()?) {
            return Err(WspProblem::Damaged(format!("checksum of section {tag}")));
        }
        Ok((tag, payload))
    }
}
