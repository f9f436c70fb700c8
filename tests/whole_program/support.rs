//! What the tests have in common: runs of Herald, folders, requests to pages, terminals, and a running program connected
//! to pipes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::Once;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

pub(crate) const HERALD: &str = env!("CARGO_BIN_EXE_herald");

/// A folder for saved settings that is never there, so that those of the user are not found.
const NO_SETTINGS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings");

/// Time after which a test fails: long, as machines may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the path of `examples/distorting/`, built.
pub(crate) fn distorting() -> PathBuf {
    example("distorting")
}

/// Returns the path of one of `examples/`, built. Cargo builds them with the tests, unless only this test was requested.
pub(crate) fn example(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    let folder = Path::new(HERALD).parent().expect("a folder");
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

/// Returns the command of a program that finds no saved settings of the user, nor does any Herald that it starts.
pub(crate) fn without_settings(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("XDG_CONFIG_HOME", NO_SETTINGS);
    command
}

/// Runs Herald to its end.
pub(crate) fn herald(arguments: &[&str]) -> Output {
    without_settings(HERALD).args(arguments).output().expect("herald runs")
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

/// Asserts an exit code and returns standard error.
#[track_caller]
pub(crate) fn told(output: &Output, code: i32) -> &str {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    text(&output.stderr)
}

/// The one line on standard error of a command that was wrong.
#[track_caller]
pub(crate) fn refused(output: &Output) -> &str {
    let told = told(output, 2);
    assert_eq!(told.lines().count(), 1, "{told}");
    told.trim_end()
}

/// A folder for the files of a test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(TempDir::new().expect("a folder"))
    }

    /// Returns a folder with a file.
    pub(crate) fn with(name: &str, text: &str) -> Folder {
        let folder = Folder::new();
        folder.write(name, text);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of a file as an argument.
    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().expect("a path").to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.file(name);
        fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs Herald in the folder.
    pub(crate) fn herald(&self, arguments: &[&str]) -> Output {
        without_settings(HERALD).current_dir(self.path()).args(arguments).output().expect("herald runs")
    }

    /// Runs Herald in the folder, asserts its exit code and returns its standard error.
    #[track_caller]
    pub(crate) fn told(&self, arguments: &[&str], code: i32) -> String {
        let output = self.herald(arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        told.to_owned()
    }

    /// Plays a short match in the folder. Without engines among the arguments Herald plays itself.
    pub(crate) fn play(&self, arguments: &[&str]) -> Output {
        let mut herald = without_settings(HERALD);
        herald.args(["match", "--max-moves", "2", "--each", "depth=1"]).current_dir(self.path());
        if !arguments.contains(&"--engine") {
            for name in ["A", "B"] {
                herald.args(["--engine", &format!("cmd='{HERALD}' name={name}")]);
            }
        }
        herald.args(arguments).output().expect("herald runs")
    }
}

/// Returns the text of a request that closes the connection after the response.
pub(crate) fn request(host: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Sends a request and returns the complete response.
#[track_caller]
pub(crate) fn ask(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).expect("the page");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let sent = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let end = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).expect("text");
    // A body that is too long is refused before it has been sent.
    let is_refusal = answer.starts_with("HTTP/1.1 4");
    assert!(is_refusal || (sent.is_ok() && end.is_ok()), "{sent:?}, {end:?}: {answer}");
    answer
}

/// Returns the response to a request for a page.
#[track_caller]
pub(crate) fn get(host: &str, path: &str) -> String {
    ask(host, &request(host, "GET", path, "", ""))
}

/// Returns the lines of a stream of events.
pub(crate) fn events(host: &str, path: &str) -> impl Iterator<Item = String> + use<> {
    let mut stream = TcpStream::connect(host).expect("the page");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let question = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(question.as_bytes()).expect("asked");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.find(String::is_empty).expect("the head");
    lines
}

/// Opens a pseudo-terminal. Returns our end, the device for a program, and the name of the device.
pub(crate) fn terminal() -> (File, File, String) {
    let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&end).and_then(|()| unlockpt(&end)).expect("it can be used");
    let name = ptsname(&end, Vec::new()).expect("a name").into_string().expect("text");
    let device = File::options().read(true).write(true).open(&name).expect("a device");
    (File::from(end), device, name)
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
        Program::run(Command::new(HERALD).args(arguments).stderr(Stdio::null()))
    }

    /// Starts Herald on pipes with a prepared command.
    pub(crate) fn run(command: &mut Command) -> Program {
        let mut child = command
            // Without the user's saved settings.
            .env("XDG_CONFIG_HOME", NO_SETTINGS)
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

    /// Sends a signal, such as `-INT`.
    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.expect("kill is installed").success());
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
