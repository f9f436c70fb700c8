//! Thinking output, and analysis.

use std::time::{Duration, Instant};

use game::Score;
use game::{Color, Game};
use messages::cecp::{Message, Switch};

use super::bench::{AT_ONCE, Bench, Heard, QUIET, is_refusal, moved, thoughts};
use super::game::true_results;
use crate::check::conversation::{none, seen, some};
use crate::check::positions::{MATE_IN_TWO, MATED, MATED_IN_ONE, MIDDLEGAME};
use crate::check::{Candidate, Miss, Rule};
use crate::stream::Said;

pub(super) const RULES: &[Rule] = &[
    Rule {
        label: "thinking",
        duty: "shows what it thinks after `post`: depth, score, centiseconds, nodes, a line",
        check: thinking,
    },
    Rule { label: "nopost", duty: "shows nothing after `nopost`", check: nopost },
    Rule { label: "mate-score", duty: "shows mate in two as 100002, if as a mate", check: mate_score },
    Rule {
        label: "mated-score",
        duty: "shows being mated in one as -100001, if as a mate",
        check: mated_score,
    },
    Rule {
        label: "stray-words",
        duty: "never writes what GUIs take for a draw offer or a broken pipe",
        check: stray_words,
    },
    Rule { label: "analyze", duty: "analyses from `analyze` to `exit`, and never moves", check: analyze },
    Rule { label: "analyze-move", duty: "follows moves and `undo` while it analyses", check: analyze_move },
    Rule {
        label: "analyze-over",
        duty: "claims no wrong result when it analyses a mate, and waits",
        check: analyze_over,
    },
    Rule {
        label: "ping-analysing",
        duty: "answers a `ping` at once while it analyses, and analyses on",
        check: ping_analysing,
    },
    Rule { label: "stat01", duty: "answers `.` with `stat01`, time in centiseconds", check: stat01 },
    Rule { label: "exclude", duty: "leaves out moves that are excluded", check: exclude },
    Rule { label: "exclude-all", duty: "waits when all moves are excluded", check: exclude_all },
    Rule { label: "setscore", duty: "takes `setscore`", check: setscore },
    Rule { label: "hint", duty: "answers `hint` with a legal move", check: hint },
    Rule { label: "bk", duty: "answers `bk` with indented lines and an empty one", check: book },
];

/// What it says while thinking about a position on a short clock, up to its move.
fn think(candidate: &Candidate, fen: &str, settings: &[&str]) -> Result<Heard, Miss> {
    let mut bench = Bench::at(candidate, fen)?;
    bench.tell(settings)?;
    bench.hurry()?;
    bench.settle()?;
    bench.tell(&["go"])?;
    bench.hear_move()
}

/// The first move of a line is legal.
fn begins_legally(game: &Game, text: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '.');
    let first = text.split_whitespace().find(|word| !is_number(word));
    first.is_some_and(|word| game.parse_move(word).is_ok())
}

fn thinking(candidate: &Candidate) -> Result<(), Miss> {
    let since = Instant::now();
    let heard = think(candidate, MIDDLEGAME, &["post"])?;
    let most = since.elapsed().as_millis() as u64 / 10;
    let lines = thoughts(&heard);
    let game = Game::from_fen(MIDDLEGAME, game::CastlingMode::Standard).expect("a legal position");
    let Some(last) = lines.last() else {
        return Err(Miss::failed("lines of thinking", seen(&heard)));
    };
    if last.nodes == 0 || last.centiseconds > most {
        return Err(Miss::failed(format!("nodes, and at most {most} centiseconds"), seen(&heard)));
    }
    // The text is arbitrary in principle.
    if lines.iter().any(|line| begins_legally(&game, &line.text)) {
        Ok(())
    } else {
        Err(Miss::NotSupported("lines of moves".into()))
    }
}

fn nopost(candidate: &Candidate) -> Result<(), Miss> {
    let heard = think(candidate, MIDDLEGAME, &["post", "nopost"])?;
    none(&heard, "no thinking output", |message| matches!(message, Message::Thinking(_)))
}

fn shows(candidate: &Candidate, fen: &str, expected: &str, score: Score) -> Result<(), Miss> {
    let heard = think(candidate, fen, &["post"])?;
    let scores: Vec<Score> = thoughts(&heard).iter().map(|line| line.score).collect();
    if scores.contains(&score) {
        Ok(())
    } else if scores.iter().all(|score| matches!(score, Score::Centipawns(_))) {
        Err(Miss::NotSupported("mates as 100000 and more".into()))
    } else {
        let shown: Vec<String> = thoughts(&heard).iter().map(|line| format!("`{line}`")).collect();
        Err(Miss::failed(expected, shown.last().cloned().unwrap_or_default()))
    }
}

fn mate_score(candidate: &Candidate) -> Result<(), Miss> {
    shows(candidate, MATE_IN_TWO, "a score of 100002", Score::MateIn(2))
}

fn mated_score(candidate: &Candidate) -> Result<(), Miss> {
    shows(candidate, MATED_IN_ONE, "a score of -100001", Score::MatedIn(1))
}

fn stray_words(candidate: &Candidate) -> Result<(), Miss> {
    const STRAY: [&str; 7] = [
        "Draw",
        "not found",
        "No such file",
        "Permission denied",
        "can't alloc",
        "Unknown host",
        "No remote directory",
    ];
    let mut bench = Bench::start(candidate)?;
    bench.tell(&["new", "force", "post"])?;
    bench.hurry()?;
    bench.play(&["e2e4"])?;
    let mut heard = bench.settle()?;
    bench.tell(&["go"])?;
    heard.extend(bench.hear_move()?);
    bench.tell(&["result 1/2-1/2 {agreed}"])?;
    heard.extend(bench.settle()?);
    none(
        &heard,
        "nothing but the protocol",
        |message| matches!(message, Message::Other(line) if STRAY.iter().any(|word| line.contains(word))),
    )
}

fn analyze(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    let heard = bench.hear_no_move(Duration::from_secs(1))?;
    some(&heard, "thinking output", |message| matches!(message, Message::Thinking(_)))?;
    bench.tell(&["exit"])?;
    none(&bench.settle()?, "no move", |message| moved(message).is_some())?;
    let after = bench.talk.hear_for(QUIET)?;
    none(&after, "silence after `exit`", |message| {
        matches!(message, Message::Thinking(_)) || moved(message).is_some()
    })?;
    bench.has_position("h2h3")
}

/// The lines that it shows from now on are about the position on its board.
fn analyses(bench: &mut Bench) -> Result<(), Miss> {
    let heard = bench.hear_no_move(Duration::from_secs(1))?;
    if thoughts(&heard).iter().any(|line| begins_legally(&bench.game, &line.text)) {
        Ok(())
    } else {
        Err(Miss::failed(format!("a line of {}", bench.game.fen()), seen(&heard)))
    }
}

fn analyze_move(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.hear_no_move(QUIET)?;
    bench.play(&["h2h3"])?;
    analyses(&mut bench)?;
    bench.tell(&["undo"])?;
    bench.game.undo();
    analyses(&mut bench)
}

fn analyze_over(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MATED)?;
    let heard = bench.hear_no_move(QUIET)?;
    true_results(&heard, Some(Color::White))?;
    none(&heard, "the position taken", is_refusal)?;
    bench.tell(&["exit"])?;
    bench.settle()?;
    bench.still_plays()
}

fn ping_analysing(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.needs(Switch::Ping)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(&["ping 79"])?;
    bench.talk.hear_until("`pong 79`", AT_ONCE, |message| *message == Message::Pong(79))?;
    let shows_search = |message: &Message| matches!(message, Message::Thinking(_) | Message::Status(_));
    bench.talk.hear_until("more thinking output", candidate.spec.patience, shows_search).map(drop)
}

fn stat01(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    let since = Instant::now();
    bench.hear_no_move(Duration::from_secs(2))?;
    bench.tell(&["."])?;
    let heard = bench.hear_answer("`stat01: ...`", |message| matches!(message, Message::Status(_)))?;
    let most = since.elapsed().as_millis() as u64 / 10 + 50;
    some(
        &heard,
        &format!("a time from 100 to {most}"),
        |message| matches!(message, Message::Status(status) if (100..=most).contains(&status.centiseconds)),
    )
}

/// What it thinks of in analysis mode after some commands.
fn restricted(candidate: &Candidate, commands: &[&str]) -> Result<Heard, Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.needs(Switch::Exclude)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(commands)?;
    none(&bench.settle()?, "the moves taken", is_refusal)?;
    bench.hear_no_move(Duration::from_secs(1))
}

fn exclude(candidate: &Candidate) -> Result<(), Miss> {
    let heard = restricted(candidate, &["exclude all", "include h2h3"])?;
    let lines = thoughts(&heard);
    let is_other = |text: &str| !text.starts_with("h2h3") && !text.starts_with("h3");
    match lines.iter().find(|line| is_other(&line.text)) {
        Some(line) => Err(Miss::failed("only lines of h2h3", format!("`{line}`"))),
        None if lines.is_empty() => Err(Miss::failed("a line of h2h3", seen(&heard))),
        None => Ok(()),
    }
}

fn exclude_all(candidate: &Candidate) -> Result<(), Miss> {
    let heard = restricted(candidate, &["exclude all"])?;
    none(&heard, "no claim, and no line", |message| match message {
        Message::Thinking(line) => !line.text.is_empty(),
        message => matches!(message, Message::Result { .. } | Message::Resign) || is_refusal(message),
    })
}

fn setscore(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.needs(Switch::SetScore)?;
    bench.tell(&["setscore 55"])?;
    none(&bench.settle()?, "`setscore 55` taken", is_refusal)
}

fn hint(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.settle()?;
    bench.tell(&["hint"])?;
    let heard = bench.talk.hear_for(2 * QUIET)?;
    let hint = heard.iter().find_map(|said| match &said.message {
        Message::Hint(text) => Some(text),
        _ => None,
    });
    match hint {
        None => Err(Miss::NotSupported("a hint".into())),
        Some(text) if bench.game.parse_move(text).is_ok() => Ok(()),
        Some(text) => Err(Miss::failed("a legal move", format!("`Hint: {text}`"))),
    }
}

fn book(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    bench.tell(&["bk"])?;
    let heard = bench.talk.hear_for(QUIET)?;
    let is_end = |said: &Said<Message>| said.message == Message::BookEnd;
    if !heard.iter().any(is_end) {
        return Err(Miss::NotSupported("an answer to `bk`".into()));
    }
    none(&heard, "indented lines and an empty one", |message| {
        !matches!(message, Message::BookLine(_) | Message::BookEnd)
    })
}
