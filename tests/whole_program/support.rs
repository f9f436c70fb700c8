//! A running program connected to pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Time after which a test fails: long, as machines may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the path of `examples/distorting/`, built.
pub(crate) fn distorting() -> PathBuf {
    example("distorting")
}

/// Returns the path of one of `examples/`, built. Cargo builds them with the tests, unless only this test was requested.
pub(crate) fn example(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_herald")).parent().expect("a folder");
    let programs = folder.join("examples");
    BUILT.call_once(|| {
        if ["distorting", "random_mover"].iter().all(|known| programs.join(known).is_file()) {
            return;
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--examples", "--target-dir"]);
        cargo.arg(folder.parent().expect("a folder"));
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(status.is_ok_and(|status| status.success()), "not built: cargo build --examples");
    });
    programs.join(name)
}

/// A running Herald.
pub(crate) struct Program {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Program {
    /// Starts Herald on pipes.
    pub(crate) fn start(arguments: &[&str]) -> Program {
        Program::run(Command::new(env!("CARGO_BIN_EXE_herald")).args(arguments).stderr(Stdio::null()))
    }

    /// Starts Herald on pipes with a prepared command.
    pub(crate) fn run(command: &mut Command) -> Program {
        let mut child = command
            // Without the user's saved settings.
            .env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("herald starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Program { child, input, output }
    }

    /// Sends bytes.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("herald listens");
    }

    /// Sends lines.
    pub(crate) fn say(&mut self, lines: &str) {
        self.send(format!("{lines}\n").as_bytes());
    }

    /// Waits for a line that starts with `beginning` and returns it.
    pub(crate) fn hear(&self, beginning: &str) -> String {
        loop {
            let line = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{beginning}`"));
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Waits for the end of a game of a referee.
    pub(crate) fn hear_ending(&self) {
        while !self.hear("game ").contains(" (") {}
    }

    /// Whether the program has printed a line that starts with `beginning`. Earlier lines are discarded.
    pub(crate) fn has_said(&self, beginning: &str) -> bool {
        self.output.try_iter().any(|line| line.starts_with(beginning))
    }

    /// Closes the program's standard input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the program to exit.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "herald does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
