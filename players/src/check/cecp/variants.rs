//! Chess960 and other variants.

use game::{CastlingMode, Game, PlayedVariant};
use messages::cecp::Audience;
use shakmaty::variant::Variant;

use super::game::true_results;
use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("fischerandom", "takes `O-O` and Shredder castling letters in fischerandom", Greeted)
        .must(VARIANTS)
        .check(|program| {
            require(program.announced.plays("fischerandom"), "fischerandom")?;
            program.needs(Switch::SetBoard)?;
            program.tell(["new", "variant fischerandom", "force"])?;
            program.hurry()?;
            program.tell([format!("setboard {CHESS960}")])?;
            program.set_board(CHESS960, CastlingMode::Chess960);
            program.play(&["O-O"])?;
            program.settle()?.has_taken("`O-O`")?;
            program.ask("go")?;
            // In normal chess, it would be `e1g1`.
            program.tell(["new", "variant fischerandom", "force"])?;
            program.hurry()?;
            program.tell([format!("setboard {SAVED_BY_CASTLING}")])?;
            program.set_board(SAVED_BY_CASTLING, CastlingMode::Chess960);
            let heard = program.ask("go")?;
            let castles = heard.last().is_some_and(|message| *message == Message::Move("O-O".into()));
            observe(castles, format!("{}, as in normal chess", heard.last_shown()))
        }),
    rule("variants", "plays each variant that it offers and we know by its rules", Greeted)
        .must(VARIANTS)
        .check(|program| {
            let named = program.announced.variants.iter().flatten();
            let games: Vec<_> =
                named.flat_map(|name| games_of(name).map(|game| (name.clone(), game))).collect();
            require(!games.is_empty(), "a variant that we know")?;
            games.iter().try_for_each(|(name, game)| {
                plays_by_rules(program, name, game).map_err(|failure| in_variant(failure, name))
            })
        }),
    rule("variant-unknown", "survives a variant that it doesn't know", Forced).usual(VARIANTS).check(
        |program| {
            let heard = program.deal(["new", "variant nosuchvariant"])?;
            program.still_plays()?;
            observe(!heard.0.is_empty(), "it plays on, but nothing shows that it reads `variant`")
        },
    ),
    rule("setup", "answers a variant of its own with a well-formed `setup`, and `piece`", Greeted)
        .should(VARIANTS)
        .check(|program| {
            let own =
                program.announced.variants.iter().flatten().find(|name| PlayedVariant::named(name).is_none());
            let Some(own) = own.cloned() else {
                return Err(Failure::NotSupported("a variant of its own".into()));
            };
            let heard = program.deal(["new", &format!("variant {own}")])?;
            heard.has_no("`setup` with a FEN, and `piece` with a description", |message| match message {
                Message::Setup { fen, .. } => !is_like_fen(fen),
                Message::Piece { id, betza } => id.is_empty() || betza.is_empty(),
                Message::Other(line) => line.starts_with("setup") || line.starts_with("piece"),
                _ => false,
            })?;
            require(heard.contains(|message| matches!(message, Message::Setup { .. })), "`setup`")
        }),
    rule("holding", "takes `partner`, `ptell` and `holding` in bughouse", Greeted).must(BUGHOUSE).check(
        |program| {
            require(program.announced.plays("bughouse"), "bughouse")?;
            program.tell(["new", "variant bughouse", "force"])?;
            let answer = program.deal(["partner Somebody"])?;
            answer.has_taken("`partner`")?;
            let reply = program.deal(["ptell hello"])?;
            reply.has_taken("`ptell`")?;
            program.tell_move("N@e4")?;
            let refused = program.settle()?;
            program.tell(["holding [N] []"])?;
            program.tell_move("N@e4")?;
            program.settle()?.has_taken("a drop after `holding`")?;
            observe(refused.contains(is_refusal), "it takes drops without `holding`, too")?;
            let has_partner = !answer.0.is_empty() || asks_partner(program)?;
            observe(has_partner, "it goes on, but nothing shows that it reads `partner`")?;
            program.reads(&reply, "ptell")
        },
    ),
];

/// A game of a variant that can't be played by the rules of chess: its moves are illegal there, or the moves that are legal at its end,
/// or the game would go on.
struct VariantGame {
    /// Names of the variants in which its moves are legal, in small letters and digits.
    names: &'static [&'static str],
    /// The rules by which it is judged.
    variant: Variant,
    /// Moves from the start position. The side to move then has a legal move.
    moves: &'static str,
    /// Another move, that ends the game; empty if there is none.
    last: &'static str,
}

/// Drops are the only moves; captures are compulsory, and a check is no reason not to make them; an explosion opens a line, and ends
/// the game; the king reaches the centre; the third check; other start positions.
const GAMES: &[VariantGame] = &[
    VariantGame {
        names: &["crazyhouse"],
        variant: Variant::Crazyhouse,
        moves: "f2f4 e7e5 f4e5 d7d6 g2g4 d8h4",
        last: "",
    },
    VariantGame {
        names: &["antichess", "giveaway", "suicide"],
        variant: Variant::Antichess,
        moves: "e2e4 e7e5 d1h5 e8e7 h5e5 a7a6",
        last: "",
    },
    VariantGame {
        names: &["antichess", "giveaway", "suicide", "losers"],
        variant: Variant::Antichess,
        moves: "e2e3 e7e6 d1h5 b8c6",
        last: "",
    },
    VariantGame { names: &["atomic"], variant: Variant::Atomic, moves: "b1c3 d7d5 c3d5", last: "d8d2" },
    VariantGame {
        names: &["kingofthehill", "koth"],
        variant: Variant::KingOfTheHill,
        moves: "e2e3 a7a6 e1e2 a6a5 e2d3 a5a4",
        last: "d3e4",
    },
    VariantGame {
        names: &["3check", "threecheck"],
        variant: Variant::ThreeCheck,
        moves: "c2c4 d7d6 d1a4 b7b5 a4b5 c7c6",
        last: "b5c6",
    },
    VariantGame {
        names: &["racingkings"],
        variant: Variant::RacingKings,
        moves: "h2h3 d2e4 h3h4 e4d6 h4h5 d6f5 h5g6 c2e4 g6h7 e4a8",
        last: "h7h8",
    },
    VariantGame {
        names: &["horde"],
        variant: Variant::Horde,
        moves: "b5b6 a7b6 c5b6 c7b6 a4a5 b6a5 b4a5",
        last: "",
    },
];

/// The games that show whether a variant of this name is played by its rules.
fn games_of(name: &str) -> impl Iterator<Item = &'static VariantGame> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    GAMES.iter().filter(move |game| game.names.contains(&&*letters))
}

/// Fails unless the program takes the moves of a game, makes a legal one where it goes on, and none where it is over.
fn plays_by_rules(program: &mut CecpHarness, name: &str, game: &VariantGame) -> Checked {
    let heard = replays(program, name, game, "")?;
    heard.has_no("no claim", |message| matches!(message, Message::Result { .. } | Message::Resign))?;
    program.ask("go")?;
    if game.last.is_empty() {
        return Ok(());
    }
    let mut heard = replays(program, name, game, game.last)?;
    program.tell(["go"])?;
    let expected = format!("no move after {}, which ends the game", game.last);
    heard.0.extend(program.hear_for(2 * QUIET)?.0);
    heard.has_no(&expected, Cecp::is_move)?;
    true_results(&heard, program.game.outcome().and_then(|outcome| outcome.winner()))
}

/// Lets the program take the moves of a game in force mode. Returns its answer to the last one.
fn replays(
    program: &mut CecpHarness,
    name: &str,
    game: &VariantGame,
    last: &str,
) -> Checked<Transcript<Message>> {
    program.game = Game::new(game.variant);
    program.tell(["force", "new", &format!("variant {name}"), "force"])?;
    program.hurry()?;
    program.settle()?.has_taken(&format!("`variant {name}`"))?;
    let mut heard = Transcript(Vec::new());
    for mv in game.moves.split(' ').chain(Some(last)).filter(|mv| !mv.is_empty()) {
        program.play(&[mv])?;
        heard = program.settle()?;
        heard.has_taken(&format!("`{mv}`"))?;
    }
    Ok(heard)
}

/// Whether the program, which has a partner, asks for a piece when it can't move without one.
fn asks_partner(program: &mut CecpHarness) -> Checked<bool> {
    program.needs(Switch::SetBoard)?;
    program.tell(["new", "variant bughouse", "force"])?;
    program.hurry()?;
    program.tell([format!("setboard {MATED}"), "go".to_owned()])?;
    let is_for_partner = |message: &Message| match message {
        Message::Tell(Audience::Ics | Audience::IcsNoAlias, text) => text.starts_with("ptell "),
        _ => false,
    };
    Ok(program.hear_for(QUIET)?.contains(is_for_partner))
}

/// Whether a text has the form of a FEN: a board of several ranks, and a side to move.
fn is_like_fen(text: &str) -> bool {
    let mut fields = text.split_whitespace();
    let board = fields.next().unwrap_or_default();
    board.contains('/') && matches!(fields.next(), Some("w" | "b"))
}

fn in_variant(failure: Failure, name: &str) -> Failure {
    match failure {
        Failure::Broken { expected, seen } => Failure::new(format!("in {name} {expected}"), seen),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut game: Game, moves: &str) -> Option<Game> {
        game.play_line(moves.split_whitespace()).ok()?;
        Some(game)
    }

    #[test]
    fn no_game_of_a_variant_is_one_of_chess() {
        for VariantGame { names, variant, moves, last } in GAMES {
            let game = after(Game::new(*variant), moves).unwrap();
            assert!(game.outcome().is_none() && !game.legal_moves().is_empty(), "{names:?}");
            let Some(chess) = after(Game::default(), &format!("{moves} {last}")) else { continue };
            if last.is_empty() {
                let is_legal = |&&m: &&game::Move| chess.parse_move(&game.coordinate(m)).is_ok();
                let shared = game.legal_moves().iter().filter(is_legal).count();
                // A player of chess doesn't give away its queen.
                assert!(shared == 0 || shared == 2 && chess.legal_moves().len() > 30, "{names:?}");
            } else {
                assert!(after(game, last).unwrap().outcome().is_some_and(|end| end.winner().is_some()));
                assert!(chess.outcome().is_none(), "{names:?}");
            }
        }
    }

    #[test]
    fn every_variant_but_chess_has_a_game() {
        for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Chess) {
            assert!(games_of(variant.uci()).any(|game| game.variant == variant), "{variant:?}");
        }
        assert_eq!(games_of("Three-Check").count(), 1);
        assert_eq!(games_of("normal").count(), 0);
    }
}
