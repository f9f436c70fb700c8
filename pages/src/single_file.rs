//! Pages in one file, which open from a disk and load nothing.

use game::escaped;

/// A page in one file. Its security policy allows only what is in the file.
#[derive(Clone, Copy, Debug)]
pub struct SingleFile<'a> {
    /// Title, plain text.
    pub title: &'a str,
    /// Style sheets after that of the components.
    pub style: &'a str,
    /// Contents, in HTML.
    pub body: &'a str,
    /// Script that follows the components.
    pub script: &'a str,
}

/// What a page in one file may load: nothing. Scripts and styles are those in the file, the engine and its worker too.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

impl SingleFile<'_> {
    /// Returns the page in HTML.
    pub fn html(&self) -> String {
        let SingleFile { title, style, body, script } = self;
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <style>\n{}{style}</style>\n</head>\n<body>\n{body}\n<script>\n{}{script}</script>\n</body>\n</html>\n",
            escaped(title),
            crate::STYLE,
            crate::SCRIPT,
        )
    }
}
