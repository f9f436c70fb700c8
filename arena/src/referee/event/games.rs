//! The life of a game in an event: start, moves, end.

use std::time::{Instant, SystemTime};

use game::{Color, DrawReason, Outcome, WinReason};
use messages::epd::Position;
use messages::referee::{ClientReply, Directive};

use super::{ConnectionId, EventState, FLAG_DELAY, Timer};
use crate::referee::fact::Fact;
use crate::referee::live_game::Judgement;
use crate::referee::view::unix_millis;
use crate::schedule::Fixture;
use crate::table::NO_MOVE;

impl EventState {
    /// Begins all games that can begin. Returns at once unless something has changed since the last call.
    pub(in crate::referee) fn begin_games(&mut self, at: Instant) {
        while std::mem::take(&mut self.may_begin) {
            self.look_for_games(at);
            self.ask_for_round();
        }
    }

    /// Tells the director once that the next round waits for an order.
    fn ask_for_round(&mut self) {
        let is_idle = self.live_games.is_empty() && !self.queue.iter().any(|fixture| self.is_open(fixture));
        let Some(round) = self.coming_round().filter(|round| is_idle && self.asked_round != *round) else {
            return;
        };
        self.asked_round = round;
        self.tell(true, format!("round {round} waits for `next`"));
    }

    /// The next round, if it waits for the director.
    pub(in crate::referee) fn coming_round(&self) -> Option<u32> {
        let left_out = self.left_out.iter().filter(|_| !self.schedule.is_fixed());
        let rounds = self.queue.iter().chain(left_out).map(|fixture| fixture.round);
        rounds.filter(|round| self.settings.rounds_by_hand && *round > self.open_round).min()
    }

    fn look_for_games(&mut self, at: Instant) {
        self.decide_left_out(at);
        let mut free = self.programs.iter().filter(|program| program.is_free(at)).count();
        let mut place = 0;
        while free >= 2 && place < self.queue.len() {
            let fixture = self.queue[place];
            let is_free = |program: usize| self.programs[program].is_free(at);
            let has_room = !self.is_local(&fixture) || self.has_room_for_local();
            if has_room && self.is_open(&fixture) && is_free(fixture.white) && is_free(fixture.black) {
                if !self.begin(fixture, at) {
                    return;
                }
                free -= 2;
            } else {
                place += 1;
            }
        }
    }

    /// Ends the games of withdrawn programs in a schedule whose rounds rest on results.
    fn decide_left_out(&mut self, at: Instant) {
        if self.schedule.is_fixed() {
            return;
        }
        let open = |event: &EventState| event.left_out.iter().find(|game| event.is_open(game)).copied();
        while let Some(fixture) = open(self) {
            let gone = |program: usize| self.programs[program].is_withdrawn;
            let (outcome, detail) = match (gone(fixture.white), gone(fixture.black)) {
                (true, true) => (Outcome::Draw(DrawReason::Adjudication), "both programs have withdrawn"),
                (is_white_gone, _) => {
                    let winner = Color::from_white(!is_white_gone);
                    (Outcome::Win { winner, reason: WinReason::Abandoned }, "withdrawn")
                }
            };
            if !self.begin_silently(fixture) {
                return;
            }
            self.end(fixture.number, outcome, detail.to_owned(), at);
        }
    }

    /// Whether a program that this machine runs plays.
    fn is_local(&self, fixture: &Fixture) -> bool {
        [fixture.white, fixture.black].iter().any(|&program| self.settings.programs[program].is_local)
    }

    fn has_room_for_local(&self) -> bool {
        let playing = || self.live_games.values().filter(|live| self.is_local(&live.fixture)).count();
        self.settings.local_games.is_none_or(|most| playing() < most)
    }

    pub(super) fn is_open(&self, fixture: &Fixture) -> bool {
        let by_round = !self.settings.rounds_by_hand || fixture.round <= self.open_round;
        by_round || self.released.contains(&fixture.number)
    }

    /// Begins a game; `false` if it cannot be played.
    pub(super) fn begin(&mut self, fixture: Fixture, at: Instant) -> bool {
        let begins = self.begin_silently(fixture);
        if begins {
            self.tell(false, format!("{} begins", self.title(&fixture)));
            self.present(fixture.number, at);
        }
        begins
    }

    /// Begins a game without telling the programs.
    pub(in crate::referee) fn begin_silently(&mut self, fixture: Fixture) -> bool {
        let Fixture { number, round, white, black, opening } = fixture;
        let game = match self.openings.get(opening) {
            Ok(game) => game,
            Err(error) => {
                self.tell(true, format!("game {} cannot begin: {error}", number + 1));
                return false;
            }
        };
        let mut coordinates = Vec::with_capacity(game.ply());
        coordinates.extend(game.moves().iter().map(|&mv| game.coordinate(mv)));
        self.record(Fact::Began {
            game: number,
            round,
            white,
            black,
            opening,
            start: game.start_fen(),
            moves: coordinates,
            at: unix_millis(SystemTime::now()),
        });
        true
    }

    /// Presents a restarted game to both programs.
    pub(in crate::referee) fn present_anew(&mut self, game: u64, at: Instant) {
        if let Some(live) = self.live_games.get_mut(&game) {
            live.asks_anew = Some("the game is played on from here, by the director's word");
        }
        for color in Color::ALL {
            let program = self.live_games[&game].program(color);
            self.programs[program].is_fresh = false;
            self.programs[program].mailbox.clear();
        }
        self.present(game, at);
    }

    /// Presents a new game to both programs.
    pub(super) fn present(&mut self, game: u64, at: Instant) {
        for color in Color::ALL {
            let live = &self.live_games[&game];
            let program = live.program(color);
            let mut records = vec![live.inform(&self.settings.tags(), "*")];
            records.extend(live.history(true));
            if !self.programs[program].is_fresh {
                records.insert(0, live.reset());
            }
            self.programs[program].is_fresh = false;
            self.send(program, records, None, at);
        }
        match self.live_games[&game].judge_board() {
            Some((outcome, detail)) => self.end(game, outcome, detail, at),
            None => self.ask(game, at),
        }
    }

    /// Asks the side to move for its move, unless the game is paused.
    pub(in crate::referee) fn ask(&mut self, game: u64, at: Instant) {
        let live = &self.live_games[&game];
        if live.paused {
            return;
        }
        let (program, respond) = (live.program(live.to_move()), live.respond(at));
        self.send(program, [respond], Some(game), at);
    }

    pub(super) fn reply(
        &mut self,
        connection: ConnectionId,
        program: usize,
        position: &Position,
        reply: &ClientReply,
        at: Instant,
    ) {
        let playing = self.programs[program].game.and_then(|game| self.live_games.get_mut(&game));
        let is_here = playing.as_ref().is_some_and(|live| live.is_at(position));
        let is_late = self.programs[program].is_late(position, is_here);
        let Some(live) = playing.filter(|_| !is_late) else {
            // The reply crossed the end of the game on its way.
            self.tell(false, format!("{} replied too late", self.name(program)));
            return self.strain(connection, at);
        };
        let (game, color) = (live.fixture.number, live.color_of(program));
        match live.hear(color, position, reply, at, self.settings.penalty) {
            Judgement::OutOfTurn => self.refuse(connection, "it is not the turn of this client", at),
            Judgement::AskAgain(why, facts) => {
                live.was_asked_again = true;
                for fact in facts {
                    self.record(fact);
                }
                self.ask_again(program, &why, at);
                self.watch_flag(game);
            }
            Judgement::Happened(facts) => {
                live.asked = false;
                if let Some(peer) = self.peers.get_mut(&connection) {
                    peer.refusals = 0;
                }
                for fact in facts {
                    self.happen(game, fact, at);
                }
                if let Some(live) = self.live_games.get(&game).filter(|live| !live.asked) {
                    match live.judge_board() {
                        Some((outcome, detail)) => self.end(game, outcome, detail, at),
                        None => self.ask(game, at),
                    }
                }
            }
        }
    }

    /// Sends a program the history of its game again, and the call for its move if it has been called. Its clock keeps
    /// running.
    pub(super) fn ask_again(&mut self, program: usize, why: &str, at: Instant) {
        let live = self.programs[program].game.and_then(|game| self.live_games.get(&game));
        let Some(live) = live.filter(|live| live.asked && live.program(live.to_move()) == program) else {
            return;
        };
        let respond = live.respond(at);
        let mut records = live.history(false);
        records.push(Directive { reason: Some(why.to_owned()), ..respond });
        self.send(program, records, None, at);
    }

    /// Repeats everything that a program on a serial line must know about its game, after it reported a record that it
    /// did not understand. The number of repetitions is limited, because the program itself may be faulty.
    pub(super) fn tell_again(&mut self, program: usize, at: Instant) {
        let playing = self.programs[program].game.and_then(|game| self.live_games.get_mut(&game));
        let Some(live) = playing else { return };
        if !live.may_repair() {
            return;
        }
        let is_to_move = live.program(live.to_move()) == program;
        let mut records = vec![live.inform(&self.settings.tags(), "*")];
        if !(is_to_move && live.asked) {
            records.extend(live.history(!is_to_move));
        }
        self.send(program, records, None, at);
        self.ask_again(program, "the last record did not arrive as it was sent", at);
    }

    pub(super) fn happen(&mut self, game: u64, fact: Fact, at: Instant) {
        match fact {
            Fact::Ended { outcome, detail, .. } => self.end(game, outcome.0, detail, at),
            fact => self.record(fact),
        }
    }

    pub(in crate::referee) fn watch_flag(&mut self, game: u64) {
        if let Some(falls) = self.live_games.get(&game).and_then(|live| live.clock.flag_falls()) {
            self.timers.insert((falls + FLAG_DELAY, Timer::Flag(game)));
        }
    }

    pub(super) fn look_at_flag(&mut self, game: u64, at: Instant) {
        let Some(live) = self.live_games.get(&game) else { return };
        // The timer may belong to an earlier turn, or the clock may have received more time; then another timer is set.
        if let Some((outcome, _)) = live.check_time(at) {
            self.end(game, outcome, NO_MOVE.to_owned(), at);
        }
    }

    /// Notes that a game is taken from a thinking program. Clients that cannot interrupt their search will still reply.
    pub(in crate::referee) fn expect_late_reply(&mut self, game: u64) {
        let Some(live) = self.live_games.get(&game).filter(|live| live.asked) else { return };
        self.programs[live.program(live.to_move())].owed.extend(live.record.game.chess().cloned());
    }

    /// Ends a game and tells both programs.
    pub(in crate::referee) fn end(&mut self, game: u64, outcome: Outcome, detail: String, at: Instant) {
        let Some(live) = self.live_games.get(&game) else { return };
        let ended = live.ended(outcome, detail);
        let records = [live.inform_result(outcome.result()), live.conclude(at)];
        let programs = Color::ALL.map(|color| live.program(color));
        self.expect_late_reply(game);
        self.record(ended);
        for program in programs {
            self.programs[program].mailbox.retain(|(_, starts)| starts.is_none());
            self.send(program, records.clone(), None, at);
        }
    }
}
