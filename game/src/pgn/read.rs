//! A lenient reader for the import format of PGN: reads games one by one from a stream of any length.
//!
//! The crate pgn-reader has no line numbers and skips what it can't read. This reader reports the line of a fault, and finds the
//! next game by its first tag even after an unclosed comment.

use std::io::{self, BufRead};

use shakmaty::Color;

use super::tokens::{Token, Tokenizer};
use crate::{DrawReason, FenError, Game, MoveError, Outcome, PgnTags, PlayedVariant, WinReason, excerpt};

/// Maximum number of plies of a game. The seventy-five-move rule ends every game earlier.
const MOST_PLIES: usize = 20_000;

/// Maximum size of the stored text of a game, in bytes.
const MOST_TEXT: usize = 16 << 20;

/// A game with its tags and comments.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags that are not part of [`Game`].
    pub tags: PgnTags,
    /// The mainline and the result. The reason of the result is derived from the tag `Termination`, from a last comment written
    /// by Herald, and from the position.
    pub game: Game,
    /// `comments[i]` belongs to the move `game.moves()[i]`, as in [`super::write_pgn`]. Variations with their
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
    /// A variation is not closed before the next game or the end.
    #[error("a variation is not closed")]
    UnclosedVariation,
    /// A closing parenthesis without an opening one.
    #[error("`)` without `(`")]
    UnopenedVariation,
    /// A line or comment is longer than 1 MiB, or a game is longer than 16 MiB or 20,000 plies.
    #[error("this is too long for a game of chess")]
    TooLong,
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
pub struct PgnReader<R> {
    tokens: Tokenizer<R>,
    /// The first tag of the next game, which ended the previous game, and its line.
    next_tag: Option<(String, String, u64)>,
    is_over: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads all games in `input`.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader { tokens: Tokenizer::new(input), next_tag: None, is_over: false }
    }

    fn read_game(&mut self) -> Result<Option<PgnGame>, PgnError> {
        let mut game = PartialGame::default();
        if let Some((name, value, line)) = self.next_tag.take() {
            game.add_tag(&name, value, line).unwrap_or_else(|fault| game.note(line, fault));
        }
        while let Some(lexed) = self.tokens.next()? {
            let line = self.tokens.token_line;
            let taken = match lexed {
                Ok(Token::Tag { name, value }) if game.ends_before(&name) => {
                    self.next_tag = Some((name, value, line));
                    break;
                }
                Ok(Token::Word(word)) if game.depth == 0 && is_result(&word) => {
                    game.section = Section::Movetext;
                    game.result = Some(word);
                    break;
                }
                Ok(token) => game.take(token, line),
                Err(fault) => Err(fault),
            };
            taken.unwrap_or_else(|fault| game.note(line, fault));
        }
        game.finish()
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Result<PgnGame, PgnError>> {
        if self.is_over {
            return None;
        }
        let game = self.read_game().transpose();
        self.is_over = matches!(game, None | Some(Err(PgnError::Unreadable(_))));
        game
    }
}

/// The section of a game that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    #[default]
    Nothing,
    Tags,
    Movetext,
}

/// A game that is being read. After a fault its remaining tokens are discarded.
#[derive(Default)]
struct PartialGame {
    section: Section,
    tags: PgnTags,
    fen: Option<String>,
    variant: Option<String>,
    /// Line of the last `FEN` or `Variant` tag.
    setup_line: u64,
    result: Option<String>,
    /// `None` before the first move.
    game: Option<Game>,
    comments: Vec<Option<String>>,
    /// The comments since the last move.
    recent: Vec<String>,
    /// Number of nested open variations, and the line of the outermost one.
    depth: usize,
    variation_line: u64,
    /// Size of the stored text in bytes.
    size: usize,
    fault: Option<(u64, PgnFault)>,
}

impl PartialGame {
    /// Whether a tag of this name begins the next game: `Event` is always the first tag (PGN standard, 8.1.1).
    fn ends_before(&self, name: &str) -> bool {
        self.section == Section::Movetext || self.section == Section::Tags && name == "Event"
    }

    fn note(&mut self, line: u64, fault: PgnFault) {
        self.section = self.section.max(Section::Tags);
        self.fault.get_or_insert((line, fault));
    }

    /// Processes a token other than the result.
    fn take(&mut self, token: Token, line: u64) -> Result<(), PgnFault> {
        match token {
            Token::Comment(_) if self.section == Section::Nothing || self.depth > 0 => {}
            Token::Comment(text) => self.add_comment(text)?,
            Token::Tag { name, value } => self.add_tag(&name, value, line)?,
            Token::VariationBegin => {
                self.section = Section::Movetext;
                if self.depth == 0 {
                    self.variation_line = line;
                }
                self.depth += 1;
            }
            Token::VariationEnd => {
                self.section = Section::Movetext;
                self.depth = self.depth.checked_sub(1).ok_or(PgnFault::UnopenedVariation)?;
            }
            Token::Word(_) if self.depth > 0 => {}
            Token::Word(word) => self.add_word(&word)?,
        }
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), PgnFault> {
        self.size += bytes;
        if self.size > MOST_TEXT { Err(PgnFault::TooLong) } else { Ok(()) }
    }

    fn add_tag(&mut self, name: &str, value: String, line: u64) -> Result<(), PgnFault> {
        if matches!(name, "FEN" | "Variant") {
            self.setup_line = line;
        }
        self.section = Section::Tags;
        self.grow(name.len() + value.len())?;
        match name {
            "FEN" => self.fen = Some(value),
            "Variant" => self.variant = Some(value),
            "Result" => self.result = Some(value),
            "SetUp" => {}
            _ => self.tags.set(name, value),
        }
        Ok(())
    }

    fn add_comment(&mut self, text: String) -> Result<(), PgnFault> {
        self.grow(text.len())?;
        if self.fault.is_none() && !text.is_empty() {
            self.recent.push(text);
        }
        Ok(())
    }

    /// Processes a move or a move number.
    fn add_word(&mut self, word: &str) -> Result<(), PgnFault> {
        self.section = Section::Movetext;
        if self.fault.is_some() || word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        self.settle_comments();
        let Some(game) = self.game() else { return Ok(()) };
        let m = game.parse_move(word)?;
        if game.ply() == MOST_PLIES || game.play(m).is_err() {
            return Err(PgnFault::TooLong);
        }
        self.comments.push(None);
        Ok(())
    }

    /// The game with the start position of the tags; `None` if they are faulty.
    fn game(&mut self) -> Option<&mut Game> {
        if self.game.is_none() {
            match first_position(self.fen.as_deref(), self.variant.as_deref()) {
                Ok(game) => self.game = Some(game),
                Err(fault) => self.note(self.setup_line, fault),
            }
        }
        self.game.as_mut()
    }

    /// Assigns the comments since the last move to that move.
    fn settle_comments(&mut self) {
        let text = std::mem::take(&mut self.recent).join(" ");
        if let Some(comment) = self.comments.last_mut().filter(|_| !text.is_empty()) {
            *comment = Some(text);
        }
    }

    /// Returns the game or its fault; `None` if nothing was read.
    fn finish(mut self) -> Result<Option<PgnGame>, PgnError> {
        if self.section == Section::Nothing {
            return Ok(None);
        }
        if self.depth > 0 {
            self.note(self.variation_line, PgnFault::UnclosedVariation);
        }
        self.game();
        if let Some((line, fault)) = self.fault {
            return Err(PgnError::Broken { line, fault });
        }
        self.conclude();
        self.settle_comments();
        let PartialGame { tags, game, comments, .. } = self;
        Ok(game.map(|game| PgnGame { tags, game, comments }))
    }

    /// Sets the outcome from the result, with the reason from a last comment written by Herald.
    fn conclude(&mut self) {
        let (Some(game), Some(result)) = (&mut self.game, self.result.as_deref()) else { return };
        let named = self.recent.last().and_then(|comment| {
            Outcome::all().find(|outcome| outcome.result() == result && outcome.to_string() == *comment)
        });
        if named.is_some() {
            self.recent.pop();
        }
        if game.outcome().is_some_and(|outcome| outcome.result() == result) {
            return;
        }
        let termination = self.tags.get("Termination").unwrap_or_default().to_ascii_lowercase();
        if let Some(outcome) = named.or_else(|| likely_outcome(game, result, &termination)) {
            game.declare(outcome);
        }
    }
}

fn is_result(word: &str) -> bool {
    matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*")
}

/// The position before the first move (PGN standard, 9.7; `Variant` as in common use).
fn first_position(fen: Option<&str>, variant: Option<&str>) -> Result<Game, PgnFault> {
    let name = variant.unwrap_or_default();
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let played = match letters.to_ascii_lowercase().as_str() {
        "" | "fromposition" => PlayedVariant::CHESS,
        letters => PlayedVariant::named(letters).ok_or_else(|| PgnFault::Variant { name: excerpt(name) })?,
    };
    Ok(match fen {
        Some(fen) => played.read(fen)?,
        None => played.start(),
    })
}

/// The probable reason of a result, derived from the tag `Termination` (PGN standard, 9.8.1).
fn likely_outcome(game: &Game, result: &str, termination: &str) -> Option<Outcome> {
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
        "1-0" => Some(Outcome::Win { winner: Color::White, reason }),
        "0-1" => Some(Outcome::Win { winner: Color::Black, reason }),
        "1/2-1/2" if is_by("adjudication") => Some(Outcome::Draw(DrawReason::Adjudication)),
        "1/2-1/2" if is_by("time") => Some(Outcome::Draw(DrawReason::TimeoutVsInsufficient)),
        "1/2-1/2" => Some(Outcome::Draw(game.claim().unwrap_or(DrawReason::Agreement))),
        _ => None,
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
        let comments = format!("e4\n{}", format!("{{{}}}\n", "x".repeat(1 << 19)).repeat(MOST_TEXT >> 19));
        assert_eq!(read_one(&comments).game.ply(), 1);
        assert_eq!(fault(&format!("{comments}{{x}}")), "line 34: this is too long for a game of chess");
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
            let games = read(format!("{}\n[Event \"last\"]\n1. Nf3 *\n", tokens.join(" ")));
            let last = games.last().unwrap().as_ref().unwrap();
            prop_assert_eq!((&last.tags["Event"], moves(last)), ("last", "Nf3".to_owned()));
        }
    }
}
