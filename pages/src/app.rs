//! The page of `herald board`. docs/BOARD.md describes the interface that it uses.

/// The page. It loads `board.css` ([`crate::STYLE`]), `app.css`, `board.js` ([`crate::SCRIPT`]), `app.js` and `icon.svg` beside it.
pub const PAGE: &str = include_str!("../assets/app.html");

/// Its style sheet `app.css`.
pub const STYLE: &str = include_str!("../assets/app.css");

/// Its script `app.js`.
pub const SCRIPT: &str = include_str!("../assets/app.js");
