//! Decides when to resign, and when to offer or accept a draw.
//!
//! A draw is accepted
//! - at once by a side that is lost;
//! - after two moves by a side that is worse;
//! - after three moves by a side that stands no better than a draw, in a game that has been played: each side has made
//!   [`NumberSetting::DrawMove`] moves, or few men are left.
//!
//! What a draw is worth depends on contempt and on the opponent's rating. Only scores of a deep enough search count, but for the lost.

use engine::{Decision, NumberSetting, Settings, SwitchSetting};
use game::Game;
use shakmaty::Position as _;

/// State kept from one move of the engine to the next.
#[derive(Debug, Default)]
pub(crate) struct Agreements {
    /// Whether the opponent has offered a draw since the engine's last move.
    pub(crate) draw_offered: bool,
    /// Elo points by which the engine is rated above the opponent; 0 if unknown.
    pub(crate) rating_lead: i64,
    /// Whether the engine's latest score is that of a lost position.
    is_lost: bool,
    /// Number of the engine's latest consecutive moves with a score at or below the resign score.
    hopeless: u32,
    /// As `hopeless`, with a score within the draw score.
    even: u32,
    /// As `hopeless`, with a score of at most the draw score.
    content: u32,
    /// As `hopeless`, with a score that is [`WORSE`] than that.
    worse: u32,
}

/// Consecutive moves with a hopeless score before the engine resigns.
const HOPELESS_MOVES: u32 = 3;
/// Consecutive moves with an even score before a draw is offered, and before it is offered again.
const EVEN_MOVES: u32 = 5;
/// Number of men of an ending in which a draw is agreed at any move.
const FEW_MEN: usize = 10;
/// Consecutive moves with a score of at most the draw score before a draw is accepted.
const CONTENT_MOVES: u32 = 3;
/// Consecutive moves with a worse score before a draw is accepted.
const WORSE_MOVES: u32 = 2;
/// Centipawns below the draw score of a side that is worse.
const WORSE: i64 = 100;
/// Centipawns below the draw score of a side that is lost.
const LOST: i64 = 300;
/// Plies from which on a search is trusted, unless it was to be shallower.
const SOUND_DEPTH: u32 = 8;
/// Difference of the ratings, in Elo, that doesn't matter for a draw.
const SIMILAR: i64 = 100;
/// Elo points beyond that for which a draw is worth a centipawn less.
const ELO_PER_CENTIPAWN: i64 = 8;
/// Most centipawns for the ratings.
const MOST_FOR_RATINGS: i64 = 200;

impl Agreements {
    /// Forgets the moves so far: another position, or the end of a game. The opponent is the same.
    pub(crate) fn forget_moves(&mut self) {
        *self = Agreements { rating_lead: self.rating_lead, ..Agreements::default() };
    }

    /// Records the engine's decision in a position in which it is to move. `depth_limit` is the depth of the deepest search that was
    /// allowed.
    pub(crate) fn note(&mut self, decision: &Decision, depth_limit: Option<u32>, settings: &Settings) {
        let (value, resign) = (decision.score.value(), settings.get(NumberSetting::ResignScore));
        let is_hopeless = resign > 0 && value <= -resign;
        self.hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
        let draw = self.draw_score(settings);
        // Who is content with less than an even position is not lost in it.
        let none_better = draw.min(0);
        self.is_lost = value <= none_better - LOST;
        // A search of limited strength is as deep as it may be.
        let wanted =
            if settings.is_on(SwitchSetting::LimitStrength) { 1 } else { depth_limit.unwrap_or(SOUND_DEPTH) };
        if decision.depth < wanted.min(SOUND_DEPTH) {
            return;
        }
        let count = |moves: u32, is_so: bool| if is_so { moves + 1 } else { 0 };
        let is_near = value.abs() <= settings.get(NumberSetting::DrawScore);
        self.even = count(self.even, is_near && value <= draw);
        self.content = count(self.content, value <= draw);
        self.worse = count(self.worse, value <= none_better - WORSE);
    }

    /// Returns the highest score at which the engine agrees to a draw.
    fn draw_score(&self, settings: &Settings) -> i64 {
        let beyond = (self.rating_lead.abs() - SIMILAR).max(0) / ELO_PER_CENTIPAWN;
        let for_ratings = self.rating_lead.signum() * beyond.min(MOST_FOR_RATINGS);
        settings.get(NumberSetting::DrawScore) - settings.get(NumberSetting::Contempt) - for_ratings
    }

    /// Returns whether the engine accepts an offered draw in a position in which it is to move and whose decision was noted.
    pub(crate) fn takes_a_draw(&self, game: &Game, settings: &Settings) -> bool {
        self.is_lost
            || self.worse >= WORSE_MOVES
            || self.content >= CONTENT_MOVES && has_been_played(game, settings)
    }

    /// Returns whether the engine resigns. It does not while a draw is offered, which it accepts instead.
    pub(crate) fn is_time_to_resign(&self, settings: &Settings) -> bool {
        settings.get(NumberSetting::ResignScore) > 0 && self.hopeless >= HOPELESS_MOVES && !self.draw_offered
    }

    /// Returns whether the engine offers a draw with its move in `game`.
    pub(crate) fn is_time_to_offer(&mut self, game: &Game, settings: &Settings) -> bool {
        let is_time = settings.is_on(SwitchSetting::OfferDraws)
            && self.even >= EVEN_MOVES
            && has_been_played(game, settings);
        if is_time {
            self.even = 0;
        }
        is_time
    }
}

/// Returns whether enough of the game has been played to agree to a draw in an even position.
fn has_been_played(game: &Game, settings: &Settings) -> bool {
    let moves = settings.get(NumberSetting::DrawMove) as usize; // not negative
    game.ply() >= 2 * moves || game.position().board().occupied().count() <= FEW_MEN
}

/// Returns whether the score is no better than a draw, so that a draw by the rules is claimed.
pub(crate) fn is_content_with_a_draw(score: game::Score, settings: &Settings) -> bool {
    score.value() <= (-settings.get(NumberSetting::Contempt)).max(0)
}

#[cfg(test)]
mod tests {
    use game::{CastlingMode, Score};

    use super::*;

    fn settings(resign: i64, draw: i64, offers: bool) -> Settings {
        let mut settings = Settings::default();
        settings.set(NumberSetting::ResignScore, resign).unwrap();
        settings.set(NumberSetting::DrawScore, draw).unwrap();
        settings.switch(SwitchSetting::OfferDraws, offers);
        settings
    }

    fn note_score(agreements: &mut Agreements, score: Score, settings: &Settings) {
        let decision = Decision { best: None, ponder: None, score, depth: SOUND_DEPTH };
        agreements.note(&decision, None, settings);
    }

    fn note(agreements: &mut Agreements, values: &[i32], settings: &Settings) {
        for &value in values {
            note_score(agreements, Score::Centipawns(value), settings);
        }
    }

    /// A game of so many moves of each side.
    fn game_of(moves: usize) -> Game {
        let mut game = Game::default();
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        game.play_line(shuffle.iter().cycle().take(2 * moves)).unwrap();
        game
    }

    fn takes(game: &Game, values: &[i32], rating_lead: i64, settings: &Settings) -> bool {
        let mut agreements = Agreements { rating_lead, ..Agreements::default() };
        note(&mut agreements, values, settings);
        agreements.takes_a_draw(game, settings)
    }

    #[test]
    fn three_bad_moves_in_a_row_are_enough() {
        let settings = settings(500, 0, false);
        let mut agreements = Agreements::default();
        let mut resigns_after = |values: &[i32]| {
            note(&mut agreements, values, &settings);
            agreements.is_time_to_resign(&settings)
        };
        assert!(!resigns_after(&[-600, -600]));
        assert!(!resigns_after(&[-400, -500, -31_990]));
        assert!(resigns_after(&[-500]));
        agreements.draw_offered = true;
        assert!(!agreements.is_time_to_resign(&settings));
    }

    #[test]
    fn it_never_resigns_unless_it_is_told_to() {
        let settings = Settings::default();
        let mut agreements = Agreements::default();
        (0..9).for_each(|_| note_score(&mut agreements, Score::MatedIn(1), &settings));
        assert!(!agreements.is_time_to_resign(&settings));
    }

    #[test]
    fn an_even_draw_is_accepted_late_a_better_one_soon_and_a_gift_at_once() {
        let settings = settings(0, 0, false);
        let [early, late] = [2, 30].map(game_of);
        let taken = |game: &Game, values: &[i32]| takes(game, values, 0, &settings);
        assert!(!taken(&early, &[-20, -20, -20, -20]), "the game has just begun");
        assert!(!taken(&early, &[-150]) && taken(&early, &[-150, -110]) && !taken(&early, &[-150, -50]));
        assert!(taken(&early, &[-350]));
        assert!(taken(&late, &[0, -5, 0]) && !taken(&late, &[5, -5, 0]) && !taken(&late, &[0, 0, 1]));
        assert!(!taken(&late, &[200; 9]), "who wins plays on");
        let ending = |number: u32| {
            let fen = format!("4k3/8/8/8/8/8/P7/4K3 b - - 0 {number}");
            Game::from_fen(&fen, CastlingMode::Standard).unwrap()
        };
        assert!(taken(&ending(1), &[0, 0, 0]) && !taken(&ending(1), &[0, 0]));
        let set_up = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 80";
        let set_up = Game::from_fen(set_up, CastlingMode::Standard).unwrap();
        assert!(!taken(&set_up, &[0; 9]), "the number of the move is not that of the moves played");
    }

    #[test]
    fn the_ratings_and_contempt_say_what_a_draw_is_worth() {
        let mut settings = settings(0, 0, false);
        let late = game_of(60);
        for (lead, taken_at) in [(0, 0), (100, 0), (180, -10), (1600, -187), (4000, -200), (-900, 100)] {
            assert!(takes(&late, &[taken_at; 3], lead, &settings), "{lead} at {taken_at}");
            assert!(!takes(&late, &[taken_at + 1; 3], lead, &settings), "{lead} at {taken_at} + 1");
        }
        settings.set(NumberSetting::Contempt, 40).unwrap();
        assert!(takes(&late, &[-40; 3], 0, &settings) && !takes(&late, &[-39; 3], 0, &settings));
    }

    #[test]
    fn a_shallow_search_and_the_book_decide_nothing() {
        let mut settings = settings(0, 0, false);
        let taken = |depth, limit, settings: &Settings| {
            let score = Score::Centipawns(-150);
            let decision = Decision { best: None, ponder: None, score, depth };
            let mut agreements = Agreements::default();
            (0..3).for_each(|_| agreements.note(&decision, limit, settings));
            agreements.takes_a_draw(&game_of(60), settings)
        };
        assert!(taken(SOUND_DEPTH, None, &settings) && !taken(SOUND_DEPTH - 1, None, &settings));
        assert!(taken(2, Some(2), &settings) && !taken(2, Some(20), &settings));
        settings.switch(SwitchSetting::LimitStrength, true);
        assert!(taken(3, None, &settings) && !taken(0, None, &settings));
    }

    #[test]
    fn draws_are_offered_late_and_not_again_and_again() {
        let settings = settings(0, 10, true);
        let mut agreements = Agreements::default();
        let mut offers = Vec::new();
        for number in 20..45 {
            note(&mut agreements, &[if number == 37 { 11 } else { -10 }], &settings);
            if agreements.is_time_to_offer(&game_of(number), &settings) {
                offers.push(number);
            }
        }
        assert_eq!(offers, [30, 35, 42]);
        let mut silent = Agreements { even: 100, ..Agreements::default() };
        assert!(!silent.is_time_to_offer(&game_of(60), &Settings::default()));
        let mut stronger = Agreements { rating_lead: 800, ..Agreements::default() };
        note(&mut stronger, &[0; 9], &settings);
        assert!(!stronger.is_time_to_offer(&game_of(60), &settings));
    }
}
