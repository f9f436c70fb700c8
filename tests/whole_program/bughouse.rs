//! Bughouse: two Heralds are partners on two boards against two players that play random moves.

use game::{Color, Game, Move};
use shakmaty::{ByRole, Position as _, Role};

use super::support::Program;

/// Herald's colour on each board.
const OWN: [Color; 2] = [Color::White, Color::Black];

struct Table {
    games: [Game; 2],
    heralds: [Program; 2],
    drops: usize,
    plies: usize,
}

impl Table {
    fn new() -> Table {
        let herald = |name: &str| {
            let mut herald = Program::start(&["xboard"]);
            herald.say(&format!("xboard\nprotover 2\nnew\nvariant bughouse\npartner {name}\nsd 3"));
            herald
        };
        let mut heralds = [herald("second"), herald("first")];
        heralds[0].say("go");
        Table { games: [Game::bughouse(), Game::bughouse()], heralds, drops: 0, plies: 0 }
    }

    /// Plays a move on one board, unless its player has to wait for a piece.
    fn step(&mut self, board: usize, dice: &mut fastrand::Rng) {
        let game = &self.games[board];
        let legal = game.legal_moves();
        if legal.is_empty() {
            return;
        }
        let is_own = game.turn() == OWN[board];
        let mv = if is_own {
            let said = self.heralds[board].hear("move ");
            game.parse_move(&said["move ".len()..]).unwrap_or_else(|error| panic!("{said}: {error}"))
        } else {
            legal[dice.usize(..legal.len())]
        };
        self.drops += usize::from(is_own && mv.is_put());
        self.plies += 1;
        let text = game.coordinate(mv);
        self.hand_over(board, mv);
        self.games[board].play(mv).expect("legal");
        if !is_own {
            self.heralds[board].say(&text);
        }
    }

    /// Adds a captured piece to the partner's pocket on the other board.
    fn hand_over(&mut self, board: usize, mv: Move) {
        let Some(captured) = mv.capture() else { return };
        let here = &self.games[board];
        let role = if here.position().promoted().contains(mv.to()) { Role::Pawn } else { captured };
        let color = !here.turn();
        let there = &mut self.games[1 - board];
        let mut hands = there.position().pockets().copied().unwrap_or_default();
        *hands.get_mut(color).get_mut(role) += 1;
        there.set_pockets(hands).expect("room enough");
        let letters = |hand: ByRole<u8>| {
            let letters = hand.zip_role().into_iter();
            letters
                .map(|(role, count)| role.upper_char().to_string().repeat(count.into()))
                .collect::<String>()
        };
        let (white, black) = (letters(hands.white), letters(hands.black));
        let gained = format!("{}{}", color.fold_wb('W', 'B'), role.upper_char());
        self.heralds[1 - board].say(&format!("holding [{white}] [{black}] {gained}"));
    }
}

#[test]
fn two_partners_beat_two_who_move_at_random() {
    let mut table = Table::new();
    let mut dice = fastrand::Rng::with_seed(1);
    let winner = loop {
        for board in [0, 1] {
            table.step(board, &mut dice);
        }
        let ends = table.games.iter().zip(OWN).find_map(|(game, own)| Some((game.outcome()?.winner()?, own)));
        if let Some((winner, own)) = ends {
            break winner == own;
        }
        assert!(table.plies < 600, "{} {}", table.games[0].fen(), table.games[1].fen());
    };
    assert!(winner && table.drops > 0, "{} drops in {} plies", table.drops, table.plies);
}
