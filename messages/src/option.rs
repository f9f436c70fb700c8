//! Types of engine options, common to UCI and CECP.

/// Type of an option with its current value; in UCI, the default value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check(bool),
    /// A whole number.
    Spin {
        /// The current value.
        value: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// One of several texts.
    Combo {
        /// The current value.
        value: String,
        /// All allowed values.
        choices: Vec<String>,
    },
    /// An action without a value.
    Button,
    /// Any text.
    Text(String),
}
