//! Start and end of processes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use messages::cecp::Command;
use players::{Cecp, CommandLine, PlayerFault, Protocol, Spec, Stream};

use crate::built::start;
use crate::support::{fixture, is_gone, is_running, unique_seed};

#[test]
fn a_program_goes_with_its_owner() {
    let seed = unique_seed();
    let child = format!("sleep 1000.{seed}");
    let spec = fixture(Protocol::Uci, &format!("--fault fork --seed {seed}"));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _player = start(&spec);
        assert!(is_running(&child));
        panic!("as a test");
    }));
    assert!(panicked.is_err());
    assert!(is_gone(&child) && is_gone(&format!("--seed {seed}")));
}

#[test]
fn what_a_program_used_is_told() {
    let departure = start(&fixture(Protocol::Uci, "")).quit();
    assert!(departure.status.is_some_and(|status| status.success()) && !departure.killed);
    let resources = departure.resources.expect("a report");
    assert!(resources.peak_memory > 500_000, "{resources:?}");
}

#[test]
fn who_does_not_read_is_given_up() {
    // `sleep` neither reads nor writes, `yes` writes without end.
    for program in ["sleep 1000", "yes"] {
        let spec = Spec::new(program.parse::<CommandLine>().unwrap(), Protocol::Cecp);
        let mut stream = Stream::<Cecp>::start(&spec, None).unwrap();
        let begin = Instant::now();
        let name = Command::Name("x".repeat(1000));
        let fault = (0..1000).find_map(|_| stream.tell(&name).err());
        assert_eq!(fault, Some(PlayerFault::Silence("a pipe full of commands")), "{program}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{program}");
        assert!(stream.quit(Duration::from_millis(10)).status.is_some());
    }
}

#[test]
fn what_cannot_be_started() {
    for (command, directory) in [("/no/such/program", None), ("cat", Some("/no/such/folder"))] {
        let mut spec = Spec::new(command.parse().unwrap(), Protocol::Uci);
        spec.directory = directory.map(Into::into);
        let fault = players::start(&spec, None).map(|_| ()).unwrap_err();
        assert!(matches!(&fault, PlayerFault::Start(text) if text.contains("No such file")), "{fault}");
    }
}

#[test]
fn who_speaks_another_protocol() {
    // An echo is no UCI engine, and a program that ends is told from a silent one.
    let begin = |command: &str, protocol| {
        let mut spec = Spec::new(command.parse().unwrap(), protocol);
        spec.patience = Duration::from_millis(300);
        players::start(&spec, None).map(|_| ()).unwrap_err()
    };
    assert_eq!(begin("cat", Protocol::Uci), PlayerFault::Silence("uci"));
    assert!(matches!(begin("true", Protocol::Uci), PlayerFault::Died(how) if how == "exit status: 0"));
    assert!(
        matches!(begin("sh -c 'kill -SEGV $$'", Protocol::Cecp), PlayerFault::Died(how) if how.contains("SIGSEGV"))
    );
    assert!(matches!(begin("echo hello", Protocol::Cego), PlayerFault::Malformed(_)));
}
