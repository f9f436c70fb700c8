//! Operations: opcodes with their operands.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::num::NonZeroU32;

use shakmaty::ByColor;
use time::PrimitiveDateTime;

use super::moves::EpdMove;
use super::values::{ClockTime, Evaluation, RefereeCommand, RefereeRequest, Register};

/// The text of a string operand, without quotation marks.
pub type Text<'a> = Cow<'a, str>;

/// An operation. The variants have the names of their opcodes, which the EPD specification lists in section 6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// `acd`: the depth of an analysis, in plies (from Edwards' own tool kit; not in the specification).
    Acd(u64),
    /// `acn`: the nodes of an analysis.
    Acn(u64),
    /// `acs`: the time of an analysis, in seconds.
    Acs(u64),
    /// `am`: moves to avoid.
    Am(Vec<EpdMove<'a>>),
    /// `bm`: best moves.
    Bm(Vec<EpdMove<'a>>),
    /// `c0` to `c9`: a comment, or that there is none any more.
    Comment(Register, Option<Text<'a>>),
    /// `cc`: the time that the players have used.
    Cc(ByColor<ClockTime>),
    /// `ce`: the evaluation.
    Ce(Evaluation),
    /// `dm`: moves to mate by the side to move.
    Dm(NonZeroU32),
    /// `draw_accept`: the offer made with the move that led here is accepted.
    DrawAccept,
    /// `draw_claim`: the side to move claims a draw.
    DrawClaim,
    /// `draw_offer`: the side to move offers a draw.
    DrawOffer,
    /// `draw_reject`: the offer made with the move that led here is rejected.
    DrawReject,
    /// `eco`: the opening in the Encyclopedia of Chess Openings, or that there is none any more.
    Eco(Option<Text<'a>>),
    /// `fmvn`: the number of the move.
    Fmvn(NonZeroU32),
    /// `hmvc`: plies since the last capture or pawn move.
    Hmvc(u32),
    /// `id`: the name of the position.
    Id(Text<'a>),
    /// `nic`: the opening as New In Chess numbers them, or that there is none any more.
    Nic(Option<Text<'a>>),
    /// `noop`: anything at all.
    Noop(Vec<AnyOperand<'a>>),
    /// `pm`: the predicted move.
    Pm(EpdMove<'a>),
    /// `ptp`: names and values of PGN tags.
    Ptp(Vec<(Text<'a>, Text<'a>)>),
    /// `pv`: the predicted variation.
    Pv(Vec<EpdMove<'a>>),
    /// `rc`: how often the position has occurred.
    Rc(NonZeroU32),
    /// `refcom`: what the referee wants of a client.
    Refcom(RefereeCommand),
    /// `refreq`: what a client wants of the referee.
    Refreq(RefereeRequest),
    /// `resign`: the side to move resigns.
    Resign,
    /// `sm`: the move to be played from here.
    Sm(EpdMove<'a>),
    /// `sv`: the moves to be played from here.
    Sv(Vec<EpdMove<'a>>),
    /// `tcgs`: which of the games between a sender and a receiver.
    Tcgs(NonZeroU32),
    /// `tcri`: the receiver.
    Tcri(Contact<'a>),
    /// `tcsi`: the sender.
    Tcsi(Contact<'a>),
    /// `ts`: when the record was changed last, in universal time.
    Ts(PrimitiveDateTime),
    /// `v0` to `v9`: the name of a variation, or that there is none any more.
    Variation(Register, Option<Text<'a>>),
    /// An opcode that is not known or private, or one whose operands could not be understood: as it was read.
    Other {
        /// The opcode; empty where operands stood without one.
        opcode: Text<'a>,
        /// Its operands.
        operands: Vec<AnyOperand<'a>>,
    },
}

/// Somebody who can be written to.
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
    /// Printing characters without blanks.
    Word(Text<'a>),
    /// What stood between quotation marks.
    String(Text<'a>),
}

impl Operation<'_> {
    /// The opcode as it is written.
    pub fn opcode(&self) -> &str {
        match self {
            Operation::Acd(_) => "acd",
            Operation::Acn(_) => "acn",
            Operation::Acs(_) => "acs",
            Operation::Am(_) => "am",
            Operation::Bm(_) => "bm",
            Operation::Comment(register, _) => register.comment_opcode(),
            Operation::Cc(_) => "cc",
            Operation::Ce(_) => "ce",
            Operation::Dm(_) => "dm",
            Operation::DrawAccept => "draw_accept",
            Operation::DrawClaim => "draw_claim",
            Operation::DrawOffer => "draw_offer",
            Operation::DrawReject => "draw_reject",
            Operation::Eco(_) => "eco",
            Operation::Fmvn(_) => "fmvn",
            Operation::Hmvc(_) => "hmvc",
            Operation::Id(_) => "id",
            Operation::Nic(_) => "nic",
            Operation::Noop(_) => "noop",
            Operation::Pm(_) => "pm",
            Operation::Ptp(_) => "ptp",
            Operation::Pv(_) => "pv",
            Operation::Rc(_) => "rc",
            Operation::Refcom(_) => "refcom",
            Operation::Refreq(_) => "refreq",
            Operation::Resign => "resign",
            Operation::Sm(_) => "sm",
            Operation::Sv(_) => "sv",
            Operation::Tcgs(_) => "tcgs",
            Operation::Tcri(_) => "tcri",
            Operation::Tcsi(_) => "tcsi",
            Operation::Ts(_) => "ts",
            Operation::Variation(register, _) => register.variation_opcode(),
            Operation::Other { opcode, .. } => opcode,
        }
    }

    /// Writes opcode and operands with the semicolon at the end.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(self.opcode());
        match self {
            Operation::Acd(number) | Operation::Acn(number) | Operation::Acs(number) => {
                write_value(number, out);
            }
            Operation::Am(moves) | Operation::Bm(moves) | Operation::Pv(moves) | Operation::Sv(moves) => {
                for mv in moves {
                    write_move(mv, out);
                }
            }
            Operation::Pm(mv) | Operation::Sm(mv) => write_move(mv, out),
            Operation::Comment(_, text)
            | Operation::Variation(_, text)
            | Operation::Eco(text)
            | Operation::Nic(text) => text.iter().for_each(|text| write_string(text, out)),
            Operation::Id(text) => write_string(text, out),
            Operation::Cc(clocks) => {
                write_value(clocks.white, out);
                write_value(clocks.black, out);
            }
            Operation::Ce(evaluation) => write_value(evaluation.value(), out),
            Operation::Dm(number)
            | Operation::Fmvn(number)
            | Operation::Rc(number)
            | Operation::Tcgs(number) => {
                write_value(number, out);
            }
            Operation::Hmvc(number) => write_value(number, out),
            Operation::DrawAccept
            | Operation::DrawClaim
            | Operation::DrawOffer
            | Operation::DrawReject
            | Operation::Resign => {}
            Operation::Ptp(tags) => {
                for (name, value) in tags {
                    write_value(name, out);
                    write_string(value, out);
                }
            }
            Operation::Refcom(command) => write_value(command.word(), out),
            Operation::Refreq(request) => write_value(request.word(), out),
            Operation::Tcri(contact) | Operation::Tcsi(contact) => {
                write_string(&contact.address, out);
                write_string(&contact.name, out);
            }
            Operation::Ts(moment) => write_moment(*moment, out),
            Operation::Noop(operands) | Operation::Other { operands, .. } => {
                // Operands without an opcode must not begin with the space that would stand behind it.
                let is_nameless = self.opcode().is_empty();
                let begin = out.len();
                for operand in operands {
                    operand.write(out);
                }
                if is_nameless && out.len() > begin {
                    out.remove(begin);
                }
            }
        }
        out.push(';');
    }
}

impl AnyOperand<'_> {
    fn write(&self, out: &mut String) {
        match self {
            AnyOperand::Word(word) => {
                out.push(' ');
                push_printing(word, out);
            }
            AnyOperand::String(text) => write_string(text, out),
        }
    }
}

fn write_value(value: impl std::fmt::Display, out: &mut String) {
    // Writing to a string doesn't fail.
    let _ = write!(out, " {value}");
}

fn write_move(mv: &EpdMove<'_>, out: &mut String) {
    out.push(' ');
    mv.write(out);
}

fn write_moment(moment: PrimitiveDateTime, out: &mut String) {
    let (date, (hour, minute, second)) = (moment.date(), moment.time().as_hms());
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    write_value(format_args!("{year:04}.{month:02}.{day:02} {hour:02}:{minute:02}:{second:02}"), out);
}

/// EPD has no notation for a quotation mark inside of a string; an apostrophe stands for it.
fn write_string(text: &str, out: &mut String) {
    out.push_str(" \"");
    if is_plain(text) {
        out.push_str(text);
    } else {
        push_printing(&text.replace('"', "'"), out);
    }
    out.push('"');
}

/// Whether a text is printing ASCII without a quotation mark, and so can be an operand as it is.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"')
}

/// Control characters would break the line or move somebody's cursor. Other characters outside of ASCII are kept: they
/// may be a name.
pub(super) fn push_printing(text: &str, out: &mut String) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push_str(text);
    } else {
        out.extend(text.chars().map(|c| if c.is_control() { '?' } else { c }));
    }
}
