//! The page of `herald board`. docs/BOARD.md describes the interface that it uses.

/// The page, a [`crate::served_page`] with the name `app`.
pub fn page() -> String {
    crate::served_page("app", include_str!("../assets/app.html"))
}

/// Its style sheet `app.css`.
pub const STYLE: &str = include_str!("../assets/app.css");

/// Its script `app.js`.
pub const SCRIPT: &str = include_str!("../assets/app.js");
