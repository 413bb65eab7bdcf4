//! Which functions are to be measured, and where their sleds are. Written by the command that
//! starts the program.
//!
//! ```text
//! workspan-functions 1
//! module                      the program itself; or
//! module /usr/lib/libfft.so   a library, as the dynamic linker names it
//! 5a30 e5a30 x5a90 t5ab0      a function and its sleds: entry, exit, before a tail call
//! hooks                       some functions call hooks at their entries and exits
//! end
//! ```
//!
//! Addresses are hexadecimal, as in the file before it is loaded.

/// Where in a function a sled is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SledKind {
    Entry,
    Exit,
    Tail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sled {
    pub(crate) address: usize,
    pub(crate) kind: SledKind,
    /// The number of its function, counted over all modules.
    pub(crate) function: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// `None`: the program itself.
    pub(crate) path: Option<String>,
    /// Addresses of the functions; the first has the number `first`.
    pub(crate) functions: Vec<usize>,
    pub(crate) first: u32,
    pub(crate) sleds: Vec<Sled>,
}

/// The contents of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) modules: Vec<Module>,
    /// Are there functions that call hooks?
    pub(crate) has_hooks: bool,
}

/// Parses the file's text. `None` if it is malformed.
pub(crate) fn parse(text: &str) -> Option<Listed> {
    let mut lines = text.lines();
    if lines.next() != Some("workspan-functions 1") {
        return None;
    }
    let Listed {
        mut modules,
        mut has_hooks,
    } = Listed::default();
    let mut next = 0;
    for line in lines {
        if line == "end" {
            return Some(Listed { modules, has_hooks });
        }
        if line == "hooks" {
            has_hooks = true;
            continue;
        }
        if let Some(path) = line.strip_prefix("module") {
            modules.push(Module {
                path: Some(path.trim_start().to_owned()).filter(|path| !path.is_empty()),
                functions: Vec::new(),
                first: next,
                sleds: Vec::new(),
            });
            continue;
        }
        let module = modules.last_mut()?;
        let mut words = line.split_ascii_whitespace();
        module.functions.push(hexadecimal(words.next()?)?);
        for word in words {
            let kind = match word.as_bytes()[0] {
                b'e' => SledKind::Entry,
                b'x' => SledKind::Exit,
                b't' => SledKind::Tail,
                _ => return None,
            };
            module.sleds.push(Sled {
                address: hexadecimal(&word[1..])?,
                kind,
                function: next,
            });
        }
        next += 1;
    }
    None
}

fn hexadecimal(text: &str) -> Option<usize> {
    usize::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_numbered_over_all_modules() {
        let text =
            "workspan-functions 1\nmodule\n10 e10 x1b\nmodule /a b.so\nff eff t100 x110\nend\n";
        let listed = parse(text).unwrap();
        assert!(!listed.has_hooks);
        let modules = listed.modules;
        assert_eq!(modules[0].path, None);
        assert_eq!(modules[1].path.as_deref(), Some("/a b.so"));
        assert_eq!((modules[0].first, modules[1].first), (0, 1));
        assert_eq!(modules[1].functions, [0xff]);
        let tail = Sled {
            address: 0x100,
            kind: SledKind::Tail,
            function: 1,
        };
        assert_eq!(modules[1].sleds[1], tail);
    }

    #[test]
    fn hooks_need_no_module() {
        let listed = parse("workspan-functions 1\nhooks\nend\n").unwrap();
        assert!(listed.has_hooks && listed.modules.is_empty());
    }

    #[test]
    fn a_truncated_or_foreign_file_is_refused() {
        for text in [
            "",
            "workspan-functions 2\nend\n",
            "workspan-functions 1\nmodule\n10 e10",
            "workspan-functions 1\n10 e10\nend\n",
            "workspan-functions 1\nmodule\n10 y10\nend\n",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
