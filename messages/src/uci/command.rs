//! Commands from a GUI to an engine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use game::{CastlingMode, FenError, Game, MoveLimits, MoveTime, Variant};
use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::names::messages;

use super::words::{self, LineError, Parameter, Words, malformed, parameters};

messages! {
    /// A command from a GUI to an engine.
    Command {
        words {
            /// Speak UCI: answer with `id`, `option` and `uciok`.
            Uci = "uci",
            /// Answer `readyok` when everything before is done.
            IsReady = "isready",
            /// The following positions belong to another game.
            UciNewGame = "ucinewgame",
            /// Stop thinking and answer.
            Stop = "stop",
            /// The move that the engine ponders on was played.
            PonderHit = "ponderhit",
            /// End the program.
            Quit = "quit",
            /// Show the position. Not part of UCI, but many engines know it.
            Board = "d",
            /// Show the evaluation of the position. Not part of UCI, but many engines know it.
            Evaluation = "eval",
        }

        /// Debug mode on or off.
        Debug(bool),
        /// Change an option.
        SetOption {
            /// Name of the option, which may contain spaces; not case-sensitive.
            name: String,
            /// Its new value; buttons have none.
            value: Option<String>,
        },
        /// Register the engine: `later`, or `name NAME code CODE`.
        Register(String),
        /// Set up a position.
        Position {
            /// Start position of the game.
            start: StartPosition,
            /// The moves from there.
            moves: Vec<UciMove>,
        },
        /// Think.
        Go(Box<Go>),
        /// Search fixed positions, to this depth in plies, and tell nodes and speed. Not part of UCI; OpenBench asks for it.
        Bench(Option<u32>),
        /// Make positions from which games can be started. Not part of UCI; OpenBench asks for it.
        GenFens(GenFens),
    }
}

/// A request for start positions: `genfens COUNT seed SEED book FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenFens {
    /// Number of positions.
    pub count: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// File of positions from which random moves are played; without one they are played from the start position.
    pub book: Option<String>,
}

/// Start position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// The standard start position.
    Initial,
    /// A FEN, which is not validated.
    Fen(String),
}

impl StartPosition {
    /// The start of a game of a variant from it.
    ///
    /// # Errors
    /// The FEN is none, or its position is illegal in the variant.
    pub fn game(&self, variant: Variant, mode: CastlingMode) -> Result<Game, FenError> {
        match self {
            StartPosition::Initial => Ok(Game::with_mode(variant, mode)),
            StartPosition::Fen(fen) => Game::from_variant_fen(variant, fen, mode),
        }
    }
}

parameters! {
    "go";
    /// Limits of a search. Times are in milliseconds; GUIs send negative times after a flag has fallen.
    Go {
        /// The moves to consider; empty means all.
        searchmoves: Vec<UciMove>,
        /// Ponder: the last move of the position is a prediction, so do not answer before `ponderhit` or `stop`.
        ponder: bool,
        /// Time on White's clock.
        wtime: Option<i64>,
        /// Time on Black's clock.
        btime: Option<i64>,
        /// Increment of White per move.
        winc: Option<i64>,
        /// Increment of Black per move.
        binc: Option<i64>,
        /// Moves to the next time control, this one included.
        movestogo: Option<u32>,
        /// The depth, in plies.
        depth: Option<u32>,
        /// The number of nodes.
        nodes: Option<u64>,
        /// Search for a mate in this number of moves.
        mate: Option<u32>,
        /// Search for exactly this time.
        movetime: Option<i64>,
        /// Do not answer before `stop`.
        infinite: bool,
        /// Perft depth: count the leaves of the tree of legal moves instead of searching. Not part of UCI.
        perft: Option<u32>,
    }
}

impl Go {
    /// Returns the limits for the side to move. Negative times become zero, and at least one ply and one node are allowed.
    pub fn limits(&self, turn: Color) -> MoveLimits {
        let duration = |milliseconds: i64| Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
        let (remaining, increment) = turn.fold_wb((self.wtime, self.winc), (self.btime, self.binc));
        let time = match (self.movetime, remaining) {
            (Some(time), _) => MoveTime::Fixed(duration(time)),
            (None, Some(remaining)) => MoveTime::Clock {
                remaining: duration(remaining),
                increment: duration(increment.unwrap_or(0)),
                // Some GUIs send 0 for "all remaining moves".
                moves_to_go: self.movestogo.filter(|&moves| moves > 0),
            },
            (None, None) => MoveTime::Unlimited,
        };
        MoveLimits {
            time,
            depth: self.depth.map(|depth| depth.max(1)),
            nodes: self.nodes.map(|nodes| nodes.max(1)),
        }
    }
}

impl FromStr for Command {
    type Err = LineError;

    /// Reads a line. As UCI demands, words before the first name of a command are skipped.
    fn from_str(line: &str) -> Result<Command, LineError> {
        let mut unread = Vec::new();
        let command = Command::read(line, &mut unread)?;
        unread.into_iter().next().map_or(Ok(command), Err)
    }
}

impl Command {
    /// Reads a line like [`Command::from_str`], but leaves out parameters of `go` that cannot be read, since a GUI waits for the
    /// answer to every `go`. Their errors are added to `unread`.
    ///
    /// # Errors
    /// The line is no command, or the parameters of another one are malformed.
    pub fn read(line: &str, unread: &mut Vec<LineError>) -> Result<Command, LineError> {
        words::parse_line(line, "command", |name, words| parse_named(name, words, unread))
    }
}

/// Reads the command with this name; `None` if there is no such command.
fn parse_named(
    name: &str,
    words: &mut Words,
    unread: &mut Vec<LineError>,
) -> Option<Result<Command, LineError>> {
    Some(match name {
        "debug" => parse_debug(words),
        "setoption" => parse_set_option(words),
        "register" => Ok(Command::Register(words.rest.to_owned())),
        "position" => parse_position(words),
        "bench" => parse_bench(words),
        "genfens" => parse_gen_fens(words),
        "go" => Ok(Command::Go(Box::new(parse_go(words, unread)))),
        _ => Ok(Command::of_word(name)?),
    })
}

/// Reads `go`. A time that cannot be read and that nothing else limits is used up: the move comes at once instead of never.
fn parse_go(words: &mut Words, unread: &mut Vec<LineError>) -> Go {
    let mut go = Go::read(words, unread);
    let is_limited = go.infinite || go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
    for error in unread.iter().filter(|_| !is_limited) {
        let LineError::Malformed { message, .. } = error else { continue };
        match *message {
            "go wtime" => go.wtime = go.wtime.or(Some(0)),
            "go btime" => go.btime = go.btime.or(Some(0)),
            "go movetime" if go.wtime.or(go.btime).is_none() => go.movetime = go.movetime.or(Some(0)),
            _ => {}
        }
    }
    go
}

fn parse_debug(words: &mut Words) -> Result<Command, LineError> {
    match words.next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        other => Err(malformed("debug", "on or off", other.unwrap_or_default())),
    }
}

fn parse_set_option(words: &mut Words) -> Result<Command, LineError> {
    let all = words.rest;
    if words.next() != Some("name") {
        return Err(malformed("setoption", "name", all));
    }
    let has_value = words.any(|word| word == "value");
    let value = has_value.then(|| words.rest.to_owned());
    let name = Words { rest: all }.skip(1).take_while(|word| *word != "value").collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(malformed("setoption name", "the name of an option", words.rest));
    }
    Ok(Command::SetOption { name, value })
}

fn parse_bench(words: &mut Words) -> Result<Command, LineError> {
    let depth = words.next().map(|word| {
        let depth = word.parse().ok().filter(|depth| (1..=100).contains(depth));
        depth.ok_or_else(|| malformed("bench", "a depth from 1 to 100", word))
    });
    Ok(Command::Bench(depth.transpose()?))
}

/// Reads `genfens`. OpenBench writes `None` for no book, and may add words that an engine defines; Herald has none.
fn parse_gen_fens(words: &mut Words) -> Result<Command, LineError> {
    let number = |name: &'static str, word: Option<&str>| {
        let number = word.and_then(|word| word.parse().ok());
        number.ok_or_else(|| malformed(name, "a whole number", word.unwrap_or_default()))
    };
    let mut request = GenFens { count: number("genfens", words.next())?, seed: 0, book: None };
    while let Some(word) = words.next() {
        match word {
            "seed" => request.seed = number("genfens ... seed", words.next())?,
            "book" => {
                let book = words.next().ok_or_else(|| malformed("genfens ... book", "a file or None", ""))?;
                request.book = (!book.eq_ignore_ascii_case("none")).then(|| book.to_owned());
            }
            _ => {}
        }
    }
    Ok(Command::GenFens(request))
}

fn parse_position(words: &mut Words) -> Result<Command, LineError> {
    let start = match words.next() {
        Some("startpos") => {
            // Other words before `moves` are skipped.
            words.until("moves");
            StartPosition::Initial
        }
        Some("fen") => StartPosition::Fen(words.until("moves")),
        other => return Err(malformed("position", "startpos or fen", other.unwrap_or_default())),
    };
    let moves = words
        .map(|word| {
            word.parse().map_err(|_| malformed("position ... moves", "moves such as e2e4 or e7e8q", word))
        })
        .collect::<Result<_, _>>()?;
    Ok(Command::Position { start, moves })
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Register(text) => write!(f, "register {text}"),
            Command::Position { start, moves } => {
                match start {
                    StartPosition::Initial => f.write_str("position startpos")?,
                    StartPosition::Fen(fen) => write!(f, "position fen {fen}")?,
                }
                moves.write(f, "moves")
            }
            Command::Go(go) => write!(f, "go{go}"),
            Command::Bench(None) => f.write_str("bench"),
            Command::Bench(Some(depth)) => write!(f, "bench {depth}"),
            Command::GenFens(GenFens { count, seed, book }) => {
                write!(f, "genfens {count} seed {seed} book {}", book.as_deref().unwrap_or("None"))
            }
            one_word => f.write_str(one_word.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::super::strategies::{moves, text, words};
    use super::*;

    fn parsed(line: &str) -> Command {
        line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn junk_before_a_command_is_passed_over() {
        assert_eq!(parsed("joho debug on"), Command::Debug(true));
        assert_eq!(parsed("  \t isready  "), Command::IsReady);
    }

    #[test]
    fn option_names_and_values_may_have_spaces() {
        let expected =
            Command::SetOption { name: "Move Overhead".into(), value: Some("a  b value c".into()) };
        assert_eq!(parsed("setoption name  Move   Overhead value a  b value c "), expected);
        let button = Command::SetOption { name: "Clear Hash".into(), value: None };
        assert_eq!(parsed("setoption name Clear Hash"), button);
        let emptied = Command::SetOption { name: "NalimovPath".into(), value: Some(String::new()) };
        assert_eq!(parsed("setoption name NalimovPath value"), emptied);
    }

    #[test]
    fn the_commands_of_openbench() {
        let positions = |count, seed, book: Option<&str>| {
            Command::GenFens(GenFens { count, seed, book: book.map(str::to_owned) })
        };
        assert_eq!(parsed("genfens 64 seed 18446744073709551615 book None"), positions(64, u64::MAX, None));
        let with_book = "genfens 1 seed 2 book Books/4moves_noob.epd extra 7";
        assert_eq!(parsed(with_book), positions(1, 2, Some("Books/4moves_noob.epd")));
        assert_eq!((parsed("bench"), parsed("bench 3")), (Command::Bench(None), Command::Bench(Some(3))));
    }

    #[test]
    fn go_reads_every_parameter() {
        let Command::Go(go) = parsed(
            "go searchmoves e2e4 d2d4 ponder wtime -5 btime 99999999999999999999 winc 1 binc 2 movestogo 3 depth 4 \
             nodes 5 mate 6 movetime 7 infinite wibble perft 8",
        ) else {
            panic!("not a go")
        };
        assert_eq!(go.searchmoves.len(), 2);
        assert!(go.ponder && go.infinite);
        assert_eq!((go.wtime, go.btime, go.winc, go.binc), (Some(-5), Some(i64::MAX), Some(1), Some(2)));
        assert_eq!((go.movestogo, go.depth, go.nodes), (Some(3), Some(4), Some(5)));
        assert_eq!((go.mate, go.movetime, go.perft), (Some(6), Some(7), Some(8)));
    }

    #[test]
    fn parameters_of_go_that_cannot_be_read_are_left_out() {
        let read = |line: &str| {
            let mut unread = Vec::new();
            let command = Command::read(line, &mut unread).expect(line).to_string();
            assert_eq!(line.parse::<Command>().err().as_ref(), unread.first(), "{line}");
            (command, unread.len())
        };
        for (line, command, unread) in [
            ("go wtime 7 btime 8", "go wtime 7 btime 8", 0),
            ("go wtime 7 btime abc winc 2 binc x", "go wtime 7 btime 0 winc 2", 2),
            ("go wtime 1e3 btime 0x10", "go wtime 0 btime 0", 2),
            ("go wtime 7 btime 8 movestogo", "go wtime 7 btime 8", 1),
            ("go wtime 7 btime 8 movetime x", "go wtime 7 btime 8", 1),
            ("go movetime 1s", "go movetime 0", 1),
            ("go depth 3 wtime", "go depth 3", 1),
            ("go nodes depth 3", "go depth 3", 1),
            ("go infinite movetime x", "go infinite", 1),
            ("go depth x", "go", 1),
        ] {
            assert_eq!(read(line), (command.to_owned(), unread), "{line}");
        }
    }

    #[test]
    fn errors_say_what_was_expected() {
        let error = |line: &str| line.parse::<Command>().unwrap_err().to_string();
        assert_eq!(error("go depth deep"), "go depth needs a whole number, not \"deep\"");
        assert_eq!(error("position e2e4"), "position needs startpos or fen, not \"e2e4\"");
        assert_eq!(
            error("position startpos moves e2e4 e7-e5"),
            "position ... moves needs moves such as e2e4 or e7e8q, not \"e7-e5\""
        );
        assert_eq!(error("bench all"), "bench needs a depth from 1 to 100, not \"all\"");
        assert_eq!(error("genfens"), "genfens needs a whole number, not \"\"");
        assert_eq!(error("genfens 3 seed x"), "genfens ... seed needs a whole number, not \"x\"");
        assert_eq!(error("hello"), "unknown command: hello");
        assert_eq!(error("setoption Hash 3"), "setoption needs name, not \"Hash 3\"");
    }

    fn commands() -> impl Strategy<Value = Command> {
        prop_oneof![
            Just(Command::Uci),
            any::<bool>().prop_map(Command::Debug),
            Just(Command::IsReady),
            (words(&["value"]), option::of(text()))
                .prop_map(|(name, value)| Command::SetOption { name, value }),
            text().prop_map(Command::Register),
            Just(Command::UciNewGame),
            (starts(), moves()).prop_map(|(start, moves)| Command::Position { start, moves }),
            gos().prop_map(|go| Command::Go(Box::new(go))),
            option::of(1..=100_u32).prop_map(Command::Bench),
            (any::<u64>(), any::<u64>(), option::of("[a-z/.]{1,4}[0-9]"))
                .prop_map(|(count, seed, book)| Command::GenFens(GenFens { count, seed, book })),
            Just(Command::Stop),
            Just(Command::PonderHit),
            Just(Command::Quit),
            Just(Command::Board),
            Just(Command::Evaluation),
        ]
    }

    fn starts() -> impl Strategy<Value = StartPosition> {
        prop_oneof![Just(StartPosition::Initial), words(&["moves"]).prop_map(StartPosition::Fen)]
    }

    prop_compose! {
        fn gos()(
            (searchmoves, ponder, infinite) in (moves(), any::<bool>(), any::<bool>()),
            (wtime, btime, winc, binc, movetime) in any::<[Option<i64>; 5]>().prop_map(Into::into),
            (movestogo, depth, mate, perft) in any::<[Option<u32>; 4]>().prop_map(Into::into),
            nodes in option::of(0..=i64::MAX as u64),
        ) -> Go {
            Go {
                searchmoves, ponder, wtime, btime, winc, binc, movestogo, depth, nodes, mate, movetime, infinite,
                perft,
            }
        }
    }

    proptest! {
        #[test]
        fn reading_what_was_written_gives_the_same(command in commands()) {
            prop_assert_eq!(command.to_string().parse::<Command>(), Ok(command));
        }

        #[test]
        fn any_line_can_be_read(line in "(go|position|setoption|register|debug|bench|genfens|)[ a-z0-9\\PC]{0,60}") {
            // Every command must be readable after writing; most lines are errors, which need a text.
            match line.parse::<Command>() {
                Ok(command) => prop_assert_eq!(command.to_string().parse::<Command>(), Ok(command)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
