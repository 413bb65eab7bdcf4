//! Objects of JSON.

/// Something that serialises as an object with these keys, in this order; a key may have the
/// attributes of serde. It is a struct whose fields are written down once, with their values, and
/// whose types are parameters of the fields' names (hence `allow(non_camel_case_types)` where it is
/// used).
macro_rules! object {
    ($($(#[$($attribute:tt)*])* $key:ident: $value:expr),+ $(,)?) => {{
        #[derive(::serde::Serialize)]
        struct Object<$($key),+> {
            $($(#[$($attribute)*])* $key: $key,)+
        }
        Object { $($key: $value,)+ }
    }};
}

pub(crate) use object;
