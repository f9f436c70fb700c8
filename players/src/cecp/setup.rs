//! Positions, moves and clocks as CECP commands.

use std::time::Duration;

use game::{CastlingMode, Color, Game, Move, Phase, TimeControl, VariantPosition};
use messages::cecp::{self, Command, EditLine, Switch};
use shakmaty::uci::UciMove;
use shakmaty::variant::Variant;
use shakmaty::{Bitboard, Board, EnPassantMode, Position as _, Square, attacks};

use super::features::Features;
use crate::{NewGame, PlayerFault, Repair};

/// Clock of a game without a limit.
const A_DAY: Duration = Duration::from_hours(24);

/// Returns the lines that set up a position on the board of an engine in force mode, after `new`.
///
/// # Errors
/// [`PlayerFault::Unsupported`]: the engine has no `setboard`, and `edit` cannot express the position.
pub(crate) fn position(game: &Game, features: &Features) -> Result<Vec<String>, PlayerFault> {
    if game.has_standard_start() {
        Ok(Vec::new())
    } else if features.has(Switch::SetBoard) {
        Ok(vec![Command::SetBoard(game.start_fen()).to_string()])
    } else if is_editable(game.start()) {
        Ok(edit(game.start(), features))
    } else if let Some((before, step)) = before_double_step(game).filter(|(before, _)| is_editable(before)) {
        let step = told_move(step, features).to_string();
        Ok(edit(&before, features).into_iter().chain([step]).collect())
    } else if let Some((before, steps)) = before_lost_rights(game.start()) {
        let steps = steps.map(|step| told_move(step, features).to_string());
        Ok(edit(&before, features).into_iter().chain(steps).collect())
    } else if features.offers(Switch::SetBoard) {
        // Broken in some way, but the only way to this position.
        Ok(vec![Command::SetBoard(game.start_fen()).to_string()])
    } else {
        Err(PlayerFault::Unsupported(format!("from {} (it has no setboard)", game.start_fen())))
    }
}

/// Whether `edit` can express the position: it assumes castling rights wherever king and rook are on their home squares,
/// and has no en passant square and no counters.
fn is_editable(start: &VariantPosition) -> bool {
    start.variant() == Variant::Chess
        && start.castles().mode() == CastlingMode::Standard
        && start.castles().castling_rights() == assumed_rights(start.board())
        && start.ep_square(EnPassantMode::Legal).is_none()
}

/// The rooks with castling rights by `edit`.
fn assumed_rights(board: &Board) -> Bitboard {
    let has_king_at_home =
        |color: &Color| board.piece_at(color.fold_wb(Square::E1, Square::E8)) == Some(color.king());
    let colors = Color::ALL.into_iter().filter(has_king_at_home);
    colors.flat_map(|color| board.by_piece(color.rook()) & Bitboard::CORNERS & color.backrank()).collect()
}

/// The position before the double step of a pawn that can be captured en passant, and that step: so `edit` can express such a
/// position, too.
fn before_double_step(game: &Game) -> Option<(VariantPosition, String)> {
    let start = game.start();
    let passed = start.ep_square(EnPassantMode::Legal)?;
    let mover = !start.turn();
    let [from, to] = [mover.fold_wb(-8, 8), mover.fold_wb(8, -8)].map(|step| passed.offset(step));
    let (from, to) = (from?, to?);
    let mut before = start.to_setup(EnPassantMode::Legal);
    let pawn = before.board.remove_piece_at(to)?;
    before.board.set_piece_at(from, pawn);
    before.turn = mover;
    before.ep_square = None;
    let before = VariantPosition::from_setup(start.variant(), before, game.mode()).ok()?;
    Some((before, format!("{from}{to}")))
}

/// The position before a move of each side that ends in this one, and these moves: so `edit` can express a position without the
/// castling rights that it would assume.
fn before_lost_rights(start: &VariantPosition) -> Option<(VariantPosition, [String; 2])> {
    if start.variant() != Variant::Chess || start.ep_square(EnPassantMode::Legal).is_some() {
        return None;
    }
    let (turn, empty) = (start.turn(), !start.board().occupied());
    let ways = |color| {
        let way = move |to| {
            let from = attacks::attacks(to, start.board().piece_at(to)?, start.board().occupied()) & empty;
            Some(from.into_iter().map(move |from| (from, to)))
        };
        losing_rights(start, color).into_iter().filter_map(way).flatten()
    };
    ways(turn).flat_map(|first| ways(!turn).map(move |second| [first, second])).find_map(|moved| {
        let mut before = start.to_setup(EnPassantMode::Legal);
        for (from, to) in moved {
            let piece = before.board.remove_piece_at(to)?;
            before.board.set_piece_at(from, piece);
        }
        before.castling_rights = assumed_rights(&before.board);
        let before = VariantPosition::from_setup(start.variant(), before, start.castles().mode()).ok()?;
        let steps = moved.map(|(from, to)| format!("{from}{to}"));
        let mut after = before.clone();
        for step in &steps {
            let step: UciMove = step.parse().ok()?;
            after.play_unchecked(step.to_move(&after).ok()?);
        }
        let is_reached = after.board() == start.board()
            && after.castles().castling_rights() == start.castles().castling_rights();
        is_reached.then_some((before, steps))
    })
}

/// The pieces one of which has to move to end with these castling rights of a colour: kings and rooks, if there are rights to lose.
fn losing_rights(start: &VariantPosition, color: Color) -> Bitboard {
    let board = start.board();
    let lost = assumed_rights(board) & !start.castles().castling_rights() & board.by_color(color);
    let movers = if lost.any() { board.kings() | lost } else { !board.pawns() };
    board.by_color(color) & movers
}

fn edit(start: &VariantPosition, features: &Features) -> Vec<String> {
    let board = start.board();
    let pieces = |color| {
        board
            .clone()
            .into_iter()
            .filter(move |(_, piece)| piece.color == color)
            .map(|(at, piece)| EditLine::Place(piece.role, at))
    };
    // `edit` doesn't set the side to move. Without `black`, a move of White does, as in XBoard.
    let (before, after) = match (start.turn(), features.has(Switch::Colors)) {
        (Color::White, _) => (None, vec![]),
        (Color::Black, true) => (None, vec![Command::Black, Command::Force]),
        (Color::Black, false) => (Some(told_move("a2a3".into(), features)), vec![]),
    };
    let edits = std::iter::once(EditLine::Clear)
        .chain(pieces(Color::White))
        .chain([EditLine::ToggleColor])
        .chain(pieces(Color::Black))
        .chain([EditLine::End]);
    let before = before.into_iter().chain([Command::Edit]).map(|command| command.to_string());
    let after = after.into_iter().map(|command| command.to_string());
    before.chain(edits.map(|line| line.to_string())).chain(after).collect()
}

/// Returns the ratings of a player and its opponent, 0 if one is unknown; `None` if neither is known.
pub(crate) fn rating(game: &NewGame) -> Option<Command> {
    let [own, opponent] = [game.color, !game.color].map(|color| *game.ratings.get(color));
    let number = |rating: Option<u32>| rating.map_or(0, i64::from);
    (own.is_some() || opponent.is_some())
        .then(|| Command::Rating { own: number(own), opponent: number(opponent) })
}

/// Returns the command for a move: `usermove` if the engine has asked for it.
pub(crate) fn told_move(text: String, features: &Features) -> Command {
    if features.has(Switch::UserMove) { Command::UserMove(text) } else { Command::BareMove(text) }
}

/// Returns the moves of a game from the given ply on, in the engine's notation.
pub(crate) fn moves(game: &Game, from: usize, features: &Features) -> Vec<String> {
    let later = &game.moves()[from.min(game.ply())..];
    if !features.has(Switch::San) {
        return later.iter().map(|&m| cecp::move_text(m, game.mode())).collect();
    }
    let mut before = game.clone();
    let mut texts: Vec<String> = std::iter::from_fn(|| {
        let m = before.undo()?;
        Some(before.san(m))
    })
    .take(later.len())
    .collect();
    texts.reverse();
    texts
}

/// Returns a move in the engine's notation.
pub(super) fn move_text(game: &Game, m: Move, features: &Features) -> String {
    if features.has(Switch::San) { game.san(m) } else { cecp::move_text(m, game.mode()) }
}

/// Returns the commands for the first phase of a time control.
///
/// # Errors
/// [`PlayerFault::Unsupported`]: CECP can't express it without a feature that is off.
pub(super) fn time_control(control: &TimeControl, features: &Features) -> Result<Vec<Command>, PlayerFault> {
    let no_limit = || level(0, A_DAY, Duration::ZERO);
    Ok(match control {
        TimeControl::Clock(phases) => {
            let Phase { moves, time, increment } = *phases.first();
            vec![level(moves.unwrap_or(0), time, increment)]
        }
        TimeControl::PerMove(time) => vec![time_per_move(*time, features)],
        TimeControl::Depth(depth) => vec![no_limit(), Command::Depth(depth.get())],
        // One second for each move, at this number of nodes per second.
        TimeControl::Nodes(nodes) if features.has(Switch::Nps) => {
            vec![Command::TimePerMove(Duration::from_secs(1)), Command::NodeRate(nodes.get())]
        }
        TimeControl::Nodes(_) => {
            let why = format!("with {control}: it has no feature nps; use depth=N, st=SECONDS or tc=CONTROL");
            return Err(PlayerFault::Unsupported(why));
        }
        TimeControl::Unlimited => vec![no_limit()],
    })
}

/// Returns `st`, or a clock with a session for each move if the program wouldn't understand that.
fn time_per_move(time: Duration, features: &Features) -> Command {
    let repaired = |repair| features.repairs.contains(&repair);
    let is_whole = time.subsec_nanos() == 0;
    if repaired(Repair::TimeCommands) || repaired(Repair::WholeSeconds) && time < Duration::from_secs(1) {
        level(1, time, Duration::ZERO)
    } else if repaired(Repair::WholeSeconds) && !is_whole {
        Command::TimePerMove(Duration::from_secs(time.as_secs()))
    } else {
        Command::TimePerMove(time)
    }
}

/// Returns `level` with a base time of whole seconds, at least one: it has no decimals there. `time` sends the exact time.
fn level(moves: u32, base: Duration, increment: Duration) -> Command {
    Command::Level { moves, base: Duration::from_secs(base.as_secs().max(1)), increment }
}

/// Returns the operand of `time` and `otim`.
pub(crate) fn centiseconds(remaining: Option<Duration>) -> i64 {
    i64::try_from(remaining.unwrap_or(A_DAY).as_millis() / 10).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use messages::cecp::Feature;
    use shakmaty::Setup;
    use shakmaty::fen::Fen;

    use super::*;

    fn features(line: &str) -> Features {
        let mut features = Features::default();
        for feature in Feature::parse_line(line) {
            assert!(features.learn(feature));
        }
        features
    }

    fn game(fen: &str, moves: &[&str]) -> Game {
        let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        game.play_line(moves).unwrap();
        game
    }

    const BLACK_TO_MOVE: &str = "4k2r/8/8/8/8/8/4P3/4K3 b k - 0 1";

    #[test]
    fn positions_by_setboard_or_edit() {
        let told = |fen, line| position(&game(fen, &[]), &features(line));
        assert_eq!(told("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""), Ok(vec![]));
        assert_eq!(told(BLACK_TO_MOVE, "setboard=1"), Ok(vec![format!("setboard {BLACK_TO_MOVE}")]));
        let edit = ["edit", "#", "Ke1", "Pe2", "c", "Ke8", "Rh8", "."].map(String::from);
        let with_black: Vec<String> =
            edit.iter().cloned().chain(["black", "force"].map(String::from)).collect();
        assert_eq!(told(BLACK_TO_MOVE, "").unwrap(), with_black);
        let with_move: Vec<String> = std::iter::once("usermove a2a3".into()).chain(edit).collect();
        assert_eq!(told(BLACK_TO_MOVE, "colors=0 usermove=1").unwrap(), with_move);
        // The pawn has to move to be captured en passant.
        let told = told("4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1", "").unwrap();
        assert_eq!(told, ["edit", "#", "Ke1", "Pa2", "c", "Pb4", "Ke8", ".", "a2a4"]);
    }

    /// Rights that `edit` would assume are lost by a move of each side.
    #[test]
    fn rights_that_edit_would_assume() {
        for fen in [
            "4k3/8/8/8/8/8/8/R3K2R w K - 0 1",
            "4k2r/8/8/8/8/8/4P3/4K3 b - - 0 1",
            "r3k2r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/R3K2R w Kq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1",
        ] {
            let told = position(&game(fen, &[]), &features("")).unwrap();
            let mut replayed = edited(&told);
            replayed.play_line(&told[told.len() - 2..]).unwrap();
            let board = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
            assert_eq!(board(&replayed.fen()), board(fen), "{told:?}");
        }
        // No piece of White's can have moved.
        let fault = position(&game("r3k3/8/8/8/8/8/PPP5/KB6 b - - 0 1", &[]), &features("")).unwrap_err();
        assert!(fault.to_string().contains("it has no setboard"), "{fault}");
    }

    /// The board that an engine has after lines of `edit`, and the side to move after `black`.
    fn edited(lines: &[String]) -> Game {
        let (mut board, mut color) = (Board::empty(), Color::White);
        for line in lines {
            match line.parse::<EditLine>() {
                Ok(EditLine::Place(role, at)) => board.set_piece_at(at, role.of(color)),
                Ok(EditLine::ToggleColor) => color = Color::Black,
                _ => {}
            }
        }
        let turn = if lines.contains(&"black".to_owned()) { Color::Black } else { Color::White };
        let setup = Setup { board, turn, ..Setup::empty() };
        let rights = assumed_rights(&setup.board);
        let fen = Fen::try_from_setup(Setup { castling_rights: rights, ..setup }).unwrap();
        game(&fen.to_string(), &[])
    }

    #[test]
    fn moves_as_the_engine_wants_them() {
        let game = game("4k3/P7/8/8/8/8/8/4K2R w K - 0 1", &["a8=Q+", "Kf7", "O-O+"]);
        assert_eq!(moves(&game, 0, &features("")), ["a7a8q", "e8f7", "e1g1"]);
        assert_eq!(moves(&game, 1, &features("san=1")), ["Kf7", "O-O+"]);
        assert_eq!(moves(&game, 3, &features("san=1")), [""; 0]);
        assert_eq!(cecp::move_text(game.moves()[2], CastlingMode::Chess960), "O-O");
    }

    #[test]
    fn clocks_phase_by_phase() {
        let control: TimeControl = "40/7200:20/3600.5:900+30".parse().unwrap();
        let told = |n| {
            let commands = time_control(&control.phase_of(n), &features("")).unwrap();
            commands.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(1), ["level 40 120 0"]);
        assert_eq!(told(40), ["level 40 120 0"]);
        assert_eq!(told(41), ["level 20 60 0"]);
        assert_eq!(told(61), ["level 0 15 30"]);
        assert_eq!(told(9000), ["level 0 15 30"]);
        let told = |control: &str, line: &str| {
            let control: TimeControl = control.parse().unwrap();
            time_control(&control.phase_of(1), &features(line))
                .map(|told| told.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(told("0.4+0.05", ""), Ok(vec!["level 0 0:01 0.05".into()]));
        assert_eq!(told("5/move", ""), Ok(vec!["st 5".into()]));
        assert_eq!(told("depth=4", ""), Ok(vec!["level 0 1440 0".into(), "sd 4".into()]));
        assert_eq!(told("nodes=400", "nps=1"), Ok(vec!["st 1".into(), "nps 400".into()]));
        assert!(told("nodes=400", "").is_err());
    }
}
