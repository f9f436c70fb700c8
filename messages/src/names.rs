//! Macros for enumerations whose values are words of a protocol: one table for reading and writing.

macro_rules! names {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$doc])* $variant,)* }

        impl $type {
            /// All values in the order of their definition.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// Returns the name in the protocol.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// Returns the value with this name.
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

/// Defines the messages of one side. Those after `words` consist of one word each; the others are written as in an
/// enum.
macro_rules! messages {
    ($(#[$about:meta])* $type:ident { words { $($(#[$doc:meta])* $variant:ident = $word:literal,)* } $($rest:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$doc])* $variant,)* $($rest)* }

        impl $type {
            /// Returns the message that consists of this word; `None` if there is none.
            fn of_word(word: &str) -> Option<$type> {
                match word { $($word => Some($type::$variant),)* _ => None }
            }

            /// Returns the word of the message; an empty text for a message of more than one word.
            fn word(&self) -> &'static str {
                match self { $($type::$variant => $word,)* _ => "" }
            }
        }
    };
}

pub(crate) use {messages, names};
