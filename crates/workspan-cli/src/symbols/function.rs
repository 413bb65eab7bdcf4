//! Demangled names of functions.

use super::c;

/// Crates whose frames are between the engine and the user's code, and those that the compiler
/// makes.
const LIBRARY_CRATES: [&str; 10] = [
    "__rustc",
    "alloc",
    "core",
    "rayon",
    "rayon_core",
    "rayon_core_real",
    "std",
    "workspan",
    "workspan_rt",
    "proc_macro",
];

/// More crates that are not the program's: dependencies of rayon and the engine.
const RUNTIME_CRATES: [&str; 3] = ["crossbeam_deque", "crossbeam_epoch", "crossbeam_utils"];

/// The name of a function, such as `rayon::iter::ParallelIterator::for_each` or `<a::B as
/// c::D>::e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    name: String,
    is_rust: bool,
}

impl Function {
    /// Demangles the name of a symbol. A name without Rust's mangling counts as one of C or C++.
    pub(super) fn from_symbol(symbol: &str) -> Self {
        match rustc_demangle::try_demangle(symbol) {
            Ok(name) => Self::from_rust(format!("{name:#}")),
            Err(_) => Self::from_c(c::demangled(symbol)),
        }
    }

    /// A function that Rust's compiler made, from its name, mangled or not.
    pub(super) fn from_debug_name(name: &str) -> Self {
        Self {
            is_rust: true,
            ..Self::from_symbol(name)
        }
    }

    /// A function of Rust, from its demangled name.
    pub(super) fn from_rust(name: String) -> Self {
        Self {
            name,
            is_rust: true,
        }
    }

    fn from_c(name: String) -> Self {
        Self {
            name,
            is_rust: false,
        }
    }

    /// Whether Rust's compiler made it.
    pub(super) fn is_rust(&self) -> bool {
        self.is_rust
    }

    /// Whether this function of C or C++ belongs to the program.
    pub(super) fn is_user_code_of_c(&self) -> bool {
        c::is_user_code(&self.name)
    }

    /// Whether it is the call operator of a lambda for which gcc does not name the function around
    /// it.
    pub(super) fn is_nameless_lambda(&self) -> bool {
        c::is_nameless_lambda(&self.name)
    }

    /// A lambda in this function of C++.
    pub(super) fn lambda(&self) -> Self {
        Self::from_c(format!("{}::{{lambda}}", self.name))
    }

    /// Whether clang made it out of a part of a function that it does not name.
    pub(super) fn is_nameless_part(&self) -> bool {
        c::is_nameless_part(&self.name)
    }

    /// The demangled name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the function is from a crate other than rayon, the standard library and the engine.
    ///
    /// A method of an implementation was written in the crate of the type or of the trait: if
    /// either is the user's, so is the method.
    pub(super) fn is_user_code(&self) -> bool {
        let crates = self.crates();
        if crates.is_empty() {
            // C's `main` and the like. Without a path, the crate is unknown and of no use.
            return false;
        }
        crates.iter().any(|name| !LIBRARY_CRATES.contains(name))
    }

    /// Whether the function belongs to the program or a dependency. Functions of C have no crate.
    ///
    /// The shim that calls a function through a reference belongs to the standard library. Like the
    /// loop of an iterator, it may contain that function's code: where the compiler puts the code
    /// depends on how it divided the crate.
    pub(super) fn is_of_program(&self) -> bool {
        if self.called_through_reference().is_some() {
            return false;
        }
        let crates = self.crates();
        let is_runtime =
            |name: &&str| LIBRARY_CRATES.contains(name) || RUNTIME_CRATES.contains(name);
        crates.is_empty() || crates.iter().any(|name| !is_runtime(name))
    }

    /// Whether the function is rayon's. A user's implementation of one of rayon's traits is not.
    pub(super) fn is_rayon(&self) -> bool {
        !self.is_user_code() && self.crates().iter().any(|name| name.starts_with("rayon"))
    }

    /// Whether the name shows that the function is from a crate outside the standard library.
    pub(super) fn is_outside_std(&self) -> bool {
        self.crates()
            .iter()
            .any(|name| !["alloc", "core", "std"].contains(name))
    }

    pub(super) fn is_engine(&self) -> bool {
        self.crates().contains(&"workspan_rt")
    }

    /// The crates of the paths that the name starts with: one, or those of an implementation's type
    /// and trait.
    fn crates(&self) -> Vec<&str> {
        let paths = match self.implementation() {
            Some((implementer, of_trait, _)) => [Some(implementer), of_trait],
            None => [Some(self.name.as_str()), None],
        };
        paths.into_iter().flatten().filter_map(head).collect()
    }

    /// Whether rayon calls the function to start an operation on a type from outside rayon. It is a
    /// method of one of rayon's traits, such as
    /// `<indexmap::set::ParIter<T> as rayon::iter::ParallelIterator>::drive_unindexed`.
    ///
    /// Of the plumbing traits, only callbacks do so. Consumers and producers run during an
    /// operation, so what they start is another one. The same is true of closures.
    pub(super) fn starts_rayon_operation(&self) -> bool {
        let Some((of_trait, method)) = self.implemented() else {
            return false;
        };
        let called_back = match of_trait.strip_prefix("rayon::iter::plumbing::") {
            Some(name) => name.starts_with("ProducerCallback"),
            None => of_trait.starts_with("rayon::"),
        };
        called_back && !method.contains("{closure")
    }

    /// The trait and the method of `<Type as Trait>::method` and of `<impl Trait for
    /// Type>::method`.
    fn implemented(&self) -> Option<(&str, &str)> {
        if let Some((_, of_trait, method)) = self.implementation() {
            return Some((of_trait?, method));
        }
        let (_, block) = self.name.split_once("<impl ")?;
        let end = closing(block)?;
        let (of_trait, _) = split_at_top_level(&block[..end], " for ")?;
        Some((of_trait, &block[end + 1..]))
    }

    /// The type, the trait and the rest of `<Type as Trait>::…`.
    fn implementation(&self) -> Option<(&str, Option<&str>, &str)> {
        let inner = self.name.strip_prefix('<')?;
        let end = closing(inner)?;
        let (inner, rest) = (&inner[..end], &inner[end + 1..]);
        Some(match split_at_top_level(inner, " as ") {
            Some((implementer, of_trait)) => (implementer, Some(of_trait), rest),
            None => (inner, None, rest),
        })
    }

    /// `F` of `<&F as FnMut<…>>::call_mut` and the like, with which the standard library calls a
    /// function through a reference.
    fn called_through_reference(&self) -> Option<&str> {
        let (implementer, of_trait, _) = self.implementation()?;
        let called = implementer
            .trim_start_matches('&')
            .trim_start_matches("mut ");
        let is_call = of_trait?.starts_with("core::ops::function::Fn");
        (is_call && called.len() < implementer.len()).then_some(called)
    }

    /// The name for people: no generic arguments, short closures, implementations as
    /// `Type::method`.
    ///
    /// The shim that calls a function through a reference, `<&F as FnMut<…>>::call_mut`, has the
    /// name of that function.
    pub(super) fn readable(&self) -> String {
        if !self.is_rust {
            return c::readable(&self.name);
        }
        if let Some(called) = self.called_through_reference() {
            return Self::from_rust(called.to_owned()).readable();
        }
        let (prefix, rest) = match self.implementation() {
            Some((implementer, of_trait, rest)) => {
                let subject = match (head(implementer), of_trait) {
                    (None, Some(of_trait)) => of_trait,
                    _ => implementer,
                };
                (without_generics(subject), rest)
            }
            None => (String::new(), self.name.as_str()),
        };
        let name = format!("{prefix}{}", without_generics(rest));
        shorten_closures(&name)
    }

    /// The last two segments without generics, `ParallelIterator::for_each`; for an implementation,
    /// those of the trait's method.
    pub(super) fn method(&self) -> String {
        let name = match self.implementation() {
            Some((implementer, of_trait, rest)) => {
                format!("{}{rest}", of_trait.unwrap_or(implementer))
            }
            None => self.name.clone(),
        };
        let name = without_generics(&name);
        let segments: Vec<&str> = name
            .split("::")
            .filter(|segment| !segment.is_empty() && !segment.starts_with('{'))
            .collect();
        segments[segments.len().saturating_sub(2)..].join("::")
    }
}

/// The first segment of the path at the start of a type or function name; `None` for type
/// parameters, tuples and primitive types, which have no path.
fn head(name: &str) -> Option<&str> {
    let mut name = name.trim_start();
    loop {
        let stripped = [
            "&", "*const ", "*mut ", "mut ", "dyn ", "[", "(", "<", "impl ",
        ]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
        match stripped {
            Some(rest) => name = rest.trim_start(),
            None => break,
        }
    }
    let end = name
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .unwrap_or(name.len());
    let (first, rest) = name.split_at(end);
    (!first.is_empty() && rest.starts_with("::")).then_some(first)
}

/// The position of the `>` that closes a `<` before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depths = depths(text);
    depths.find_map(|(position, depth)| (depth < 0).then_some(position))
}

/// Splits at the first `separator` outside angle brackets.
fn split_at_top_level<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut outside = depths(text).filter(|(_, depth)| *depth == 0);
    outside.find_map(|(position, _)| {
        let rest = text[position..].strip_prefix(separator)?;
        Some((&text[..position], rest))
    })
}

/// Each character's position, and the depth of angle brackets behind it. The `>` of `->` closes
/// nothing.
fn depths(text: &str) -> impl Iterator<Item = (usize, i32)> {
    let mut depth = 0;
    let mut before = ' ';
    text.char_indices().map(move |(position, letter)| {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = letter;
        (position, depth)
    })
}

/// Drops `<…>` and `::<…>`, including segments like `<impl … for …>`, which only repeat where the
/// method is.
fn without_generics(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(open) = rest.find('<') {
        kept.push_str(rest[..open].trim_end_matches("::"));
        let inner = &rest[open + 1..];
        match closing(inner) {
            Some(end) => rest = &inner[end + 1..],
            None => rest = "",
        }
    }
    kept.push_str(rest);
    kept
}

/// Shortens `{{closure}}` and `{closure#0}` to `{closure}`.
fn shorten_closures(name: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in name.split("::").filter(|segment| !segment.is_empty()) {
        let closure = segment.starts_with("{{closure") || segment.starts_with("{closure");
        segments.push(if closure { "{closure}" } else { segment });
    }
    segments.join("::")
}

#[cfg(test)]
mod tests;
