//! Names of functions in C and C++.

use cpp_demangle::DemangleOptions;

/// Namespaces of libraries, whose code runs on behalf of its callers.
const LIBRARIES: [&str; 6] = [
    "std",
    "__gnu_cxx",
    "__cxxabiv1",
    "tbb",
    "oneapi",
    "workspan",
];

/// Functions that start and end every program.
const STARTUP: [&str; 6] = [
    "_start",
    "_init",
    "_fini",
    "frame_dummy",
    "register_tm_clones",
    "__do_global_dtors_aux",
];

/// Operators with angle brackets, longest first.
const OPERATORS: [&str; 11] = [
    "<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
];

/// The name of the function that a symbol belongs to, without the types of its parameters and
/// result, and without what compilers add to the names of parts and copies of a function. Such a
/// part is what they move into a function of its own for an OpenMP construct (`fib._omp_fn.0`,
/// `main.omp_outlined`).
pub(super) fn demangled(symbol: &str) -> String {
    let function = match symbol.find('.') {
        Some(end) if end > 0 => &symbol[..end],
        _ => symbol,
    };
    let options = DemangleOptions::new().no_params().no_return_type();
    cpp_demangle::Symbol::new(function)
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&options).ok())
        .unwrap_or_else(|| function.to_owned())
}

/// Whether clang made the function for an OpenMP construct without naming the function around it:
/// `.omp_outlined.`, `.omp_task_entry.`.
pub(super) fn is_nameless_part(symbol: &str) -> bool {
    symbol.starts_with(".omp")
}

/// Whether the function is a lambda's, for which gcc does not name the function around it.
pub(super) fn is_nameless_lambda(name: &str) -> bool {
    name == "operator()"
}

/// Whether the function belongs to the program, and not to a library in headers, to the interface
/// of workspan, or to the code around `main`.
pub(super) fn is_user_code(name: &str) -> bool {
    let is_library = LIBRARIES.iter().any(|library| {
        name.strip_prefix(library)
            .is_some_and(|rest| rest.starts_with("::"))
    });
    !is_library && !STARTUP.contains(&name) && !name.starts_with("workspan_")
}

/// The name for people: no template arguments, short lambdas.
pub(super) fn readable(name: &str) -> String {
    let plain = without_templates(&with_short_braces(name));
    let plain = plain.strip_suffix(" const").unwrap_or(&plain);
    let mut segments: Vec<&str> = Vec::new();
    for segment in plain.split("::") {
        // `$_0` is clang's name.
        let is_lambda = |outer: &&mut &str| outer.starts_with("$_") || **outer == "{lambda}";
        match segments.last_mut().filter(is_lambda) {
            Some(lambda) if segment == "operator()" => *lambda = "{lambda}",
            _ => segments.push(segment),
        }
    }
    segments.join("::")
}

/// Shortens `{lambda(int)#1}` to `{lambda}`.
fn with_short_braces(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut depth = 0_usize;
    let mut is_first_word = true;
    for letter in name.chars() {
        match letter {
            '{' => {
                depth += 1;
                is_first_word = depth == 1;
            }
            '}' => depth = depth.saturating_sub(1),
            letter if depth == 1 && !letter.is_alphanumeric() => is_first_word = false,
            _ => {}
        }
        let is_brace = matches!((letter, depth), ('{', 1) | ('}', 0));
        if is_brace || depth == 0 || (depth == 1 && is_first_word) {
            kept.push(letter);
        }
    }
    kept
}

/// Drops `<…>`, except for the angle brackets in names of operators.
fn without_templates(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    let mut depth = 0_usize;
    while let Some(letter) = rest.chars().next() {
        let operator = OPERATORS.iter().find(|operator| {
            depth == 0 && ends_with_operator(&kept) && rest.starts_with(**operator)
        });
        let length = operator.map_or(letter.len_utf8(), |operator| operator.len());
        match letter {
            _ if operator.is_some() => kept.push_str(&rest[..length]),
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
        rest = &rest[length..];
    }
    kept.trim_end().to_owned()
}

fn ends_with_operator(kept: &str) -> bool {
    let before = kept.strip_suffix("operator");
    before.is_some_and(|before| {
        !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_functions_are_named_after_them() {
        let cases = [
            ("fib._omp_fn.0", "fib"),
            ("fib._omp_cpyfn.2", "fib"),
            ("fib.part.0", "fib"),
            ("main.cold", "main"),
            ("main.omp_outlined", "main"),
            ("main.omp_outlined_debug__", "main"),
            ("_Z3fooi.omp_outlined.omp_outlined", "foo"),
            ("_ZN3app12_GLOBAL__N_16hiddenEi._omp_fn.0", "app::hidden"),
            ("_ZNK3app4GridltERKS0_._omp_fn.0", "app::Grid::operator<"),
            ("_ZZ4mainENKUlvE0_clEv._omp_fn.0", "main::{lambda}"),
            (
                "_ZN3app4Grid4eachIZ4mainEUlRdE_EEvT_._omp_fn.0",
                "app::Grid::each",
            ),
            ("memcpy", "memcpy"),
            // The names of these parts do not show which function they are from.
            (".omp_outlined.", ".omp_outlined."),
            (".omp_task_entry..4", ".omp_task_entry..4"),
        ];
        for (symbol, expected) in cases {
            let name = readable(&demangled(symbol));
            let name = name.replace("(anonymous namespace)::", "");
            assert_eq!(name, expected, "{symbol}");
        }
        assert!(is_nameless_part(".omp_outlined..1"));
        assert!(!is_nameless_part("main.omp_outlined"));
    }

    #[test]
    fn names_of_templates_and_operators_are_short() {
        let cases = [
            (
                "ns::Box<std::vector<int> >::each<main::{lambda(double&)#1}>",
                "ns::Box::each",
            ),
            (
                "main::{lambda(int, ns::Box<int>)#2}::operator()",
                "main::{lambda}",
            ),
            (
                "main::{lambda()#1}::operator()() const",
                "main::{lambda}::operator()()",
            ),
            ("main::$_0::operator()", "main::{lambda}"),
            ("ns::operator<<", "ns::operator<<"),
            ("ns::Pointer<T>::operator->", "ns::Pointer::operator->"),
            ("ns::operator< <int>", "ns::operator<"),
            ("(anonymous namespace)::run", "(anonymous namespace)::run"),
            ("my_operator<int>", "my_operator"),
        ];
        for (name, expected) in cases {
            assert_eq!(readable(name), expected);
        }
    }

    #[test]
    fn libraries_in_headers_are_not_the_programs() {
        for name in [
            "std::vector<app::Grid>::push_back",
            "tbb::detail::d1::start_for<R, B, P>::execute",
            "workspan::region::region",
            "workspan_task_begin",
            "_start",
        ] {
            assert!(!is_user_code(name), "{name}");
        }
        for name in [
            "main",
            "fib",
            "app::Grid::each<std::less>",
            "stdlike::run",
            ".omp_outlined.",
        ] {
            assert!(is_user_code(name), "{name}");
        }
    }
}
