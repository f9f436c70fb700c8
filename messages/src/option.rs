//! What the options of an engine are, in UCI and in CECP.

/// The values that an option takes, and the one that it has; in UCI that is the one of a new engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check(bool),
    /// A whole number.
    Spin {
        /// The present value.
        value: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// One of several texts.
    Combo {
        /// The present one.
        value: String,
        /// All of them.
        choices: Vec<String>,
    },
    /// Something to do at once.
    Button,
    /// Any text.
    Text(String),
}
