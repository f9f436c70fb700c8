//! A program between an engine and whoever speaks to it, that leaves lines out, adds some and changes others: so every
//! fault of a protocol can be had from an engine that has none.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use clap::Parser;

#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "a flag for each fault")]
struct Arguments {
    /// Lines to the engine that begin so get lost
    #[arg(long)]
    deaf: Vec<String>,
    /// Lines to the engine of the first kind become the second
    #[arg(long, value_parser = pair)]
    rewrite: Vec<(String, String)>,
    /// At lines to the engine that begin with the first text, the second is said in its name
    #[arg(long, value_parser = pair)]
    say: Vec<(String, String)>,
    /// Lines to the engine that come in one read with another get lost
    #[arg(long)]
    gulp: bool,
    /// Ends at a line to the engine that begins so
    #[arg(long)]
    die: Vec<String>,
    /// Lines of the engine that begin so get lost
    #[arg(long)]
    mute: Vec<String>,
    /// Lines of the engine that begin so are said twice
    #[arg(long)]
    twice: Vec<String>,
    /// The first text in lines of the engine becomes the second
    #[arg(long, value_parser = pair)]
    replace: Vec<(String, String)>,
    /// Doesn't end when the input or the engine does
    #[arg(long)]
    stay: bool,
    /// The exit status is 0, whatever the engine's
    #[arg(long)]
    content: bool,
    /// Says nothing on standard error
    #[arg(long)]
    speechless: bool,
    /// The engine and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// `FROM=>TO`
fn pair(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once("=>").ok_or("expected FROM=>TO")?;
    Ok((from.to_owned(), to.to_owned()))
}

fn main() -> ExitCode {
    let arguments: &'static Arguments = Box::leak(Box::new(Arguments::parse()));
    let mut engine = start(arguments);
    let to_engine = engine.stdin.take().expect("a pipe");
    let from_engine = BufReader::new(engine.stdout.take().expect("a pipe"));
    // It ends with the process.
    thread::spawn(move || listen(arguments, to_engine));
    for line in from_engine.lines().map_while(Result::ok) {
        speak(arguments, line);
    }
    let status = engine.wait().expect("the engine's status");
    if arguments.stay {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    let code = if arguments.content { 0 } else { status.code().unwrap_or(1) };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn start(arguments: &Arguments) -> Child {
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    if arguments.speechless {
        command.stderr(Stdio::null());
    }
    command.spawn().expect("the engine starts")
}

/// What is said to the engine, up to the end of the input.
fn listen(arguments: &Arguments, mut to_engine: ChildStdin) {
    let input = io::stdin().as_fd().try_clone_to_owned().expect("standard input");
    let mut input = BufReader::new(File::from(input));
    while let Some(line) = next_line(&mut input, arguments.gulp) {
        let begins = |beginning: &String| line.starts_with(beginning.as_str());
        if arguments.die.iter().any(begins) {
            std::process::exit(7);
        }
        for (_, answer) in arguments.say.iter().filter(|(beginning, _)| begins(beginning)) {
            say(answer);
        }
        if arguments.deaf.iter().any(begins) {
            continue;
        }
        let rewritten = arguments.rewrite.iter().find(|(from, _)| *from == line).map_or(&line, |(_, to)| to);
        // Whether the engine is still there is seen by the end of its output.
        let _ = to_engine.write_all(format!("{rewritten}\n").as_bytes());
    }
}

fn next_line(input: &mut BufReader<File>, gulp: bool) -> Option<String> {
    let line = input.by_ref().lines().next()?.ok()?;
    if gulp {
        input.consume(input.buffer().len());
    }
    Some(line)
}

/// What the engine says.
fn speak(arguments: &Arguments, mut line: String) {
    let begins = |beginning: &String| line.starts_with(beginning.as_str());
    if arguments.mute.iter().any(begins) {
        return;
    }
    let times = if arguments.twice.iter().any(begins) { 2 } else { 1 };
    for (from, to) in &arguments.replace {
        line = line.replace(from, to);
    }
    (0..times).for_each(|_| say(&line));
}

fn say(line: &str) {
    // Whoever doesn't listen any more need not be told.
    let mut output = io::stdout().lock();
    let _ = output.write_all(format!("{line}\n").as_bytes()).and_then(|()| output.flush());
}
