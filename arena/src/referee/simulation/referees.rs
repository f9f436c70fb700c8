//! What the referees of the simulation do.

use super::*;

impl Simulation {
    pub(super) fn handle_node(&mut self, number: usize, life: Option<u32>, happening: Happening) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        match happening {
            Happening::Restart if node.is_done => (),
            Happening::Restart => {
                let may_observe = self.random.bool() && self.acts(1 - number);
                let (at, node) = (self.clock(number), &mut self.nodes[number]);
                node.observes |= may_observe;
                node.start(now, at);
                let history = &node.referee.store.history;
                if !node.observes && history.is_over() && node.referee.is_end_told() {
                    return self.go_home(number);
                }
                let life = Some(node.life);
                self.at(now, Event::Node(number, life, Happening::Tick));
                if std::mem::take(&mut self.nodes[number].is_old) && self.random.bool() {
                    let at = now + self.random.u64(0..4 * DELAY);
                    self.at(at, Event::Node(1 - number, None, Happening::Crash));
                }
            }
            _ if !node.is_up || life.is_some_and(|life| life != node.life) => (),
            Happening::Freeze(time) => node.frozen_until = node.frozen_until.max(now + time),
            Happening::Copy => node.copy = Some(node.referee.store.facts.clone()),
            Happening::Restore => self.restore(number),
            Happening::Crash => self.crash(number),
            // What comes to a stopped process waits.
            happening if node.frozen_until > now => {
                let (until, life) = (node.frozen_until, Some(node.life));
                self.queue.insert((until, self.order), Event::Node(number, life, happening));
            }
            happening => self.work(number, happening),
        }
    }

    /// Whether a referee can be observed.
    pub(super) fn acts(&self, number: usize) -> bool {
        self.now >= self.cut_until && self.nodes[number].is_up && !self.nodes[number].observes
    }

    /// A referee crashes, and its store is replaced by the copy: one with which it waits for the other, or observes it. That one has
    /// all that was told, and does not go home.
    pub(super) fn restore(&mut self, number: usize) {
        let (node, other) = (&self.nodes[number], &self.nodes[1 - number]);
        let Some(copy) = node.copy.as_ref().filter(|copy| **copy != node.referee.store.facts) else { return };
        let ((author, named), (author_now, named_now)) =
            (last_words(copy), last_words(&node.referee.store.facts));
        let is_needed =
            (author == node.id && named == Some(other.id)) || (node.observes && author == other.id);
        let has_claimed =
            self.granted().is_some_and(|(epoch, by)| epoch > other.referee.event.epoch && by == node.id);
        let has_all = (named_now, last_words(&other.referee.store.facts).1)
            == (Some(other.id), Some(other.id))
            || author_now == other.id;
        let is_in_play = !node.referee.event.has_ended();
        if is_in_play && is_needed && has_all && !has_claimed && !other.is_dead && !other.is_done {
            let (copy, node) = (copy.clone(), &mut self.nodes[number]);
            let Ok(()) = node.referee.store.replace(&copy);
            node.is_old = true;
            self.restored += 1;
            self.crash(number);
        }
    }

    pub(super) fn crash(&mut self, number: usize) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        (node.is_up, node.frozen_until) = (false, 0);
        node.life += 1;
        let other = &self.nodes[1 - number];
        let has_all = (other.referee.is_acting() || other.is_done)
            && other.referee.event.epoch >= self.nodes[number].referee.event.epoch;
        // Who has claimed a term and dies before it begins has to come back, or the director decides.
        let has_claimed = self.granted().is_some_and(|(epoch, _)| epoch > other.referee.event.epoch);
        let is_there = other.is_up || other.is_done;
        let is_needed = self.witness.is_none() || self.has_died || has_claimed || !(is_there && has_all);
        let restart = now + self.random.u64(100..4000);
        if is_needed || self.random.bool() {
            self.at(restart, Event::Node(number, None, Happening::Restart));
        } else {
            (self.has_died, self.nodes[number].is_dead) = (true, true);
        }
        self.hang_up(number);
    }

    /// Closes all connections of a referee.
    pub(super) fn hang_up(&mut self, number: usize) {
        self.close_clients(number);
        let links: Vec<Link> = self.peers.keys().copied().collect();
        for link in links {
            self.close_peer(number, link);
        }
    }

    /// A running process handles an input; first of all it looks at its lease.
    pub(super) fn work(&mut self, number: usize, happening: Happening) {
        let at = self.clock(number);
        let lost = self.now.saturating_sub(self.nodes[number].ran);
        self.nodes[number].ran = self.now;
        if self.nodes[number].observes {
            self.observe(number, happening, at);
            return;
        }
        self.keep_lease(number, Duration::from_millis(lost).mul_f64(self.nodes[number].rate), at);
        let node = &mut self.nodes[number];
        match happening {
            Happening::Tick => {
                self.at(self.now + TICK, Event::Node(number, Some(self.nodes[number].life), Happening::Tick));
                self.beat(number, at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) if node.referee.is_acting() => {
                node.clients.push(link);
                node.referee.event.handle(ConnectionEvent::Opened(link), at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) => self.close_client(link),
            Happening::Client(ConnectionEvent::Line(link, text)) if node.clients.contains(&link) => {
                node.referee.event.handle(ConnectionEvent::Line(link, text), at);
            }
            Happening::Client(ConnectionEvent::Closed(link)) if node.clients.contains(&link) => {
                node.clients.retain(|&client| client != link);
                node.referee.event.handle(ConnectionEvent::Closed(link), at);
            }
            Happening::Peer(link, text) => self.hear_peer(number, link, &text, at),
            Happening::PeerClosed(link) => {
                node.referee.lose(link);
            }
            _ => {}
        }
        if self.nodes[number].referee.is_acting() {
            self.nodes[number].referee.event.tick(at);
        }
        if !self.nodes[number].observes {
            self.deliver(number, at);
            self.end(number, at);
        }
    }

    /// Ends a referee at the event's end, when the other one knows it, too, or was waited for. See `Service::close_event`.
    pub(super) fn end(&mut self, number: usize, at: Instant) {
        let is_over = self.nodes[number].is_over(self.late());
        let is_other_gone = self.nodes[1 - number].is_done || self.nodes[1 - number].is_dead;
        let node = &mut self.nodes[number];
        if !node.is_up {
            return;
        }
        if is_over {
            node.referee.is_settled = true;
            let Ok(()) = node.referee.store.note(Note::Over);
            node.referee.wait_at_the_end(at);
        }
        if is_other_gone {
            // It is waited for in vain: its answer was lost, or the director knows that it will not come back.
            node.referee.hurry(at);
        }
        let (may_go, observer) = node.referee.may_go_home(is_over, at);
        if let Some(link) = observer {
            self.send_peer(number, link, &PeerLine::End);
        }
        if may_go || (is_over && self.bug == Bug::GoesHome) {
            self.go_home(number);
        }
    }

    pub(super) fn go_home(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        (node.is_done, node.is_up) = (true, false);
        node.life += 1;
        self.hang_up(number);
    }

    pub(super) fn keep_lease(&mut self, number: usize, lost: Duration, at: Instant) {
        let (bug, is_alone) = (self.bug, self.nodes[1 - number].is_dead);
        let node = &mut self.nodes[number];
        if bug == Bug::ClaimsWithOldStore {
            node.referee.trust_store();
        }
        let step = node.referee.step(at);
        let is_acting = node.referee.is_acting();
        let may_be_left = is_alone && node.referee.successor().is_none() && !node.referee.is_at_the_end();
        match step {
            ReignStep::Begin => {
                node.referee.event.take_effects();
                node.referee.begin(at);
                node.fence = node.referee.store.history.takes_over();
                node.referee.owes_end = node.fence.is_some();
            }
            ReignStep::StandDown => {
                let Ok(()) = node.referee.stand_down();
                self.close_clients(number);
            }
            ReignStep::GoOn if is_acting => {
                if lost > Duration::from_millis(250) && bug != Bug::ChargesOutages {
                    node.referee.event.outage(lost, at);
                }
            }
            ReignStep::Claim(first) if self.is_granted(number, first) => self.leave_observer(number, at),
            // The director, who knows that the other is lost, says `alone`.
            _ if may_be_left => self.leave_observer(number, at),
            ReignStep::GoOn | ReignStep::Wait | ReignStep::Claim(_) => {}
        }
    }

    /// A referee goes on without its observer.
    pub(super) fn leave_observer(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        node.referee.event.take_effects();
        let Ok(()) = node.referee.leave_observer();
        node.referee.begin(at);
    }

    pub(super) fn close_clients(&mut self, number: usize) {
        for link in std::mem::take(&mut self.nodes[number].clients) {
            self.close_client(link);
        }
    }

    /// Claims the terms from a number up to the next one from the witness, which can't always be reached.
    pub(super) fn is_granted(&mut self, number: usize, first: u64) -> bool {
        let (last, by) = (self.nodes[number].referee.event.epoch + 1, self.nodes[number].id);
        let witness = self.witness.as_mut().filter(|_| self.random.u32(0..4) > 0);
        let Some(grants) = witness else { return false };
        let grants_twice = self.bug == Bug::GrantsTwice;
        (first..=last).all(|epoch| grants.claim(FOUNDER, (epoch, by)).is_some() || grants_twice)
    }

    /// Whether the witness, if there is one, lets a referee take over.
    pub(super) fn is_let(&mut self, number: usize) -> bool {
        self.witness.is_none() || self.is_granted(number, self.nodes[number].referee.event.epoch + 1)
    }

    pub(super) fn beat(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let count = node.stored();
        if let (Some(beat), Some(link)) = (node.referee.lease.beat(at), node.referee.lease.connection()) {
            self.send_peer(number, link, &PeerLine::Alive { beat, count });
        }
        let other = 1 - number;
        if let Some((term, first)) = self.nodes[number].fence
            && (self.now / TICK).is_multiple_of(20)
            && self.now >= self.cut_until
            && self.nodes[other].is_up
        {
            let node = &self.nodes[number];
            // Its own first fact is stored a moment after its term begins.
            let last = if node.referee.is_at_the_end() && node.stored() >= first { node.stored() } else { 0 };
            self.count += 1;
            let link = self.count;
            self.nodes[number].telling = (last > 0).then_some((link, last));
            self.send_apart(other, link, &PeerLine::Fence { token: TOKEN.to_owned(), term, first, last });
        }
    }

    /// Sends a line over a connection of its own that tells the end.
    pub(super) fn send_apart(&mut self, to: usize, link: Link, told: &PeerLine) {
        let life = self.nodes[to].life;
        for text in self.on_its_way(told) {
            self.at(self.now + DELAY, Event::Node(to, Some(life), Happening::Peer(link, text)));
        }
    }

    /// A referee that has taken over hears how many facts its predecessor has, and sends it the others up to the last one.
    pub(super) fn tell_end(&mut self, number: usize, link: Link, last: u64, text: &[u8]) {
        let Some(PeerLine::Stored(count)) = PeerLine::parse(text) else { return };
        if count == last {
            let node = &mut self.nodes[number];
            let Ok(()) = node.referee.end_is_known();
            node.fence = None;
            return;
        }
        let facts = self.nodes[number].referee.store.facts.get(count as usize..).unwrap_or_default().to_vec();
        for (fact, count) in facts.into_iter().zip(count + 1..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_apart(1 - number, link, &PeerLine::Fact(count, json));
        }
    }

    /// The process ends, and the director starts it again: by its own command, or to observe its successor.
    pub(super) fn leave_to_successor(&mut self, number: usize) {
        let observes = self.random.bool();
        self.close_clients(number);
        let (at, node) = (self.clock(number), &mut self.nodes[number]);
        node.observes = observes;
        node.life += 1;
        node.start(self.now, at);
        let life = node.life;
        self.at(self.now + TICK, Event::Node(number, Some(life), Happening::Tick));
    }

    pub(super) fn hear_peer(&mut self, number: usize, link: Link, text: &[u8], at: Instant) {
        if let Some((_, last)) = self.nodes[number].telling.filter(|(known, _)| *known == link) {
            return self.tell_end(number, link, last, text);
        }
        let (said, node) = (self.bug.parse(text), &mut self.nodes[number]);
        // Who tells the end over another connection has lost the one before.
        let former = node.referee.successor().filter(|&known| known != link);
        let Ok(heard) = match former {
            Some(former) => Ok(node.referee.lose(former)),
            None => node.referee.hear(link, said, at),
        };
        match heard {
            Heard::Noted | Heard::Lost => {}
            Heard::Unfit | Heard::Left(_) => self.close_peer(number, link),
            Heard::Admitted(first, old) => {
                if let Some(old) = old.filter(|&old| old != link) {
                    self.close_peer(number, old);
                }
                let facts = self.nodes[number].referee.store.facts[first as usize - 1..].to_vec();
                self.send_facts(number, first, facts);
            }
            Heard::Refused(refusal) => self.refuse(number, link, &refusal),
            Heard::HearsEnd(_) => {
                self.close_clients(number);
                self.send_apart(1 - number, link, &PeerLine::Stored(0));
            }
            Heard::Fenced(_, true) => self.close_clients(number),
            Heard::EndTaken(last) => {
                assert_eq!(self.nodes[number].stored(), last, "all was told");
                self.send_apart(1 - number, link, &PeerLine::Stored(last));
                self.go_home(number);
            }
            Heard::Fenced(_, false) | Heard::Outdated => self.leave_to_successor(number),
        }
    }

    pub(super) fn refuse(&mut self, number: usize, link: Link, refusal: &Refusal) {
        let acts = self.nodes[number].referee.is_acting();
        let told = match *refusal {
            Refusal::Back(from) | Refusal::Ahead(from) => PeerLine::Back(from),
            // A copy from before an observer was named would contradict what was told: none is put in place.
            Refusal::Successor(_) => panic!("the observer was named"),
            _ => PeerLine::Refused { acts, reason: "its store is of another event".to_owned() },
        };
        self.send_peer(number, link, &told);
        self.close_peer(number, link);
        if acts && matches!(refusal, Refusal::Ahead(_)) {
            self.leave_to_successor(number);
        }
    }

    pub(super) fn send_facts(&mut self, number: usize, first: u64, facts: Vec<Fact>) {
        let Some(link) = self.nodes[number].referee.lease.connection() else { return };
        for (fact, count) in facts.into_iter().zip(first..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_peer(number, link, &PeerLine::Fact(count, json));
        }
    }

    /// Stores facts, sends them to the observer, and tells what may be told.
    pub(super) fn deliver(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let effects = node.referee.event.take_effects();
        let first = node.stored() + 1;
        let Ok(()) = node.referee.store.add(&effects.facts);
        let moved: Vec<(u64, u64)> = effects
            .facts
            .iter()
            .filter_map(
                |fact| if let Fact::Moved { game, used, .. } = fact { Some((*game, *used)) } else { None },
            )
            .collect();
        let facts = effects.facts.clone();
        let stored = node.stored();
        node.referee.lease.hold(stored, effects);
        for (game, used) in moved {
            self.check_clock(number, game, Duration::from_nanos(used));
        }
        self.send_facts(number, first, facts);
        let observer = self.nodes[number].referee.observer().filter(|_| self.bug != Bug::TellsAtOnce);
        while let Some(effects) = self.nodes[number].referee.lease.release(observer) {
            for message in effects.messages {
                self.check(number, &message.line);
                if let Some(&(client, _)) = self.client_links.get(&message.to) {
                    self.send_to_client(client, message.to, Some(message.line));
                }
                if let Some(game) = message.starts {
                    self.nodes[number].referee.event.told(game, at);
                }
            }
            for link in effects.disconnects {
                self.nodes[number].clients.retain(|&client| client != link);
                self.close_client(link);
            }
        }
    }

    /// A referee that observes.
    pub(super) fn observe(&mut self, number: usize, happening: Happening, at: Instant) {
        match happening {
            Happening::Tick => {
                let life = self.nodes[number].life;
                self.at(self.now + TICK, Event::Node(number, Some(life), Happening::Tick));
                self.watch(number, at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) => self.close_client(link),
            Happening::PeerClosed(link) if self.nodes[number].link == Some(link) => self.unfollow(number),
            Happening::Peer(link, text) if self.nodes[number].link == Some(link) => {
                self.hear_observed(number, link, &text, at);
            }
            _ => {}
        }
    }

    /// An observer hears the referee that it observes.
    pub(super) fn hear_observed(&mut self, number: usize, link: Link, text: &[u8], at: Instant) {
        let Some(said) = PeerLine::parse(text) else { return self.unfollow(number) };
        let node = &mut self.nodes[number];
        let Ok(step) = node.referee.hear_observed(said, at);
        match step {
            ObserverStep::Listen => {
                // Facts that arrive together are stored together.
                if node.referee.may_store() && self.random.bool() {
                    let Ok(_) = self.nodes[number].referee.settle();
                    let stored = self.nodes[number].stored();
                    self.send_peer(number, link, &PeerLine::Stored(stored));
                }
            }
            ObserverStep::Answer(answer) => self.send_peer(number, link, &answer),
            ObserverStep::Leave(Parting::Ended) if node.referee.event.has_ended() => {
                let Ok(_) = self.nodes[number].referee.settle();
                self.send_peer(number, link, &PeerLine::Leave);
                self.go_home(number);
            }
            ObserverStep::Leave(parting) => {
                self.unfollow(number);
                self.part(number, &parting, at);
            }
        }
    }

    /// What an observer does that has left the referee.
    pub(super) fn part(&mut self, number: usize, parting: &Parting, at: Instant) {
        let bug = self.bug;
        let node = &mut self.nodes[number];
        let next = match *parting {
            // A fact before it was lost.
            Parting::Damaged(_) | Parting::Ended => AfterParting::Again,
            Parting::Refused { acts, .. } => node.referee.after_refusal(acts),
            Parting::Back(_) if bug == Bug::GoesBackWithTheOther => AfterParting::GoBack,
            Parting::Back(_) => node.referee.after_back(),
            ref other => panic!("an observer hears {other:?}"),
        };
        match (next, parting) {
            (AfterParting::Again, _) => {}
            (AfterParting::GoBack, Parting::Back(first)) => {
                node.go_back(*first);
                self.backs += 1;
            }
            (AfterParting::GoOn, _) => node.go_on(at),
            (AfterParting::TakeOver, _) => {
                // The other one has an older copy of what it told.
                if self.is_let(number) {
                    self.nodes[number].take_over(at);
                }
            }
            _ => panic!("an observer hears {parting:?}"),
        }
    }

    /// An observer leaves the connection to the referee that it observes.
    pub(super) fn unfollow(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        if self.bug == Bug::ForgetsToStore {
            node.referee.intake.forget();
        }
        let Ok(()) = node.referee.end_to_observe();
        if let Some(link) = node.link.take() {
            self.close_peer(number, link);
        }
    }

    pub(super) fn watch(&mut self, number: usize, at: Instant) {
        let is_silent = |watch: Option<Watch>| watch.is_some_and(|watch| watch.is_over(at));
        let node = &mut self.nodes[number];
        if node.referee.observation.watch.is_none()
            && is_silent(node.tried.take_if(|watch| watch.is_over(at)))
        {
            // Nobody answers over this connection.
            self.unfollow(number);
            self.nodes[number].go_on(at);
        }
        if is_silent(self.nodes[number].referee.observation.watch) && self.hear_nothing(number, at) {
            return;
        }
        let (can_follow, node) = (self.acts(1 - number), &mut self.nodes[number]);
        if node.link.is_some() || !node.observes {
            return;
        }
        if can_follow {
            self.follow(number, at);
        } else if node.referee.observation.watch.is_none() {
            node.go_on(at);
        }
    }

    /// The referee has fallen silent; whether its observer does not ask again at once.
    pub(super) fn hear_nothing(&mut self, number: usize, at: Instant) -> bool {
        self.unfollow(number);
        let node = &mut self.nodes[number];
        let next = match self.bug {
            Bug::TakesOverUnnamed => AfterParting::TakeOver,
            Bug::TakesOverWithOldStore if node.referee.event.observer == Some(node.id) => {
                AfterParting::TakeOver
            }
            _ => node.referee.after_silence(),
        };
        // If the witness denies it the term, it asks the referee again.
        let is_let = next != AfterParting::TakeOver || self.is_let(number);
        let node = &mut self.nodes[number];
        match next {
            _ if !is_let => {}
            AfterParting::Again => node.referee.observation.watch = None,
            _ => node.take_over(at),
        }
        is_let
    }

    /// An observer connects with the referee.
    pub(super) fn follow(&mut self, number: usize, at: Instant) {
        self.count += 1;
        let link = self.count;
        let lives = [self.nodes[0].life, self.nodes[1].life];
        self.peers.insert(link, PeerLink { lives, is_dead: false, busy_until: [0; 2] });
        let node = &mut self.nodes[number];
        (node.link, node.tried) = (Some(link), Some(Watch::new(at)));
        let store = node.referee.begin_to_observe();
        node.referee.observation.needs_all &= self.bug != Bug::StoresInParts;
        self.send_peer(number, link, &PeerLine::Observe { token: TOKEN.to_owned(), store, settings: 0 });
    }

    /// Sends a line to the other referee: in order, late if the line is cut, or never if the connection is dead.
    pub(super) fn send_peer(&mut self, from: usize, link: Link, told: &PeerLine) {
        let delay = self.random.u64(0..DELAY);
        let lines = self.on_its_way(told);
        let Some(peer) = self.peers.get_mut(&link).filter(|peer| !peer.is_dead) else { return };
        let to = 1 - from;
        let at = (self.now.max(self.cut_until) + delay).max(peer.busy_until[to]);
        peer.busy_until[to] = at;
        let life = peer.lives[to];
        for text in lines {
            self.at(at, Event::Node(to, Some(life), Happening::Peer(link, text)));
        }
    }

    /// What arrives of a line: itself, or nothing, itself twice, or something damaged.
    pub(super) fn on_its_way(&mut self, line: &PeerLine) -> Vec<Vec<u8>> {
        let mut bytes = line.encode().into_bytes();
        bytes.pop();
        if self.damage == 0 || self.now > CALM || self.random.u32(0..self.damage) > 0 {
            return vec![bytes];
        }
        let place = self.random.usize(0..bytes.len());
        match self.random.u32(0..6) {
            0 => return Vec::new(),
            1 => return vec![bytes.clone(), bytes],
            2 => bytes.truncate(place),
            // One digit becomes another: the worst that can happen to a number.
            3 | 4 => {
                let digits: Vec<usize> = (9..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
                if let Some(&place) = self.random.choice(&digits) {
                    bytes[place] = b'0' + (bytes[place] - b'0' + self.random.u8(1..10)) % 10;
                } else {
                    bytes[place] ^= 1;
                }
            }
            _ => bytes[place] ^= 1 << self.random.u8(0..8),
        }
        vec![bytes]
    }

    pub(super) fn close_peer(&mut self, from: usize, link: Link) {
        self.nodes[from].referee.lease.disconnect(link);
        let Some(peer) = self.peers.remove(&link).filter(|peer| !peer.is_dead) else { return };
        let to = 1 - from;
        let at = (self.now.max(self.cut_until) + DELAY).max(peer.busy_until[to]);
        self.at(at, Event::Node(to, Some(peer.lives[to]), Happening::PeerClosed(link)));
    }
}
