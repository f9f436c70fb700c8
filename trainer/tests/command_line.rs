//! Whole-program tests of `herald-trainer`: invalid files and killed runs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../search/networks/net16");

fn trainer(folder: &TempDir, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herald-trainer"));
    command.current_dir(folder.path()).args(arguments.split_whitespace());
    command
}

/// Runs the trainer and asserts success.
fn run(folder: &TempDir, arguments: &str) {
    let output = trainer(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {output:?}");
}

/// Returns the first file that `generate DIRECTORY --seed 3` writes.
fn games(folder: &TempDir, directory: &str) -> PathBuf {
    folder.path().join(directory).join("seed-3-0000000.games")
}

fn generate(directory: &str, games: u32) -> String {
    format!("generate {directory} --games {games} --nodes 20 --seed 3 --chess960 20 --threads 2")
}

/// Asserts that invalid input is rejected with one line that names the file and exit status 2.
fn assert_refused(folder: &TempDir, arguments: &str, file: &str) {
    let output = trainer(folder, arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {told}");
    assert!(told.starts_with("herald-trainer: ") && told.contains(file), "{arguments}: {told}");
    assert_eq!(told.lines().count(), 1, "{arguments}: {told}");
}

/// Returns damaged variants of a file: truncated, another version, another kind of file, noise, empty.
fn spoiled(whole: &[u8], other: &[u8]) -> Vec<Vec<u8>> {
    let mut version = whole.to_vec();
    version[8] ^= 0x40;
    let mut noise = 0x9E37_79B9_u32;
    let random = (0..5000).map(|_| {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        noise as u8
    });
    let cut = |length: usize| whole[..length].to_vec();
    vec![cut(whole.len() - 3), cut(20), cut(0), version, other.to_vec(), random.collect()]
}

#[test]
fn bad_files_are_one_line_and_exit_status_2() {
    let folder = tempfile::tempdir().unwrap();
    run(&folder, &generate("data", 4));
    let (network, whole) = (fs::read(NETWORK).unwrap(), fs::read(games(&folder, "data")).unwrap());
    for bytes in spoiled(&whole, &network) {
        fs::write(folder.path().join("bad.games"), bytes).unwrap();
        for command in ["inspect bad.games", "train bad.games --output net", "pack bad.games --output packed"]
        {
            assert_refused(&folder, command, "bad.games");
        }
        assert_refused(&folder, &format!("assess {NETWORK} bad.games"), "bad.games");
    }
    for bytes in spoiled(&network, &whole) {
        fs::write(folder.path().join("bad.network"), bytes).unwrap();
        assert_refused(&folder, "assess bad.network data", "bad.network");
        assert_refused(&folder, &format!("average {NETWORK} bad.network --output mean"), "bad.network");
        assert_refused(&folder, "generate more --games 1 --network bad.network", "bad.network");
    }
    for command in [
        "inspect none",
        "train none --output net",
        "pack none --output packed",
        "assess none data",
        "generate x --network none",
    ] {
        assert_refused(&folder, command, "none");
    }
    assert_refused(&folder, "pack data --output data", "data");
    assert_refused(&folder, &format!("average {NETWORK} {NETWORK} --output data"), "data");
    run(&folder, &format!("average {NETWORK} {NETWORK}=2 --output mean"));
    assert_eq!(fs::read(folder.path().join("mean")).unwrap(), network, "the average of one network");
    for arguments in ["--rate NaN", "--decay=-1", "--result-share 5", "--scale 0"] {
        let told = trainer(&folder, &format!("train data --output net {arguments}")).output().unwrap();
        assert_eq!(told.status.code(), Some(2), "{arguments}");
    }
    // Games with another recipe are not continued and stay unchanged.
    assert_refused(&folder, "generate data --seed 3 --nodes 21", "seed-3-0000000.games");
    assert_eq!(fs::read(games(&folder, "data")).unwrap(), whole);
}

/// Starts the trainer and kills it as soon as `is_time` returns true.
fn kill(
    folder: &TempDir,
    arguments: &str,
    mut is_time: impl FnMut(&mut dyn Iterator<Item = String>) -> bool,
) {
    let mut child = trainer(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    while !is_time(&mut lines) {
        assert!(child.try_wait().unwrap().is_none(), "{arguments}: it was over too soon");
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

#[test]
fn killed_runs_are_gone_on_with_as_if_nothing_had_been() {
    let folder = tempfile::tempdir().unwrap();
    run(&folder, &generate("whole", 120));
    let enough = length(&games(&folder, "whole")) / 3;
    let killed = games(&folder, "killed");
    kill(&folder, &generate("killed", 120), |_| {
        std::thread::sleep(Duration::from_millis(2));
        length(&killed) >= enough
    });
    run(&folder, &generate("killed", 120));
    assert_eq!(fs::read(&killed).unwrap(), fs::read(games(&folder, "whole")).unwrap());

    let train = |output: &str| format!("train whole --output {output} --hidden 64 --epochs 24 --threads 2");
    run(&folder, &train("net"));
    kill(&folder, &train("again"), |lines| lines.next().is_none_or(|line| line.starts_with("epoch 6/24")));
    run(&folder, &format!("{} --resume", train("again")));
    let network = |output: &str| fs::read(folder.path().join(output).join("network")).unwrap();
    assert_eq!(network("again"), network("net"));
    let picture = fs::read_to_string(folder.path().join("again/losses.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
}
