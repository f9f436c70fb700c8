//! What the clients of the simulation do.

use super::*;

impl Simulation {
    pub(super) fn connect(&mut self, client: usize) {
        if self.clients[client].link.is_some() {
            return;
        }
        let number = self.clients[client].next;
        self.clients[client].next = 1 - number;
        if !self.nodes[number].is_up || self.nodes[number].observes {
            return self.at(self.now + 150, Event::Connect(client));
        }
        self.count += 1;
        let link = self.count;
        self.client_links.insert(link, (client, number));
        self.clients[client].link = Some((number, link));
        self.clients[client].heard = self.now;
        let name = ["A", "B"][client];
        let mut record = self.clients[client].state.sign_on(name, None, true);
        if let Request::SignOn(sign_on) = &mut record.request {
            sign_on.heartbeat = true;
        }
        self.send_to_node(link, ConnectionEvent::Opened(link));
        self.send_to_node(link, ConnectionEvent::Line(link, record.to_string()));
    }

    pub(super) fn leave(&mut self, client: usize, node: usize, link: Link) {
        self.send_to_node(link, ConnectionEvent::Closed(link));
        self.clients[client].link = None;
        self.clients[client].next = 1 - node;
        self.at(self.now + 100, Event::Connect(client));
    }

    pub(super) fn say(&mut self, client: usize, link: Link, text: String) {
        if self.clients[client].link.is_some_and(|(_, present)| present == link) {
            self.send_to_node(link, ConnectionEvent::Line(link, text));
        }
    }

    pub(super) fn send_to_node(&mut self, link: Link, event: ConnectionEvent) {
        let Some(&(_, node)) = self.client_links.get(&link) else { return };
        let at = self.in_order(link, true);
        let life = self.nodes[node].life;
        self.at(at, Event::Node(node, Some(life), Happening::Client(event)));
    }

    pub(super) fn send_to_client(&mut self, client: usize, link: Link, text: Option<String>) {
        let at = self.in_order(link, false);
        self.at(at, Event::ToClient(client, link, text));
    }

    pub(super) fn close_client(&mut self, link: Link) {
        if let Some(&(client, _)) = self.client_links.get(&link) {
            self.send_to_client(client, link, None);
        }
    }

    pub(super) fn in_order(&mut self, link: Link, is_up: bool) -> u64 {
        let at = self.now + self.random.u64(0..DELAY);
        let busy = self.busy.entry((link, is_up)).or_default();
        *busy = at.max(*busy);
        *busy
    }

    pub(super) fn hear(&mut self, client: usize, link: Link, text: Option<String>) {
        let Some((node, _)) = self.clients[client].link.filter(|(_, present)| *present == link) else {
            return;
        };
        let Some(text) = text else {
            return self.leave(client, node, link);
        };
        self.clients[client].heard = self.now;
        if text.is_empty() {
            return;
        }
        match self.clients[client].state.hear(&text) {
            Ok(ClientTask::Respond) => self.think(client, link),
            Ok(ClientTask::Repeat(record)) => self.say(client, link, record.to_string()),
            Ok(ClientTask::Disconnect(_) | ClientTask::Alarm(_)) | Err(_) => self.leave(client, node, link),
            Ok(_) => {}
        }
    }

    pub(super) fn think(&mut self, client: usize, link: Link) {
        let time = self.random.u64(20..1200);
        self.thought[client] = Duration::from_millis(time);
        let state = &mut self.clients[client].state;
        let game = state.game();
        let moves = game.legal_moves();
        let answer = match self.random.u32(0..20) {
            0 => Response::Resign,
            _ => answer_with(game, moves[self.random.usize(..moves.len())], Remark::None),
        };
        let record: ClientRecord = state.reply(answer, Analysis::default()).expect("legal");
        self.at(self.now + time, Event::Think(client, link, record.to_string()));
    }
}
