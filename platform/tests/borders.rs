//! Checks that only this crate uses interfaces of the operating system.

use std::fs;
use std::path::{Path, PathBuf};

/// Names of the system's interfaces and of crates that give access to them.
const SYSTEM: [&str; 7] = ["std::os::", "rustix", "libc::", "nix::", "signal_hook", "wait4", "winapi"];

/// Exempt folders: this crate, and code that is not part of the product.
const EXEMPT: [&str; 6] = ["platform", "target", "tests", "benches", "examples", "fuzz"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if !EXEMPT.contains(&name.as_str()) && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn only_this_crate_names_the_operating_system() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut found = Vec::new();
    sources(workspace, &mut found);
    assert!(found.len() > 100, "{} sources in {}", found.len(), workspace.display());
    let mut named = Vec::new();
    for path in found {
        let text = fs::read_to_string(&path).expect("a text");
        for (number, line) in text.lines().enumerate() {
            if SYSTEM.iter().any(|name| line.contains(name)) {
                named.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(named.is_empty(), "to be moved into platform/:\n{}", named.join("\n"));
}
