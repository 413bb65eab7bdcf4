//! The name of the function around a place in the source.

use std::any::type_name;
use std::fmt;

/// Shows the path of the function around the function item `F`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FunctionName<F>(pub F);

impl<F> fmt::Display for FunctionName<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(around(type_name::<F>()))
    }
}

/// The path without its last part and the closures around it.
fn around(path: &str) -> &str {
    let mut function = path.rsplit_once("::").map_or(path, |(around, _)| around);
    while let Some(around) = function.strip_suffix("::{{closure}}") {
        function = around;
    }
    function
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List<T>(T);

    trait Length {
        fn length(&self) -> String;
    }

    impl<T> Length for List<T> {
        fn length(&self) -> String {
            fn here() {}
            FunctionName(here).to_string()
        }
    }

    impl<T> List<T> {
        fn push(&self) -> String {
            let closure = || {
                fn here() {}
                FunctionName(here).to_string()
            };
            closure()
        }
    }

    #[test]
    fn functions_methods_and_closures() {
        fn here() {}
        let module = "workspan::function_name::tests";
        let name = FunctionName(here).to_string();
        assert_eq!(name, format!("{module}::functions_methods_and_closures"));
        assert_eq!(List(1).push(), format!("{module}::List<_>::push"));
        let length = format!("<{module}::List<_> as {module}::Length>::length");
        assert_eq!(List(1).length(), length);
    }
}
