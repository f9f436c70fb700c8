//! Records from a client to the referee.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use game::epd::{Fault, Rule};

use super::reading::{MessageError, ParsedRecord, private, reason, secret_text, text};
use crate::epd::{
    AnyOperand, Contact, EpdMove, Evaluation, Operation, Position, Record, RefereeRequest, Text,
};

/// A record from a client (section 8.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRecord {
    /// Position of the client; in a reply, the position before its move.
    pub position: Position,
    /// Request of the client.
    pub request: Request,
}

/// Request of a client to the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Sign on to the event.
    SignOn(SignOn),
    /// Answer to `respond`.
    Reply(Box<ClientReply>),
    /// Leave the event.
    SignOff,
    /// Call for human help; carries the reason (`c0`), if any.
    Fault(Option<String>),
}

/// Data of a sign-on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignOn {
    /// Name of the client (`tcsi`, `id`, or a tag of `ptp`).
    pub name: Option<String>,
    /// Secret that proves the name (`Auth`).
    pub secret: Option<Secret>,
    /// Whether the client asks for the extensions of the protocol (`Extended`).
    pub extended: bool,
    /// Whether the client sends heartbeats and expects them (`Heartbeat`).
    pub heartbeat: bool,
}

/// A secret. Its `Debug` output hides the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// An answer with the client's analysis of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientReply {
    /// The answer.
    pub answer: Response,
    /// The analysis.
    pub analysis: Analysis,
}

/// An answer to `respond`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// A move. The referee checks that it is legal.
    Move {
        /// The move (`sm`).
        mv: EpdMove<'static>,
        /// Draw offer or claim that goes with it.
        remark: Remark,
        /// Whether the opponent's draw offer is rejected explicitly (`draw_reject`); any move rejects it.
        rejects_draw: bool,
    },
    /// The draw offer that came with the opponent's move is accepted (`draw_accept`).
    AcceptDraw,
    /// Claims a draw in the current position (`draw_claim` without `sm`).
    ClaimDraw,
    /// The client resigns (`resign`).
    Resign,
    /// No move: the client considers itself mated or stalemated.
    NoMove,
}

/// Draw offer or claim that goes with a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remark {
    /// Nothing.
    #[default]
    None,
    /// Offers a draw (`draw_offer`).
    OfferDraw,
    /// Claims a draw in the position after the move (`draw_claim`).
    ClaimDraw,
}

/// Analysis of the position before the move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Evaluation for the client (`ce`).
    pub evaluation: Option<Evaluation>,
    /// Depth in plies (`acd`).
    pub depth: Option<u64>,
    /// Nodes searched (`acn`).
    pub nodes: Option<u64>,
    /// Principal variation, starting with the client's move (`pv`).
    pub line: Vec<EpdMove<'static>>,
}

impl Secret {
    /// Creates a secret that fits into a string operand: printable characters, at most 255 bytes, apostrophes for
    /// quotation marks.
    pub fn new(secret: &str) -> Secret {
        Secret(secret_text(secret).into_owned())
    }

    /// Returns the secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Returns the line as it may be logged: without the text after the opcode of a secret.
pub fn without_secret(line: &str) -> Cow<'_, str> {
    let opcode = line.as_bytes().windows(4).position(|word| word.eq_ignore_ascii_case(b"auth"));
    match opcode {
        // The opcode is ASCII, so the line can be cut after it.
        Some(at) => Cow::Owned(format!("{} …", &line[..at + 4])),
        None => Cow::Borrowed(line),
    }
}

impl SignOn {
    fn write(&self, record: &mut Record<'static>) {
        let contact = |name: &String| Contact { address: Text::Borrowed(""), name: text(name) };
        record.extend(self.name.as_ref().map(contact).map(Operation::Tcsi));
        let auth = |secret: &Secret| private("Auth", [AnyOperand::String(secret_text(secret.reveal()))]);
        record.extend(self.secret.as_ref().map(auth));
        record.extend(self.extended.then(|| private("Extended", [])));
        record.extend(self.heartbeat.then(|| private("Heartbeat", [])));
    }

    fn read(reading: &ParsedRecord<'_>) -> Result<SignOn, MessageError> {
        let secret = reading.private("Auth", "one string", |operands| match operands {
            [AnyOperand::String(secret) | AnyOperand::Word(secret)] => Some(Secret::new(secret)),
            _ => None,
        })?;
        Ok(SignOn {
            name: read_name(reading)?,
            secret,
            extended: reading.has("Extended"),
            heartbeat: reading.has("Heartbeat"),
        })
    }
}

/// Reads the name from the first opcode that carries one (the specification defines no opcode for it).
fn read_name(reading: &ParsedRecord<'_>) -> Result<Option<String>, MessageError> {
    let contact = reading.find("tcsi", Record::tcsi)?.map(|contact| &contact.name);
    let id = reading.find("id", Record::id)?;
    let is_name = |(tag, _): &&(Text<'_>, _)| ["Name", "White", "Black"].contains(&tag.as_ref());
    let tag = reading.record.ptp().and_then(|tags| tags.iter().find(is_name)).map(|(_, value)| value);
    let mut names = [contact, id, tag].into_iter().flatten().map(|name| name.trim());
    Ok(names.find(|name| !name.is_empty()).map(str::to_owned))
}

impl Response {
    fn write(&self, record: &mut Record<'static>) {
        match self {
            Response::Move { mv, remark, rejects_draw } => {
                record.set(Operation::Sm(mv.clone()));
                record.extend(match remark {
                    Remark::None => None,
                    Remark::OfferDraw => Some(Operation::DrawOffer),
                    Remark::ClaimDraw => Some(Operation::DrawClaim),
                });
                record.extend(rejects_draw.then_some(Operation::DrawReject));
            }
            Response::AcceptDraw => record.set(Operation::DrawAccept),
            Response::ClaimDraw => record.set(Operation::DrawClaim),
            Response::Resign => record.set(Operation::Resign),
            Response::NoMove => {}
        }
    }

    /// Reads the answer. Operations that exclude each other are refused (6.9 to 6.12, 6.25).
    fn read(reading: &ParsedRecord<'_>) -> Result<Response, MessageError> {
        let is_contradiction = |fault: &&Fault| matches!(fault.rule, Rule::X2 | Rule::X3 | Rule::X4);
        if let Some(fault) = reading.faults.iter().find(is_contradiction) {
            return Err(MessageError(fault.message.clone()));
        }
        let has = |opcode| reading.has(opcode);
        // No move is sent with the end of the game (section 8, step 10).
        if let Some(opcode) = ["draw_accept", "resign"].into_iter().find(|opcode| has(opcode) && has("sm")) {
            return Err(MessageError(format!("`{opcode}` and `sm` in one record")));
        }
        if has("resign") {
            return Ok(Response::Resign);
        }
        if has("draw_accept") {
            return Ok(Response::AcceptDraw);
        }
        let remark = match (has("draw_offer"), has("draw_claim")) {
            (true, _) => Remark::OfferDraw,
            (_, true) => Remark::ClaimDraw,
            _ => Remark::None,
        };
        match (reading.find("sm", Record::sm)?.map(EpdMove::to_owned_move), remark) {
            (Some(mv), remark) => Ok(Response::Move { mv, remark, rejects_draw: has("draw_reject") }),
            (None, Remark::ClaimDraw) => Ok(Response::ClaimDraw),
            (None, Remark::OfferDraw) => Err(MessageError("`draw_offer` without `sm`".to_owned())),
            (None, Remark::None) => Ok(Response::NoMove),
        }
    }
}

impl Analysis {
    fn write(&self, record: &mut Record<'static>) {
        record.extend(self.evaluation.map(Operation::Ce));
        record.extend(self.depth.map(Operation::Acd));
        record.extend(self.nodes.map(Operation::Acn));
        if !self.line.is_empty() {
            record.set(Operation::Pv(self.line.clone()));
        }
    }

    /// Reads the valid part of the analysis: a move is not refused for a malformed analysis.
    fn read(reading: &ParsedRecord<'_>) -> Analysis {
        let record = &reading.record;
        Analysis {
            evaluation: record.ce().copied(),
            depth: record.acd().copied(),
            nodes: record.acn().copied(),
            line: record.pv().into_iter().flatten().map_while(EpdMove::to_legal).collect(),
        }
    }
}

impl FromStr for ClientRecord {
    type Err = MessageError;

    /// Reads a line without its end.
    fn from_str(line: &str) -> Result<ClientRecord, MessageError> {
        let reading = ParsedRecord::new(line)?;
        if reading.has("refcom") {
            return Err(MessageError("`refcom` must not be sent by this side".to_owned()));
        }
        let request = reading.find("refreq", Record::refreq)?;
        let request = match request.ok_or_else(|| MessageError("missing `refreq`".to_owned()))? {
            RefereeRequest::SignOn => Request::SignOn(SignOn::read(&reading)?),
            RefereeRequest::Reply => Request::Reply(Box::new(ClientReply {
                answer: Response::read(&reading)?,
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
        let mut record = Record::new(self.position.clone());
        record.set(Operation::Refreq(match &self.request {
            Request::SignOn(_) => RefereeRequest::SignOn,
            Request::Reply(_) => RefereeRequest::Reply,
            Request::SignOff => RefereeRequest::SignOff,
            Request::Fault(_) => RefereeRequest::Fault,
        }));
        match &self.request {
            Request::SignOn(sign_on) => sign_on.write(&mut record),
            Request::Reply(reply) => {
                reply.answer.write(&mut record);
                reply.analysis.write(&mut record);
            }
            Request::SignOff => {}
            Request::Fault(told) => record.extend(told.as_deref().and_then(reason)),
        }
        record.fmt(f)
    }
}
