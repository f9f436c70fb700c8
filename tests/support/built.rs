//! Programs that cargo has built for the same target as the tests. Included by each test target that starts them.

use std::path::{Path, PathBuf};

use players::{Player, Protocol, Spec};

/// A file in the target folder.
pub(crate) fn target_file(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("a path");
    tests.parent().and_then(Path::parent).expect("a target folder").join(name)
}

/// An example of the tested package that speaks a protocol, with arguments as for a shell.
pub(crate) fn example(name: &str, protocol: Protocol, arguments: &str) -> Spec {
    let program = target_file("examples").join(name);
    assert!(program.is_file(), "not built: cargo build --examples");
    let program = program.to_string_lossy();
    let spoken = format!("{protocol:?}").to_lowercase();
    let command = format!("{} --protocol {spoken} {arguments}", shell_words::quote(&program));
    Spec::new(command.parse().expect("a command line"), protocol)
}

pub(crate) fn start(spec: &Spec) -> Box<dyn Player> {
    players::start(spec, None).unwrap_or_else(|fault| panic!("{}: {fault}", spec.command))
}
