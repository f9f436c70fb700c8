//! A reader for the import format of PGN that gives games whose moves are legal.

use std::io::{self, BufRead};

use shakmaty::Color;

use super::parse::{MOST_NESTED, ParsedGame, TreeReader};
use super::tree::{Annotation, comments};
use crate::{DrawReason, FenError, Game, GameTree, MoveError, Outcome, PgnTags, ResultMarker, WinReason};

/// Maximum number of plies of a game. The seventy-five-move rule ends every game earlier.
const MOST_PLIES: usize = 20_000;

/// A game with its tags and comments.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags that are not part of [`Game`].
    pub tags: PgnTags,
    /// The mainline and the result. The reason of the result is derived from the tag `Termination`, from a last comment written
    /// by Herald, and from the position.
    pub game: Game,
    /// `comments[i]` belongs to the move `game.moves()[i]`, as in [`super::write_pgn`], with single spaces between words. Variations with their
    /// comments, comments before the first move, and annotation glyphs are skipped.
    pub comments: Vec<Option<String>>,
}

/// Error of reading a game.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum PgnError {
    /// The game is faulty; the games after it can be read. Lines are numbered from 1.
    #[error("line {line}: {fault}")]
    Broken { line: u64, fault: PgnFault },
    /// The input can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// Fault of a game. Texts are shortened to at most 100 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum PgnFault {
    /// A bracket is not followed by a tag pair.
    #[error("`{text}` is not a tag pair; expected [Name \"value\"]")]
    Tag { text: String },
    /// The tag `FEN` is faulty.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The tag `Variant` names an unsupported variant.
    #[error("variant `{name}` is not known")]
    Variant { name: String },
    /// A move is faulty.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A comment is not closed before the next game or the end.
    #[error("a comment is not closed")]
    UnclosedComment,
    /// A variation is not closed before the next game or the end. The line is that on which the outermost one begins.
    #[error("a variation is not closed")]
    UnclosedVariation,
    /// A closing parenthesis without an opening one.
    #[error("`)` without `(`")]
    UnopenedVariation,
    /// A comment is longer than 1 MiB, or a game is longer than 16 MiB or 20,000 plies.
    #[error("this is too long for a game of chess")]
    TooLong,
    /// Variations are nested too deeply.
    #[error("variations are nested more than {MOST_NESTED} times")]
    TooDeep,
}

/// An iterator over games. Only one game is kept in memory.
///
/// A faulty game yields an error and does not affect other games. The iterator ends after the last game or after an error of the
/// input.
///
/// ```
/// let mut games = game::PgnReader::new(&b"1. e4 e5 2. Ke3 * [White \"Fool\"] 1. f3 e5 2. g4 Qh4# 0-1"[..]);
/// assert_eq!(games.next().unwrap().unwrap_err().to_string(), "line 1: illegal move `Ke3`: no such piece can go there");
/// assert_eq!(games.next().unwrap().unwrap().tags["White"], *"Fool");
/// assert!(games.next().is_none());
/// ```
pub struct PgnReader<R>(TreeReader<R>);

impl<R: BufRead> PgnReader<R> {
    /// Reads all games in `input`.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader(TreeReader::new(input))
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Result<PgnGame, PgnError>> {
        Some(self.0.next()?.map_err(PgnError::from).and_then(PgnGame::of))
    }
}

impl PgnGame {
    /// Plays the moves of a game that was read.
    fn of(parsed: ParsedGame) -> Result<PgnGame, PgnError> {
        let syntax = parsed.faults.into_iter().next();
        let broken = |(line, fault)| PgnError::Broken { line, fault };
        let mut game = parsed.tree.start().map_err(|fault| {
            let here = (parsed.setup_line, fault);
            broken(earlier(syntax.clone(), here))
        })?;
        let nodes = &parsed.tree.mainline.moves;
        for (node, line) in nodes.iter().zip(&parsed.move_lines) {
            if syntax.as_ref().is_some_and(|(faulty, _)| faulty < line) {
                break;
            }
            let played = game.parse_move(&node.text).map_err(PgnFault::from).and_then(|mv| {
                let has_room = game.ply() < MOST_PLIES && game.play(mv).is_ok();
                has_room.then_some(()).ok_or(PgnFault::TooLong)
            });
            played.map_err(|fault| broken(earlier(syntax.clone(), (*line, fault))))?;
        }
        if let Some(fault) = syntax {
            return Err(broken(fault));
        }
        let mut said: Vec<Vec<String>> = nodes.iter().map(|node| folded(&node.after)).collect();
        let mut unplayed = folded(&parsed.tree.mainline.before);
        conclude(&mut game, &parsed.tree, said.last_mut().unwrap_or(&mut unplayed));
        let comments = said.into_iter().map(|texts| (!texts.is_empty()).then(|| texts.join(" "))).collect();
        let mut tags = PgnTags::default();
        for (name, value) in parsed.tree.tags {
            if !matches!(name.as_str(), "FEN" | "Variant" | "Result" | "SetUp") {
                tags.set(&name, value);
            }
        }
        Ok(PgnGame { tags, game, comments })
    }
}

/// The comments that are not empty, with single spaces between their words.
fn folded(annotations: &[Annotation]) -> Vec<String> {
    let texts = comments(annotations).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    texts.filter(|text| !text.is_empty()).collect()
}

/// The fault that comes first in the text.
fn earlier(syntax: Option<(u64, PgnFault)>, other: (u64, PgnFault)) -> (u64, PgnFault) {
    syntax.filter(|(line, _)| *line < other.0).unwrap_or(other)
}

/// Sets the outcome from the result, with the reason from a last comment written by Herald, which is removed.
fn conclude(game: &mut Game, tree: &GameTree, last: &mut Vec<String>) {
    let result = tree.result;
    let named = last.last().and_then(|comment| {
        Outcome::all().find(|outcome| outcome.result() == result.as_str() && outcome.to_string() == *comment)
    });
    if named.is_some() {
        last.pop();
    }
    if game.outcome().is_some_and(|outcome| outcome.result() == result.as_str()) {
        return;
    }
    let termination = tree.tag("Termination").unwrap_or_default().to_ascii_lowercase();
    if let Some(outcome) = named.or_else(|| likely_outcome(game, result, &termination)) {
        game.declare(outcome);
    }
}

/// The probable reason of a result, derived from the tag `Termination` (PGN standard, 9.8.1).
fn likely_outcome(game: &Game, result: ResultMarker, termination: &str) -> Option<Outcome> {
    let is_by = |what: &str| termination.contains(what);
    let reason = if is_by("time") {
        WinReason::TimeForfeit
    } else if is_by("infraction") {
        WinReason::RulesInfraction
    } else if is_by("abandoned") {
        WinReason::Abandoned
    } else if is_by("adjudication") {
        WinReason::Adjudication
    } else {
        WinReason::Resignation
    };
    match result {
        ResultMarker::WhiteWins => Some(Outcome::Win { winner: Color::White, reason }),
        ResultMarker::BlackWins => Some(Outcome::Win { winner: Color::Black, reason }),
        ResultMarker::Draw if is_by("adjudication") => Some(Outcome::Draw(DrawReason::Adjudication)),
        ResultMarker::Draw if is_by("time") => Some(Outcome::Draw(DrawReason::TimeoutVsInsufficient)),
        ResultMarker::Draw => Some(Outcome::Draw(game.claim().unwrap_or(DrawReason::Agreement))),
        ResultMarker::Open => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;
    use shakmaty::variant::Variant;

    use super::*;
    use crate::pgn::write_pgn;

    /// The games of a text, faulty ones as their messages.
    fn read(text: impl AsRef<[u8]>) -> Vec<Result<PgnGame, String>> {
        PgnReader::new(text.as_ref()).map(|game| game.map_err(|error| error.to_string())).collect()
    }

    fn read_one(text: &str) -> PgnGame {
        let [game] = <[_; 1]>::try_from(read(text)).expect("one game");
        game.unwrap()
    }

    fn fault(text: &str) -> String {
        let [game] = <[_; 1]>::try_from(read(text)).expect("one game");
        game.unwrap_err()
    }

    fn moves(game: &PgnGame) -> String {
        let start = Game::from_variant_fen(game.game.variant(), &game.game.start_fen(), game.game.mode());
        start.unwrap().san_line(game.game.moves())
    }

    #[test]
    fn a_game_with_everything() {
        let read = read_one(
            "% by hand\n[Event \"A \\\"match\\\"\"]\n[White \"Müller\"] [Black \"B\"]\n[ECO \"B00\"]\n[Result \"0-1\"]\n\n\
             {before} 1.e4 $1 {good\nmove} ;really\n1... Nc6!? (1... e5 {not so} 2. Nf3 (2. f4)) 2. d4\n\n2...d5 {last}\n\
             {White forfeits on time} 0-1\n",
        );
        assert_eq!(moves(&read), "e4 Nc6 d4 d5");
        assert_eq!((&read.tags["Event"], &read.tags["White"]), ("A \"match\"", "Müller"));
        assert_eq!((read.tags.get("ECO"), read.tags.get("Result")), (Some("B00"), None));
        assert_eq!(read.comments, [Some("good move really".to_owned()), None, None, Some("last".to_owned())]);
        let outcome = Outcome::Win { winner: Color::Black, reason: WinReason::TimeForfeit };
        assert_eq!(read.game.outcome(), Some(outcome));
    }

    #[test]
    fn positions_and_variants_are_set_up() {
        let read = read_one("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 3 40\"]\n40. O-O Kd7 *");
        assert_eq!(read.game.fen(), "8/3k4/8/8/8/8/8/5RK1 w - - 5 41");
        assert_eq!(read.game.outcome(), None);
        let read = read_one("[Variant \"Fischerandom\"][FEN \"1k6/8/8/8/8/8/8/1K2R3 w E - 0 1\"]\n1. O-O *");
        assert_eq!((moves(&read).as_str(), read.game.mode()), ("O-O", CastlingMode::Chess960));
        let read = read_one("[Variant \"Crazyhouse\"]\n1. e4 d5 2. exd5 Qxd5 3. P@e4 *");
        assert_eq!(
            (read.game.variant(), moves(&read).as_str()),
            (Variant::Crazyhouse, "e4 d5 exd5 Qxd5 P@e4")
        );
        let read =
            read_one("[Variant \"Three-check\"][FEN \"3k4/8/8/8/8/8/4Q3/4K3 w - - 2+3 0 1\"]\n1. Qd3+ *");
        assert_eq!(read.game.fen(), "3k4/8/8/8/8/3Q4/8/4K3 b - - 1+3 1 1");
        assert_eq!(fault("[Variant \"Xiangqi\"]\n*"), "line 1: variant `Xiangqi` is not known");
        assert!(fault("[FEN \"nonsense\"]\n\n1. e4 *").starts_with("line 1: FEN `nonsense` has 1 field"));
    }

    #[test]
    fn results_find_their_reasons() {
        let outcome = |text: &str| read_one(text).game.outcome();
        let win = |winner, reason| Some(Outcome::Win { winner, reason });
        assert_eq!(outcome("1. e4 1-0"), win(Color::White, WinReason::Resignation));
        assert_eq!(
            outcome("[Termination \"Time forfeit\"] 1. e4 1-0"),
            win(Color::White, WinReason::TimeForfeit)
        );
        assert_eq!(outcome("1. e4 {White adjudicates} 1/2-1/2"), Some(Outcome::Draw(DrawReason::Agreement)));
        assert_eq!(
            outcome("1. f3 e5 2. g4 Qh4# {White resigns} 0-1"),
            win(Color::Black, WinReason::Checkmate)
        );
        assert_eq!(
            outcome("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2"),
            Some(Outcome::Draw(DrawReason::Repetition))
        );
        // Without a result at its end, the tag has the word.
        assert_eq!(outcome("[Result \"0-1\"]\n1. e4"), win(Color::Black, WinReason::Resignation));
        assert_eq!(outcome("[Result \"0-1\"]\n1. e4 *"), None);
    }

    #[test]
    fn a_faulty_game_costs_no_other() {
        let good = "[Event \"good\"]\n\n1. d4 d5 1/2-1/2\n\n";
        for (faulty, message) in [
            (
                "[Event \"x\"]\n\n1. e4 e4 2. d4 {x} d5 1-0\n",
                "line 3: illegal move `e4`: no such piece can go there",
            ),
            ("[Event \"x\"]\n\n1. e4 {never closed\n1... e5 1-0\n", "line 3: a comment is not closed"),
            ("[Event \"x\"]\n\n1. e4 (1. d4 1-0\n\n\n", "line 3: a variation is not closed"),
            ("[Event \"x\"]\n\n1. e4 e5) 1-0\n", "line 3: `)` without `(`"),
            (
                "[Event x]\n[Site \"y\"]\n\n1. e4 e5\n",
                "line 1: `[Event x]` is not a tag pair; expected [Name \"value\"]",
            ),
            (
                "[Event \"x]\n\n1. e4 e5 1-0\n",
                "line 1: `[Event \"x]` is not a tag pair; expected [Name \"value\"]",
            ),
            (
                "1. e4 -- 2. d4 *\n",
                "line 1: unreadable move `--`: expected coordinates (e2e4, e7e8q) or SAN (Nf3, O-O)",
            ),
        ] {
            let games = read(format!("{faulty}{good}{faulty}{good}"));
            let [first, second, third, fourth] = &games[..] else { panic!("{faulty}: {games:?}") };
            assert_eq!(first.as_ref().unwrap_err(), message);
            assert!(third.is_err());
            assert_eq!(
                (moves(second.as_ref().unwrap()), moves(fourth.as_ref().unwrap())),
                ("d4 d5".into(), "d4 d5".into())
            );
        }
    }

    #[test]
    fn overlong_games_are_refused() {
        let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(MOST_PLIES / 4);
        assert_eq!(read_one(&shuffle).game.ply(), MOST_PLIES);
        assert_eq!(fault(&format!("{shuffle}\nNf3")), "line 2: this is too long for a game of chess");
        let comments = format!("e4\n{}", format!("{{{}}}\n", "x".repeat(1 << 19)).repeat(31));
        assert_eq!(read_one(&comments).game.ply(), 1);
        assert_eq!(
            fault(&format!("{comments}{{{}}}", "x".repeat(1 << 19))),
            "line 33: this is too long for a game of chess"
        );
    }

    #[test]
    fn an_empty_file_has_no_games() {
        assert!(read("").is_empty() && read("\n \n{a comment} ;x\n% y").is_empty());
    }

    #[test]
    fn a_failing_input_is_the_last_word() {
        struct Failing;
        impl io::Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("on fire"))
            }
        }
        let mut games = PgnReader::new(io::BufReader::new(Failing));
        assert!(matches!(games.next(), Some(Err(PgnError::Unreadable(_)))));
        assert!(games.next().is_none());
    }

    /// A game of arbitrary moves that ends in an arbitrary way.
    fn game() -> impl Strategy<Value = Game> {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "8/P1k5/8/8/8/8/5Kp1/8 w - - 0 1",
        ];
        let outcome = prop::option::of(prop::sample::select(Outcome::all().collect::<Vec<_>>()));
        let choices = prop::collection::vec(any::<prop::sample::Index>(), 0..120);
        (prop::sample::select(starts.to_vec()), choices, outcome).prop_map(|(fen, choices, outcome)| {
            let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            for choice in choices {
                let legal = game.legal_moves();
                if legal.is_empty() {
                    break;
                }
                game.play(legal[choice.index(legal.len())]).unwrap();
            }
            if game.outcome().is_none()
                && let Some(outcome) = outcome
            {
                game.declare(outcome);
            }
            game
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_again(
            first in game(),
            second in game(),
            value in "\\PC{0,40}",
            comments in prop::collection::vec(prop::option::of("[ -~äöü{}\\[\\]\"%;]{0,90}"), 0..120),
        ) {
            let mut tags = PgnTags::default();
            tags.set("White", value.clone());
            tags.set("Annotator", value);
            let games = [write_pgn(&first, &tags, &comments), write_pgn(&second, &PgnTags::default(), &comments)];
            let again: Vec<PgnGame> = PgnReader::new(games.concat().as_bytes()).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(again.len(), 2);
            for ((written, game), again) in games.iter().zip([&first, &second]).zip(&again) {
                prop_assert_eq!(game.start_fen(), again.game.start_fen());
                prop_assert_eq!(game.moves(), again.game.moves());
                prop_assert_eq!(game.outcome(), again.game.outcome());
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<String>();
                prop_assert_eq!(words(&write_pgn(&again.game, &again.tags, &again.comments)), words(written));
            }
        }

        #[test]
        fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(bytes);
        }

        #[test]
        fn arbitrary_tokens_never_cost_the_next_game(
            tokens in prop::collection::vec(
                prop::sample::select(vec![
                    "[Event \"x\"]", "[", "]", "{", "}", "(", ")", ";", "\n", "% x\n", "e4", "1.", "e5", "1-0", "*",
                    "$3", "\"", "\\", "--", "<", "\u{feff}", "[FEN \"x\"]",
                ]),
                0..40,
            ),
        ) {
            // Without the empty line, tags before it would belong to the last game.
            let games = read(format!("{}\n\n[Event \"last\"]\n1. Nf3 *\n", tokens.join(" ")));
            let last = games.last().unwrap().as_ref().unwrap();
            prop_assert_eq!((&last.tags["Event"], moves(last)), ("last", "Nf3".to_owned()));
        }
    }
}
