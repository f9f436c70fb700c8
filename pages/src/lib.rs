//! The pictures of every page: one board, one graph and one list of moves, in plain JavaScript and CSS without a build step. They work
//! offline and know no rules of chess: positions and moves come from the program.
//!
//! - [`STYLE`] and [`SCRIPT`] are the components, for a page that is served or for one in a single file.
//! - [`game_page()`] makes the page of an annotated game, a file that opens from a disk.
//! - [`app`] is the page of `herald board`.
//!
//! All text of users and programs is inserted as text nodes or escaped, so that a name with markup in it is a name.

pub mod app;
mod game_html;
mod game_page;
mod single_file;

pub use game_html::{LONGEST_LINE, LONGEST_MAIN_LINE, game_data, game_page, script_json};
pub use game_page::{GamePage, PageLine, PageMove, PageStep, PlayerSummary, touched_squares};
pub use single_file::SingleFile;

/// The style sheet of the components: colours in light and dark, board, graph, list of moves, and what all pages have in common.
pub const STYLE: &str = include_str!("../assets/board.css");

/// The components: `HeraldBoard`, `HeraldGraph`, `HeraldMoves`, `HeraldLines`, `HeraldReplay`, and the switch between light and dark, which is any button with the
/// attribute `data-theme-switch`. Each describes itself at its head.
pub const SCRIPT: &str = concat!(
    include_str!("../assets/theme.js"),
    include_str!("../assets/pieces.js"),
    include_str!("../assets/board.js"),
    include_str!("../assets/graph.js"),
    include_str!("../assets/moves.js"),
    include_str!("../assets/lines.js"),
    include_str!("../assets/replay.js"),
);

/// The icon of all pages.
pub const ICON: &str = include_str!("../assets/icon.svg");

/// A page that is served. It loads `board.css` ([`STYLE`]), `board.js` ([`SCRIPT`]), `icon.svg` ([`ICON`]), and its own style sheet
/// and script, `NAME.css` and `NAME.js`, beside it.
pub fn served_page(name: &str, body: &str) -> String {
    linked_page("", &[], name, body)
}

/// What a page on a disk may load: the files beside it.
const DISK_POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' file:; \
    style-src 'self' file:; img-src 'self' file: data:; base-uri 'none'; form-action 'none'\">\n";

/// A page like [`served_page`] that opens from a disk, with the files beside it. The script `DATA.js` comes before its own.
pub fn stored_page(name: &str, data: &str, body: &str) -> String {
    linked_page(DISK_POLICY, &[data], name, body)
}

fn linked_page(policy: &str, data: &[&str], name: &str, body: &str) -> String {
    let scripts = ["board"].into_iter().chain(data.iter().copied()).chain([name]);
    let scripts: Vec<String> =
        scripts.map(|script| format!("<script src=\"{script}.js\" defer></script>\n")).collect();
    let scripts = scripts.concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{policy}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Herald</title>\n\
         <link rel=\"icon\" href=\"icon.svg\">\n<link rel=\"stylesheet\" href=\"board.css\">\n\
         <link rel=\"stylesheet\" href=\"{name}.css\">\n{scripts}</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Headers of every page that is served: nothing is loaded from elsewhere, nothing is kept, and the address is told to nobody.
pub const HEADERS: [(&str, &str); 4] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    ("referrer-policy", "no-referrer"),
];
