//! Material, and each piece in its place: placement, mobility, outposts, open files, attacks on the king's zone.

use shakmaty::{Bitboard, Color, Rank, Role, Square};

use super::Sink;
use super::army::Army;
use super::features as f;
use super::features::Group;
use super::geometry::{ahead, flanks, of_same_color};
use crate::attacks;
use crate::position::Position;

/// Books one side's pieces, and finds out what they attack.
#[inline]
pub(super) fn book<S: Sink>(position: &Position, us: &mut Army, them: &Army, sink: &mut S) {
    let occupied = position.occupied();
    let queens = position.by_role(Role::Queen);
    // Pieces of the same kind on one line support each other, and a queen does not stop those that move like her.
    let behind_queens = occupied & !queens;
    let behind_rooks = behind_queens & !position.pieces(us.color, Role::Rook);
    book_material(position, us, sink);
    book_role(position, us, them, sink, &KNIGHT, attacks::knight);
    book_role(position, us, them, sink, &BISHOP, |square| attacks::bishop(square, behind_queens));
    book_role(position, us, them, sink, &ROOK, |square| attacks::rook(square, behind_rooks));
    book_role(position, us, them, sink, &QUEEN, |square| attacks::queen(square, occupied));
    book_minor_pieces(position, us, them, sink);
    book_open_files(position, us, them, sink);
}

struct Kind {
    role: Role,
    mobility: Group,
}

const KNIGHT: Kind = Kind { role: Role::Knight, mobility: f::KNIGHT_MOBILITY };
const BISHOP: Kind = Kind { role: Role::Bishop, mobility: f::BISHOP_MOBILITY };
const ROOK: Kind = Kind { role: Role::Rook, mobility: f::ROOK_MOBILITY };
const QUEEN: Kind = Kind { role: Role::Queen, mobility: f::QUEEN_MOBILITY };

fn book_material<S: Sink>(position: &Position, us: &Army, sink: &mut S) {
    for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        sink.add(f::PIECE.at(role as usize - 1), position.pieces(us.color, role).count() as i32);
    }
    let pair = position.pieces(us.color, Role::Bishop).more_than_one();
    sink.add(f::BISHOP_PAIR.only(), i32::from(pair));
}

/// Books the pieces of one kind.
#[inline]
fn book_role<S: Sink>(
    position: &Position,
    us: &mut Army,
    them: &Army,
    sink: &mut S,
    kind: &Kind,
    reach: impl Fn(Square) -> Bitboard,
) {
    let area = mobility_area(position, us, them);
    let role = kind.role as usize - 1;
    for square in position.pieces(us.color, kind.role) {
        let targets = reach(square);
        us.add_attacks(kind.role, targets);
        sink.add(f::BY_OWN_KING.at(64 * role + (square as usize ^ us.mirror_by_own_king)), 1);
        sink.add(f::BY_ENEMY_KING.at(64 * role + (square as usize ^ us.mirror_by_enemy_king)), 1);
        sink.add(kind.mobility.at((targets & area).count()), 1);
        let near_king = (targets & them.king_zone).count() as i32;
        if near_king > 0 {
            sink.add(f::DANGER_ATTACKER.at(role - 1), 1);
            sink.add(f::DANGER_ATTACKED.at(role - 1), near_king);
        }
    }
}

/// Squares worth going to: not where an enemy's pawn takes, nor where the own king or a blocked pawn stands.
#[inline]
fn mobility_area(position: &Position, us: &Army, them: &Army) -> Bitboard {
    let blocked = us.pawns & ahead(!us.color, position.occupied());
    !(them.attacks_of(Role::Pawn) | blocked.with(us.king))
}

fn book_minor_pieces<S: Sink>(position: &Position, us: &Army, them: &Army, sink: &mut S) {
    let (knights, bishops) =
        (position.pieces(us.color, Role::Knight), position.pieces(us.color, Role::Bishop));
    for (minor, outpost) in [(knights, f::KNIGHT_OUTPOST), (bishops, f::BISHOP_OUTPOST)] {
        for square in minor & beyond_middle(us.color) {
            if (flanks(us.color, square) & them.pawns).is_empty() {
                let guarded = us.attacks_of(Role::Pawn).contains(square);
                sink.add(outpost.at(usize::from(guarded)), 1);
            }
        }
    }
    let before_minor = ahead(us.color, knights | bishops);
    sink.add(f::BEHIND_PAWN.only(), (before_minor & position.by_role(Role::Pawn)).count() as i32);
    for bishop in bishops {
        sink.add(f::BISHOP_PAWNS.only(), (us.pawns & of_same_color(bishop)).count() as i32);
    }
}

/// The ranks four to six, from the side's own view.
fn beyond_middle(color: Color) -> Bitboard {
    let ranks =
        color.fold_wb([Rank::Fourth, Rank::Fifth, Rank::Sixth], [Rank::Fifth, Rank::Fourth, Rank::Third]);
    ranks.map(Bitboard::from_rank).into_iter().fold(Bitboard::EMPTY, |all, rank| all | rank)
}

fn book_open_files<S: Sink>(position: &Position, us: &Army, them: &Army, sink: &mut S) {
    for rook in position.pieces(us.color, Role::Rook) {
        let file = Bitboard::from_file(rook.file());
        if (file & us.pawns).is_empty() {
            let open = (file & them.pawns).is_empty();
            sink.add(f::OPEN_FILE.at(usize::from(open)), 1);
        }
    }
}
