//! What the referees of the simulation do.

use super::*;

impl Simulation {
    pub(super) fn handle_node(&mut self, number: usize, life: Option<u32>, happening: Happening) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        match happening {
            Happening::Restart if node.is_done => (),
            Happening::Restart => {
                let may_observe = self.random.bool() && self.acts(1 - number);
                let node = &mut self.nodes[number];
                node.observes |= may_observe;
                node.start(now);
                let life = Some(node.life);
                self.at(now, Event::Node(number, life, Happening::Tick));
                if std::mem::take(&mut self.nodes[number].is_old) && self.random.bool() {
                    let at = now + self.random.u64(0..4 * DELAY);
                    self.at(at, Event::Node(1 - number, None, Happening::Crash));
                }
            }
            _ if !node.is_up || life.is_some_and(|life| life != node.life) => (),
            Happening::Freeze(time) => node.frozen_until = node.frozen_until.max(now + time),
            Happening::Copy => node.copy = Some(node.store.facts.clone()),
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
        let Some(copy) = node.copy.as_ref().filter(|copy| **copy != node.store.facts) else { return };
        let ((author, named), (author_now, named_now)) = (last_words(copy), last_words(&node.store.facts));
        let is_needed =
            (author == node.id && named == Some(other.id)) || (node.observes && author == other.id);
        let has_claimed = self.witness.is_some_and(|(epoch, by)| epoch > other.event.epoch && by == node.id);
        let has_all = (named_now, last_words(&other.store.facts).1) == (Some(other.id), Some(other.id))
            || author_now == other.id;
        let is_in_play = !node.event.has_ended();
        if is_in_play && is_needed && has_all && !has_claimed && !other.is_dead && !other.is_done {
            let (copy, node) = (copy.clone(), &mut self.nodes[number]);
            let Ok(()) = node.store.replace(&copy);
            node.is_old = true;
            self.restored += 1;
            self.crash(number);
        }
    }

    pub(super) fn crash(&mut self, number: usize) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        (node.is_up, node.frozen_until) = (false, 0);
        node.life += 1;
        let clients = std::mem::take(&mut node.clients);
        let other = &self.nodes[1 - number];
        let has_all =
            (other.is_acting || other.is_done) && other.event.epoch >= self.nodes[number].event.epoch;
        // Who has claimed a term and dies before it begins has to come back, or the director decides.
        let has_claimed = self.witness.is_some_and(|(epoch, _)| epoch > other.event.epoch);
        let is_there = other.is_up || other.is_done;
        let is_needed = self.witness.is_none() || self.has_died || has_claimed || !(is_there && has_all);
        let restart = now + self.random.u64(100..4000);
        if is_needed || self.random.bool() {
            self.at(restart, Event::Node(number, None, Happening::Restart));
        } else {
            (self.has_died, self.nodes[number].is_dead) = (true, true);
        }
        self.hang_up(number, clients);
    }

    /// Closes all connections of a referee.
    pub(super) fn hang_up(&mut self, number: usize, clients: Vec<Link>) {
        for link in clients {
            self.close_client(link);
        }
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
        if self.nodes[number].successor.is_none() {
            self.keep_lease(number, Duration::from_millis(lost).mul_f64(self.nodes[number].rate), at);
        }
        let node = &mut self.nodes[number];
        match happening {
            Happening::Tick => {
                self.at(self.now + TICK, Event::Node(number, Some(self.nodes[number].life), Happening::Tick));
                self.beat(number, at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) if node.is_acting => {
                node.clients.push(link);
                node.event.handle(ConnectionEvent::Opened(link), at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) => self.close_client(link),
            Happening::Client(ConnectionEvent::Line(link, text)) if node.clients.contains(&link) => {
                node.event.handle(ConnectionEvent::Line(link, text), at);
            }
            Happening::Client(ConnectionEvent::Closed(link)) if node.clients.contains(&link) => {
                node.clients.retain(|&client| client != link);
                node.event.handle(ConnectionEvent::Closed(link), at);
            }
            Happening::Peer(link, text) => self.hear_peer(number, link, &text, at),
            Happening::PeerClosed(link) => node.lease.disconnect(link),
            _ => {}
        }
        if self.nodes[number].is_acting {
            self.nodes[number].event.tick(at);
        }
        if !self.nodes[number].observes {
            self.deliver(number, at);
            self.end(number);
        }
    }

    /// Ends a referee at the event's end, when the other one knows it, too, or was waited for. See `Service::may_go_home`.
    pub(super) fn end(&mut self, number: usize) {
        let (now, is_other_done) = (self.now, self.nodes[1 - number].is_done);
        let is_over = self.nodes[number].is_over(self.late());
        let node = &mut self.nodes[number];
        if is_over {
            node.store.note(Note::Over);
            let owes = (node.fence.is_some() || node.store.history.has_left) && !is_other_done;
            let is_watched = node.observer().is_some() || node.lease.connection().is_some();
            let patience = if owes { END_PATIENCE } else { u64::from(is_watched) * GRACE };
            node.home_at.get_or_insert(now + patience);
            let link = node.lease.connection().filter(|_| node.lease.stored() == node.stored());
            if let Some(link) = link.filter(|_| link != node.told_over) {
                node.told_over = Some(link);
                node.home_at = node.home_at.map(|at| at.min(now + GRACE));
                self.send_peer(number, link, &PeerLine::End);
            }
        }
        let node = &mut self.nodes[number];
        if is_other_done {
            // Its answer was lost, and it is waited for in vain.
            node.home_at = node.home_at.map(|at| at.min(now + GRACE));
        }
        let was_waited_for = node.home_at.is_some_and(|at| now >= at) && node.event.has_ended();
        if (was_waited_for && node.successor.is_none()) || (is_over && self.bug == Bug::GoesHome) {
            self.go_home(number);
        }
    }

    pub(super) fn go_home(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        (node.is_done, node.is_up) = (true, false);
        node.life += 1;
        let clients = std::mem::take(&mut node.clients);
        self.hang_up(number, clients);
    }

    pub(super) fn keep_lease(&mut self, number: usize, lost: Duration, at: Instant) {
        let bug = self.bug;
        let node = &mut self.nodes[number];
        match node.lease.step(node.is_acting, node.observer(), node.stored(), at) {
            LeaseStep::Begin => {
                node.event.take_effects();
                (node.is_acting, node.has_acted) = (true, true);
                node.event.open(node.id, at);
                node.fence = node.store.history.takes_over();
            }
            LeaseStep::StandDown => {
                node.is_acting = false;
                node.lease.forget();
                let clients = std::mem::take(&mut node.clients);
                restore_anew(&mut node.event, &node.store.facts);
                for link in clients {
                    self.close_client(link);
                }
            }
            LeaseStep::Act if lost > Duration::from_millis(250) && bug != Bug::ChargesOutages => {
                node.event.outage(lost, at);
            }
            LeaseStep::Wait if self.may_go_on(number) => {
                let node = &mut self.nodes[number];
                node.event.take_effects();
                node.is_acting = true;
                node.store.note(Note::Left(true));
                node.event.dismiss_observer();
                node.event.open(node.id, at);
            }
            LeaseStep::Act | LeaseStep::Wait => {}
        }
    }

    /// Whether a referee goes on without its observer: the witness lets it, or the director, who knows that the other is lost.
    pub(super) fn may_go_on(&mut self, number: usize) -> bool {
        let node = &self.nodes[number];
        let has_acted = (node.has_acted && node.home_at.is_none()) || self.bug == Bug::ClaimsWithOldStore;
        let first = node.store.history.epoch_of(node.lease.stored()) + 1;
        (has_acted && self.is_granted(number, first)) || self.nodes[1 - number].is_dead
    }

    /// Claims the terms from a number up to the next one from the witness, which can't always be reached.
    pub(super) fn is_granted(&mut self, number: usize, first: u64) -> bool {
        let (last, by) = (self.nodes[number].event.epoch + 1, self.nodes[number].id);
        let Some(mut held) = self.witness.filter(|_| self.random.u32(0..4) > 0) else { return false };
        for term in (first..=last).map(|epoch| (epoch, by)) {
            if held != term && term.0 <= held.0 && self.bug != Bug::GrantsTwice {
                return false;
            }
            held = term;
            self.witness = Some(held);
        }
        true
    }

    /// Whether the witness, if there is one, lets a referee take over.
    pub(super) fn is_let(&mut self, number: usize) -> bool {
        self.witness.is_none() || self.is_granted(number, self.nodes[number].event.epoch + 1)
    }

    pub(super) fn beat(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let count = node.stored();
        if let (Some(beat), Some(link)) = (node.lease.beat(at), node.lease.connection()) {
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
            let last = if node.is_over(self.late()) && node.stored() >= first { node.stored() } else { 0 };
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
            return self.go_home(number);
        }
        let facts = self.nodes[number].store.facts.get(count as usize..).unwrap_or_default().to_vec();
        for (fact, count) in facts.into_iter().zip(count + 1..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_apart(1 - number, link, &PeerLine::Fact(count, json));
        }
    }

    /// A referee hears the end from the one that has taken over from it; see `Service::hear_successor`.
    pub(super) fn hear_successor(&mut self, number: usize, link: Link, last: u64, text: &[u8]) {
        let node = &mut self.nodes[number];
        let stored = node.stored();
        let is_taken = match PeerLine::parse(text) {
            Some(PeerLine::Fact(count, json)) => {
                node.intake.take(&mut node.event, stored, count, &json).is_ok()
            }
            _ => false,
        };
        if is_taken && node.intake.last(stored) < last {
            return;
        }
        if is_taken && node.event.has_ended() {
            self.settle(number);
            assert_eq!(self.nodes[number].stored(), last, "all was told");
            self.send_apart(1 - number, link, &PeerLine::Stored(last));
            self.go_home(number);
        } else {
            self.leave_to_successor(number);
        }
    }

    /// The process ends, and the director starts it again: by its own command, or to observe its successor.
    pub(super) fn leave_to_successor(&mut self, number: usize) {
        let observes = self.random.bool();
        let node = &mut self.nodes[number];
        let clients = std::mem::take(&mut node.clients);
        node.observes = observes;
        node.life += 1;
        node.start(self.now);
        let life = node.life;
        for link in clients {
            self.close_client(link);
        }
        self.at(self.now + TICK, Event::Node(number, Some(life), Happening::Tick));
    }

    pub(super) fn hear_peer(&mut self, number: usize, link: Link, text: &[u8], at: Instant) {
        match self.nodes[number].successor {
            Some((known, last)) if known == link => return self.hear_successor(number, link, last, text),
            // The connection before was lost.
            Some(_) => return self.leave_to_successor(number),
            None => {}
        }
        if let Some((_, last)) = self.nodes[number].telling.filter(|(known, _)| *known == link) {
            return self.tell_end(number, link, last, text);
        }
        let node = &mut self.nodes[number];
        let stored = node.stored();
        match self.bug.parse(text) {
            Some(PeerLine::Observe { store: store @ StoreSummary { by, first, .. }, .. }) => {
                let compared = node.store.history.compare(node.event.founder, &store);
                // A copy from before an observer was named would contradict what was told: none is put in place.
                assert_ne!(compared, Comparison::Successor, "the observer was named");
                if compared == Comparison::Foreign || node.observer().is_some_and(|observer| observer != by) {
                    let (acts, reason) = (node.is_acting, "its store is of another event".to_owned());
                    self.send_peer(number, link, &PeerLine::Refused { acts, reason });
                    return self.close_peer(number, link);
                }
                if let Comparison::Back(from) | Comparison::Ahead(from) = compared {
                    self.send_peer(number, link, &PeerLine::Back(from));
                    return self.close_peer(number, link);
                }
                if !node.event.has_ended() {
                    node.store.note(Note::Left(false));
                }
                node.lease.connect(link, by, first - 1, at);
                let facts: Vec<Fact> = node.store.facts[first as usize - 1..].to_vec();
                self.send_facts(number, first, facts);
            }
            Some(PeerLine::Stored(count)) if count <= stored => node.lease.confirm(link, count),
            Some(PeerLine::Alive { beat, count }) if count <= stored => {
                node.lease.renew(link, beat);
                node.lease.confirm(link, count);
            }
            Some(PeerLine::Leave) if node.told_over == Some(link) => return self.go_home(number),
            Some(PeerLine::Fence { term, first, last, .. }) if node.store.history.is_succeeded_by(term) => {
                node.store.set_aside(first);
                node.store.note(Note::Fenced(Some(term)));
                if last == 0 {
                    return self.leave_to_successor(number);
                }
                node.start(self.now);
                node.intake.begin_anew(&mut node.event);
                node.successor = Some((link, last));
                self.send_apart(1 - number, link, &PeerLine::Stored(0));
                return;
            }
            // It was damaged on its way.
            _ => return self.close_peer(number, link),
        }
        let node = &mut self.nodes[number];
        let stored = node.stored() + node.event.unstored();
        if node.lease.appoints(node.is_acting, node.observer(), stored) {
            node.event.record(Fact::Observer { by: node.lease.observer() });
            node.lease.begin(at);
        }
    }

    pub(super) fn send_facts(&mut self, number: usize, first: u64, facts: Vec<Fact>) {
        let Some(link) = self.nodes[number].lease.connection() else { return };
        for (fact, count) in facts.into_iter().zip(first..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_peer(number, link, &PeerLine::Fact(count, json));
        }
    }

    /// Stores facts, sends them to the observer, and tells what may be told.
    pub(super) fn deliver(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let effects = node.event.take_effects();
        let first = node.stored() + 1;
        let Ok(()) = node.store.add(&effects.facts);
        let moved: Vec<(u64, u64)> = effects
            .facts
            .iter()
            .filter_map(
                |fact| if let Fact::Moved { game, used, .. } = fact { Some((*game, *used)) } else { None },
            )
            .collect();
        let facts = effects.facts.clone();
        let stored = node.stored();
        node.lease.hold(stored, effects);
        for (game, used) in moved {
            self.check_clock(number, game, Duration::from_nanos(used));
        }
        self.send_facts(number, first, facts);
        let observer = self.nodes[number].observer().filter(|_| self.bug != Bug::TellsAtOnce);
        while let Some(effects) = self.nodes[number].lease.release(observer) {
            for message in effects.messages {
                self.check(number, &message.line);
                if let Some(&(client, _)) = self.client_links.get(&message.to) {
                    self.send_to_client(client, message.to, Some(message.line));
                }
                if let Some(game) = message.starts {
                    self.nodes[number].event.told(game, at);
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
        let node = &mut self.nodes[number];
        let stored = node.stored();
        let Some(told) = PeerLine::parse(text) else { return self.unfollow(number) };
        if matches!(told, PeerLine::Fact(..) | PeerLine::Alive { .. }) {
            node.watch = Some(Watch::new(at));
        }
        match told {
            PeerLine::Fact(count, json) => match node.intake.take(&mut node.event, stored, count, &json) {
                Ok(()) => {
                    // Facts that arrive together are stored together.
                    if (node.is_current || !node.needs_all) && self.random.bool() {
                        self.settle(number);
                        let stored = self.nodes[number].stored();
                        self.send_peer(number, link, &PeerLine::Stored(stored));
                    }
                }
                Err(NotTaken::Gap(_)) => self.unfollow(number),
                Err(NotTaken::Misfit(why)) => panic!("a fact of another referee does not fit: {why}"),
            },
            PeerLine::Alive { count, .. } if count > node.intake.last(stored) => self.unfollow(number),
            PeerLine::Alive { beat, .. } => {
                node.is_current = true;
                self.settle(number);
                let count = self.nodes[number].stored();
                self.send_peer(number, link, &PeerLine::Alive { beat, count });
            }
            PeerLine::Back(first) => {
                self.unfollow(number);
                let node = &mut self.nodes[number];
                if node.event.referee == node.id || self.bug == Bug::GoesBackWithTheOther {
                    node.go_back(first, self.now);
                    self.backs += 1;
                } else if node.event.observer == Some(node.id) && self.is_let(number) {
                    // The other one has an older copy of what it told.
                    let node = &mut self.nodes[number];
                    (node.watch, node.observes) = (None, false);
                }
            }
            PeerLine::End if node.event.has_ended() => {
                self.settle(number);
                self.send_peer(number, link, &PeerLine::Leave);
                self.go_home(number);
            }
            // A fact before it was lost.
            PeerLine::End => self.unfollow(number),
            // See `StandbyReferee::watch`.
            PeerLine::Refused { acts, .. } if !acts || node.observer().is_some() => {
                self.unfollow(number);
                self.nodes[number].acts_alone();
            }
            other => panic!("an observer hears {other:?}"),
        }
    }

    /// An observer leaves the connection to the referee that it observes.
    pub(super) fn unfollow(&mut self, number: usize) {
        if self.bug == Bug::ForgetsToStore {
            self.nodes[number].intake.forget();
        }
        let node = &mut self.nodes[number];
        if node.is_current || !node.needs_all {
            self.settle(number);
        } else {
            let Ok(()) = node.intake.discard(&mut node.event, &node.store);
        }
        if let Some(link) = self.nodes[number].link.take() {
            self.close_peer(number, link);
        }
    }

    pub(super) fn settle(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let Ok(_) = node.intake.settle(&mut node.event, &mut node.store);
    }

    pub(super) fn watch(&mut self, number: usize, at: Instant) {
        let bug = self.bug;
        let is_silent = |watch: Option<Watch>| watch.is_some_and(|watch| watch.is_over(at));
        if self.nodes[number].watch.is_none()
            && is_silent(self.nodes[number].tried.take_if(|watch| watch.is_over(at)))
        {
            // Nobody answers over this connection.
            self.unfollow(number);
            self.nodes[number].acts_alone();
        }
        if is_silent(self.nodes[number].watch) {
            self.unfollow(number);
            let node = &self.nodes[number];
            let is_current = node.is_current || bug == Bug::TakesOverWithOldStore;
            let may_try = is_current && node.event.observer == Some(node.id) || bug == Bug::TakesOverUnnamed;
            // If the witness denies it the term, it asks the referee again.
            if !may_try || self.is_let(number) {
                let node = &mut self.nodes[number];
                (node.watch, node.observes) = (None, !may_try);
                return;
            }
        }
        if self.nodes[number].link.is_some() {
            return;
        }
        if !self.acts(1 - number) {
            self.nodes[number].acts_alone();
        } else if self.nodes[number].observes {
            self.count += 1;
            let link = self.count;
            let lives = [self.nodes[0].life, self.nodes[1].life];
            self.peers.insert(link, PeerLink { lives, is_dead: false, busy_until: [0; 2] });
            let node = &mut self.nodes[number];
            (node.link, node.tried) = (Some(link), Some(Watch::new(at)));
            let is_succeeded = node.store.history.successor().is_some();
            let has_acted_last = node.event.referee == node.id;
            node.needs_all = (is_succeeded || has_acted_last) && self.bug != Bug::StoresInParts;
            if is_succeeded {
                node.is_current = false;
                node.intake.begin_anew(&mut node.event);
            }
            let shared = node.intake.shared(node.stored());
            let store = StoreSummary {
                by: node.id,
                event: node.event.founder,
                first: shared + 1,
                term: node.event.term(),
                sum: node.store.history.checksum(shared).unwrap_or_default(),
            };
            self.send_peer(number, link, &PeerLine::Observe { token: TOKEN.to_owned(), store, settings: 0 });
        }
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
        self.nodes[from].lease.disconnect(link);
        let Some(peer) = self.peers.remove(&link).filter(|peer| !peer.is_dead) else { return };
        let to = 1 - from;
        let at = (self.now.max(self.cut_until) + DELAY).max(peer.busy_until[to]);
        self.at(at, Event::Node(to, Some(peer.lives[to]), Happening::PeerClosed(link)));
    }
}
