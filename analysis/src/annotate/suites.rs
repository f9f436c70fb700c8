//! Positions of annotated games as EPD records.

use std::num::NonZeroU32;

use game::{Color, Game};
use messages::epd::{EpdEvaluation, EpdMove, EpdPosition, Operation, Record, Register};

use super::record::{AnnotatedGame, PuzzleNote};
use crate::jobs::{PROVENANCE, private};

/// A record for each position that was analysed: `ce`, `acd`, `acn`, `pm`, `pv`, `id` and `c0` with the game.
pub fn positions(game: &AnnotatedGame) -> Vec<String> {
    let mut records = Vec::new();
    replay(game, |ply, here| {
        let note = game.note(ply);
        let Some(score) = note.score else { return };
        let mut record = record(game, here, ply, "");
        let line = moves(here, &note.line);
        record.extend(EpdEvaluation::of(score.score_for(here.turn())).map(Operation::Ce));
        record.extend(note.depth.map(|depth| Operation::Acd(depth.into())));
        record.extend(note.nodes.map(Operation::Acn));
        record.extend(line.first().cloned().map(Operation::Pm));
        record.set(Operation::Pv(line));
        records.push(record.to_string());
    });
    records
}

/// A record for each puzzle with one solution: `bm`, `ce`, `acd`, `id`, `c0` with the game and the move that was played, and `c1`
/// with the solution's line.
pub fn puzzles(game: &AnnotatedGame) -> Vec<String> {
    of_puzzles(game, |here, puzzle, record| {
        let solution = moves(here, std::slice::from_ref(&puzzle.solution));
        if !puzzle.is_unique || solution.is_empty() {
            return false;
        }
        record.set(Operation::Bm(solution));
        record.extend(EpdEvaluation::of(puzzle.score.score_for(here.turn())).map(Operation::Ce));
        record.extend(puzzle.depth.map(|depth| Operation::Acd(depth.into())));
        if let Some(register) = Register::new(1) {
            record.set(Operation::Comment(register, Some(puzzle.line.join(" ").into())));
        }
        true
    })
}

/// A record for each mate that a player missed and the mate solver has proven: `dm`, `id` and `c0` as above.
pub fn mates(game: &AnnotatedGame) -> Vec<String> {
    of_puzzles(game, |_, puzzle, record| {
        record.extend(puzzle.mate.and_then(NonZeroU32::new).map(Operation::Dm));
        puzzle.mate.is_some()
    })
}

fn of_puzzles(
    game: &AnnotatedGame,
    complete: impl Fn(&Game, &PuzzleNote, &mut Record<'static>) -> bool,
) -> Vec<String> {
    let mut records = Vec::new();
    replay(game, |ply, here| {
        for puzzle in game.puzzles.iter().filter(|puzzle| puzzle.ply == ply) {
            let mut record = record(game, here, ply, &format!(", {} was played", numbered(game, ply)));
            record.set(provenance(game, &[&puzzle.verifier]));
            if complete(here, puzzle, &mut record) {
                records.push(record.to_string());
            }
        }
    });
    records
}

/// A record with the operations that all have.
fn record(game: &AnnotatedGame, here: &Game, ply: usize, about: &str) -> Record<'static> {
    let mut record = Record::new(EpdPosition::of(here));
    let moves = u32::try_from(game.move_number(ply)).ok().and_then(NonZeroU32::new);
    record.set(Operation::Hmvc(here.halfmoves()));
    record.extend(moves.map(Operation::Fmvn));
    let side = here.turn().fold_wb("w", "b");
    let id = format!("{}.{}.{}{side}", plain(&game.file), game.number, game.move_number(ply));
    record.set(Operation::Id(id.into()));
    if let Some(register) = Register::new(0) {
        record.set(Operation::Comment(register, Some(plain(&(title(game) + about)).into())));
    }
    record.set(provenance(game, &[&game.provenance.engine, &game.provenance.limit]));
    record
}

/// Who searched, and when.
fn provenance(game: &AnnotatedGame, by: &[&str]) -> Operation<'static> {
    let date = game.provenance.date.as_deref().map(|date| date.replace('.', "-"));
    let parts: Vec<&str> = by.iter().copied().chain(date.as_deref()).collect();
    private(PROVENANCE, &plain(&parts.join(", ")))
}

/// A text that is a string in EPD: without quotation marks and semicolons.
fn plain(text: &str) -> String {
    let clean = |c: char| match c {
        '"' => '\'',
        ';' => ',',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(clean).collect()
}

/// Players, event and date.
fn title(game: &AnnotatedGame) -> String {
    let names = format!("{} - {}", game.white.name, game.black.name);
    let facts = ["Event", "Date"].into_iter().filter_map(|tag| game.tag(tag)).map(str::to_owned);
    std::iter::once(names).chain(facts).collect::<Vec<_>>().join(", ")
}

/// The move that was played, with its number.
fn numbered(game: &AnnotatedGame, ply: usize) -> String {
    let dots = if game.mover(ply) == Color::White { "." } else { "..." };
    format!("{}{dots} {}", game.move_number(ply), game.moves[ply].san)
}

fn moves(here: &Game, line: &[String]) -> Vec<EpdMove<'static>> {
    let mut end = here.clone();
    let moves: Vec<_> = line.iter().map_while(|san| end.play_text(san).ok()).collect();
    here.chess().map(|chess| EpdMove::line(chess, &moves)).unwrap_or_default()
}

/// Calls `see` with each position of the game, the number of plies before it, and the game so far.
fn replay(game: &AnnotatedGame, mut see: impl FnMut(usize, &Game)) {
    let Some(mut here) = game.first_position() else { return };
    see(0, &here);
    for (ply, mv) in (1..).zip(&game.moves) {
        if here.play_text(&mv.san).is_err() {
            return;
        }
        see(ply, &here);
    }
}
