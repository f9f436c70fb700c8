//! Exact distances to mate in endings of up to four men without pawns, by retrograde analysis (T. Ströhlein, 1970; K. Thompson, 1986).
//!
//! A proof of a mate in twenty moves by search is hopeless where both sides have many quiet moves, but such an ending has so few
//! positions that all of them can be solved in a fraction of a second. An ending is solved when it is first needed and kept.
//!
//! The positions of an ending are numbered by the squares of its men: the attacker's king, which symmetry brings into the
//! triangle a1-d1-d4, the defender's king, then the other men.

use std::collections::HashMap;

use shakmaty::{Bitboard, Color, Role, Square};

use super::{Finding, Mate, Problem};
use crate::{Position, Root, attacks};

/// Most men of an ending, with the kings.
const MOST_MEN: usize = 4;
/// Squares of the attacker's king after symmetry.
const TRIANGLE: usize = 10;
/// Greatest distance to mate that can be counted, in moves. The longest of four men is 33.
const LONGEST: usize = 100;
/// A counter of replies: one of them escapes, so that the others don't matter.
const ESCAPES: u8 = u8::MAX;

/// Solved endings.
#[derive(Default)]
pub struct FewMen {
    endings: HashMap<Material, Ending>,
}

/// The men of an ending beside the kings, the attacker's first. At most two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Material(Vec<Man>);

/// A man beside the kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Man {
    /// Ordered so that the attacker's men come first.
    is_defender: bool,
    role: Role,
}

/// Squares of the men: the attacker's king, the defender's king, the others in the order of the material.
#[derive(Clone, Copy)]
struct Placement {
    squares: [Square; MOST_MEN],
    count: usize,
}

/// All positions of an ending.
struct Ending {
    material: Material,
    /// With the attacker to move: the number of moves in which it mates, 0 if it does not.
    wins: Vec<u8>,
    /// With the defender to move: the number of moves in which it is mated, plus one; 0 if it is not.
    losses: Vec<u8>,
}

impl FewMen {
    /// Solves a problem exactly. `None` if the ending has too many men or a pawn, if moves of the root are excluded, or if earlier
    /// positions or the fifty-move rule could matter. A lone king never mates, whatever the others are.
    pub fn solve(&mut self, root: &Root, problem: Problem) -> Option<Finding> {
        let position = &root.position;
        if position.by_color(problem.attacker).count() < 2 {
            return Some(Finding::NoMate);
        }
        let is_free =
            root.allowed.is_none() && root.earlier_keys.is_empty() && !position.has_castling_rights();
        let is_small = position.occupied().count() <= MOST_MEN && position.by_role(Role::Pawn).is_empty();
        if !is_free || !is_small {
            return None;
        }
        self.prepare(&Material::of(position, problem.attacker));
        let Some(moves) = self.distance(position, problem.attacker) else { return Some(Finding::NoMate) };
        if u32::from(position.halfmoves()) + 2 * u32::from(moves) > 100 {
            return None;
        }
        if u32::from(moves) > problem.moves {
            return Some(Finding::NoMate);
        }
        let line = self.line(position, problem.attacker);
        Some(Finding::Mate(Mate { moves: moves.into(), line, is_shortest: true }))
    }

    /// Solves an ending and those that captures lead to.
    fn prepare(&mut self, material: &Material) {
        if self.endings.contains_key(material) {
            return;
        }
        (0..material.0.len()).for_each(|man| self.prepare(&material.without(man)));
        let ending = Ending::solve(material, &self.endings);
        self.endings.insert(material.clone(), ending);
    }

    /// Number of moves in which the attacker mates; `None` if it does not.
    fn distance(&self, position: &Position, attacker: Color) -> Option<u8> {
        let ending = self.endings.get(&Material::of(position, attacker))?;
        let number = Placement::of(position, attacker).number();
        if position.turn() == attacker {
            Some(ending.wins[number]).filter(|moves| *moves > 0)
        } else {
            ending.losses[number].checked_sub(1)
        }
    }

    /// The line of a mate, in which the defender resists as long as possible.
    fn line(&self, position: &Position, attacker: Color) -> Vec<crate::Move> {
        let (mut position, mut line) = (position.clone(), Vec::new());
        loop {
            let moves = position.legal_moves();
            let after = |m: &crate::Move| self.distance(&position.make(*m), attacker);
            let best = if position.turn() == attacker {
                moves.iter().filter_map(|m| Some((after(m)?, *m))).min_by_key(|(moves, _)| *moves)
            } else {
                moves.iter().filter_map(|m| Some((after(m)?, *m))).max_by_key(|(moves, _)| *moves)
            };
            let Some((_, best)) = best else { return line };
            line.push(best);
            position = position.make(best);
        }
    }
}

impl Material {
    fn of(position: &Position, attacker: Color) -> Material {
        let men = [attacker, !attacker].into_iter().flat_map(|color| {
            let pieces = position.by_color(color) & !position.by_role(Role::King);
            pieces
                .into_iter()
                .filter_map(move |square| position.role_at(square))
                .map(move |role| Man { is_defender: color != attacker, role })
        });
        let mut men: Vec<Man> = men.collect();
        men.sort_unstable();
        Material(men)
    }

    /// The material after a capture.
    fn without(&self, man: usize) -> Material {
        let mut rest = self.clone();
        rest.0.remove(man);
        rest
    }

    /// Whose man stands in a place of a [`Placement`], and what it is.
    fn man(&self, place: usize) -> Man {
        match place {
            0 => Man { is_defender: false, role: Role::King },
            1 => Man { is_defender: true, role: Role::King },
            other => self.0[other - 2],
        }
    }

    /// Places of the men of a side.
    fn places(&self, is_defender: bool) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() + 2).filter(move |place| self.man(*place).is_defender == is_defender)
    }
}

/// Squares that a man attacks.
fn reach(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::King => attacks::king(square),
        Role::Knight => attacks::knight(square),
        Role::Bishop => attacks::bishop(square, occupied),
        Role::Rook => attacks::rook(square, occupied),
        Role::Queen => attacks::bishop(square, occupied) | attacks::rook(square, occupied),
        Role::Pawn => Bitboard::EMPTY,
    }
}

impl Placement {
    fn of(position: &Position, attacker: Color) -> Placement {
        let mut men: Vec<(Man, Square)> = position
            .occupied()
            .into_iter()
            .filter_map(|square| position.piece_at(square).map(|piece| (piece, square)))
            .filter(|(piece, _)| piece.role != Role::King)
            .map(|(piece, square)| (Man { is_defender: piece.color != attacker, role: piece.role }, square))
            .collect();
        men.sort_unstable_by_key(|(man, _)| *man);
        let kings = [position.king(attacker), position.king(!attacker)];
        Placement::new(kings.into_iter().chain(men.into_iter().map(|(_, square)| square)))
    }

    fn new(men: impl Iterator<Item = Square>) -> Placement {
        let mut placement = Placement { squares: [Square::A1; MOST_MEN], count: 0 };
        for square in men.take(MOST_MEN) {
            placement.squares[placement.count] = square;
            placement.count += 1;
        }
        placement
    }

    fn men(&self) -> &[Square] {
        &self.squares[..self.count]
    }

    fn occupied(&self) -> Bitboard {
        self.men().iter().copied().collect()
    }

    fn with(mut self, place: usize, square: Square) -> Placement {
        self.squares[place] = square;
        self
    }

    /// The placement without a man that is captured.
    fn without(&self, place: usize) -> Placement {
        let rest = self.men().iter().enumerate().filter(|(other, _)| *other != place);
        Placement::new(rest.map(|(_, square)| *square))
    }

    fn map(mut self, change: impl Fn(Square) -> Square) -> Placement {
        self.squares.iter_mut().for_each(|square| *square = change(*square));
        self
    }

    /// The same by symmetry, with the attacker's king in the triangle.
    fn canonical(mut self) -> Placement {
        if self.squares[0].file() > shakmaty::File::D {
            self = self.map(Square::flip_horizontal);
        }
        if self.squares[0].rank() > shakmaty::Rank::Fourth {
            self = self.map(Square::flip_vertical);
        }
        if u32::from(self.squares[0].rank()) > u32::from(self.squares[0].file()) {
            self = self.map(Square::flip_diagonal);
        }
        self
    }

    /// Number of a placement after symmetry.
    fn number(self) -> usize {
        let canonical = self.canonical();
        let king = canonical.squares[0];
        let (file, rank) = (u32::from(king.file()) as usize, u32::from(king.rank()) as usize);
        let triangle = file * (file + 1) / 2 + rank;
        canonical.men()[1..].iter().fold(triangle, |number, square| number * 64 + usize::from(*square))
    }

    /// The placement with a number.
    fn numbered(number: usize, count: usize) -> Placement {
        let mut placement = Placement { squares: [Square::A1; MOST_MEN], count };
        let mut rest = number;
        for place in (1..count).rev() {
            placement.squares[place] = Square::new((rest % 64) as u32);
            rest /= 64;
        }
        let file = (0..4).rev().find(|file| file * (file + 1) / 2 <= rest).unwrap_or(0);
        let rank = rest - file * (file + 1) / 2;
        placement.squares[0] = Square::new((rank * 8 + file) as u32);
        placement
    }

    /// The numbers of a placement: two if the attacker's king is on the diagonal, as the reflection is counted too.
    fn numbers(self) -> [usize; 2] {
        let canonical = self.canonical();
        let reflection = canonical.map(Square::flip_diagonal);
        let is_on_diagonal = reflection.squares[0] == canonical.squares[0];
        [canonical.number(), if is_on_diagonal { reflection.number() } else { canonical.number() }]
    }
}

/// An ending that is being solved.
struct Retrograde<'a> {
    ending: Ending,
    smaller: &'a HashMap<Material, Ending>,
    /// With the defender to move: quiet moves that are not known to lose yet, or [`ESCAPES`].
    replies: Vec<u8>,
    /// With the defender to move: the longest mate after a capture.
    captures: Vec<u8>,
    /// Positions with the attacker to move that win by a capture, by the number of moves.
    wins: Vec<Vec<u32>>,
    /// Positions with the defender to move that are lost, by the number of moves.
    losses: Vec<Vec<u32>>,
}

impl Ending {
    fn solve(material: &Material, smaller: &HashMap<Material, Ending>) -> Ending {
        let count = material.0.len() + 2;
        let size = TRIANGLE << (6 * (count - 1));
        let ending = Ending { material: material.clone(), wins: vec![0; size], losses: vec![0; size] };
        if material.0.first().is_none_or(|man| man.is_defender) {
            // The attacker has a lone king.
            return ending;
        }
        let mut retrograde = Retrograde {
            ending,
            smaller,
            replies: vec![ESCAPES; size],
            captures: vec![0; size],
            wins: vec![Vec::new(); LONGEST + 2],
            losses: vec![Vec::new(); LONGEST + 2],
        };
        (0..size).for_each(|number| retrograde.begin(number, Placement::numbered(number, count)));
        for moves in 0..LONGEST {
            retrograde.step(moves, count);
        }
        retrograde.ending
    }
}

impl Retrograde<'_> {
    /// Whether a side attacks a square.
    fn attacks(&self, is_defender: bool, square: Square, placement: &Placement) -> bool {
        let (material, occupied) = (&self.ending.material, placement.occupied());
        let mut places = material.places(is_defender);
        places
            .any(|place| reach(material.man(place).role, placement.squares[place], occupied).contains(square))
    }

    /// Whether the side that is not to move is not in check.
    fn is_legal(&self, is_defender_to_move: bool, placement: &Placement) -> bool {
        let king = placement.squares[usize::from(!is_defender_to_move)];
        !self.attacks(is_defender_to_move, king, placement)
    }

    /// Finds mates and captures in a position, and counts the defender's quiet moves.
    fn begin(&mut self, number: usize, placement: Placement) {
        if placement.occupied().count() < placement.count {
            return;
        }
        if self.is_legal(false, &placement) {
            let win = self.moves(false, &placement).filter_map(|(after, captured)| {
                let ending = self.smaller.get(&self.ending.material.without(captured? - 2))?;
                ending.losses[after.number()].checked_sub(1)
            });
            if let Some(moves) = win.min() {
                self.wins[usize::from(moves) + 1].push(number as u32);
            }
        }
        if self.is_legal(true, &placement) {
            self.count_replies(number, &placement);
        }
    }

    fn count_replies(&mut self, number: usize, placement: &Placement) {
        let (mut quiet, mut longest, mut has_capture) = (0, 0, false);
        for (after, captured) in self.moves(true, placement) {
            let Some(captured) = captured else {
                quiet += 1;
                continue;
            };
            has_capture = true;
            let ending = self.smaller.get(&self.ending.material.without(captured - 2));
            match ending.map_or(0, |ending| ending.wins[after.number()]) {
                0 => return,
                moves => longest = longest.max(moves),
            }
        }
        if quiet == 0 && !has_capture {
            if self.attacks(false, placement.squares[1], placement) {
                self.losses[0].push(number as u32);
            }
            return;
        }
        (self.replies[number], self.captures[number]) = (quiet, longest);
        if quiet == 0 {
            self.losses[usize::from(longest)].push(number as u32);
        }
    }

    /// Legal moves of a side: the placement after each, and the place of the man that is captured.
    fn moves(
        &self,
        is_defender: bool,
        placement: &Placement,
    ) -> impl Iterator<Item = (Placement, Option<usize>)> {
        let (material, occupied) = (&self.ending.material, placement.occupied());
        let kings: Bitboard = placement.squares[..2].iter().copied().collect();
        let own: Bitboard = material.places(is_defender).map(|place| placement.squares[place]).collect();
        let mut moves = Vec::with_capacity(32);
        for place in material.places(is_defender) {
            let targets = reach(material.man(place).role, placement.squares[place], occupied) & !own & !kings;
            for target in targets {
                let captured = placement.men().iter().position(|square| *square == target);
                let after = placement.with(place, target);
                let king = after.squares[usize::from(is_defender)];
                let is_safe = |other| {
                    Some(other) == captured || {
                        let man = material.man(other);
                        let occupied = after.occupied();
                        !reach(man.role, after.squares[other], occupied).contains(king)
                    }
                };
                if material.places(!is_defender).all(is_safe) {
                    moves.push((captured.map_or(after, |captured| after.without(captured)), captured));
                }
            }
        }
        moves.into_iter()
    }

    /// Goes from the positions in which the defender is mated in so many moves back to those in which the attacker mates in one
    /// more, and from these to the defender's.
    fn step(&mut self, moves: usize, count: usize) {
        let mut won = std::mem::take(&mut self.wins[moves + 1]);
        won.retain(|number| self.ending.wins[*number as usize] == 0);
        for number in &won {
            self.ending.wins[*number as usize] = moves as u8 + 1;
        }
        for number in std::mem::take(&mut self.losses[moves]) {
            self.ending.losses[number as usize] = moves as u8 + 1;
            for before in self.moves_before(false, &Placement::numbered(number as usize, count)) {
                for number in before.numbers() {
                    if self.ending.wins[number] == 0 {
                        self.ending.wins[number] = moves as u8 + 1;
                        won.push(number as u32);
                    }
                }
            }
        }
        for number in won {
            for before in self.moves_before(true, &Placement::numbered(number as usize, count)) {
                let number = before.number();
                if self.replies[number] == ESCAPES || self.replies[number] == 0 {
                    continue;
                }
                self.replies[number] -= 1;
                if self.replies[number] == 0 {
                    let moves = (moves + 1).max(self.captures[number].into());
                    self.losses[moves.min(LONGEST)].push(number as u32);
                }
            }
        }
    }

    /// Legal positions from which a quiet move of a side leads here.
    fn moves_before(&self, is_defender: bool, placement: &Placement) -> Vec<Placement> {
        let (material, occupied) = (&self.ending.material, placement.occupied());
        let mut before = Vec::with_capacity(32);
        for place in material.places(is_defender) {
            let origins = reach(material.man(place).role, placement.squares[place], occupied) & !occupied;
            before.extend(origins.into_iter().map(|origin| placement.with(place, origin)));
        }
        before.retain(|before| self.is_legal(is_defender, before));
        before
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess};

    use super::super::Goal;
    use super::*;

    fn solve(endings: &mut FewMen, fen: &str, moves: u32) -> Finding {
        let chess: Chess =
            fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("legal");
        let position = Position::from(&chess);
        let problem = Problem { attacker: position.turn(), moves, goal: Goal::Shortest };
        let root = Root { position: position.clone(), ..Root::default() };
        let finding = endings.solve(&root, problem).expect("a small ending");
        if let Finding::Mate(mate) = &finding {
            let mut end = position;
            for m in &mate.line {
                assert!(end.legal_moves().contains(m), "{fen}");
                end = end.make(*m);
            }
            assert!(end.is_check() && end.legal_moves().is_empty(), "{fen}: {mate:?}");
            assert_eq!(mate.line.len() as u32, 2 * mate.moves - 1, "{fen}: {mate:?}");
        }
        finding
    }

    fn length(endings: &mut FewMen, fen: &str) -> Option<u32> {
        match solve(endings, fen, 99) {
            Finding::Mate(mate) => Some(mate.moves),
            _ => None,
        }
    }

    #[test]
    fn distances_are_those_of_the_literature() {
        let mut endings = FewMen::default();
        // The longest mates of these endings, by the usual tables.
        for (men, longest) in [("Q", 10), ("R", 16), ("BB", 19), ("BN", 33)] {
            let roles = men.chars().filter_map(Role::from_char).map(|role| Man { is_defender: false, role });
            let mut roles: Vec<Man> = roles.collect();
            roles.sort_unstable();
            let material = Material(roles);
            endings.prepare(&material);
            assert_eq!(endings.endings[&material].wins.iter().max(), Some(&longest), "{men}");
        }
        let rook = Man { is_defender: true, role: Role::Rook };
        let material = Material(vec![Man { is_defender: false, role: Role::Queen }, rook]);
        endings.prepare(&material);
        assert_eq!(endings.endings[&material].wins.iter().max(), Some(&35));
    }

    #[test]
    fn mates_are_played_out_and_draws_are_none() {
        let mut endings = FewMen::default();
        assert_eq!(length(&mut endings, "k7/8/1K6/8/8/8/8/7R w - - 0 1"), Some(1));
        assert!(length(&mut endings, "8/8/8/3k4/8/8/8/R3K3 w - - 0 1").is_some_and(|moves| moves > 10));
        assert_eq!(length(&mut endings, "8/8/8/3k4/8/8/8/N3K2N w - - 0 1"), None);
        assert!(length(&mut endings, "8/8/8/3k4/8/8/8/B3K1N1 w - - 0 1").is_some_and(|moves| moves > 20));
        assert!(length(&mut endings, "8/8/8/3kr3/8/8/8/Q3K3 w - - 0 1").is_none_or(|moves| moves > 1));
        assert_eq!(solve(&mut endings, "8/8/8/3k4/8/8/8/R3K3 w - - 0 1", 5), Finding::NoMate);
    }
}
