//! Compares a session with a small model of Appendix B under random commands.

use std::collections::HashSet;

use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, PositionError, Setup};

use super::{CecpSession, with_session};
use messages::cecp::{EngineMode, Occupation};

/// A step of the GUI. Numbers choose among the possibilities of the moment.
#[derive(Clone, Debug)]
enum Step {
    Line(&'static str),
    Move(usize),
    Exclude(usize),
    Include(usize),
    Position(&'static str),
    Edit(&'static [&'static str]),
}

/// Commands whose meaning does not depend on the position.
const LINES: [&str; 40] = [
    "new",
    "new",
    "variant normal",
    "variant nonsense",
    "force",
    "force",
    "go",
    "go",
    "playother",
    "white",
    "black",
    "result 1-0 {White resigns}",
    "undo",
    "undo",
    "remove",
    "analyze",
    "analyze",
    "exit",
    "easy",
    "hard",
    "hard",
    "pause",
    "resume",
    "random",
    "draw",
    "ping 7",
    "?",
    ".",
    "hint",
    "bk",
    "exclude all",
    "include all",
    "setscore 30",
    "sd 3",
    "st 0",
    "time 5000",
    "otim 5000",
    "computer",
    "foo",
    "lift e2",
];

/// Positions: ordinary ones, a mate, a stalemate, a dead position, and two illegal ones.
const POSITIONS: [&str; 7] = [
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 2",
    "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
];

/// Edits without their last line.
const EDITS: [&[&str]; 3] = [&["#", "Ke1", "Pe2", "c", "Ke8"], &["xa2"], &["#", "Ke1"]];

/// Lines that end a pause: they begin or edit a game.
const ENDS_OF_PAUSE: [&str; 13] = [
    "new",
    "variant normal",
    "force",
    "go",
    "playother",
    "white",
    "black",
    "result 1-0 {White resigns}",
    "undo",
    "remove",
    "analyze",
    "exit",
    "edit",
];

fn step() -> impl Strategy<Value = Step> {
    use proptest::sample::select;
    prop_oneof![
        8 => select(LINES.to_vec()).prop_map(Step::Line),
        5 => any::<usize>().prop_map(Step::Move),
        1 => any::<usize>().prop_map(Step::Exclude),
        1 => any::<usize>().prop_map(Step::Include),
        1 => select(POSITIONS.to_vec()).prop_map(Step::Position),
        1 => select(EDITS.to_vec()).prop_map(Step::Edit),
    ]
}

/// The complete state as in Appendix B.
struct Model {
    mode: EngineMode,
    ponder: bool,
    paused: bool,
    random: bool,
    /// All positions of the game, the current one last; empty if the current one is illegal.
    game: Vec<Chess>,
    /// The side set by `white` or `black`, which takes effect with the next other command.
    turn: Option<Color>,
    excluded: HashSet<Move>,
}

impl Model {
    fn new() -> Model {
        Model {
            mode: EngineMode::Force,
            ponder: false,
            paused: false,
            random: false,
            game: vec![Chess::default()],
            turn: None,
            excluded: HashSet::new(),
        }
    }

    fn position(&self) -> Option<&Chess> {
        self.game.last().filter(|_| self.turn.is_none())
    }

    fn moves(&self) -> Vec<Move> {
        self.position().map_or(Vec::new(), |position| position.legal_moves().into_iter().collect())
    }

    fn set_up(&mut self, position: Option<Chess>) {
        self.game = position.into_iter().collect();
        self.excluded.clear();
    }

    /// Carries out a change of the side to move.
    fn settle(&mut self) {
        if let Some(turn) = self.turn.take()
            && let Some(position) = self.game.last()
            && position.turn() != turn
        {
            let setup = Setup { turn, ep_square: None, ..position.to_setup(EnPassantMode::Legal) };
            self.set_up(setup.position(CastlingMode::Standard).ok());
        }
    }

    fn play(&mut self, mv: Move) {
        let next = self.position().expect("a position").clone().play(mv).expect("a legal move");
        self.game.push(next);
        self.excluded.clear();
    }

    fn take_back(&mut self, plies: usize) -> bool {
        let is_possible = self.game.len() > plies;
        if is_possible {
            self.game.truncate(self.game.len() - plies);
            self.excluded.clear();
        }
        is_possible
    }

    /// Obeys a command other than a move by the table of Appendix B. Returns whether it can be obeyed.
    fn obey(&mut self, line: &str) -> bool {
        self.paused &= !ENDS_OF_PAUSE.contains(&line);
        if self.paused && line != "resume" {
            return false;
        }
        if ["variant nonsense", "foo"].contains(&line) || line == "resume" && !self.paused {
            return false;
        }
        if !["white", "black", "time 5000", "otim 5000"].contains(&line) {
            self.settle();
        }
        let stm = self.position().map(Position::turn);
        match line {
            "new" | "variant normal" => {
                self.set_up(Some(Chess::default()));
                self.random &= line != "new";
                if self.mode != EngineMode::Analyze {
                    self.mode = EngineMode::Play(Color::Black);
                }
            }
            "force" | "result 1-0 {White resigns}" => self.mode = EngineMode::Force,
            "go" => self.mode = stm.map_or(self.mode, EngineMode::Play),
            "playother" => self.mode = stm.map_or(self.mode, |stm| EngineMode::Play(!stm)),
            "white" | "black" => {
                let turn = if line == "white" { Color::White } else { Color::Black };
                self.turn = Some(turn);
                if self.mode == EngineMode::Analyze {
                    self.settle();
                } else {
                    self.mode = EngineMode::Play(!turn);
                }
            }
            "undo" => return self.take_back(1),
            "remove" => return self.take_back(2),
            "analyze" => self.mode = EngineMode::Analyze,
            "exit" if self.mode == EngineMode::Analyze => self.mode = EngineMode::Force,
            "easy" => self.ponder = false,
            "hard" => self.ponder = true,
            "pause" => self.paused = true,
            "resume" => self.paused = false,
            "random" => self.random = !self.random,
            "exclude all" => self.excluded = self.moves().into_iter().collect(),
            "include all" => self.excluded.clear(),
            _ => {}
        }
        !["exclude all", "include all", "setscore 30"].contains(&line) || stm.is_some()
    }

    fn is_over(&self) -> bool {
        self.position().is_some_and(Position::is_game_over)
    }

    fn can_claim(&self) -> bool {
        let present = self.game.last().expect("a position");
        let same = |position: &&Chess| fields(position) == fields(present);
        present.halfmoves() >= 100 || self.game.iter().filter(same).count() >= 3
    }

    /// Returns what the engine does. Its own moves come at once.
    fn occupation(&self) -> Occupation {
        let Some(position) = self.position() else { return Occupation::Nothing };
        if self.moves().iter().all(|mv| self.excluded.contains(mv)) {
            return Occupation::Nothing;
        }
        let is_start = self.game.len() == 1 && *position == Chess::default();
        match self.mode {
            EngineMode::Analyze => Occupation::Analyse,
            EngineMode::Play(side) if side == position.turn() => Occupation::Think,
            EngineMode::Play(_) if self.ponder && !is_start => Occupation::Ponder,
            EngineMode::Play(_) | EngineMode::Force => Occupation::Nothing,
        }
    }
}

/// Returns the fields by which two positions are compared.
fn fields(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// Converts a step to lines for the session and applies it to the model. Returns the lines and whether an error is
/// expected.
fn lines(model: &mut Model, step: &Step) -> (Vec<String>, bool) {
    let is_paused = model.paused;
    match step {
        Step::Line(line) => {
            let obeyed = model.obey(line);
            (vec![(*line).to_owned()], !obeyed)
        }
        Step::Move(choice) => {
            if !is_paused {
                model.settle();
            }
            let moves = model.moves();
            let Some(&mv) = moves.get(choice % (moves.len() + 1)) else {
                return (vec!["usermove a1a1".to_owned()], true);
            };
            if !is_paused {
                model.play(mv);
                // The opponent's move has made a claimable draw.
                if model.mode == EngineMode::Play(model.game.last().unwrap().turn()) && model.can_claim() {
                    model.mode = EngineMode::Force;
                }
            }
            (vec![format!("usermove {}", UciMove::from_standard(mv))], is_paused)
        }
        Step::Exclude(choice) | Step::Include(choice) => {
            if !is_paused {
                model.settle();
            }
            let moves = model.moves();
            let word = if matches!(step, Step::Exclude(_)) { "exclude" } else { "include" };
            let Some(&mv) = moves.get(choice % (moves.len() + 1)) else {
                return (vec![format!("{word} a1a1")], true);
            };
            if !is_paused && word == "exclude" {
                model.excluded.insert(mv);
            } else if !is_paused {
                model.excluded.remove(&mv);
            }
            (vec![format!("{word} {}", UciMove::from_standard(mv))], is_paused)
        }
        Step::Position(fen) => {
            (model.paused, model.turn) = (false, None);
            model.set_up(legal(fen));
            (vec![format!("setboard {fen}")], false)
        }
        Step::Edit(edit) => {
            model.paused = false;
            model.settle();
            edit_position(model, edit);
            let edit = edit.iter().map(|line| (*line).to_owned());
            (
                ["edit".to_owned()].into_iter().chain(edit).chain([".".into(), "computer".into()]).collect(),
                false,
            )
        }
    }
}

fn edit_position(model: &mut Model, edit: &[&str]) {
    let before = model.position().map_or_else(Setup::empty, |game| game.to_setup(EnPassantMode::Legal));
    let turn = if model.position().is_some() { before.turn } else { Color::White };
    let edited = match edit {
        ["xa2"] => {
            let mut board = before.board.clone();
            board.discard_piece_at(shakmaty::Square::A2);
            // Kings and rooks on their home squares may castle.
            let home = |rank: char, man: char| {
                let at = |file: char| format!("{file}{rank}").parse().unwrap();
                let is = |file, man| board.piece_at(at(file)).is_some_and(|piece| piece.char() == man);
                let rook = if man == 'K' { 'R' } else { 'r' };
                let rooks = ['h', 'a'].into_iter().filter(move |&file| is('e', man) && is(file, rook));
                rooks
                    .map(|file| if man == 'K' { file.to_ascii_uppercase() } else { file })
                    .collect::<String>()
            };
            let rights = home('1', 'K') + &home('8', 'k');
            let rights = if rights.is_empty() { "-".to_owned() } else { rights };
            format!("{} {} {rights} - 0 1", board.board_fen(), turn.char())
        }
        [_, _, _, ..] => format!("4k3/8/8/8/8/8/4P3/4K3 {} - - 0 1", turn.char()),
        _ => format!("8/8/8/8/8/8/8/4K3 {} - - 0 1", turn.char()),
    };
    model.set_up(legal(&edited));
}

fn legal(fen: &str) -> Option<Chess> {
    let position = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard);
    position.or_else(PositionError::ignore_impossible_check).ok()
}

/// Carries out the consequences of a step on both sides and compares them.
fn follow(session: &mut CecpSession, model: &mut Model, said: &mut Vec<String>, paper: &super::Paper) {
    if model.paused {
        return;
    }
    loop {
        if let Some(turn) = model.position().map(Position::turn)
            && model.mode == EngineMode::Play(turn)
            && model.is_over()
        {
            model.mode = EngineMode::Force;
        }
        if model.occupation() != Occupation::Think {
            break;
        }
        assert_eq!(session.occupation(), Occupation::Think);
        session.move_at_once();
        let lines = paper.take_lines();
        let mv = lines.iter().find_map(|line| line.strip_prefix("move ")).expect("the engine's move");
        let mv: UciMove = mv.parse().expect(mv);
        said.extend(lines);
        model.play(mv.to_move(model.position().expect("a position")).expect("a legal move"));
        let is_plain_end = model.moves().is_empty();
        if is_plain_end {
            model.mode = EngineMode::Force;
        }
    }
}

fn compare(session: &CecpSession, model: &Model, step: &Step) {
    let state = &session.state;
    assert_eq!(state.mode, model.mode, "mode after {step:?}");
    assert_eq!(
        (state.ponder, state.paused, state.random),
        (model.ponder, model.paused, model.random),
        "{step:?}"
    );
    let game = session.board.game();
    assert_eq!(game.is_some(), model.position().is_some(), "after {step:?}");
    if let (Some(game), Some(position)) = (game, model.position()) {
        assert_eq!(game.chess(), Some(position), "after {step:?}");
        assert_eq!(game.ply(), model.game.len() - 1, "after {step:?}");
    }
    let excluded: HashSet<Move> = session.position.excluded.iter().copied().collect();
    assert_eq!(excluded, model.excluded, "after {step:?}");
    if !model.paused {
        let occupation = match session.occupation() {
            // A short search for a hint is not a state of Appendix B.
            Occupation::Hint => Occupation::Nothing,
            occupation => occupation,
        };
        assert_eq!(occupation, model.occupation(), "after {step:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn a_session_is_in_the_state_of_appendix_b(steps in proptest::collection::vec(step(), 1..40)) {
        with_session(|session, paper| {
            let mut model = Model::new();
            for step in &steps {
                paper.take_lines();
                let (lines, complains) = lines(&mut model, step);
                for line in &lines {
                    session.say(line);
                }
                let mut said = paper.take_lines();
                follow(session, &mut model, &mut said, paper);
                let complaints = said.iter().filter(|line| line.starts_with("Error") || line.starts_with("Illegal move"));
                assert_eq!(complaints.count(), usize::from(complains), "{said:?} after {step:?}");
                compare(session, &model, step);
            }
        });
    }
}
