//! The modules of a crate, and which file uses which other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta, Token};

use crate::module::{Module, Names};
use crate::uses::is_for_tests;

/// The names that a file uses from another, by both files.
pub(crate) type Uses = BTreeMap<(PathBuf, PathBuf), Vec<String>>;

/// The modules of a crate, by their paths from its root.
pub(crate) struct Crate(BTreeMap<Names, Module>);

impl Crate {
    /// Reads the files of a crate.
    ///
    /// # Errors
    /// A file is missing, or is not Rust.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut modules = Self(BTreeMap::new());
        let folder = root.parent().context("a file stands in a folder")?;
        modules.read_file(Names::new(), root, folder)?;
        Ok(modules)
    }

    /// Reads a module from its file. The files of its own modules are in `folder`.
    fn read_file(&mut self, name: Names, file: &Path, folder: &Path) -> anyhow::Result<()> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        self.take(name, file, folder, parsed.items)
    }

    fn take(
        &mut self,
        name: Names,
        file: &Path,
        folder: &Path,
        items: Vec<Item>,
    ) -> anyhow::Result<()> {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        for item in items {
            match item {
                Item::Mod(item) if is_for_tests(&item.attrs) => {}
                Item::Mod(item) => self.read_module(&name, file, folder, item)?,
                Item::Fn(item) if is_for_tests(&item.attrs) => {}
                Item::Impl(item) if is_for_tests(&item.attrs) => {}
                Item::Use(item) if is_for_tests(&item.attrs) => {}
                item => module.add(&item),
            }
        }
        self.0.insert(name, module);
        Ok(())
    }

    fn read_module(
        &mut self,
        parent: &Names,
        file: &Path,
        folder: &Path,
        item: ItemMod,
    ) -> anyhow::Result<()> {
        let ident = item.ident.to_string();
        let mut name = parent.clone();
        name.push(ident.clone());
        let own = folder.join(&ident);
        if let Some((_, items)) = item.content {
            return self.take(name, file, &own, items);
        }
        if let Some(path) = path_attribute(&item.attrs) {
            let named = file
                .parent()
                .context("a file stands in a folder")?
                .join(path);
            let folder = named.parent().context("as above")?.to_owned();
            return self.read_file(name, &named, &folder);
        }
        let flat = folder.join(format!("{ident}.rs"));
        let nested = own.join("mod.rs");
        self.read_file(name, if flat.is_file() { &flat } else { &nested }, &own)
    }

    /// What each file uses from which other.
    pub(crate) fn uses(&self) -> Uses {
        let mut uses = BTreeMap::<_, BTreeSet<String>>::new();
        for (name, module) in &self.0 {
            for path in &module.paths {
                // A single name counts only if the module re-exports it, too: then it uses it
                // itself.
                let is_own = |first: &String| path.len() == 1 && !module.doors.contains(first);
                let found = match path.first() {
                    Some(first) if is_own(first) => None,
                    _ => self.absolute(name, path),
                };
                let Some((used, item)) = found.and_then(|path| self.find(&path, 0)) else {
                    continue;
                };
                if used.file != module.file {
                    let arrow = (module.file.clone(), used.file.clone());
                    uses.entry(arrow).or_default().insert(item);
                }
            }
        }
        let listed = |(arrow, names): (_, BTreeSet<String>)| (arrow, names.into_iter().collect());
        uses.into_iter().map(listed).collect()
    }

    /// A path in a module as a path from the crate's root; `None` if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => self.absolute(module.split_last()?.1, &[&["self".into()], rest].concat()),
            _ if self.0.contains_key(&[module, &path[..1]].concat()) => {
                Some([module, path].concat())
            }
            _ => {
                let import = self.0[module].imports.get(first)?;
                // `use rayon::rayon` leads to no import.
                if import.first() == Some(first) {
                    return None;
                }
                let before = self.absolute(module, import)?;
                Some([&before[..], rest].concat())
            }
        }
    }

    /// The module that defines what an absolute path leads to, and the item; `None` if it leads to
    /// a module alone: there may be an item of the same name.
    fn find(&self, path: &[String], doors: usize) -> Option<(&Module, String)> {
        // Stops at doors that lead to one another.
        if doors > 32 {
            return None;
        }
        let length = (0..path.len())
            .rev()
            .find(|length| self.0.contains_key(&path[..*length]))?;
        let (before, rest) = path.split_at(length);
        let (item, after) = rest.split_first()?;
        let module = &self.0[before];
        if item == "*" {
            return Some((module, "all".into()));
        }
        if module.items.contains(item) {
            return Some((module, item.clone()));
        }
        if let Some(import) = module.imports.get(item) {
            let target = self.absolute(before, import)?;
            return self.find(&[&target[..], after].concat(), doors + 1);
        }
        module
            .globs
            .iter()
            .filter_map(|glob| self.absolute(before, glob))
            .find_map(|glob| self.find(&[&glob[..], rest].concat(), doors + 1))
    }
}

/// The file that a module's attribute names; the first if a build chooses among several.
fn path_attribute(attributes: &[Attribute]) -> Option<PathBuf> {
    let metas = attributes
        .iter()
        .flat_map(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("cfg_attr") => list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .map(|metas| metas.into_iter().skip(1).collect())
                .unwrap_or_default(),
            meta => vec![meta.clone()],
        });
    metas.into_iter().find_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value().into()),
            _ => None,
        },
        _ => None,
    })
}
