//! The parallel runtimes of a program, including those that do not report themselves.

use workspan_model::{Runtime, RuntimeKind};

use super::RawProfile;

impl RawProfile {
    /// The runtimes that reported themselves, and those that the C interface was called for. oneTBB
    /// is recognised by its loaded library, Cilk by the names of its constructs.
    pub(super) fn all_runtimes(&self) -> Vec<Runtime> {
        let mut runtimes = self.runtimes.clone();
        let has = |kind| (self.runtimes.iter()).any(|runtime: &Runtime| runtime.kind == kind);
        if !has(RuntimeKind::C) {
            return runtimes;
        }
        let tbb = self.modules.iter().find_map(|module| {
            let (_, name) = module.path.rsplit_once('/')?;
            name.strip_prefix("libtbb.so")
        });
        if let Some(file_version) = tbb.filter(|_| !has(RuntimeKind::Tbb)) {
            runtimes.push(Runtime {
                kind: RuntimeKind::Tbb,
                version: version_of_tbb(file_version),
            });
        }
        let mut names = self.sites.iter().filter_map(|site| site.name.as_deref());
        if !has(RuntimeKind::Cilk) && names.any(|name| name.starts_with("cilk_")) {
            runtimes.push(Runtime {
                kind: RuntimeKind::Cilk,
                version: None,
            });
        }
        runtimes
    }
}

/// oneTBB's version, from what follows `libtbb.so` in its library's name: `.12.8` is 2021.8, and
/// `.12.14` is 2022.0.
fn version_of_tbb(file_version: &str) -> Option<String> {
    const FIRST_OF_2022: u32 = 14;
    let minor = file_version.strip_prefix(".12.")?;
    let minor: u32 = minor.split('.').next()?.parse().ok()?;
    Some(match minor.checked_sub(FIRST_OF_2022) {
        None => format!("2021.{minor}"),
        Some(minor) => format!("2022.{minor}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_name_gives_the_version_of_tbb() {
        assert_eq!(version_of_tbb(".12.8").as_deref(), Some("2021.8"));
        assert_eq!(version_of_tbb(".12.13").as_deref(), Some("2021.13"));
        assert_eq!(version_of_tbb(".12.14").as_deref(), Some("2022.0"));
        assert_eq!(version_of_tbb(".2"), None);
        assert_eq!(version_of_tbb(""), None);
    }
}
