//! Names of functions, demangled.

use super::c;

/// Crates whose frames stand between the engine and the user's code.
const LIBRARY_CRATES: [&str; 9] = [
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

/// What else is not the program's: the compiler's own functions, and what rayon and the engine are made of.
const RUNTIME_CRATES: [&str; 5] = [
    "__rustc",
    "crossbeam_deque",
    "crossbeam_epoch",
    "crossbeam_utils",
    "workspan",
];

/// Name of a function, such as `rayon::iter::ParallelIterator::for_each` or `<a::B as c::D>::e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    name: String,
    is_rust: bool,
}

impl Function {
    /// Demangles the name of a symbol. A name that is not mangled counts as one of C.
    pub(super) fn of_symbol(symbol: &str) -> Self {
        match rustc_demangle::try_demangle(symbol) {
            Ok(name) => Self::of_rust(format!("{name:#}")),
            Err(_) => Self::of_c(c::demangled(symbol)),
        }
    }

    /// The same of a function of which it is known whether Rust's compiler made it, mangled or not.
    pub(super) fn of_debug_name(name: &str, is_rust: bool) -> Self {
        Self {
            is_rust,
            ..Self::of_symbol(name)
        }
    }

    /// A function of Rust, by its demangled name.
    pub(super) fn of_rust(name: String) -> Self {
        Self {
            name,
            is_rust: true,
        }
    }

    fn of_c(name: String) -> Self {
        Self {
            name,
            is_rust: false,
        }
    }

    /// Whether Rust's compiler made it.
    pub(super) fn is_rust(&self) -> bool {
        self.is_rust
    }

    /// Whether the function, one of C or C++, is the program's.
    pub(super) fn is_user_code_of_c(&self) -> bool {
        c::is_user_code(&self.name)
    }

    /// Whether it is a lambda's call, and gcc did not say in which function.
    pub(super) fn is_nameless_lambda(&self) -> bool {
        c::is_nameless_lambda(&self.name)
    }

    /// A lambda in the function, one of C++.
    pub(super) fn lambda(&self) -> Self {
        Self::of_c(format!("{}::{{lambda}}", self.name))
    }

    /// Whether clang made it out of a part of a function, and did not say of which.
    pub(super) fn is_nameless_part(&self) -> bool {
        c::is_nameless_part(&self.name)
    }

    /// The demangled name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a crate other than rayon, the standard library and the engine wrote the function.
    ///
    /// A method of an implementation was written where the type or the trait was: where either is the user's,
    /// the method is too.
    pub(super) fn is_user_code(&self) -> bool {
        let crates = self.crates();
        if crates.is_empty() {
            // C's `main` and the like; without a path there is no telling, and no use.
            return false;
        }
        crates.iter().any(|name| !LIBRARY_CRATES.contains(name))
    }

    /// Whether the function is the program's own or a dependency's; those of C have no crate.
    ///
    /// What calls a function through a reference is the standard library's. It may hold that function's code, as an
    /// iterator's loop may: where the compiler puts it depends on how it divided the crate.
    pub(super) fn is_of_program(&self) -> bool {
        if self.called_through_reference().is_some() {
            return false;
        }
        let crates = self.crates();
        let is_runtime =
            |name: &&str| LIBRARY_CRATES.contains(name) || RUNTIME_CRATES.contains(name);
        crates.is_empty() || crates.iter().any(|name| !is_runtime(name))
    }

    /// Whether rayon wrote the function: a user's method of a trait of rayon's it did not.
    pub(super) fn is_of_rayon(&self) -> bool {
        !self.is_user_code() && self.crates().iter().any(|name| name.starts_with("rayon"))
    }

    /// Whether a crate that is not the standard library wrote the function, as far as its name tells.
    pub(super) fn is_outside_std(&self) -> bool {
        self.crates()
            .iter()
            .any(|name| !["alloc", "core", "std"].contains(name))
    }

    /// Whether the engine wrote the function.
    pub(super) fn is_of_engine(&self) -> bool {
        self.crates().contains(&"workspan_rt")
    }

    /// The crates at the heads of the paths that the name starts with: one, or those of an implementation's
    /// type and trait.
    fn crates(&self) -> Vec<&str> {
        match self.implementation() {
            Some((implementer, Some(of_trait))) => [implementer, of_trait]
                .into_iter()
                .filter_map(head)
                .collect(),
            Some((implementer, None)) => head(implementer).into_iter().collect(),
            None => head(&self.name).into_iter().collect(),
        }
    }

    /// Whether rayon calls the function to start an operation on a type from outside rayon: a method of one of
    /// rayon's traits, such as `<indexmap::set::ParIter<T> as rayon::iter::ParallelIterator>::drive_unindexed`.
    ///
    /// Of the plumbing only the callbacks do so; consumers and producers run while an operation runs, so what
    /// they start is another one. So it is with closures.
    pub(super) fn starts_for_rayon(&self) -> bool {
        let Some((of_trait, method)) = self.implemented() else {
            return false;
        };
        let called_back = match of_trait.strip_prefix("rayon::iter::plumbing::") {
            Some(name) => name.starts_with("ProducerCallback"),
            None => of_trait.starts_with("rayon::"),
        };
        called_back && !method.contains("{closure")
    }

    /// The trait and the method of `<Type as Trait>::method` and of `<impl Trait for Type>::method`.
    fn implemented(&self) -> Option<(&str, &str)> {
        if let Some((_, of_trait)) = self.implementation() {
            let method = closing(&self.name[1..])? + 2;
            return Some((of_trait?, &self.name[method..]));
        }
        let (_, block) = self.name.split_once("<impl ")?;
        let end = closing(block)?;
        let (of_trait, _) = split_at_top_level(&block[..end], " for ")?;
        Some((of_trait, &block[end + 1..]))
    }

    /// The type and the trait of `<Type as Trait>::…`.
    fn implementation(&self) -> Option<(&str, Option<&str>)> {
        let inner = &self.name.strip_prefix('<')?;
        let end = closing(inner)?;
        let inner = &inner[..end];
        Some(match split_at_top_level(inner, " as ") {
            Some((implementer, of_trait)) => (implementer, Some(of_trait)),
            None => (inner, None),
        })
    }

    /// `F` of `<&F as FnMut<…>>::call_mut` and the like, by which the standard library calls a function through a
    /// reference.
    fn called_through_reference(&self) -> Option<&str> {
        let (implementer, of_trait) = self.implementation()?;
        let called = implementer
            .trim_start_matches('&')
            .trim_start_matches("mut ");
        let is_call = of_trait?.starts_with("core::ops::function::Fn");
        (is_call && called.len() < implementer.len()).then_some(called)
    }

    /// The name for people: no generic arguments, closures kept short, implementations as `Type::method`.
    ///
    /// What calls a function through a reference, `<&F as FnMut<…>>::call_mut`, has that function's name.
    pub(super) fn readable(&self) -> String {
        if !self.is_rust {
            return c::readable(&self.name);
        }
        if let Some(called) = self.called_through_reference() {
            return Self::of_rust(called.to_owned()).readable();
        }
        let (prefix, rest) = match self.implementation() {
            Some((implementer, of_trait)) => {
                let subject = match (head(implementer), of_trait) {
                    (None, Some(of_trait)) => of_trait,
                    _ => implementer,
                };
                let end = closing(&self.name[1..]).map_or(self.name.len(), |end| end + 2);
                (without_generics(subject), &self.name[end..])
            }
            None => (String::new(), self.name.as_str()),
        };
        let name = format!("{prefix}{}", without_generics(rest));
        shorten_closures(&name)
    }

    /// Last two segments without generics, `ParallelIterator::for_each`; for an implementation, those of the
    /// trait's method.
    pub(super) fn method(&self) -> String {
        let name = match self.implementation() {
            Some((implementer, of_trait)) => {
                let end = closing(&self.name[1..]).map_or(self.name.len(), |end| end + 2);
                format!("{}{}", of_trait.unwrap_or(implementer), &self.name[end..])
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

/// First segment of the path at the start of a type or function name. None for what has no path: type
/// parameters, tuples, primitive types.
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

/// Position of the `>` that closes a `<` before `text`. The `>` of `->` closes nothing.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let mut before = ' ';
    for (position, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(position);
        }
        before = letter;
    }
    None
}

/// Splits at the first `separator` outside angle brackets.
fn split_at_top_level<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (position, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && text[position..].starts_with(separator) {
            return Some((&text[..position], &text[position + separator.len()..]));
        }
        before = letter;
    }
    None
}

/// Drops `<…>` and `::<…>`, but keeps what is inside of `<impl … for …>` segments out as well: they only repeat
/// where the method is.
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

/// `{{closure}}` and `{closure#0}` become `{closure}`.
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
