//! What a client does over a connection, whoever plays.

use std::io::{self, Write};

use super::client_state::{ClientState, ClientTask, ProtocolError};
use super::request::{ClientRecord, Request, Secret};
use crate::input::Input;

/// How a client takes part.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The name under which it signs on.
    pub name: String,
    /// What proves the name.
    pub secret: Option<Secret>,
    /// Asks for exact clocks and epochs.
    pub extended: bool,
    /// Thinks in the opponent's time.
    pub ponder: bool,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The referee said `disconnect`.
    ByReferee,
    /// It is gone, without a word.
    Lost,
    /// The referee didn't take the client in; why, it has told in a fault.
    Refused,
    /// The referee is not the one to follow any more.
    Outdated,
    /// The client has signed off.
    SignedOff,
}

/// A client's end of a connection: answers the referee where nobody has to think, and calls for human help.
pub struct ClientConnection<'a> {
    output: &'a mut dyn Write,
    alarm: &'a mut dyn FnMut(&str),
    /// Whether the referee takes the client in; `None` until it has said anything.
    is_admitted: Option<bool>,
}

impl<'a> ClientConnection<'a> {
    /// Signs on. What needs human help goes to `alarm`.
    ///
    /// # Errors
    /// Nothing can be written.
    pub fn sign_on(
        client: &mut ClientState,
        config: &ClientConfig,
        output: &'a mut dyn Write,
        alarm: &'a mut dyn FnMut(&str),
    ) -> io::Result<ClientConnection<'a>> {
        let mut link = ClientConnection { output, alarm, is_admitted: None };
        link.send(&client.sign_on(&config.name, config.secret.as_ref(), config.extended))?;
        Ok(link)
    }

    /// Takes in what came from the referee, and says what else is to be done. Answers are repeated and human help is called
    /// for by then.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn hear(&mut self, client: &mut ClientState, input: Input) -> io::Result<ClientTask> {
        let line = match input {
            Input::End if self.is_admitted == Some(false) => {
                return Ok(ClientTask::Disconnect(DisconnectReason::Refused));
            }
            Input::End => return Ok(ClientTask::Disconnect(DisconnectReason::Lost)),
            Input::TooLong(_) => return self.breach(client, "a line without end".to_owned()),
            Input::Line(line) => line,
        };
        let task = match client.hear(&line) {
            Err(error @ ProtocolError::Outdated { .. }) => {
                self.alarm(&error.to_string());
                return Ok(ClientTask::Disconnect(DisconnectReason::Outdated));
            }
            Err(error) => return self.breach(client, error.to_string()),
            Ok(task) => task,
        };
        match &task {
            ClientTask::NewGame => self.is_admitted = Some(true),
            ClientTask::Repeat(record) => self.send(record)?,
            ClientTask::Alarm(reason) => {
                self.is_admitted.get_or_insert(false);
                self.alarm(&game::excerpt(reason.as_deref().unwrap_or("the referee tells no reason")));
            }
            _ => {}
        }
        Ok(task)
    }

    fn breach(&mut self, client: &ClientState, reason: String) -> io::Result<ClientTask> {
        self.fault(client, &reason)?;
        Ok(ClientTask::Alarm(Some(reason)))
    }

    /// Calls for human help here.
    pub fn alarm(&mut self, reason: &str) {
        (self.alarm)(reason);
    }

    /// Tells both the referee and the person that nothing can be done about this.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn fault(&mut self, client: &ClientState, reason: &str) -> io::Result<()> {
        self.alarm(reason);
        self.send(&client.request(Request::Fault(Some(reason.to_owned()))))
    }

    /// Signs off.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn sign_off(&mut self, client: &ClientState) -> io::Result<DisconnectReason> {
        self.send(&client.request(Request::SignOff))?;
        Ok(DisconnectReason::SignedOff)
    }

    /// Writes a record with its newline, in one piece.
    ///
    /// # Errors
    /// It can't be written.
    pub fn send(&mut self, record: &ClientRecord) -> io::Result<()> {
        self.output.write_all(format!("{record}\n").as_bytes())?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    /// What is left to do about these lines and the end after them, the alarms, and what the referee gets after the sign-on.
    fn converse(lines: &[&str]) -> (Vec<ClientTask>, Vec<String>, String) {
        let mut client = ClientState::new("5/move".parse().expect("a time control"));
        let config = ClientConfig { name: "Ann".to_owned(), secret: None, extended: true, ponder: false };
        let (mut output, mut alarms) = (Vec::new(), Vec::new());
        let mut alarm = |reason: &str| alarms.push(reason.to_owned());
        let mut link =
            ClientConnection::sign_on(&mut client, &config, &mut output, &mut alarm).expect("written");
        let inputs = lines.iter().map(|line| Input::Line(format!("{START} {line}"))).chain([Input::End]);
        let heard = inputs.map(|input| link.hear(&mut client, input).expect("written")).collect();
        let told = String::from_utf8(output).expect("text");
        let (_, told) = told.split_once('\n').expect("a sign-on");
        (heard, alarms, told.to_owned())
    }

    #[test]
    fn only_what_needs_thought_is_left() {
        let (heard, alarms, told) =
            converse(&["refcom reset;", "refcom inform;", "refcom respond;", "refcom disconnect;"]);
        let disconnect = [DisconnectReason::ByReferee, DisconnectReason::Lost].map(ClientTask::Disconnect);
        let expected =
            [&[ClientTask::NewGame, ClientTask::Nothing, ClientTask::Respond][..], &disconnect[..]].concat();
        assert_eq!((heard, alarms, told.as_str()), (expected, Vec::new(), ""));
    }

    #[test]
    fn a_fault_before_the_first_game_is_a_refusal_and_later_ones_are_not() {
        let fault = "c0 \"no \u{7}seat\"; refcom fault;";
        let (heard, alarms, _) = converse(&["c0 \"no seat\"; refcom fault;"]);
        let alarm = ClientTask::Alarm(Some("no seat".to_owned()));
        assert_eq!(heard, [alarm, ClientTask::Disconnect(DisconnectReason::Refused)]);
        assert_eq!(alarms, ["no seat"]);
        let (heard, ..) = converse(&["refcom reset;", "c0 \"no seat\"; refcom fault;"]);
        assert_eq!(heard.last(), Some(&ClientTask::Disconnect(DisconnectReason::Lost)));
        let (_, alarms, _) = converse(&[fault]);
        assert!(alarms.len() == 1 && !alarms[0].contains('\u{7}'), "{alarms:?}");
    }

    #[test]
    fn a_breach_is_told_to_both_and_an_outdated_referee_left() {
        let (heard, alarms, told) = converse(&["refcom dance;"]);
        assert_eq!((heard[0].clone(), alarms.len()), (ClientTask::Alarm(Some(alarms[0].clone())), 1));
        assert!(told.contains("refreq fault") && told.lines().count() == 1, "{told}");
        let (heard, alarms, told) = converse(&["Epoch 3; refcom reset;", "Epoch 2; refcom reset;"]);
        assert_eq!(heard[1], ClientTask::Disconnect(DisconnectReason::Outdated));
        assert_eq!((alarms.len(), told.as_str()), (1, ""));
    }
}
