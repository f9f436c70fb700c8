//! Thinking output, and analysis.

use std::time::{Duration, Instant};

use game::{CastlingMode, Color, Game, Score};
use messages::cecp::{Message, Switch};

use super::game::true_results;
use super::harness::{CecpHarness, is_refusal, is_thinking, thoughts};
use crate::cecp::Cecp;
use crate::check::harness::{AT_ONCE, CheckedProtocol as _, QUIET, Transcript, demand, require};
use crate::check::positions::{MATE_IN_TWO, MATED, MATED_IN_ONE, MIDDLEGAME};
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule(
        "thinking",
        "shows what it thinks after `post`: depth, score, centiseconds, nodes, a line",
        thinking,
    ),
    rule("nopost", "shows nothing after `nopost`", |program| {
        think(program, MIDDLEGAME, &["post", "nopost"])?.has_no("no thinking output", is_thinking)
    }),
    rule("mate-score", "shows mate in two as 100002, if as a mate", |program| {
        shows(program, MATE_IN_TWO, "a score of 100002", Score::MateIn(2))
    }),
    rule("mated-score", "shows being mated in one as -100001, if as a mate", |program| {
        shows(program, MATED_IN_ONE, "a score of -100001", Score::MatedIn(1))
    }),
    rule("stray-words", "never writes what GUIs take for a draw offer or a broken pipe", stray_words),
    rule("analyze", "analyses from `analyze` to `exit`, and never moves", analyze),
    rule("analyze-move", "follows moves and `undo` while it analyses", analyze_move),
    rule("analyze-over", "claims no wrong result when it analyses a mate, and waits", analyze_over),
    rule("ping-analysing", "answers a `ping` at once while it analyses, and analyses on", ping_analysing),
    rule("stat01", "answers `.` with `stat01`, time in centiseconds", stat01),
    rule("exclude", "leaves out moves that are excluded", exclude),
    rule("exclude-all", "waits when all moves are excluded", exclude_all),
    rule("setscore", "takes `setscore`", setscore),
    rule("hint", "answers `hint` with a legal move", hint),
    rule("bk", "answers `bk` with indented lines and an empty one", book),
];

/// What it says while thinking about a position on a short clock, up to its move.
fn think(candidate: &Candidate, fen: &str, settings: &[&str]) -> Result<Transcript<Message>, Failure> {
    let mut harness = CecpHarness::at(candidate, fen)?;
    harness.tell(settings)?;
    harness.hurry()?;
    harness.settle()?;
    harness.go()
}

/// The first move of a line is legal.
fn begins_legally(game: &Game, text: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '.');
    let first = text.split_whitespace().find(|word| !is_number(word));
    first.is_some_and(|word| game.parse_move(word).is_ok())
}

fn thinking(candidate: &Candidate) -> Result<(), Failure> {
    let since = Instant::now();
    let heard = think(candidate, MIDDLEGAME, &["post"])?;
    let most = since.elapsed().as_millis() as u64 / 10;
    let lines = thoughts(&heard);
    let Some(last) = lines.last() else {
        return Err(Failure::new("lines of thinking", heard.shown()));
    };
    let expected = format!("nodes, and at most {most} centiseconds");
    demand(last.nodes > 0 && last.centiseconds <= most, expected, heard.shown())?;
    // The text is arbitrary in principle.
    let game = Game::from_fen(MIDDLEGAME, CastlingMode::Standard).expect("a legal position");
    require(lines.iter().any(|line| begins_legally(&game, &line.text)), "lines of moves")
}

fn shows(candidate: &Candidate, fen: &str, expected: &str, score: Score) -> Result<(), Failure> {
    let heard = think(candidate, fen, &["post"])?;
    let lines = thoughts(&heard);
    require(lines.iter().any(|line| line.score.is_mate()), "mates as 100000 and more")?;
    let last = lines.last().map(|line| format!("`{line}`")).unwrap_or_default();
    demand(lines.iter().any(|line| line.score == score), expected, last)
}

fn stray_words(candidate: &Candidate) -> Result<(), Failure> {
    const STRAY: [&str; 7] = [
        "Draw",
        "not found",
        "No such file",
        "Permission denied",
        "can't alloc",
        "Unknown host",
        "No remote directory",
    ];
    fn is_stray(message: &Message) -> bool {
        matches!(message, Message::Other(line) if STRAY.iter().any(|word| line.contains(word)))
    }
    let expected = "nothing but the protocol";
    let mut harness = CecpHarness::start(candidate)?;
    harness.tell(&["new", "force", "post"])?;
    harness.hurry()?;
    harness.play(&["e2e4"])?;
    harness.settle_without(expected, is_stray)?;
    harness.go()?.has_no(expected, is_stray)?;
    harness.tell(&["result 1/2-1/2 {agreed}"])?;
    harness.settle_without(expected, is_stray)
}

fn analyze(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.hear_no_move(Duration::from_secs(1))?.has("thinking output", is_thinking)?;
    harness.tell(&["exit"])?;
    harness.settle_without("no move", Cecp::is_move)?;
    let goes_on = |message: &Message| is_thinking(message) || Cecp::is_move(message);
    harness.hear_for(QUIET)?.has_no("silence after `exit`", goes_on)?;
    harness.has_position("h2h3")
}

/// The lines that it shows from now on are about the position on its board.
fn analyses(harness: &mut CecpHarness) -> Result<(), Failure> {
    let heard = harness.hear_no_move(Duration::from_secs(1))?;
    let is_about_it = thoughts(&heard).iter().any(|line| begins_legally(&harness.game, &line.text));
    demand(is_about_it, format!("a line of {}", harness.game.fen()), heard.shown())
}

fn analyze_move(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.hear_no_move(QUIET)?;
    harness.play(&["h2h3"])?;
    analyses(&mut harness)?;
    harness.tell(&["undo"])?;
    harness.game.undo();
    analyses(&mut harness)
}

fn analyze_over(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MATED)?;
    let heard = harness.hear_no_move(QUIET)?;
    true_results(&heard, Some(Color::White))?;
    heard.has_no("the position taken", is_refusal)?;
    harness.tell(&["exit"])?;
    harness.settle()?;
    harness.still_plays()
}

fn ping_analysing(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.needs(Switch::Ping)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(&["ping 79"])?;
    harness.hear_until("`pong 79`", AT_ONCE, |message| *message == Message::Pong(79))?;
    let shows_search = |message: &Message| is_thinking(message) || matches!(message, Message::Status(_));
    harness.hear_until("more thinking output", harness.patience, shows_search).map(drop)
}

fn stat01(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    let since = Instant::now();
    harness.hear_no_move(Duration::from_secs(2))?;
    harness.tell(&["."])?;
    let heard = harness.hear_answer("`stat01: ...`", |message| matches!(message, Message::Status(_)))?;
    let most = since.elapsed().as_millis() as u64 / 10 + 50;
    heard.has(
        &format!("a time from 100 to {most}"),
        |message| matches!(message, Message::Status(status) if (100..=most).contains(&status.centiseconds)),
    )
}

/// What it thinks of in analysis mode after some commands.
fn restricted(candidate: &Candidate, commands: &[&str]) -> Result<Transcript<Message>, Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.needs(Switch::Exclude)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(commands)?;
    harness.settle_without("the moves taken", is_refusal)?;
    harness.hear_no_move(Duration::from_secs(1))
}

fn exclude(candidate: &Candidate) -> Result<(), Failure> {
    let heard = restricted(candidate, &["exclude all", "include h2h3"])?;
    heard.has("a line of h2h3", is_thinking)?;
    heard.has_no("only lines of h2h3", |message| match message {
        Message::Thinking(line) => !line.text.starts_with("h2h3") && !line.text.starts_with("h3"),
        _ => false,
    })
}

fn exclude_all(candidate: &Candidate) -> Result<(), Failure> {
    let heard = restricted(candidate, &["exclude all"])?;
    heard.has_no("no claim, and no line", |message| match message {
        Message::Thinking(line) => !line.text.is_empty(),
        message => matches!(message, Message::Result { .. } | Message::Resign) || is_refusal(message),
    })
}

fn setscore(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.needs(Switch::SetScore)?;
    harness.tell(&["setscore 55"])?;
    harness.settle_without("`setscore 55` taken", is_refusal)
}

fn hint(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::at(candidate, MIDDLEGAME)?;
    harness.settle()?;
    harness.tell(&["hint"])?;
    let heard = harness.hear_for(2 * QUIET)?;
    let hint = heard.messages().find_map(|message| match message {
        Message::Hint(text) => Some(text),
        _ => None,
    });
    let Some(text) = hint else { return Err(Failure::NotSupported("a hint".into())) };
    demand(harness.game.parse_move(text).is_ok(), "a legal move", format!("`Hint: {text}`"))
}

fn book(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    harness.tell(&["bk"])?;
    let heard = harness.hear_for(QUIET)?;
    require(heard.contains(|message| *message == Message::BookEnd), "an answer to `bk`")?;
    heard.has_no("indented lines and an empty one", |message| {
        !matches!(message, Message::BookLine(_) | Message::BookEnd)
    })
}
