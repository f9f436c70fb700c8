//! Saved settings, and what they must not affect.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::support::Program;

/// Runs Herald with its settings in `home`; returns its standard output and standard error.
fn herald(home: &Path, arguments: &[&str], input: &str) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herald"));
    let output = command.env("XDG_CONFIG_HOME", home).args(arguments).write_stdin(input).output();
    let output = output.expect("herald runs");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

fn file(home: &TempDir) -> PathBuf {
    home.path().join("herald").join("settings.toml")
}

#[test]
fn what_one_protocol_saves_the_other_finds() {
    let home = TempDir::new().expect("a folder");
    let (said, _) =
        herald(home.path(), &["xboard"], "option Contempt=25\noption LimitStrength=1\noption Save\nquit\n");
    assert_eq!(said, format!("telluser Settings saved in {}\n", file(&home).display()));
    let (said, _) = herald(
        home.path(),
        &["uci"],
        "uci\nsetoption name Reset Settings\nsetoption name Save Settings\nquit\n",
    );
    assert!(said.contains("option name Contempt type spin default 25 "), "{said}");
    assert!(said.contains("option name UCI_LimitStrength type check default true"), "{said}");
    let (said, _) = herald(home.path(), &[], "xboard\nprotover 2\nquit\n");
    assert!(said.contains("Contempt -spin 0 ") && said.contains("LimitStrength -check 0"), "{said}");
}

#[test]
fn a_damaged_file_costs_a_line_and_nothing_else() {
    let home = TempDir::new().expect("a folder");
    fs::create_dir_all(file(&home).parent().expect("a folder")).expect("a folder");
    fs::write(file(&home), "Contempt = 25\nHash = \n").expect("a file");
    let (said, complaint) = herald(home.path(), &["xboard"], "protover 2\nquit\n");
    assert!(said.contains("Contempt -spin 0 "), "{said}");
    let beginning = format!("herald: saved settings: {}: line 2: ", file(&home).display());
    assert!(complaint.starts_with(&beginning) && complaint.lines().count() == 1, "{complaint}");
}

#[test]
fn the_bench_knows_nothing_of_what_was_saved() {
    let home = TempDir::new().expect("a folder");
    let nodes = || {
        let (said, _) = herald(home.path(), &["bench", "4"], "");
        said.split(' ').next().expect("a number").to_owned()
    };
    let before = nodes();
    let settings = "option Contempt=200\noption LimitStrength=1\noption Elo=1000\noption Noise=500\noption MultiPV=4\n\
                    option Save\nquit\n";
    herald(home.path(), &["xboard"], settings);
    assert!(file(&home).is_file());
    assert_eq!(nodes(), before);
}

/// Returns the processor time of a process, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(program: &Program) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.child.id())).expect("a process");
    let after_name = stat.rsplit_once(") ").expect("a name").1;
    after_name.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}

#[cfg(target_os = "linux")]
#[test]
fn a_paused_search_uses_no_processor() {
    use std::time::Duration;

    let mut program = Program::start(&["xboard"]);
    program.say("cores 2\nnew\npost\nlevel 0 1000 0\ngo");
    program.hear("8 ");
    program.say("pause\ncomputer");
    program.hear("Error (paused)");
    std::thread::sleep(Duration::from_millis(100));
    let before = ticks(&program);
    std::thread::sleep(Duration::from_millis(500));
    assert!(ticks(&program) - before <= 1, "{} ticks", ticks(&program) - before);
    program.say("resume\n?");
    program.hear("move ");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));
}
