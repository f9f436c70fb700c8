//! What a client sends.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::reading::{MessageError, Reading, Writing, text};
use crate::epd::{
    AnyOperand, Contact, EpdMove, Evaluation, Operation, Position, Record, RefereeRequest, Text,
};

/// A record from a client (section 8.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRecord {
    /// The client's position: in a reply, the one from which it moves.
    pub position: Position,
    /// What it wants.
    pub request: Request,
}

/// What a client wants of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To take part.
    SignOn(SignOn),
    /// To answer `respond`.
    Reply(Box<Reply>),
    /// To leave.
    SignOff,
    /// Human help; carries the reason (`c0`), if it tells one.
    Fault(Option<String>),
}

/// Who wants to take part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignOn {
    /// The client's name (`tcsi`, or `id`, or a tag of `ptp`).
    pub name: Option<String>,
    /// What proves it (`Auth`).
    pub secret: Option<Secret>,
    /// Whether it understands what goes beyond the specification, and wants it (`Extended`).
    pub extended: bool,
    /// The latest epoch that it has heard of (`Epoch`).
    pub epoch: Option<u64>,
}

/// A secret, which never shows by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// An answer, and what the client thinks of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// What it thinks.
    pub analysis: Analysis,
}

/// An answer to `respond`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move; whether it is legal is for the referee to see.
    Move {
        /// The move (`sm`).
        mv: EpdMove<'static>,
        /// What goes with it.
        remark: Remark,
        /// The opponent's draw offer is rejected by a word (`draw_reject`), as it is by any move.
        rejects_draw: bool,
    },
    /// The draw offer that came with the opponent's move is accepted (`draw_accept`).
    AcceptDraw,
    /// The present position is claimed to be a draw (`draw_claim` without `sm`).
    ClaimDraw,
    /// The client resigns (`resign`).
    Resign,
    /// There is no move: the client takes itself for mated or stalemated.
    NoMove,
}

/// What a client says about draws with its move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remark {
    /// Nothing.
    #[default]
    None,
    /// It offers one (`draw_offer`).
    OfferDraw,
    /// It claims one, by the position after the move (`draw_claim`).
    ClaimDraw,
}

/// What a client thinks of the position from which it moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// What it is worth for the client (`ce`).
    pub evaluation: Option<Evaluation>,
    /// In plies (`acd`).
    pub depth: Option<u64>,
    /// Nodes searched (`acn`).
    pub nodes: Option<u64>,
    /// What it expects, beginning with its own move (`pv`).
    pub line: Vec<EpdMove<'static>>,
}

impl Secret {
    /// A secret, as a string operand can hold it: printing characters, at most 255 bytes, apostrophes for quotation marks.
    pub fn new(secret: &str) -> Secret {
        Secret(text(secret).into_owned())
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A line as it may go into a log: whatever comes after the opcode of a secret is left out.
pub fn without_secret(line: &str) -> Cow<'_, str> {
    let opcode = line.as_bytes().windows(4).position(|word| word.eq_ignore_ascii_case(b"auth"));
    match opcode {
        // The opcode is ASCII, so that the line can be cut behind it.
        Some(at) => Cow::Owned(format!("{} …", &line[..at + 4])),
        None => Cow::Borrowed(line),
    }
}

impl ClientRecord {
    fn record(&self) -> Record<'static> {
        let mut record = Writing(Record::new(self.position.clone()));
        let request = match &self.request {
            Request::SignOn(sign_on) => {
                sign_on.write(&mut record);
                RefereeRequest::SignOn
            }
            Request::Reply(reply) => {
                reply.answer.write(&mut record);
                reply.analysis.write(&mut record);
                RefereeRequest::Reply
            }
            Request::SignOff => RefereeRequest::SignOff,
            Request::Fault(reason) => {
                record.reason(reason.as_ref());
                RefereeRequest::Fault
            }
        };
        record.set(Operation::Refreq(request));
        record.0
    }
}

impl SignOn {
    fn write(&self, record: &mut Writing) {
        if let Some(name) = &self.name {
            record.set(Operation::Tcsi(Contact { address: Text::Borrowed(""), name: text(name) }));
        }
        if let Some(secret) = &self.secret {
            record.private("Auth", vec![AnyOperand::String(text(secret.reveal()))]);
        }
        if self.extended {
            record.private("Extended", Vec::new());
        }
        record.epoch(self.epoch);
    }

    fn read(reading: &Reading<'_>) -> Result<SignOn, MessageError> {
        let secret = reading.private("Auth", "one string", |operands| match operands {
            [AnyOperand::String(secret) | AnyOperand::Word(secret)] => Some(Secret::new(secret)),
            _ => None,
        })?;
        Ok(SignOn {
            name: read_name(reading)?,
            secret,
            extended: reading.has("Extended"),
            epoch: reading.epoch()?,
        })
    }
}

/// The name by the first of the opcodes that can carry it (the specification names none).
fn read_name(reading: &Reading<'_>) -> Result<Option<String>, MessageError> {
    let contact = reading.find("tcsi", |operation| match operation {
        Operation::Tcsi(contact) => Some(contact.name.to_string()),
        _ => None,
    })?;
    let id = reading.find("id", |operation| match operation {
        Operation::Id(id) => Some(id.to_string()),
        _ => None,
    })?;
    let tag = reading.find("ptp", |operation| match operation {
        Operation::Ptp(tags) => tags
            .iter()
            .find(|(name, _)| ["Name", "White", "Black"].contains(&name.as_ref()))
            .map(|(_, value)| value.to_string()),
        _ => None,
    });
    let names = [contact, id, tag.unwrap_or_default()].into_iter().flatten();
    Ok(names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty()))
}

impl Answer {
    fn write(&self, record: &mut Writing) {
        match self {
            Answer::Move { mv, remark, rejects_draw } => {
                record.set(Operation::Sm(mv.clone()));
                record.set_if(*remark == Remark::OfferDraw, Operation::DrawOffer);
                record.set_if(*remark == Remark::ClaimDraw, Operation::DrawClaim);
                record.set_if(*rejects_draw, Operation::DrawReject);
            }
            Answer::AcceptDraw => record.set(Operation::DrawAccept),
            Answer::ClaimDraw => record.set(Operation::DrawClaim),
            Answer::Resign => record.set(Operation::Resign),
            Answer::NoMove => {}
        }
    }

    /// What cannot be said together is refused (6.9 to 6.12, 6.25).
    fn read(reading: &Reading<'_>) -> Result<Answer, MessageError> {
        let has = |opcode| reading.has(opcode);
        let excluded = |one: &str, other: &str| {
            Err(MessageError::Contradiction(format!("`{one}` and `{other}` in one record")))
        };
        let words = ["draw_accept", "draw_claim", "draw_offer", "draw_reject"];
        if let (true, Some(word)) = (has("resign"), words.into_iter().find(|word| has(word))) {
            return excluded(word, "resign");
        }
        for (one, other) in [("draw_accept", "draw_reject"), ("draw_claim", "draw_offer")] {
            if has(one) && has(other) {
                return excluded(one, other);
            }
        }
        if has("resign") {
            return Ok(Answer::Resign);
        }
        if has("draw_accept") {
            return Ok(Answer::AcceptDraw);
        }
        let remark = if has("draw_offer") {
            Remark::OfferDraw
        } else if has("draw_claim") {
            Remark::ClaimDraw
        } else {
            Remark::None
        };
        match (reading.supplied_move()?, remark) {
            (Some(mv), remark) => Ok(Answer::Move { mv, remark, rejects_draw: has("draw_reject") }),
            (None, Remark::ClaimDraw) => Ok(Answer::ClaimDraw),
            (None, Remark::OfferDraw) => {
                Err(MessageError::Contradiction("`draw_offer` without `sm`".to_owned()))
            }
            (None, Remark::None) => Ok(Answer::NoMove),
        }
    }
}

impl Analysis {
    fn write(&self, record: &mut Writing) {
        if let Some(evaluation) = self.evaluation {
            record.set(Operation::Ce(evaluation));
        }
        if let Some(depth) = self.depth {
            record.set(Operation::Acd(depth));
        }
        if let Some(nodes) = self.nodes {
            record.set(Operation::Acn(nodes));
        }
        if !self.line.is_empty() {
            record.set(Operation::Pv(self.line.clone()));
        }
    }

    /// What can be understood of it: a move is not refused for what goes with it.
    fn read(reading: &Reading<'_>) -> Analysis {
        let count = |opcode| match reading.record.get(opcode) {
            Some(Operation::Acd(count) | Operation::Acn(count)) => Some(*count),
            _ => None,
        };
        let evaluation = match reading.record.get("ce") {
            Some(Operation::Ce(evaluation)) => Some(*evaluation),
            _ => None,
        };
        let mut line = reading.line("pv").ok().flatten().unwrap_or_default();
        line.truncate(line.iter().take_while(|mv| mv.legal().is_some()).count());
        Analysis { evaluation, depth: count("acd"), nodes: count("acn"), line }
    }
}

impl FromStr for ClientRecord {
    type Err = MessageError;

    /// Reads a line without its end.
    fn from_str(line: &str) -> Result<ClientRecord, MessageError> {
        let reading = Reading::new(line)?;
        if reading.has("refcom") {
            return Err(MessageError::WrongSide("refcom"));
        }
        let request = reading.find("refreq", |operation| match operation {
            Operation::Refreq(request) => Some(*request),
            _ => None,
        })?;
        let request = match request.ok_or(MessageError::Missing("refreq"))? {
            RefereeRequest::SignOn => Request::SignOn(SignOn::read(&reading)?),
            RefereeRequest::Reply => Request::Reply(Box::new(Reply {
                answer: Answer::read(&reading)?,
                analysis: Analysis::read(&reading),
            })),
            RefereeRequest::SignOff => Request::SignOff,
            RefereeRequest::Fault => Request::Fault(reading.reason()?),
        };
        Ok(ClientRecord { position: reading.record.position, request })
    }
}

impl fmt::Display for ClientRecord {
    /// The record in canonical form, without an end of line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.record().fmt(f)
    }
}
