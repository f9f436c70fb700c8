//! A person as a client of a referee.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use game::{Color, Game, clock_face};

use crate::host::read_lines;
use crate::output::SessionOutput;
use game::diagram::{Diagram, DiagramStyle};
use messages::input::{Input, LineReader};
use messages::referee::{
    Analysis, ClientConfig, ClientConnection, ClientState, ClientTask, DisconnectReason, Remark, Response,
    answer_with,
};

/// A person who plays for a referee. The game is kept while a connection to another referee is made.
pub struct Person {
    client: ClientState,
    style: DiagramStyle,
    heard: Receiver<PersonEvent>,
    sender: Sender<PersonEvent>,
    /// Whether it is the person's turn.
    is_to_move: bool,
    /// The remark to be sent with the next move.
    remark: Remark,
}

/// A line and its origin.
enum PersonEvent {
    Referee(Input),
    Person(Input),
}

/// The commands of a person.
const HELP: &str = "\
e4, Nf3, e2e4   a move
draw            offer a draw with your next move
accept          accept the draw that was offered with the last move
claim [MOVE]    claim a draw, by the position on the board or after your move
resign          give the game up
board           show board and clocks
leave           sign off";

/// Interval at which `leaving` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Person {
    /// Starts to read what the person types.
    ///
    /// # Errors
    /// If the reading thread can't be started.
    pub fn new(
        typed: impl Read + Send + 'static,
        client: ClientState,
        style: DiagramStyle,
    ) -> io::Result<Person> {
        let (sender, heard) = mpsc::channel();
        read_lines("typed", LineReader::new(typed), sender.clone(), PersonEvent::Person)?;
        Ok(Person { client, style, heard, sender, is_to_move: false, remark: Remark::None })
    }

    /// Discards the remaining input of a closed connection.
    pub fn forget_connection(&mut self) {
        while let Ok(heard) = self.heard.recv_timeout(2 * POLL_INTERVAL) {
            if matches!(heard, PersonEvent::Referee(Input::End)) {
                return;
            }
        }
    }

    /// Signs on and takes part until the connection ends, the person leaves or `leaving` is set.
    ///
    /// # Errors
    /// If the output can't be written or the reading thread can't be started.
    pub fn take_part(
        &mut self,
        input: impl Read + Send + 'static,
        output: &mut dyn Write,
        screen: &mut dyn Write,
        config: &ClientConfig,
        leaving: &AtomicBool,
    ) -> io::Result<DisconnectReason> {
        read_lines("referee", LineReader::new(input), self.sender.clone(), PersonEvent::Referee)?;
        self.is_to_move = false;
        let screen = RefCell::new(SessionOutput::new(screen));
        let mut alarm = |reason: &str| alarm(&screen, reason);
        let mut session = PersonSession {
            link: ClientConnection::sign_on(&mut self.client, config, output, &mut alarm)?,
            person: self,
            screen: &screen,
            config,
        };
        loop {
            screen.borrow_mut().check()?;
            if leaving.load(Ordering::Relaxed) {
                return session.leave();
            }
            if let Some(disconnect) = session.link.keep_alive(Instant::now())? {
                return Ok(disconnect);
            }
            let disconnect = match session.person.heard.recv_timeout(POLL_INTERVAL) {
                Err(_) => None,
                Ok(PersonEvent::Person(Input::TooLong(_))) => {
                    session.say("The line is too long; `help` shows what you can type.");
                    None
                }
                Ok(PersonEvent::Referee(input)) => session.hear_referee(input)?,
                Ok(PersonEvent::Person(Input::Line(line))) => session.hear_person(&line)?,
                Ok(PersonEvent::Person(Input::End)) => Some(session.leave()?),
            };
            if let Some(disconnect) = disconnect {
                return Ok(disconnect);
            }
        }
    }
}

struct PersonSession<'a, 's> {
    person: &'a mut Person,
    link: ClientConnection<'a>,
    screen: &'a RefCell<SessionOutput<'s>>,
    config: &'a ClientConfig,
}

/// Asks the person for help.
fn alarm(screen: &RefCell<SessionOutput>, reason: &str) {
    screen.borrow_mut().line(&format_args!("\u{7}Help is needed: {reason}."));
}

impl PersonSession<'_, '_> {
    fn hear_referee(&mut self, input: Input) -> io::Result<Option<DisconnectReason>> {
        match self.link.hear(&mut self.person.client, input)? {
            ClientTask::Nothing | ClientTask::Repeat(_) | ClientTask::Alarm(_) => {}
            ClientTask::NewGame => {
                self.person.is_to_move = false;
                self.say("The referee prepares a game.");
            }
            ClientTask::Respond => {
                self.person.is_to_move = true;
                self.person.remark = Remark::None;
                self.show();
            }
            ClientTask::Conclude(result) => {
                self.person.is_to_move = false;
                let result = result.unwrap_or_else(|| "the referee sent no result".to_owned());
                self.say(&format!("The game is over: {}.", game::excerpt(&result)));
            }
            ClientTask::Disconnect(disconnect) => return Ok(Some(disconnect)),
        }
        Ok(None)
    }

    fn hear_person(&mut self, line: &str) -> io::Result<Option<DisconnectReason>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["help" | "?"] => self.say(HELP),
            ["board" | "clock" | "show"] => self.show(),
            ["leave" | "quit" | "exit"] => return self.leave().map(Some),
            ["draw"] => {
                self.person.remark = Remark::OfferDraw;
                self.say("The offer goes with your next move.");
            }
            [_] | ["claim", _] if !self.person.is_to_move => self.say("It is not your turn."),
            ["accept"] if !self.person.client.is_draw_offered() => {
                self.say("No draw was offered with the last move.");
            }
            ["accept"] => self.reply(Response::AcceptDraw)?,
            ["resign"] => self.reply(Response::Resign)?,
            ["claim"] => self.reply(Response::ClaimDraw)?,
            ["claim", mv] => self.make_move(mv, Remark::ClaimDraw)?,
            [mv] => self.make_move(mv, self.person.remark)?,
            _ => self.say("`help` shows what you can type."),
        }
        Ok(None)
    }

    fn make_move(&mut self, text: &str, remark: Remark) -> io::Result<()> {
        let game = self.person.client.game();
        match game.parse_move(text) {
            Ok(mv) => {
                let answer = answer_with(game, mv, remark);
                self.reply(answer)?;
                self.show();
            }
            Err(error) => self.say(&format!("{error}; `help` shows what you can type.")),
        }
        Ok(())
    }

    fn reply(&mut self, answer: Response) -> io::Result<()> {
        self.person.is_to_move = false;
        self.person.remark = Remark::None;
        let record = self.person.client.reply(answer, Analysis::default()).map_err(io::Error::other)?;
        self.link.send(&record)
    }

    fn leave(&mut self) -> io::Result<DisconnectReason> {
        self.link.sign_off(&self.person.client)
    }

    /// Shows the board and the clocks.
    fn show(&self) {
        self.say(&self.person.picture(&self.config.name));
    }

    fn say(&self, text: &str) {
        self.screen.borrow_mut().line(&text);
    }
}

impl Person {
    fn picture(&self, name: &str) -> String {
        let game = self.client.game();
        let viewpoint = Color::from_white(self.client.tag("Black") != Some(name));
        let drawing = Diagram::of(game, viewpoint, self.style);
        let side = |color: Color| {
            let name = self.client.tag(color.fold_wb("White", "Black")).unwrap_or("?");
            let clock = self.client.remaining(color).map_or_else(|| "-".to_owned(), clock_face);
            format!("{} {clock}", game::excerpt(name))
        };
        let mut text = format!("{drawing}\n{} - {}", side(Color::White), side(Color::Black));
        if let Some(last) = last_move(game) {
            let _ = write!(text, ", last move {last}");
        }
        if self.is_to_move {
            text.push_str(if self.client.is_draw_offered() {
                "\nA draw is offered. Your move, or `accept`:"
            } else {
                "\nYour move:"
            });
        }
        text
    }
}

fn last_move(game: &Game) -> Option<String> {
    let mut before = game.clone();
    before.undo().map(|mv| before.san(mv))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    /// Handles the referee's lines, then the typed lines. Returns the output to the referee and to the screen.
    fn converse(referee: &str, typed: &str) -> (String, String) {
        let client = ClientState::new("5/move".parse().expect("a time control"));
        let mut person = Person::new(io::empty(), client, DiagramStyle::Ascii).expect("a thread");
        // Replaces the channel, so that only the lines of the test arrive, in this order.
        let (sender, heard) = mpsc::channel();
        (person.sender, person.heard) = (sender.clone(), heard);
        let config = ClientConfig { name: "Ann".to_owned(), secret: None, extended: false, ponder: false };
        let (mut output, mut screen) = (Vec::new(), Vec::new());
        let shown = RefCell::new(SessionOutput::new(&mut screen));
        let mut alarm = |reason: &str| alarm(&shown, reason);
        let link =
            ClientConnection::sign_on(&mut person.client, &config, &mut output, &mut alarm).expect("written");
        let mut session = PersonSession { person: &mut person, link, screen: &shown, config: &config };
        for line in referee.lines() {
            session.hear_referee(Input::Line(format!("{START} {line}"))).expect("written");
        }
        for line in typed.lines() {
            session.hear_person(line).expect("written");
        }
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let told = text(output);
        let (_, told) = told.split_once('\n').expect("a sign-on");
        (told.to_owned(), text(screen))
    }

    #[test]
    fn a_person_moves_offers_and_resigns() {
        let (told, seen) = converse("refcom reset;\nrefcom respond;", "draw\ne5\ne4\nd4");
        assert_eq!(told, format!("{START} draw_offer; refreq reply; sm e4;\n"));
        assert!(seen.contains("illegal") || seen.contains("no legal"), "{seen}");
        assert!(seen.contains("It is not your turn."), "{seen}");
        let (told, _) = converse("refcom respond;", "resign");
        assert_eq!(told, format!("{START} refreq reply; resign;\n"));
        let (told, seen) = converse("draw_offer; refcom respond; sm e4;", "accept");
        assert!(
            told.ends_with("draw_accept; refreq reply;\n") && seen.contains("A draw is offered"),
            "{told}{seen}"
        );
        let (told, seen) = converse("refcom dance;\nrefcom respond;", "leave");
        assert!(told.contains("refreq fault") && seen.contains("\u{7}Help is needed: "), "{told}{seen}");
        let (told, seen) = converse("refcom respond;", "accept\nclaim Nf3\nhelp");
        assert!(
            told.contains("draw_claim; refreq reply; sm Nf3;") && seen.contains("No draw was offered"),
            "{told}{seen}"
        );
    }

    #[test]
    fn a_connection_is_served_to_its_end() {
        let client = ClientState::new("5/move".parse().expect("a time control"));
        let mut person = Person::new(Cursor::new(b"leave\n"), client, DiagramStyle::Ascii).expect("a thread");
        let config = ClientConfig { name: "Ann".to_owned(), secret: None, extended: false, ponder: false };
        let (mut output, mut screen) = (Vec::new(), Vec::new());
        let never = AtomicBool::new(false);
        let (silent, _open) = io::pipe().expect("a pipe");
        let disconnect =
            person.take_part(silent, &mut output, &mut screen, &config, &never).expect("written");
        assert_eq!(disconnect, DisconnectReason::SignedOff);
        let told = String::from_utf8(output).expect("text");
        assert_eq!(told, format!("{START} refreq sign_on; tcsi \"\" \"Ann\";\n{START} refreq sign_off;\n"));
    }
}
