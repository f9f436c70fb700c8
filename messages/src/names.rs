//! Enumerations of which each value has a name in a protocol.

macro_rules! names {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$doc])* $variant,)* }

        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// The one of that name.
            pub(crate) fn named(name: &str) -> Option<$type> {
                match name { $($name => Some($type::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use names;
