//! Operations: opcodes with their operands.
//!
//! Strings keep characters outside ASCII, with a warning, because they may be part of a name. Control characters become
//! `?`. Strings of more than 255 bytes are not cut.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::num::NonZeroU32;

use game::epd::Escapes;
use shakmaty::ByColor;
use time::PrimitiveDateTime;

use super::moves::{EpdMove, printing};
use super::operands::Operands;
use super::{ClockTime, EpdEvaluation, Record, RefereeCommand, RefereeRequest, Register};

/// The text of a string operand, without quotation marks.
pub type Text<'a> = Cow<'a, str>;

/// Defines [`Operation`] by a table: opcode, variant, type of the value, method of [`Operands`] that reads it and
/// method of [`OperandWriter`] that writes it. The opcodes after `flags` have no operands. [`Record`] gets a getter for
/// each value, named after the opcode.
macro_rules! operations {
    (
        values { $($(#[$about:meta])* $opcode:ident $variant:ident($value:ty) $read:ident $write:ident;)* }
        flags { $($(#[$flag_about:meta])* $flag_opcode:ident $flag:ident;)* }
    ) => {
        /// An operation. The variants are named after their opcodes (EPD specification, section 6).
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Operation<'a> {
            $($(#[$about])* $variant($value),)*
            $($(#[$flag_about])* $flag,)*
            /// `c0` to `c9`: a comment; `None` clears it.
            Comment(Register, Option<Text<'a>>),
            /// `v0` to `v9`: the name of a variation; `None` clears it.
            Variation(Register, Option<Text<'a>>),
            /// `noop`: any operands.
            Noop(Vec<AnyOperand<'a>>),
            /// A private or unknown opcode, or one with invalid operands, kept as read.
            Other {
                /// The opcode; empty for operands without an opcode.
                opcode: Text<'a>,
                /// Its operands.
                operands: Vec<AnyOperand<'a>>,
            },
        }

        impl<'a> Operation<'a> {
            /// Returns the opcode.
            pub fn opcode(&self) -> &str {
                match self {
                    $(Operation::$variant(_) => stringify!($opcode),)*
                    $(Operation::$flag => stringify!($flag_opcode),)*
                    Operation::Comment(register, _) => register.comment_opcode(),
                    Operation::Variation(register, _) => register.variation_opcode(),
                    Operation::Noop(_) => "noop",
                    Operation::Other { opcode, .. } => opcode,
                }
            }

            /// Whether an opcode is one of the standard's, or of those that are read like them.
            pub fn is_listed(opcode: &str) -> bool {
                matches!(opcode, $(stringify!($opcode))|* $(| stringify!($flag_opcode))* | "noop")
                    || matches!(opcode.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
            }

            /// Reads an operation; `None` if its opcode is unknown or its operands are invalid.
            pub(super) fn read(operands: &mut Operands<'a, '_>) -> Option<Operation<'a>> {
                Some(match operands.opcode.text {
                    $(stringify!($opcode) => Operation::$variant(operands.$read()?),)*
                    $(stringify!($flag_opcode) => operands.nothing().map(|()| Operation::$flag)?,)*
                    _ => return operands.read_unlisted(),
                })
            }

            /// Appends opcode, operands and semicolon to `out`.
            pub(super) fn write(&self, out: &mut String, escapes: Escapes) {
                out.push_str(self.opcode());
                let mut writer = OperandWriter(out, escapes);
                match self {
                    $(Operation::$variant(value) => writer.$write(value),)*
                    $(Operation::$flag => {})*
                    Operation::Comment(_, text) | Operation::Variation(_, text) => writer.register(text),
                    Operation::Other { opcode, operands } if opcode.is_empty() => writer.nameless(operands),
                    Operation::Noop(operands) | Operation::Other { operands, .. } => writer.any(operands),
                }
                out.push(';');
            }
        }

        /// Values of operations; `None` if the operation is missing or was not understood.
        impl<'a> Record<'a> {
            $($(#[$about])* pub fn $opcode(&self) -> Option<&$value> {
                match self.get(stringify!($opcode))? {
                    Operation::$variant(value) => Some(value),
                    _ => None,
                }
            })*
        }
    };
}

operations! {
    values {
        /// `acd`: the depth of an analysis, in plies (from Edwards' own tool kit; not in the specification).
        acd Acd(u64) large_count value;
        /// `acn`: the nodes of an analysis.
        acn Acn(u64) large_count value;
        /// `acs`: the time of an analysis, in seconds.
        acs Acs(u64) large_count value;
        /// `am`: moves to avoid.
        am Am(Vec<EpdMove<'a>>) move_set moves;
        /// `bm`: best moves.
        bm Bm(Vec<EpdMove<'a>>) move_set moves;
        /// `cc`: the time that the players have used.
        cc Cc(ByColor<ClockTime>) clocks clocks;
        /// `ce`: the evaluation.
        ce Ce(EpdEvaluation) evaluation value;
        /// `dm`: moves to mate by the side to move.
        dm Dm(NonZeroU32) positive value;
        /// `eco`: the code in the Encyclopedia of Chess Openings; `None` clears it.
        eco Eco(Option<Text<'a>>) register register;
        /// `fmvn`: the full move number.
        fmvn Fmvn(NonZeroU32) positive value;
        /// `hmvc`: plies since the last capture or pawn move.
        hmvc Hmvc(u32) count value;
        /// `id`: the name of the position.
        id Id(Text<'a>) only_string string;
        /// `nic`: the opening code of New In Chess; `None` clears it.
        nic Nic(Option<Text<'a>>) register register;
        /// `pm`: the predicted move.
        pm Pm(EpdMove<'a>) only_move only_move;
        /// `ptp`: names and values of PGN tags.
        ptp Ptp(Vec<(Text<'a>, Text<'a>)>) tags tags;
        /// `pv`: the predicted variation.
        pv Pv(Vec<EpdMove<'a>>) line moves;
        /// `rc`: the number of occurrences of the position.
        rc Rc(NonZeroU32) positive value;
        /// `refcom`: the command of the referee to a client.
        refcom Refcom(RefereeCommand) command value;
        /// `refreq`: the request of a client to the referee.
        refreq Refreq(RefereeRequest) request value;
        /// `sm`: the move to play.
        sm Sm(EpdMove<'a>) only_move only_move;
        /// `sv`: the moves to play.
        sv Sv(Vec<EpdMove<'a>>) line moves;
        /// `tcgs`: the number of the game between sender and receiver.
        tcgs Tcgs(NonZeroU32) positive value;
        /// `tcri`: the receiver.
        tcri Tcri(Contact<'a>) contact contact;
        /// `tcsi`: the sender.
        tcsi Tcsi(Contact<'a>) contact contact;
        /// `ts`: the time of the last change of the record, in UTC.
        ts Ts(PrimitiveDateTime) moment moment;
    }
    flags {
        /// `draw_accept`: the offer made with the move that led here is accepted.
        draw_accept DrawAccept;
        /// `draw_claim`: the side to move claims a draw.
        draw_claim DrawClaim;
        /// `draw_offer`: the side to move offers a draw.
        draw_offer DrawOffer;
        /// `draw_reject`: the offer made with the move that led here is rejected.
        draw_reject DrawReject;
        /// `resign`: the side to move resigns.
        resign Resign;
    }
}

/// Address and name of a sender or receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact<'a> {
    /// The electronic mail address.
    pub address: Text<'a>,
    /// The name of the player, person or program.
    pub name: Text<'a>,
}

/// An operand of any type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyOperand<'a> {
    /// Printable characters without blanks.
    Word(Text<'a>),
    /// Text between quotation marks.
    String(Text<'a>),
}

impl<'a> Operation<'a> {
    /// Adds the moves of another `am` or `bm`; false if the operations are not such.
    pub(super) fn join(&mut self, other: &Operation<'a>) -> bool {
        use Operation::{Am, Bm};
        let ((Am(moves), Am(more)) | (Bm(moves), Bm(more))) = (self, other) else { return false };
        moves.extend(more.iter().cloned());
        moves.sort_by_cached_key(EpdMove::text);
        moves.dedup();
        true
    }

    /// Returns the moves among the operands.
    pub fn moves(&self) -> &[EpdMove<'a>] {
        match self {
            Operation::Am(moves) | Operation::Bm(moves) | Operation::Pv(moves) | Operation::Sv(moves) => {
                moves
            }
            Operation::Pm(mv) | Operation::Sm(mv) => std::slice::from_ref(mv),
            _ => &[],
        }
    }
}

/// Appends operands to a text, each after a space.
struct OperandWriter<'o>(&'o mut String, Escapes);

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "values come as references")]
impl OperandWriter<'_> {
    fn value(&mut self, value: &impl Display) {
        // Writing to a string does not fail.
        let _ = write!(self.0, " {value}");
    }

    /// Writes a string.
    fn string(&mut self, text: &str) {
        self.0.push_str(" \"");
        self.0.push_str(&self.1.encode(&printing(text)));
        self.0.push('"');
    }

    fn register(&mut self, text: &Option<Text<'_>>) {
        if let Some(text) = text {
            self.string(text);
        }
    }

    fn only_move(&mut self, mv: &EpdMove<'_>) {
        self.0.push(' ');
        mv.write(self.0);
    }

    fn moves(&mut self, moves: &[EpdMove<'_>]) {
        for mv in moves {
            self.only_move(mv);
        }
    }

    fn clocks(&mut self, clocks: &ByColor<ClockTime>) {
        self.value(&clocks.white);
        self.value(&clocks.black);
    }

    fn tags(&mut self, tags: &[(Text<'_>, Text<'_>)]) {
        for (name, value) in tags {
            self.value(name);
            self.string(value);
        }
    }

    fn contact(&mut self, contact: &Contact<'_>) {
        self.string(&contact.address);
        self.string(&contact.name);
    }

    fn moment(&mut self, moment: &PrimitiveDateTime) {
        let (date, (hour, minute, second)) = (moment.date(), moment.time().as_hms());
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        self.value(&format_args!("{year:04}.{month:02}.{day:02} {hour:02}:{minute:02}:{second:02}"));
    }

    fn any(&mut self, operands: &[AnyOperand<'_>]) {
        for operand in operands {
            match operand {
                AnyOperand::Word(word) => {
                    self.0.push(' ');
                    self.0.push_str(&printing(word));
                }
                AnyOperand::String(text) => self.string(text),
            }
        }
    }

    /// Writes operands without an opcode, which must not start with the separating space.
    fn nameless(&mut self, operands: &[AnyOperand<'_>]) {
        let begin = self.0.len();
        self.any(operands);
        if self.0.len() > begin {
            self.0.remove(begin);
        }
    }
}
