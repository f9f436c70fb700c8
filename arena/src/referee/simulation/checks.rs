//! What must never happen in the simulation.

use super::*;

impl Simulation {
    pub(super) fn check(&mut self, number: usize, text: &str) {
        let Ok(directive) = text.parse::<Directive>() else { return };
        if let Some(epoch) = directive.epoch {
            let known = *self.told.epochs.entry(epoch).or_insert(number);
            assert_eq!(known, number, "two referees call themselves epoch {epoch}");
        }
        let Some(game) = directive.game.map(std::num::NonZeroU32::get) else { return };
        if let Some((_, result)) =
            directive.tags.iter().find(|(name, value)| name == "Result" && value != "*")
        {
            let known = self.told.results.entry(game).or_insert_with(|| result.clone());
            assert_eq!(known, result, "two results of game {game}");
        }
        if let (Moves::Supplied(mv), Some(fullmoves)) = (&directive.moves, directive.counters.fullmoves) {
            let is_black = text.split(' ').nth(1) == Some("b");
            let ply = 2 * (fullmoves.get() as usize - 1) + usize::from(is_black);
            let known = self.told.moves.entry((game, ply)).or_insert_with(|| mv.text().clone());
            assert_eq!(*known, mv.text(), "two moves of game {game}, ply {ply}");
        }
    }

    /// Nobody is charged for more than it has thought.
    pub(super) fn check_clock(&self, number: usize, game: u64, used: Duration) {
        let node = &self.nodes[number];
        let mover = node.referee.event.live_games.get(&game).map(|live| live.program(!live.to_move()));
        if let Some(mover) = mover {
            let most = self.thought[mover].mul_f64(1.05) + SLACK;
            assert!(used <= most, "{used:?} charged for {:?}", self.thought[mover]);
        }
    }

    /// All that was told is part of the event in the end, at each referee that knows the end.
    pub(super) fn check_end(&self) {
        let at = self.late();
        let knowing: Vec<&Node> = self.nodes.iter().filter(|node| node.is_done || node.is_over(at)).collect();
        assert!(!knowing.is_empty(), "the event is over");
        for node in knowing {
            self.check_told(node);
        }
    }

    pub(super) fn check_told(&self, node: &Node) {
        let mut moves: HashMap<u32, Vec<&str>> = HashMap::new();
        let mut results: HashMap<u32, String> = HashMap::new();
        for fact in &node.referee.store.facts {
            match fact {
                Fact::Moved { game, mv, .. } => moves.entry(*game as u32 + 1).or_default().push(mv),
                Fact::Ended { game, outcome, .. } => {
                    let outcome: Outcome = outcome.0;
                    let before = results.insert(*game as u32 + 1, outcome.result().to_owned());
                    assert!(before.is_none(), "game {} has ended twice", game + 1);
                }
                _ => {}
            }
        }
        for (&(game, ply), san) in &self.told.moves {
            let coordinates = moves.get(&game).and_then(|moves| moves.get(ply)).copied();
            let mut board = game::Game::default();
            board.play_line(moves.get(&game).into_iter().flatten().take(ply)).expect("legal");
            let told = board.parse_move(san).expect("a told move is legal");
            assert_eq!(coordinates, Some(&*board.coordinate(told)), "a told move of game {game} is lost");
        }
        for (game, result) in &self.told.results {
            assert_eq!(results.get(game), Some(result), "a told result is lost");
        }
    }
}
