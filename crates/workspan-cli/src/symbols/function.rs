//! Names of functions, demangled.

use cpp_demangle::DemangleOptions;

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
pub(super) struct Function(String);

impl Function {
    /// Demangles the name of a symbol, Rust's or C++'s; other names are taken as they are.
    pub(super) fn of_symbol(symbol: &str) -> Self {
        let name = match rustc_demangle::try_demangle(symbol) {
            Ok(name) => format!("{name:#}"),
            Err(_) => demangled_cpp(symbol).unwrap_or_else(|| symbol.to_owned()),
        };
        Self(name)
    }

    /// The demangled name.
    pub(super) fn name(&self) -> &str {
        &self.0
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
    pub(super) fn is_of_program(&self) -> bool {
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
            None => head(&self.0).into_iter().collect(),
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
            let method = closing(&self.0[1..])? + 2;
            return Some((of_trait?, &self.0[method..]));
        }
        let (_, block) = self.0.split_once("<impl ")?;
        let end = closing(block)?;
        let (of_trait, _) = split_at_top_level(&block[..end], " for ")?;
        Some((of_trait, &block[end + 1..]))
    }

    /// The type and the trait of `<Type as Trait>::…`.
    fn implementation(&self) -> Option<(&str, Option<&str>)> {
        let inner = &self.0.strip_prefix('<')?;
        let end = closing(inner)?;
        let inner = &inner[..end];
        Some(match split_at_top_level(inner, " as ") {
            Some((implementer, of_trait)) => (implementer, Some(of_trait)),
            None => (inner, None),
        })
    }

    /// The name for people: no generic arguments, closures kept short, implementations as `Type::method`.
    ///
    /// What calls a function through a reference, `<&F as FnMut<…>>::call_mut`, has that function's name.
    pub(super) fn readable(&self) -> String {
        if let Some((implementer, Some(of_trait))) = self.implementation() {
            let called = implementer
                .trim_start_matches('&')
                .trim_start_matches("mut ");
            if called.len() < implementer.len() && of_trait.starts_with("core::ops::function::Fn") {
                return Self(called.to_owned()).readable();
            }
        }
        let (prefix, rest) = match self.implementation() {
            Some((implementer, of_trait)) => {
                let subject = match (head(implementer), of_trait) {
                    (None, Some(of_trait)) => of_trait,
                    _ => implementer,
                };
                let end = closing(&self.0[1..]).map_or(self.0.len(), |end| end + 2);
                (without_generics(subject), &self.0[end..])
            }
            None => (String::new(), self.0.as_str()),
        };
        let name = format!("{prefix}{}", without_generics(rest));
        shorten_closures(&name)
    }

    /// Last two segments without generics, `ParallelIterator::for_each`; for an implementation, those of the
    /// trait's method.
    pub(super) fn method(&self) -> String {
        let name = match self.implementation() {
            Some((implementer, of_trait)) => {
                let end = closing(&self.0[1..]).map_or(self.0.len(), |end| end + 2);
                format!("{}{}", of_trait.unwrap_or(implementer), &self.0[end..])
            }
            None => self.0.clone(),
        };
        let name = without_generics(&name);
        let segments: Vec<&str> = name
            .split("::")
            .filter(|segment| !segment.is_empty() && !segment.starts_with('{'))
            .collect();
        segments[segments.len().saturating_sub(2)..].join("::")
    }
}

/// The name of a C++ function without the types that it takes and gives back.
fn demangled_cpp(symbol: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    let symbol = cpp_demangle::Symbol::new(symbol).ok()?;
    symbol.demangle_with_options(&options).ok()
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
