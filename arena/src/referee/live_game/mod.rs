//! A game between two clients: its board, its clock, and the judgement of replies. Nothing here is stored or sent.

mod directives;

use std::time::{Duration, Instant, SystemTime};

use game::{CastlingMode, Clock, Color, DrawReason, Game, Outcome, WinReason};
use messages::epd::{EpdMove, Evaluation, Position};
use messages::referee::{ClientReply, Counters, Remark, Response};
use players::Thinking;
use shakmaty::ByColor;

use super::fact::{Fact, MoveWords, Side};
use crate::schedule::Fixture;
use crate::table::{Adjudicator, GameRecord, MoveRecord, Rules, Seat, check_flag};

/// A game in play.
pub(super) struct LiveGame {
    pub(super) fixture: Fixture,
    pub(super) record: GameRecord,
    rules: Rules,
    pub(super) clock: Clock,
    /// Whether the side to move has been asked for its move.
    pub(super) asked: bool,
    /// Number of repetitions after a transmission error in this turn.
    repairs: u32,
    /// Whether the director has paused the game.
    pub(super) paused: bool,
    last: Option<LastMove>,
    /// Whether the side to move has been asked a second time because its first reply was no answer.
    pub(super) was_asked_again: bool,
    /// Why the next question has to be answered anew, even if it was answered before.
    pub(super) asks_anew: Option<&'static str>,
    adjudicator: Adjudicator,
    adjudicated: Option<(Outcome, &'static str)>,
    /// The fact of the game's beginning.
    began: Fact,
}

/// Number of transmission errors in a turn that are attributed to noise.
const MOST_REPAIRS: u32 = 16;

/// The last move, as it is sent to the opponent.
struct LastMove {
    position: Position,
    counters: Counters,
    mv: EpdMove<'static>,
    offers_draw: bool,
    rejects_draw: bool,
}

/// The judgement of a reply.
#[derive(Debug, PartialEq)]
pub(super) enum Judgement {
    /// The reply was not asked for.
    OutOfTurn,
    /// The reply is no answer, and the program is asked again. Carries the reason and the facts to be recorded.
    AskAgain(String, Vec<Fact>),
    /// The reply is accepted or ends the game. Carries the facts to be recorded.
    Happened(Vec<Fact>),
}

/// Construction.
impl LiveGame {
    /// Makes a game from the fact of its beginning; `None` if the fact is of another kind or describes an impossible
    /// game.
    pub(super) fn begin(began: &Fact, seats: ByColor<Seat>, rules: &Rules) -> Option<LiveGame> {
        let Fact::Began { start, moves, at, .. } = began else { return None };
        let mut game = Game::from_fen(start, CastlingMode::Standard).ok()?;
        game.play_line(moves).ok()?;
        let record = GameRecord::new(game, seats, SystemTime::UNIX_EPOCH + Duration::from_millis(*at));
        Some(LiveGame {
            fixture: began.fixture()?,
            clock: record.clock(),
            record,
            rules: rules.clone(),
            asked: false,
            repairs: 0,
            paused: false,
            last: None,
            was_asked_again: false,
            asks_anew: None,
            adjudicator: Adjudicator::default(),
            adjudicated: None,
            began: began.clone(),
        })
    }

    /// Makes the same game in its state before the first move. If it is paused it stays so.
    pub(super) fn anew(&self) -> Option<LiveGame> {
        let anew = LiveGame::begin(&self.began, self.record.seats.clone(), &self.rules)?;
        Some(LiveGame { paused: self.paused, ..anew })
    }

    /// Returns the program that plays a side.
    pub(super) fn program(&self, color: Color) -> usize {
        color.fold_wb(self.fixture.white, self.fixture.black)
    }

    pub(super) fn color_of(&self, program: usize) -> Color {
        Color::from_white(program == self.fixture.white)
    }

    pub(super) fn to_move(&self) -> Color {
        self.record.game.turn()
    }
}

/// The clock.
impl LiveGame {
    /// Notes that the side to move has been told its turn, and starts its clock.
    pub(super) fn told(&mut self, at: Instant) {
        self.asked = true;
        self.run(at);
    }

    /// Stops the clock of a game that is to be paused.
    pub(super) fn stop_clock(&mut self, at: Instant) {
        self.clock.suspend(at);
    }

    /// Starts the clock of the side to move, unless the game is paused.
    pub(super) fn run(&mut self, at: Instant) {
        if !self.asked || self.paused {
            return;
        }
        if self.clock.turn().is_none() {
            self.clock.start_turn(self.to_move(), at);
        }
        self.clock.resume(at);
    }

    /// Returns the outcome if the flag of the side to move has fallen by now.
    pub(super) fn check_time(&self, at: Instant) -> Option<(Outcome, String)> {
        check_flag(&self.record.game, &self.clock, at)
    }
}

/// Replies and facts.
impl LiveGame {
    /// Whether the position is the current one of the game.
    pub(super) fn is_at(&self, position: &Position) -> bool {
        position.legal().is_ok_and(|(chess, _)| self.record.game.chess() == Some(&chess))
    }

    /// Judges a reply that arrived at the given moment.
    pub(super) fn hear(
        &self,
        color: Color,
        position: &Position,
        reply: &ClientReply,
        at: Instant,
        penalty: Duration,
    ) -> Judgement {
        if color != self.to_move() || !self.asked {
            return Judgement::OutOfTurn;
        }
        if let Some((outcome, detail)) = self.check_time(at) {
            return Judgement::Happened(vec![self.ended(outcome, detail)]);
        }
        if !self.is_at(position) {
            return self.no_answer(color, "the position of the reply is not that of the game");
        }
        match &reply.answer {
            Response::Resign => self.lose(color, WinReason::Resignation, ""),
            Response::AcceptDraw if self.last.as_ref().is_some_and(|last| last.offers_draw) => {
                self.draw(DrawReason::Agreement, "")
            }
            Response::AcceptDraw => self.no_answer(color, "no draw was offered"),
            Response::ClaimDraw => {
                if let Some(reason) = self.record.game.claim() {
                    return self.draw(reason, "claimed");
                }
                let mut judgement = self.no_answer(color, "the draw claim is false");
                if let Judgement::AskAgain(_, facts) = &mut judgement {
                    facts.extend(self.false_claim(color, penalty));
                }
                judgement
            }
            Response::NoMove => self.no_answer(color, "no move, though there are legal ones"),
            Response::Move { mv, remark, rejects_draw } => {
                let Some(legal) = mv.legal() else {
                    let text = game::excerpt(&mv.text());
                    return self.lose(color, WinReason::IllegalMove, &format!("illegal move {text}"));
                };
                let words = words(*remark == Remark::OfferDraw, *rejects_draw, &reply.analysis);
                let moved = Fact::Moved {
                    game: self.fixture.number,
                    mv: self.record.game.coordinate(legal),
                    used: u64::try_from(self.clock.used_in_turn(at).as_nanos()).unwrap_or(u64::MAX),
                    words,
                };
                let mut facts = vec![moved];
                if *remark == Remark::ClaimDraw {
                    match self.record.game.claim().or_else(|| self.record.game.claim_after(legal)) {
                        Some(reason) => {
                            facts.push(self.ended(Outcome::Draw(reason), "claimed with the move".to_owned()));
                        }
                        // A move with a claim has to be played, whether or not the claim is right (FIDE Laws 9.5.3).
                        None => facts.extend(self.false_claim(color, penalty)),
                    }
                }
                Judgement::Happened(facts)
            }
        }
    }

    /// Judges a reply that is no answer: it is forgiven once in a turn.
    fn no_answer(&self, color: Color, why: &str) -> Judgement {
        if self.was_asked_again {
            return self.lose(color, WinReason::RulesInfraction, why);
        }
        Judgement::AskAgain(why.to_owned(), vec![self.noted(color, why)])
    }

    fn false_claim(&self, color: Color, penalty: Duration) -> Vec<Fact> {
        let noted = self.noted(color, "claims a draw falsely");
        let nanos = u64::try_from(penalty.as_nanos()).unwrap_or(u64::MAX);
        let added = Fact::TimeAdded { game: self.fixture.number, side: Side::from(!color), nanos };
        if nanos == 0 { vec![noted] } else { vec![noted, added] }
    }

    pub(super) fn noted(&self, color: Color, text: &str) -> Fact {
        Fact::Noted { game: self.fixture.number, side: Some(color.into()), text: text.to_owned() }
    }

    fn lose(&self, loser: Color, reason: WinReason, detail: &str) -> Judgement {
        let outcome = Outcome::Win { winner: !loser, reason };
        Judgement::Happened(vec![self.ended(outcome, detail.to_owned())])
    }

    fn draw(&self, reason: DrawReason, detail: &str) -> Judgement {
        Judgement::Happened(vec![self.ended(Outcome::Draw(reason), detail.to_owned())])
    }

    /// Makes the fact of the game's end. The duration is taken from the calendar, because the game may have been played
    /// under several referees.
    pub(super) fn ended(&self, outcome: Outcome, detail: String) -> Fact {
        let millis = SystemTime::now().duration_since(self.record.started).unwrap_or_default().as_millis();
        Fact::ended(self.fixture.number, outcome, detail, u64::try_from(millis).unwrap_or(u64::MAX))
    }

    /// Whether the game may be repeated to a client once more in this turn. Counts the repetition.
    pub(super) fn may_repair(&mut self) -> bool {
        self.repairs += 1;
        self.repairs <= MOST_REPAIRS
    }

    /// Forgets that the side to move was asked, because the client or the referee has reconnected.
    pub(super) fn unask(&mut self, at: Instant) {
        self.clock.suspend(at);
        self.asked = false;
    }

    /// Applies a fact of this game. Fails if it does not fit the game, as in a store that was edited by hand.
    pub(super) fn apply(&mut self, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::Moved { mv, used, words, .. } => self.apply_move(mv, Duration::from_nanos(*used), words),
            Fact::TimeAdded { side, nanos, .. } => {
                self.clock.add_time((*side).into(), Duration::from_nanos(*nanos));
                Ok(())
            }
            Fact::TimeTaken { side, nanos, .. } => {
                self.clock.charge((*side).into(), Duration::from_nanos(*nanos));
                Ok(())
            }
            Fact::Paused { .. } | Fact::Resumed { .. } => {
                self.paused = matches!(fact, Fact::Paused { .. });
                Ok(())
            }
            Fact::Corrected { outcome, detail, .. } => {
                self.record.end(Some(outcome.0), detail.clone(), self.record.lasted);
                Ok(())
            }
            Fact::Ended { outcome, detail, millis, .. } => {
                self.record.end(Some(outcome.0), detail.clone(), Duration::from_millis(*millis));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn apply_move(&mut self, text: &str, used: Duration, words: &MoveWords) -> Result<(), String> {
        let mover = self.to_move();
        let (position, counters) = (Position::of(&self.record.game), Counters::of(&self.record.game));
        let mv = self.record.game.parse_move(text).map_err(|error| error.to_string())?;
        let written = self.record.game.chess().map(|chess| EpdMove::new(chess, mv)).ok_or("no chess")?;
        self.record.game.play(mv).map_err(|error| error.to_string())?;
        let remaining = self.clock.book_turn(mover, used).remaining;
        (self.asked, self.repairs) = (false, 0);
        (self.was_asked_again, self.asks_anew) = (false, None);
        let MoveWords { offers_draw, rejects_draw, .. } = *words;
        self.last = Some(LastMove { position, counters, mv: written, offers_draw, rejects_draw });
        let thinking = thinking(words);
        self.adjudicated =
            self.adjudicator.judge(&self.rules.adjudication, &self.record.game, mover, thinking.score);
        self.record.moves.push(MoveRecord { used, remaining, thinking, overhead: None, lag: None });
        Ok(())
    }

    /// Returns the outcome if the position on the board ends the game.
    pub(super) fn judge_board(&self) -> Option<(Outcome, String)> {
        let by_rule = self.rules.judge(&self.record.game).map(|outcome| (outcome, String::new()));
        by_rule.or_else(|| self.adjudicated.map(|(outcome, ground)| (outcome, ground.to_owned())))
    }
}

fn words(offers_draw: bool, rejects_draw: bool, analysis: &messages::referee::Analysis) -> MoveWords {
    MoveWords {
        offers_draw,
        rejects_draw,
        evaluation: analysis.evaluation.map(Evaluation::value),
        depth: analysis.depth.and_then(|depth| u32::try_from(depth).ok()),
        nodes: analysis.nodes,
        line: analysis.line.iter().map(EpdMove::text).collect::<Vec<_>>().join(" "),
    }
}

fn thinking(words: &MoveWords) -> Thinking {
    let score = words.evaluation.and_then(|value| Evaluation::new(value.into())?.score());
    Thinking {
        depth: words.depth,
        nodes: words.nodes,
        score,
        line: words.line.clone(),
        ..Thinking::default()
    }
}
