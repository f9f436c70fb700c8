//! A macro for enums whose variants have two texts.

/// Defines an enum with a list of its variants and a function for each of the two texts. The second text ends the documentation
/// of its variant.
macro_rules! enum_with_texts {
    ($(#[$about:meta])* $name:ident($one:ident, $other:ident)
        $($(#[$doc:meta])* $variant:ident $first:literal $second:literal)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* #[doc = $second] $variant,)* }

        impl $name {
            /// All of them in their order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            #[doc = concat!("Its ", stringify!($one), ".")]
            pub fn $one(self) -> &'static str {
                match self { $($name::$variant => $first,)* }
            }

            #[doc = concat!("Its ", stringify!($other), ".")]
            pub fn $other(self) -> &'static str {
                match self { $($name::$variant => $second,)* }
            }
        }
    };
}

pub(crate) use enum_with_texts;
