//! Two programs that play against each other at the table.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arena::{Adjudication, GameRecord, GameSetup, Rules, Seat, play};
use game::Game;
use players::{Player, Protocol, Spec};
use shakmaty::ByColor;

use crate::built::{example, start};

/// The program that misbehaves, which cargo has built with the tests.
pub(crate) fn fixture(protocol: Protocol, arguments: &str) -> Spec {
    // Those that hang are not worth waiting for.
    Spec { grace: Duration::from_millis(200), ..example("misbehaving-player", protocol, arguments) }
}

pub(crate) fn seat(protocol: Protocol, control: &str) -> Seat {
    Seat {
        // It is told to the opponent, where the protocol has words for it.
        name: "The \"Opponent\"\nquit".to_owned(),
        protocol: Some(protocol),
        control: control.parse().expect("a time control"),
        margin: Duration::from_millis(100),
        ponder: false,
        white_view: false,
    }
}

/// Two programs, for any number of games.
pub(crate) struct Pair {
    pub(crate) players: ByColor<Box<dyn Player>>,
    pub(crate) seats: ByColor<Seat>,
}

impl Pair {
    /// Starts two programs, each with more time than it needs.
    pub(crate) fn start(white: &Spec, black: &Spec) -> Pair {
        let specs = ByColor { white, black };
        Pair { players: specs.map(start), seats: specs.map(|spec| seat(spec.protocol, "60+1")) }
    }

    /// Plays a game, which is drawn after so many moves.
    pub(crate) fn play(&mut self, game: Game, ponder: bool, longest: u32) -> GameRecord {
        let adjudication = Adjudication { longest: NonZeroU32::new(longest), ..Adjudication::default() };
        let setup = GameSetup {
            game,
            seats: self.seats.clone().map(|seat| Seat { ponder, ..seat }),
            rules: Rules { patience: Duration::from_secs(2), adjudication, ..Rules::default() },
        };
        let ByColor { white, black } = &mut self.players;
        play(&setup, ByColor { white: &mut **white, black: &mut **black }, &AtomicBool::new(false))
    }
}
