//! Tests of the line: numbered messages over a line that misbehaves, and the handshake.

use std::time::{Duration, Instant};

use messages::autoplayer::{Hello, LINK_VERSION, LinkFrame, LinkRole};

use super::handshake::{Greeting, Handshake};
use super::numbered::{Heard, NumberedStream};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A line with noise, between two streams.
struct BadLine {
    ends: [NumberedStream; 2],
    /// What is on its way to each end.
    under_way: [Vec<String>; 2],
    received: [Vec<String>; 2],
    now: Instant,
    random: fastrand::Rng,
}

impl BadLine {
    fn new(seed: u64) -> BadLine {
        let now = Instant::now();
        BadLine {
            ends: [NumberedStream::new(now), NumberedStream::new(now)],
            under_way: Default::default(),
            received: Default::default(),
            now,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Lets ten milliseconds pass. Each line is damaged, lost or repeated with this probability.
    fn step(&mut self, faults: f64, is_open: bool) {
        self.now += millis(10);
        for (from, to) in [(0, 1), (1, 0)] {
            for line in std::mem::take(&mut self.under_way[to]) {
                if let Heard::Message(text) = self.ends[to].hear(&line, self.now) {
                    self.received[to].push(text);
                }
            }
            let output = self.ends[from].output(self.now, is_open, false);
            for line in output.lines() {
                let mut line = line.to_owned();
                match (self.random.f64() < faults, self.random.u8(0..4)) {
                    (true, 0) => continue,
                    (true, 1) => line = line.replace(['1', '5'], "7"),
                    (true, 2) => self.under_way[to].push(line.clone()),
                    (true, _) => line.truncate(line.len() / 2),
                    (false, _) => {}
                }
                self.under_way[to].push(line);
            }
        }
    }

    fn break_off(&mut self) {
        self.under_way = Default::default();
        let now = self.now;
        self.ends.iter_mut().for_each(|end| end.connect(now));
    }

    fn is_settled(&self) -> bool {
        self.ends.iter().all(NumberedStream::is_settled)
    }
}

#[test]
fn every_message_arrives_once_and_in_order_whatever_the_line_does() {
    for seed in 0..40 {
        let mut line = BadLine::new(seed);
        let sent: Vec<String> = (0..60).map(|number| format!("{{\"message\":{number}}}")).collect();
        let mut rest = [sent.iter(), sent.iter()];
        let mut steps = 0;
        while !(line.is_settled() && rest.iter().all(|rest| rest.len() == 0)) {
            for end in [0, 1] {
                if line.random.u8(0..10) == 0
                    && let Some(text) = rest[end].next()
                {
                    line.ends[end].send(text.clone());
                }
            }
            if line.random.u16(0..300) == 0 {
                line.break_off();
            }
            line.step(0.2, true);
            steps += 1;
            assert!(steps < 60_000, "seed {seed} does not settle");
        }
        assert_eq!(line.received, [sent.clone(), sent], "seed {seed}");
    }
}

#[test]
fn nothing_is_repeated_on_a_good_line_and_silence_is_short() {
    let mut line = BadLine::new(1);
    line.ends[0].send("a".into());
    let mut heard = 0;
    for _ in 0..1000 {
        line.step(0.0, true);
        heard += line.under_way[1].len();
    }
    assert_eq!((line.ends[0].repeated, line.ends[1].damaged), (0, 0));
    assert_eq!(line.received[1], ["a"]);
    // Ten seconds: one message, and a sign of life every two seconds.
    assert!((5..=6).contains(&heard), "{heard}");
}

#[test]
fn a_closed_line_and_a_busy_one_wait() {
    let now = Instant::now();
    let mut stream = NumberedStream::new(now);
    stream.send("a".into());
    assert_eq!(stream.output(now, false, false), "");
    assert!(stream.output(now, true, false).ends_with(" 1 0 a\n"));
    // A line that is still being written cannot have been answered.
    for second in 1..20 {
        assert_eq!(stream.output(now + millis(1000 * second), true, true), "");
    }
    assert!(stream.output(now + millis(21_000), true, false).ends_with(" 1 0 a\n"));
}

#[test]
fn a_new_program_at_the_other_end_begins_with_one() {
    let now = Instant::now();
    let mut stream = NumberedStream::new(now);
    let line = |number, text: &str| LinkFrame { number, received: 0, text: text.into() }.to_string();
    assert_eq!(stream.hear(&line(1, "a"), now), Heard::Message("a".into()));
    assert_eq!(stream.hear(&line(1, "a"), now), Heard::Nothing);
    stream.send("lost".into());
    stream.forget();
    assert_eq!(stream.hear(&line(1, "b"), now), Heard::Message("b".into()));
    stream.send("c".into());
    assert!(stream.output(now, true, false).ends_with(" 1 1 c\n"));
    // An acknowledgement of what was never sent is no harm.
    let wrong = LinkFrame { number: 0, received: 99, text: String::new() }.to_string();
    assert_eq!(stream.hear(&wrong, now), Heard::Nothing);
    assert!(stream.is_settled());
}

#[test]
fn what_is_never_acknowledged_is_not_kept_without_end() {
    let mut stream = NumberedStream::new(Instant::now());
    let mut sent = 0;
    while !stream.is_overfull() {
        stream.send("a".into());
        sent += 1;
        assert!(sent < 1000);
    }
    assert!(sent > 100, "a broken line has room for a game's messages: {sent}");
    stream.acknowledge(1);
    assert!(!stream.is_overfull());
}

fn hello(role: LinkRole, nonce: &str) -> Hello {
    Hello {
        version: LINK_VERSION,
        role,
        session: format!("{role:?}"),
        nonce: nonce.to_owned(),
        answer: None,
        proof: None,
        satisfied: false,
        name: "X".to_owned(),
        rating: None,
        capabilities: Vec::new(),
    }
}

/// Lets two ends greet each other; every `lost`-th hello is lost. Returns how it ends for both.
fn greet(mut ends: [Handshake; 2], lost: usize) -> [Greeting; 2] {
    let mut now = Instant::now();
    let mut results = [Greeting::Nothing, Greeting::Nothing];
    let mut count = 0;
    for _ in 0..40 {
        for (from, to) in [(0, 1), (1, 0)] {
            let Some(hello) = ends[from].output(now) else { continue };
            count += 1;
            if count % lost == 0 {
                continue;
            }
            match ends[to].hear(hello, now) {
                Greeting::Nothing => {}
                result if results[to] == Greeting::Nothing => results[to] = result,
                result => assert_eq!(results[to], result),
            }
        }
        now += millis(300);
    }
    for (end, result) in ends.iter().zip(&results) {
        assert_eq!(end.peer().is_some(), *result == Greeting::Established);
    }
    results
}

fn ends(secrets: [Option<&str>; 2]) -> [Handshake; 2] {
    let [master, slave] = secrets.map(|secret| secret.map(str::to_owned));
    [Handshake::new(hello(LinkRole::Master, "m"), master), Handshake::new(hello(LinkRole::Slave, "s"), slave)]
}

#[test]
fn two_ends_greet_each_other_also_if_hellos_are_lost() {
    for lost in [3, 4, 5, 7, 1000] {
        for secret in [None, Some("sesame")] {
            let expected = [Greeting::Established, Greeting::Established];
            assert_eq!(greet(ends([secret, secret]), lost), expected, "every {lost}th is lost");
        }
    }
}

#[test]
fn without_the_secret_nobody_is_talked_to() {
    let refused = Greeting::Refused("the shared secrets differ".into());
    assert_eq!(greet(ends([Some("sesame"), Some("barley")]), 1000), [refused.clone(), refused.clone()]);
    assert_eq!(greet(ends([Some("sesame"), None]), 1000)[0], refused);
    assert_eq!(greet(ends([None, Some("sesame")]), 1000)[0], refused);
    // What was heard on another connection proves nothing on this one.
    let [mut master, mut slave] = ends([Some("sesame"), Some("sesame")]);
    let now = Instant::now();
    slave.hear(hello(LinkRole::Master, "m"), now);
    let proven = slave.output(now).unwrap();
    assert_eq!(master.hear(proven.clone(), now), Greeting::Established);
    let mut next = Handshake::new(hello(LinkRole::Master, "n"), Some("sesame".into()));
    assert_eq!(next.hear(proven.clone(), now), Greeting::Nothing);
    let forged = Hello { answer: Some("n".into()), ..proven };
    assert_eq!(next.hear(forged, now), refused);
}

#[test]
fn two_masters_and_two_versions_part() {
    let twice = [("a", LinkRole::Master), ("b", LinkRole::Master)]
        .map(|(nonce, role)| Handshake::new(hello(role, nonce), None));
    let both = Greeting::Refused("both ends are masters".into());
    assert_eq!(greet(twice, 1000), [both.clone(), both]);
    let mut master = Handshake::new(hello(LinkRole::Master, "m"), None);
    let later = Hello { version: 2, ..hello(LinkRole::Slave, "s") };
    let Greeting::Refused(reason) = master.hear(later, Instant::now()) else { panic!("not refused") };
    assert_eq!(reason, "one end has version 1 of the protocol and the other one 2");
}
