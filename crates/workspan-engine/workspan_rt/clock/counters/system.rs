//! Events that the kernel lists for this processor (`/sys/bus/event_source/devices/cpu`).

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the processor's counters: the usual one, and those of processors with two kinds
/// of cores.
const FOLDERS: [&str; 3] = ["cpu", "cpu_core", "cpu_atom"];

fn folders() -> impl Iterator<Item = PathBuf> {
    let all = FOLDERS.iter();
    all.map(|name| Path::new("/sys/bus/event_source/devices").join(name))
}

/// Their names.
pub(super) fn names() -> Vec<String> {
    let entries = folders().filter_map(|folder| fs::read_dir(folder.join("events")).ok());
    let files = entries.flatten().filter_map(Result::ok);
    let mut names: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        // An event may come with its unit and its scale, in files with longer names.
        .filter(|name| !name.contains(".scale") && !name.contains(".unit"))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Type and configuration of the event called `name`.
pub(super) fn event(name: &str) -> Option<(u32, [u64; 2])> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    folders().find_map(|folder| {
        let terms = fs::read_to_string(folder.join("events").join(name)).ok()?;
        let type_number = fs::read_to_string(folder.join("type")).ok()?;
        let layout = |term: &str| fs::read_to_string(folder.join("format").join(term)).ok();
        Some((type_number.trim().parse().ok()?, config(&terms, layout)?))
    })
}

/// The configuration that `terms` describe, such as `event=0xd1,umask=0x20`; `layout` says where
/// the bits of each term go.
fn config(terms: &str, layout: impl Fn(&str) -> Option<String>) -> Option<[u64; 2]> {
    let mut config = [0; 2];
    for term in terms.trim().split(',') {
        let (name, value) = term.split_once('=').unwrap_or((term, "1"));
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        // `config:0-7,21`: the lowest bits of the value go to the first range.
        let layout = layout(name)?;
        let (field, ranges) = layout.trim().split_once(':')?;
        let field = match field {
            "config" => 0,
            "config1" => 1,
            _ => return None,
        };
        let mut rest = value;
        for range in ranges.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            let width = last.checked_sub(first)? + 1;
            let mask = u64::MAX.checked_shr(64_u32.checked_sub(width)?)?;
            config[field] |= (rest & mask).checked_shl(first)?;
            rest = rest.checked_shr(width).unwrap_or(0);
        }
    }
    Some(config)
}

#[cfg(test)]
mod tests {
    use super::config;

    #[test]
    fn terms_go_where_their_layout_says() {
        let layout = |term: &str| {
            let layout = match term {
                "event" => "config:0-7,32-35\n",
                "umask" => "config:8-15",
                "cmask" => "config:24-31",
                "inv" => "config:23",
                "ldlat" => "config1:0-15",
                _ => return None,
            };
            Some(layout.to_owned())
        };
        let config = |terms| config(terms, layout);
        assert_eq!(config("event=0xd1,umask=0x20\n"), Some([0x20d1, 0]));
        assert_eq!(
            config("event=0x1c2,umask=2,inv,cmask=16"),
            Some([0x1_1080_02c2, 0])
        );
        assert_eq!(config("event=0xcd,umask=0x1,ldlat=3"), Some([0x1cd, 3]));
        for wrong in ["event=x", "event=0xd1,unknown=1", ""] {
            assert_eq!(config(wrong), None, "{wrong}");
        }
    }
}
