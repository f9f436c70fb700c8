//! Connection of a client to the referee, common to engines and people.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::{ClientRecord, ClientState, ClientTask, ProtocolError, Request, Secret};
use crate::input::Input;

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Name for the sign-on.
    pub name: String,
    /// Secret that proves the name.
    pub secret: Option<Secret>,
    /// Whether to ask for exact clocks, epochs and heartbeats.
    pub extended: bool,
    /// Whether to ponder: to think on the opponent's time.
    pub ponder: bool,
}

/// Reason for the end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The referee sent `disconnect`.
    ByReferee,
    /// The connection was lost.
    Lost,
    /// The referee refused the client and gave the reason in a fault.
    Refused,
    /// The referee does not let the client play now.
    TryAgain {
        /// When it should sign on again.
        after: Duration,
        /// What the referee says.
        why: String,
    },
    /// Another referee has taken over the event.
    Outdated,
    /// The client has signed off.
    SignedOff,
}

/// A client's end of a connection. Handles the records that need no thinking and calls for human help.
pub struct ClientConnection<'a> {
    output: &'a mut dyn Write,
    alarm: &'a mut dyn FnMut(&str),
    /// Whether the referee admitted the client; `None` before its first answer.
    is_admitted: Option<bool>,
    heartbeat: Heartbeat,
}

/// Interval at which an empty line is sent to a referee that sends such lines.
pub const HEARTBEAT: Duration = Duration::from_secs(2);
/// Time without a byte after which the other side of a connection with heartbeats is taken for dead.
pub const SILENCE: Duration = Duration::from_secs(7);
/// Time in which a referee has to answer `sign_on`.
const LONGEST_ANSWER: Duration = Duration::from_secs(12);
/// Longest time that a single call counts. After a longer pause this process was stopped itself, and lines may wait.
const LONGEST_STEP: Duration = Duration::from_millis(500);

/// The signs of life of both sides.
struct Heartbeat {
    /// Whether the referee has sent an empty line: it knows heartbeats.
    is_used: bool,
    sent: Instant,
    last: Instant,
    silence: Duration,
}

impl<'a> ClientConnection<'a> {
    /// Signs on. `alarm` is called with everything that needs human help.
    ///
    /// # Errors
    /// The output failed.
    pub fn sign_on(
        client: &mut ClientState,
        config: &ClientConfig,
        output: &'a mut dyn Write,
        alarm: &'a mut dyn FnMut(&str),
    ) -> io::Result<ClientConnection<'a>> {
        let now = Instant::now();
        let heartbeat = Heartbeat { is_used: false, sent: now, last: now, silence: Duration::ZERO };
        let mut link = ClientConnection { output, alarm, is_admitted: None, heartbeat };
        let mut record = client.sign_on(&config.name, config.secret.as_ref(), config.extended);
        if let Request::SignOn(sign_on) = &mut record.request {
            sign_on.heartbeat = config.extended;
        }
        link.send(&record)?;
        Ok(link)
    }

    /// Sends a heartbeat when one is due. Returns the end of a connection over which nothing has come for too long. Has
    /// to be called at least twice a second.
    ///
    /// # Errors
    /// The output failed.
    pub fn keep_alive(&mut self, at: Instant) -> io::Result<Option<DisconnectReason>> {
        let beat = &mut self.heartbeat;
        beat.silence += at.saturating_duration_since(beat.last).min(LONGEST_STEP);
        beat.last = at;
        let longest = if beat.is_used { Some(SILENCE) } else { None };
        let longest = longest.or_else(|| self.is_admitted.is_none().then_some(LONGEST_ANSWER));
        if longest.is_some_and(|longest| beat.silence > longest) {
            return Ok(Some(DisconnectReason::Lost));
        }
        if beat.is_used && at.saturating_duration_since(beat.sent) >= HEARTBEAT {
            beat.sent = at;
            self.output.write_all(b"\n")?;
            self.output.flush()?;
        }
        Ok(None)
    }

    /// Processes input from the referee and returns the task that is left to the caller. Replies are repeated and
    /// alarms are raised here.
    ///
    /// # Errors
    /// The output failed.
    pub fn hear(&mut self, client: &mut ClientState, input: Input) -> io::Result<ClientTask> {
        self.heartbeat.silence = Duration::ZERO;
        let line = match input {
            Input::Line(line) if line.is_empty() => {
                self.heartbeat.is_used = true;
                return Ok(ClientTask::Nothing);
            }
            Input::End if self.is_admitted == Some(false) => {
                return Ok(ClientTask::Disconnect(DisconnectReason::Refused));
            }
            Input::End => return Ok(ClientTask::Disconnect(DisconnectReason::Lost)),
            Input::TooLong(_) => return self.breach(client, "line too long".to_owned()),
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
                self.alarm(&game::excerpt(reason.as_deref().unwrap_or("the referee gave no reason")));
            }
            _ => {}
        }
        Ok(task)
    }

    fn breach(&mut self, client: &ClientState, reason: String) -> io::Result<ClientTask> {
        self.fault(client, &reason)?;
        Ok(ClientTask::Alarm(Some(reason)))
    }

    /// Calls for human help.
    pub fn alarm(&mut self, reason: &str) {
        (self.alarm)(reason);
    }

    /// Reports a fault to both the referee and the user.
    ///
    /// # Errors
    /// The output failed.
    pub fn fault(&mut self, client: &ClientState, reason: &str) -> io::Result<()> {
        self.alarm(reason);
        self.send(&client.request(Request::Fault(Some(reason.to_owned()))))
    }

    /// Signs off.
    ///
    /// # Errors
    /// The output failed.
    pub fn sign_off(&mut self, client: &ClientState) -> io::Result<DisconnectReason> {
        self.send(&client.request(Request::SignOff))?;
        Ok(DisconnectReason::SignedOff)
    }

    /// Writes a record with its newline, in one piece.
    ///
    /// # Errors
    /// The output failed.
    pub fn send(&mut self, record: &ClientRecord) -> io::Result<()> {
        self.output.write_all(format!("{record}\n").as_bytes())?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    /// Handles these lines and the end of the input. Returns the remaining tasks, the alarms, and the output after the
    /// sign-on.
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
    fn a_referee_that_says_nothing_any_more_is_dead_if_it_knows_heartbeats() {
        for (is_used, sent, longest) in [(true, 3, 8), (false, 0, 13)] {
            let mut client = ClientState::new("5/move".parse().expect("a time control"));
            let config = ClientConfig { name: "Ann".to_owned(), secret: None, extended: true, ponder: false };
            let (mut output, mut alarm) = (Vec::new(), |_: &str| {});
            let mut link =
                ClientConnection::sign_on(&mut client, &config, &mut output, &mut alarm).expect("written");
            if is_used {
                let task = link.hear(&mut client, Input::Line(String::new())).expect("written");
                assert_eq!(task, ClientTask::Nothing);
            }
            let begin = Instant::now();
            // A jump counts little, because the lines of the referee may wait.
            assert_eq!(link.keep_alive(begin + Duration::from_hours(1)).expect("written"), None);
            let later = |halves: u32| begin + Duration::from_hours(1) + Duration::from_millis(500) * halves;
            let end = (1..100).find(|&halves| link.keep_alive(later(halves)).expect("written").is_some());
            let end = end.expect("it ends") / 2;
            assert!((longest - 2..=longest).contains(&end), "{end}");
            let beats =
                String::from_utf8(output).expect("text").lines().skip(1).filter(|l| l.is_empty()).count();
            assert!(beats >= sent && (is_used || beats == 0), "{beats}");
        }
    }

    #[test]
    fn who_is_asked_to_come_back_tries_again() {
        let (heard, alarms, _) = converse(&["Retry 9; c0 \"the name is taken\"; refcom fault;"]);
        let expected =
            DisconnectReason::TryAgain { after: Duration::from_secs(9), why: "the name is taken".to_owned() };
        assert_eq!((heard[0].clone(), alarms.len()), (ClientTask::Disconnect(expected), 0));
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
