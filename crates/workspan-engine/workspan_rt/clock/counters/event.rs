//! Events, by perf's names for them (perf-list(1)).

use super::{system, Problem};
use std::ffi::c_int;

/// Something that the kernel can count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    name: String,
    kind: Kind,
    /// As in `struct perf_event_attr`.
    type_number: u32,
    config: [u64; 2],
    /// In which modes of the processor it counts.
    user: bool,
    kernel: bool,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The processor's, by a name that all processors share.
    Hardware,
    /// The kernel's own.
    Software,
    /// One of the processor's caches.
    Cache,
    /// The processor's, by a name that only this one has.
    Processor,
    /// The processor's, by its number.
    Raw,
}

impl Kind {
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Software => "software",
            Self::Cache => "cache",
            Self::Processor => "processor",
            Self::Raw => "raw",
        }
    }

    /// `enum perf_type_id`.
    const fn type_number(self) -> u32 {
        match self {
            Self::Hardware => 0,
            Self::Software => 1,
            Self::Cache => 3,
            Self::Processor | Self::Raw => 4,
        }
    }
}

/// `enum perf_hw_id`, with other names of the same.
const HARDWARE: [(&str, &str, u64); 10] = [
    ("cycles", "cpu-cycles", 0),
    ("instructions", "", 1),
    ("cache-references", "", 2),
    ("cache-misses", "", 3),
    ("branches", "branch-instructions", 4),
    ("branch-misses", "", 5),
    ("bus-cycles", "", 6),
    ("stalled-cycles-frontend", "idle-cycles-frontend", 7),
    ("stalled-cycles-backend", "idle-cycles-backend", 8),
    ("ref-cycles", "", 9),
];

/// `enum perf_sw_ids`.
const SOFTWARE: [(&str, &str, u64); 9] = [
    ("cpu-clock", "", 0),
    ("task-clock", "", 1),
    ("page-faults", "faults", 2),
    ("context-switches", "cs", CONTEXT_SWITCHES),
    ("cpu-migrations", "migrations", MIGRATIONS),
    ("minor-faults", "", 5),
    ("major-faults", "", 6),
    ("alignment-faults", "", 7),
    ("emulation-faults", "", 8),
];

const CONTEXT_SWITCHES: u64 = 3;
const MIGRATIONS: u64 = 4;

/// `enum perf_hw_cache_id`.
const CACHES: [&str; 7] = [
    "L1-dcache",
    "L1-icache",
    "LLC",
    "dTLB",
    "iTLB",
    "branch",
    "node",
];

/// `enum perf_hw_cache_op_id` and `perf_hw_cache_op_result_id`: what may follow the name of a
/// cache, and its number.
const OPERATIONS: [(&str, u64); 6] = [
    ("loads", 0),
    ("load-misses", 0x1_00),
    ("stores", 0x1),
    ("store-misses", 0x1_01),
    ("prefetches", 0x2),
    ("prefetch-misses", 0x1_02),
];

impl Event {
    /// The event called `name`: one of all processors or of the kernel (`instructions`,
    /// `page-faults`), of a cache (`L1-dcache-load-misses`), of this processor
    /// (`/sys/bus/event_source/devices/cpu/events`), or its number in hexadecimal digits (`r20d1`).
    /// It counts in user mode; with `:k` at the end in the kernel, with `:uk` in both. All that may
    /// be preceded by a name of the user's own (`xsnp_hitm=r4d2`).
    ///
    /// # Errors
    /// [`Problem::Unknown`].
    pub fn named(name: &str) -> Result<Self, Problem> {
        let counted = match name.split_once('=') {
            Some((own, event)) if is_own_name(own) => event,
            _ => name,
        };
        let (plain, user, kernel) = match counted.rsplit_once(':') {
            Some((plain, "u")) => (plain, true, false),
            Some((plain, "k")) => (plain, false, true),
            Some((plain, "uk" | "ku")) => (plain, true, true),
            _ => (counted, true, false),
        };
        let event = Self::find(plain).ok_or_else(|| Problem::Unknown {
            name: name.to_owned(),
            nearest: nearest(plain),
        })?;
        Ok(event.in_modes(name, user, kernel))
    }

    /// Why it cannot be counted, given the kernel's `error`.
    pub(super) fn problem(&self, error: c_int, paranoia: Option<i32>) -> Problem {
        const EPERM: c_int = 1;
        const ENOENT: c_int = 2;
        const EACCES: c_int = 13;
        const EBUSY: c_int = 16;
        const ENODEV: c_int = 19;
        const EINVAL: c_int = 22;
        const ENFILE: c_int = 23;
        const EMFILE: c_int = 24;
        const ENOSPC: c_int = 28;
        const ENOSYS: c_int = 38;
        const EOPNOTSUPP: c_int = 95;
        let name = self.name().to_owned();
        match error {
            ENOENT | ENODEV | EOPNOTSUPP | EINVAL => Problem::Missing {
                name,
                is_hardware: self.is_hardware(),
            },
            EPERM | EACCES => Problem::Forbidden {
                name,
                paranoia,
                allowed: self.greatest_paranoia(),
            },
            ENOSPC | EBUSY => Problem::NoRoom { name },
            EMFILE | ENFILE => Problem::TooManyFiles { name },
            ENOSYS => Problem::NoCall { name },
            error => Problem::Other { name, error },
        }
    }

    /// The event called `plain`, a name without a mode.
    fn find(plain: &str) -> Option<Self> {
        general(plain)
            .or_else(|| of_cache(plain))
            .or_else(|| of_processor(plain))
            .or_else(|| raw(plain))
    }

    /// The event in these modes, called `name`.
    fn in_modes(mut self, name: &str, user: bool, kernel: bool) -> Self {
        self.name = name.to_owned();
        self.user = user;
        // A switch happens in the kernel, whoever causes it.
        let is_kernels =
            self.kind == Kind::Software && matches!(self.config[0], CONTEXT_SWITCHES | MIGRATIONS);
        self.kernel = kernel || is_kernels;
        self
    }

    /// All events known by name, whether or not they can be counted.
    pub fn all() -> Vec<Self> {
        Self::listed(system::names())
    }

    /// All general events, and those of `processor` whose definition is understood.
    fn listed(processor: Vec<String>) -> Vec<Self> {
        let general = HARDWARE
            .iter()
            .chain(&SOFTWARE)
            .map(|(name, ..)| (*name).to_owned());
        let caches = CACHES.iter().flat_map(|cache| {
            let operations = OPERATIONS.iter();
            operations.map(move |(operation, _)| format!("{cache}-{operation}"))
        });
        let mut names: Vec<String> = general.chain(caches).collect();
        for name in processor {
            if !names.contains(&name) && general_alias(&name).is_none() {
                names.push(name);
            }
        }
        let events = names.iter().filter_map(|name| {
            let event = Self::find(name)?;
            Some(event.in_modes(name, true, false))
        });
        events.collect()
    }

    /// The name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of the event.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the processor counts it, not the kernel.
    pub fn is_hardware(&self) -> bool {
        self.kind != Kind::Software
    }

    /// The greatest `perf_event_paranoid` with which a user may count it.
    pub(super) fn greatest_paranoia(&self) -> i32 {
        match self.kernel {
            true => 1,
            false => 2,
        }
    }

    /// The fields of `struct perf_event_attr`: type, `config`, `config1`, and whether user mode and
    /// the kernel are excluded.
    pub(super) fn attributes(&self) -> (u32, [u64; 2], bool, bool) {
        (self.type_number, self.config, !self.user, !self.kernel)
    }

    fn new(kind: Kind, config: u64) -> Self {
        Self {
            name: String::new(),
            kind,
            type_number: kind.type_number(),
            config: [config, 0],
            user: true,
            kernel: false,
        }
    }
}

/// May a user give an event this name? It becomes part of file names, and a word in these files.
fn is_own_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    !name.is_empty() && name.chars().all(fits)
}

/// The general event with this name, or with this other name.
fn general_alias(name: &str) -> Option<(Kind, u64)> {
    let tables = [
        (Kind::Hardware, &HARDWARE[..]),
        (Kind::Software, &SOFTWARE[..]),
    ];
    tables.iter().find_map(|(kind, table)| {
        let found = table
            .iter()
            .find(|(one, other, _)| *one == name || *other == name);
        found.map(|(_, _, number)| (*kind, *number))
    })
}

fn general(name: &str) -> Option<Event> {
    general_alias(name)
        .filter(|_| !name.is_empty())
        .map(|(kind, number)| Event::new(kind, number))
}

fn of_cache(name: &str) -> Option<Event> {
    CACHES.iter().zip(0_u64..).find_map(|(cache, number)| {
        let operation = name.strip_prefix(cache)?.strip_prefix('-')?;
        let (_, code) = OPERATIONS.iter().find(|(known, _)| *known == operation)?;
        Some(Event::new(Kind::Cache, number | code << 8))
    })
}

fn of_processor(name: &str) -> Option<Event> {
    let (type_number, config) = system::event(name)?;
    Some(Event {
        type_number,
        config,
        ..Event::new(Kind::Processor, 0)
    })
}

fn raw(name: &str) -> Option<Event> {
    let digits = name
        .strip_prefix('r')
        .filter(|digits| !digits.starts_with('+'))?;
    let number = u64::from_str_radix(digits, 16).ok()?;
    Some(Event::new(Kind::Raw, number))
}

/// Up to three names that differ from `name` in few letters.
fn nearest(name: &str) -> Vec<String> {
    let mut known: Vec<(usize, String)> = Event::all()
        .into_iter()
        .map(|event| (distance(name, event.name()), event.name))
        .filter(|(distance, known)| 3 * distance <= known.len())
        .collect();
    known.sort();
    known.into_iter().map(|(_, name)| name).take(3).collect()
}

/// How many letters have to be inserted, deleted or changed to turn one word into the other (V.
/// Levenshtein, 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..other.len() {
            let changed = diagonal + usize::from(other[column] != letter);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(name: &str) -> (u32, u64) {
        let (type_number, config, ..) = Event::named(name).unwrap().attributes();
        (type_number, config[0])
    }

    /// Numbers from linux/perf_event.h.
    #[test]
    fn names_are_those_of_perf() {
        for (name, expected) in [
            ("cycles", (0, 0)),
            ("cpu-cycles", (0, 0)),
            ("instructions", (0, 1)),
            ("branch-instructions", (0, 4)),
            ("page-faults", (1, 2)),
            ("faults", (1, 2)),
            ("task-clock", (1, 1)),
            ("L1-dcache-load-misses", (3, 0x1_00_00)),
            ("LLC-store-misses", (3, 0x1_01_02)),
            ("dTLB-prefetches", (3, 0x0_02_03)),
            ("r20d1", (4, 0x20d1)),
            ("xsnp_hitm=r4d2", (4, 0x4d2)),
            ("own=page-faults", (1, 2)),
        ] {
            assert_eq!(attributes(name), expected, "{name}");
        }
    }

    #[test]
    fn only_user_mode_counts_unless_another_is_asked_for() {
        let left_out = |name| {
            let (_, _, user, kernel) = Event::named(name).unwrap().attributes();
            (user, kernel)
        };
        assert_eq!(left_out("instructions"), (false, true));
        assert_eq!(left_out("instructions:u"), (false, true));
        assert_eq!(left_out("instructions:k"), (true, false));
        assert_eq!(left_out("r1:uk"), (false, false));
        assert_eq!(left_out("own=r1:k"), (true, false));
        assert_eq!(left_out("context-switches"), (false, false));
    }

    #[test]
    fn what_is_unknown_is_told_with_what_is_like_it() {
        let problem = |name| Event::named(name).unwrap_err().to_string();
        assert!(problem("page-fualts").contains("`page-faults`"));
        assert!(problem("Instruction").contains("`instructions`"));
        assert!(problem("L1-dcache-load-miss").contains("`L1-dcache-load-misses`"));
        for name in [
            "",
            "r",
            "rxyz",
            "r+1",
            "qqqqqqqqqqqqqq",
            "LLC-",
            "instructions:x",
            "=r1",
            "my own=r1",
            "own/name=r1",
            "own=",
            "own=qqqqqqqqqqqqqq",
        ] {
            assert!(problem(name).contains("no event"), "{name}");
        }
    }

    #[test]
    fn every_event_is_listed_once() {
        let all = Event::all();
        let names: std::collections::BTreeSet<&str> = all.iter().map(Event::name).collect();
        assert_eq!(names.len(), all.len());
        assert!(all.len() >= 10 + 9 + 42);
    }

    /// The kernel may list events in a form that is not understood.
    #[test]
    fn a_listed_event_that_does_not_say_what_it_is_is_left_out() {
        let general = Event::listed(Vec::new());
        let listed = Event::listed(vec!["listed-and-unknown".into(), "r1".into()]);
        let names = |events: &[Event]| -> Vec<String> {
            events.iter().map(|event| event.name().to_owned()).collect()
        };
        let mut expected = names(&general);
        expected.push("r1".into());
        assert_eq!(names(&listed), expected);
        let problem = Event::named("listed-and-unknown").unwrap_err();
        assert!(problem.to_string().contains("no event"));
    }

    #[test]
    fn distances_are_numbers_of_changes() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Same", "same"), 0);
    }
}
