//! What a reader repairs on request.

/// A kind of fault that a reader repairs on request. Without it the fault is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Of several operations with one opcode and different operands the moves of `am` and `bm` are joined; of others the last one is
    /// kept.
    Duplicates,
    /// A string without its closing quotation mark ends at the end of the line, before the semicolon.
    Quotes,
    /// Numbers with decimals, with commas between thousands, or in quotation marks. `ce` with decimals is read as pawns.
    Numbers,
    /// A known opcode among the operands begins the next operation.
    Semicolons,
}

/// A set of [`Repair`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairSet(u8);

impl RepairSet {
    /// No repairs.
    pub const NONE: RepairSet = RepairSet(0);

    /// The set with another repair.
    #[must_use]
    pub const fn with(self, repair: Repair) -> RepairSet {
        RepairSet(self.0 | 1 << repair as u8)
    }

    /// Whether the set has this repair.
    pub const fn contains(self, repair: Repair) -> bool {
        self.0 >> (repair as u8) & 1 != 0
    }
}

/// Letters of the pieces in moves of another language, in the order king, queen, rook, bishop, knight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PieceLetters {
    /// K, Q, R, B, N.
    #[default]
    English,
    /// K, D, T, L, S: also Dutch (with P for the knight).
    German,
    /// R, D, T, F, C.
    French,
    /// R, D, T, A, C: also Italian and Portuguese but for the king's and the rook's synonyms.
    Spanish,
    /// \u{41a}\u{440}, \u{424}, \u{41b}, \u{421}, \u{41a}: the king's second letter is dropped.
    Russian,
}

impl PieceLetters {
    /// The English letter of a piece; other characters stay as they are.
    pub fn english(self, letter: char) -> char {
        let letters = match self {
            PieceLetters::English => return letter,
            PieceLetters::German => "KDTLS",
            PieceLetters::French => "RDTFC",
            PieceLetters::Spanish => "RDTAC",
            PieceLetters::Russian => "\u{440}\u{424}\u{41b}\u{421}\u{41a}",
        };
        letters
            .chars()
            .position(|other| other == letter)
            .and_then(|at| "KQRBN".chars().nth(at))
            .unwrap_or(letter)
    }
}
