//! The paths in a module's code.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

use crate::module::{Module, Names};

impl Module {
    /// Adds an item that is not a module.
    pub(crate) fn add(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.items.extend(name.map(ToString::to_string));
        self.visit_item(item);
    }

    fn import(&mut self, tree: &UseTree, mut before: Names, is_door: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, is_door);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before.clone(), is_door);
                }
            }
            UseTree::Glob(_) => {
                if !is_door {
                    // May use any of its names, for which `*` stands.
                    self.paths.insert([&before[..], &["*".into()]].concat());
                }
                self.globs.push(before);
            }
            UseTree::Name(name) if name.ident == "self" => {
                let alias = before.last().cloned().unwrap_or_default();
                self.add_import(alias, before, is_door);
            }
            UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.add_import(name.ident.to_string(), before, is_door);
            }
            UseTree::Rename(name) => {
                if name.ident != "self" {
                    before.push(name.ident.to_string());
                }
                self.add_import(name.rename.to_string(), before, is_door);
            }
        }
    }

    fn add_import(&mut self, alias: String, path: Names, is_door: bool) {
        if is_door {
            self.doors.insert(alias.clone());
        } else {
            self.paths.insert(path.clone());
        }
        self.imports.insert(alias, path);
    }

    /// Adds the paths in the text of a macro.
    fn read(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.read(group.stream()),
                _ => {}
            }
            colons = 0;
            self.end(&mut path);
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Names) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.paths.insert(path);
        }
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let names: Names = names.collect();
        self.paths.insert(names);
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_door = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, Names::new(), is_door);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.visit_path(&call.path);
        self.read(call.tokens.clone());
    }
}

/// Whether an item is only there for tests.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Ok(list) = attribute.meta.require_list() else {
            return false;
        };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg")
            && (condition == "test" || condition.starts_with("all") && condition.contains("test"))
    })
}
