//! A proxy between an engine and its GUI that drops, adds and changes lines, so that every protocol violation can be
//! produced with a correct engine. `distorting line FROM TO` is a line between two programs, slow, noisy and sometimes broken.

mod line;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use clap::Parser;
use platform::signals::{self, Signal};

#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "a flag for each fault")]
struct Arguments {
    /// Drop lines to the engine that start with this text
    #[arg(long)]
    deaf: Vec<String>,
    /// Forward only the first line to the engine that starts with this text
    #[arg(long)]
    once: Vec<String>,
    /// Replace a line to the engine that equals FROM with TO
    #[arg(long, value_parser = pair)]
    rewrite: Vec<(String, String)>,
    /// Print TO in the engine's name when a line to the engine starts with FROM
    #[arg(long, value_parser = pair)]
    say: Vec<(String, String)>,
    /// Forward only the first of several lines to the engine that arrive in one read
    #[arg(long)]
    gulp: bool,
    /// Exit at a line to the engine that starts with this text
    #[arg(long)]
    die: Vec<String>,
    /// Drop lines of the engine that start with this text
    #[arg(long)]
    mute: Vec<String>,
    /// Print lines of the engine that start with this text twice
    #[arg(long)]
    twice: Vec<String>,
    /// Replace FROM with TO in lines of the engine
    #[arg(long, value_parser = pair)]
    replace: Vec<(String, String)>,
    /// Divide a number in lines of the engine by TO: the one behind the word FROM, or word number FROM of the thinking output of CECP
    #[arg(long, value_parser = pair)]
    divide: Vec<(String, String)>,
    /// Keep running after the end of the input or of the engine
    #[arg(long)]
    stay: bool,
    /// Take no notice of SIGTERM
    #[arg(long)]
    undying: bool,
    /// Exit with status 0, whatever the engine's status
    #[arg(long)]
    content: bool,
    /// Suppress standard error
    #[arg(long)]
    speechless: bool,
    /// Engine and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Parses `FROM=>TO`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once("=>").ok_or("expected FROM=>TO")?;
    Ok((from.to_owned(), to.to_owned()))
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("line") {
        line::run().expect("a line");
        return ExitCode::SUCCESS;
    }
    let arguments: &'static Arguments = Box::leak(Box::new(Arguments::parse()));
    if arguments.undying {
        let noticed = Arc::new(AtomicBool::new(false));
        std::mem::forget(signals::set_flag(&[Signal::Terminate], &noticed).expect("a signal handler"));
    }
    let mut engine = start(arguments);
    let to_engine = engine.stdin.take().expect("a pipe");
    let from_engine = BufReader::new(engine.stdout.take().expect("a pipe"));
    // The thread ends with the process.
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

/// Forwards the input to the engine, up to its end.
fn listen(arguments: &Arguments, mut to_engine: ChildStdin) {
    let input = io::stdin().as_fd().try_clone_to_owned().expect("standard input");
    let mut input = BufReader::new(File::from(input));
    let mut forwarded: Vec<&String> = Vec::new();
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
        if let Some(beginning) = arguments.once.iter().find(|beginning| begins(beginning)) {
            if forwarded.contains(&beginning) {
                continue;
            }
            forwarded.push(beginning);
        }
        let rewritten = arguments.rewrite.iter().find(|(from, _)| *from == line).map_or(&line, |(_, to)| to);
        // A dead engine is detected by the end of its output.
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

/// Forwards a line of the engine.
fn speak(arguments: &Arguments, mut line: String) {
    let begins = |beginning: &String| line.starts_with(beginning.as_str());
    if arguments.mute.iter().any(begins) {
        return;
    }
    let times = if arguments.twice.iter().any(begins) { 2 } else { 1 };
    for (from, to) in &arguments.replace {
        line = line.replace(from, to);
    }
    for (place, divisor) in &arguments.divide {
        line = divided(&line, place, divisor).unwrap_or(line);
    }
    (0..times).for_each(|_| say(&line));
}

/// Divides the number behind a word of a line, or in a column of thinking output of CECP. `None` if there is none.
fn divided(line: &str, place: &str, divisor: &str) -> Option<String> {
    let words: Vec<&str> = line.split_inclusive([' ', '\t']).collect();
    let number = match place.parse::<usize>() {
        Ok(column) => column.checked_sub(1).filter(|_| line.starts_with(|c: char| c.is_ascii_digit()))?,
        Err(_) => words.iter().position(|word| word.trim_end() == place)? + 1,
    };
    let text = words.get(number)?.trim_end();
    let quotient = text.parse::<u64>().ok()? / divisor.parse::<u64>().ok()?;
    let changed = words[number].replace(text, &quotient.to_string());
    Some([&words[..number].concat(), &changed, &words[number + 1..].concat()].map(String::as_str).concat())
}

fn say(line: &str) {
    // Errors are ignored: the reader may have gone.
    let mut output = io::stdout().lock();
    let _ = output.write_all(format!("{line}\n").as_bytes()).and_then(|()| output.flush());
}
