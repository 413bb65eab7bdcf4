//! Objects of JSON.

/// Something that serialises as an object with these keys, in this order; a key may have the
/// attributes of serde, and documentation, which the schema has, and after its value the model's
/// enum whose names the schema lists. It is a struct whose fields are written down once, with their
/// values, and whose types are parameters of the fields' names (hence `allow(non_camel_case_types)`
/// where it is used).
macro_rules! object {
    ($($(#[$($attribute:tt)*])* $key:ident: $value:expr $(=> $named:ident)?),+ $(,)?) => {{
        #[allow(non_camel_case_types, non_snake_case, reason = "it has the names of its keys")]
        let object = {
            #[derive(::serde::Serialize)]
            #[cfg_attr(test, derive(::schemars::JsonSchema), schemars(inline))]
            struct Object<$($key),+> {
                $(
                    $(#[$($attribute)*])*
                    $(#[cfg_attr(test, schemars(extend("enum" =
                        ::workspan_model::$named::ALL.map(::workspan_model::$named::name)
                    )))])?
                    $key: $key,
                )+
            }
            Object { $($key: $value,)+ }
        };
        object
    }};
}

pub(crate) use object;

/// What is written as JSON; tests make its schema of it.
#[cfg(not(test))]
pub(crate) trait Document: serde::Serialize {}
#[cfg(not(test))]
impl<T: serde::Serialize> Document for T {}

#[cfg(test)]
pub(crate) trait Document: serde::Serialize + schemars::JsonSchema {}
#[cfg(test)]
impl<T: serde::Serialize + schemars::JsonSchema> Document for T {}

/// `number`, if JSON can hold it.
pub(crate) fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
