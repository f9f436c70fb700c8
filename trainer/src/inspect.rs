//! `herald-trainer inspect`: statistics of game files.

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use game::{Color, DrawReason, Game, Outcome, PgnTags, WinReason, write_pgn};
use rayon::prelude::*;

use crate::InputError;
use crate::generate::game_from;
use crate::record::{ChunkReader, GameRecord, GameResult, Start, chunks_of, quiet_score};

/// Show statistics of games and their use for training, or some games as PGN
#[derive(Args)]
#[command(after_help = "Example: herald-trainer inspect data/selfplay")]
pub(crate) struct Inspect {
    /// Game files, or folders of game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Write this number of games, evenly spread, as PGN instead
    #[arg(long)]
    pgn: Option<usize>,
}

/// Statistics of games.
#[derive(Default)]
struct Statistics {
    games: u64,
    chess960: u64,
    bytes: u64,
    plies: u64,
    longest: usize,
    white_wins: u64,
    draws: u64,
    kept: u64,
    /// Full keys of the positions used for training.
    keys: HashSet<u64>,
    /// Positions used for training by number of pieces, in steps of four.
    by_pieces: [u64; 9],
    /// Positions used for training by score for the side to move, in steps of 100 centipawns from -500 to 500 and
    /// beyond.
    by_score: [u64; 12],
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<()> {
        let files = chunks_of(&self.games)?;
        let parts: Vec<(Statistics, Vec<String>)> = files
            .par_iter()
            .enumerate()
            .map(|(at, path)| inspect(path, self.share(at, files.len())))
            .collect::<Result<_>>()?;
        if self.pgn.is_some() {
            let mut games = parts.iter().flat_map(|(_, games)| games);
            return Ok(games.try_for_each(|pgn| io::stdout().write_all(pgn.as_bytes()))?);
        }
        let mut all = Statistics::default();
        for (part, _) in parts {
            all.add(part);
        }
        Ok(write!(io::stdout(), "{all}")?)
    }

    /// Returns how many of the games written as PGN are of the file at this index.
    fn share(&self, at: usize, files: usize) -> usize {
        let wanted = self.pgn.unwrap_or(0);
        (at + 1) * wanted / files - at * wanted / files
    }
}

/// Computes the statistics of a file and selects some games to write as PGN.
fn inspect(path: &Path, wanted: usize) -> Result<(Statistics, Vec<String>)> {
    let mut reader = ChunkReader::open(path)?;
    let mut records = Vec::new();
    let mut statistics = Statistics::default();
    while let Some((number, game, bytes)) = reader.next_game()? {
        if game.encode() != bytes {
            let place = format!("{}, game {number}", path.display());
            return Err(anyhow!(InputError).context(place + ": encoding it again gives different bytes"));
        }
        statistics.count(&game, bytes.len());
        records.push((number, game));
    }
    let wanted = wanted.min(records.len());
    let samples = (0..wanted).map(|n| &records[n * records.len() / wanted]);
    Ok((statistics, samples.map(|(number, game)| to_pgn(*number, game)).collect()))
}

impl Statistics {
    fn count(&mut self, game: &GameRecord, bytes: usize) {
        self.games += 1;
        self.chess960 += u64::from(game.start != Start::STANDARD);
        self.bytes += bytes as u64;
        self.plies += game.moves.len() as u64;
        self.longest = self.longest.max(game.moves.len());
        self.white_wins += u64::from(game.result == GameResult::Win(Color::White));
        self.draws += u64::from(game.result == GameResult::Draw);
        for (ply, (position, played)) in game.positions().enumerate() {
            if let Some(score) = quiet_score(ply, &position, played) {
                self.kept += 1;
                self.keys.insert(position.keys().full);
                self.by_pieces[position.occupied().count() / 4] += 1;
                self.by_score[(score.div_euclid(100) + 6).clamp(0, 11) as usize] += 1;
            }
        }
    }

    fn add(&mut self, other: Statistics) {
        self.games += other.games;
        self.chess960 += other.chess960;
        self.bytes += other.bytes;
        self.plies += other.plies;
        self.longest = self.longest.max(other.longest);
        self.white_wins += other.white_wins;
        self.draws += other.draws;
        self.kept += other.kept;
        self.keys.extend(other.keys);
        let sums = self.by_pieces.iter_mut().chain(&mut self.by_score);
        sums.zip(other.by_pieces.iter().chain(&other.by_score)).for_each(|(sum, part)| *sum += part);
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { games, chess960, bytes, plies, longest, white_wins, draws, kept, .. } = *self;
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let per_game = |count: u64| count as f64 / games.max(1) as f64;
        writeln!(f, "games       {games} ({chess960} of Chess960), encoding verified")?;
        let [white, drawn, black] =
            [white_wins, draws, games - white_wins - draws].map(|part| percent(part, games));
        writeln!(f, "results     White wins {white:.1} %, draws {drawn:.1} %, Black wins {black:.1} %")?;
        let (length, size) = (per_game(plies), bytes as f64 / plies.max(1) as f64);
        writeln!(f, "plies       {plies}, {length:.1} per game, {longest} at most, {size:.2} bytes per ply")?;
        let (share, rate) = (percent(kept, plies), per_game(kept));
        writeln!(f, "kept        {kept} positions, {share:.1} % of the plies, {rate:.1} per game")?;
        let distinct = self.keys.len() as u64;
        let doubles = percent(kept - distinct, kept);
        writeln!(f, "distinct    {distinct}, {doubles:.2} % of the kept are duplicates")?;
        let shares = |counts: &[u64], label: &dyn Fn(usize) -> String| -> Result<String, fmt::Error> {
            let mut line = String::new();
            for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                write!(line, "  {}: {:.1} %", label(at), percent(count, self.kept))?;
            }
            Ok(line)
        };
        let pieces = shares(&self.by_pieces, &|at| format!("{}-{}", 4 * at, 4 * at + 3))?;
        writeln!(f, "by pieces {pieces}")?;
        let scores = shares(&self.by_score, &|at| match at {
            0 => "below -500".into(),
            11 => "500 and more".into(),
            at => format!("{}", 100 * (at as i32 - 6)),
        })?;
        writeln!(f, "by score  {scores}")
    }
}

/// Returns a game as PGN with scores in pawns from White's view as comments.
fn to_pgn(number: u64, record: &GameRecord) -> String {
    let mut game = game_from(record.start);
    let mut comments = Vec::new();
    for played in &record.moves {
        let turn = game.turn();
        // The last move of an adjudicated game was searched but not played; it is included.
        let Some(mv) = engine::from_search(&game, played.mv) else { break };
        if game.play(mv).is_err() {
            break;
        }
        let pawns = |score: i32| format!("{:+.2}", f64::from(turn.fold_wb(score, -score)) / 100.0);
        comments.push(played.score.map(pawns));
    }
    if game.outcome().is_none() {
        game.declare(outcome(&game, record.result));
    }
    let mut tags = PgnTags::default();
    tags.set("Event", "Herald's self-play");
    tags.set("Round", number.to_string());
    tags.set("White", "Herald");
    tags.set("Black", "Herald");
    write_pgn(&game, &tags, &comments)
}

fn outcome(game: &Game, result: GameResult) -> Outcome {
    match result {
        GameResult::Win(winner) => Outcome::Win { winner, reason: WinReason::Adjudication },
        GameResult::Draw => Outcome::Draw(game.claim().unwrap_or(DrawReason::Adjudication)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::game;

    #[test]
    fn the_files_share_the_games_that_are_written() {
        for (wanted, files) in [(0, 3), (1, 2), (5, 3), (22, 4), (3, 7)] {
            let inspect = Inspect { games: Vec::new(), pgn: Some(wanted) };
            assert_eq!((0..files).map(|at| inspect.share(at, files)).sum::<usize>(), wanted);
        }
    }

    #[test]
    fn games_are_counted_and_shown() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
        let won = game(GameResult::Win(Color::White), &format!("{shuffle} e2e4:20 d7d5:-5"));
        let drawn = game(GameResult::Draw, &format!("{shuffle} e2e4:-600"));
        let (mut all, mut part) = (Statistics::default(), Statistics::default());
        all.count(&won, 40);
        part.count(&drawn, 38);
        all.add(part);
        let text = all.to_string();
        for line in [
            "games       2 (0 of Chess960), encoding verified",
            "results     White wins 50.0 %, draws 50.0 %, Black wins 0.0 %",
            "plies       35, 17.5 per game, 18 at most, 2.23 bytes per ply",
            "kept        3 positions, 8.6 % of the plies, 1.5 per game",
            "distinct    2, 33.33 % of the kept are duplicates",
            "by pieces   32-35: 100.0 %",
            "by score    below -500: 33.3 %  -100: 33.3 %  0: 33.3 %",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let pgn = to_pgn(7, &won);
        assert!(pgn.contains("[Round \"7\"]") && pgn.contains("9. e4 {+0.20} 9... d5 {+0.05}"), "{pgn}");
        assert!(pgn.trim_end().ends_with("1-0"));
    }
}
