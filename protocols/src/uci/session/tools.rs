//! Commands of testers, which are no part of UCI: `go perft`, `bench` and `genfens`.
//!
//! They run on the thread of the session. Meanwhile `isready` is answered, `stop` ends them, and everything else waits.

use std::path::Path;
use std::time::Duration;

use engine::bench::{Bench, BenchStep};
use engine::openings::training_positions;
use messages::input::Input;
use messages::uci::{Command, GenFens, Message};

use super::UciSession;
use crate::host::{Event, Host};
use crate::output::SessionOutput;

/// What arrives while a command runs.
#[derive(Default)]
struct Meanwhile {
    later: Vec<Event>,
    stopped: bool,
    /// Whether `quit` ends the command. OpenBench writes it behind the commands whose results it waits for.
    ends_at_quit: bool,
    /// Whether another `go` has arrived. A `stop` behind it is meant for that one.
    has_next: bool,
}

impl Meanwhile {
    /// Looks at the input; `false` if the command is to end.
    fn goes_on(&mut self, host: &mut Host, output: &mut SessionOutput<'_>) -> bool {
        while let Some(event) = host.event_within(Duration::ZERO) {
            let line = if let Event::Input(Input::Line(line)) = &event { line } else { "" };
            let command = line.parse().ok();
            self.has_next |= matches!(command, Some(Command::Go(_)));
            self.stopped |= self.ends_at_quit && command == Some(Command::Quit);
            match command {
                Some(Command::IsReady) => output.line(&Message::ReadyOk),
                Some(Command::Stop) if !self.has_next => self.stopped = true,
                _ => self.later.push(event),
            }
        }
        self.stopped |= output.has_failed();
        !self.stopped
    }
}

impl UciSession<'_> {
    /// Counts the leaf nodes below each legal move. `quit` ends it, too.
    pub(super) fn perft(&mut self, depth: u32) {
        let mut total = u64::from(depth == 0);
        let mut meanwhile = Meanwhile { ends_at_quit: true, ..Meanwhile::default() };
        for m in self.game.legal_moves().into_iter().filter(|_| depth > 0) {
            let mut next = self.game.clone();
            let mut goes_on = || meanwhile.goes_on(&mut self.host, &mut self.output);
            let nodes = next.play(m).ok().and_then(|()| engine::perft(&next, depth - 1, &mut goes_on));
            let Some(nodes) = nodes else { break };
            total += nodes;
            self.output.line(&format_args!("{}: {nodes}", self.game.coordinate(m)));
        }
        self.host.unread(meanwhile.later.into_iter());
        self.output.line(&if meanwhile.stopped {
            Message::note("perft stopped").to_string()
        } else {
            format!("\nNodes searched: {total}")
        });
    }

    /// Runs the benchmark of `herald bench`, with the network in use and otherwise the built-in defaults.
    pub(super) fn bench(&mut self, depth: Option<u32>) -> Result<(), String> {
        self.finish_search();
        let bench = Bench { variant: self.variant, depth, network: self.host.engine.network() };
        let mut meanwhile = Meanwhile::default();
        let total = bench.run(|step| {
            if let Some(BenchStep { number, positions, nodes, .. }) = step {
                self.output.line(&Message::note(format!("position {number} of {positions}: {nodes} nodes")));
            }
            meanwhile.goes_on(&mut self.host, &mut self.output)
        });
        self.host.unread(meanwhile.later.into_iter());
        match total.map_err(|error| error.to_string())? {
            Some(total) => self.output.line(&total),
            None => self.output.line(&Message::note("bench stopped")),
        }
        Ok(())
    }

    /// Makes positions from which games can be started, one in a line: `info string genfens FEN`.
    pub(super) fn generate_positions(&mut self, request: &GenFens) -> Result<(), String> {
        self.finish_search();
        let book = request.book.as_deref().map(Path::new);
        let positions = training_positions(request.seed, book).map_err(|error| error.to_string())?;
        let mut meanwhile = Meanwhile::default();
        let mut made = 0;
        for opening in positions.take(usize::try_from(request.count).unwrap_or(usize::MAX)) {
            let opening = opening.map_err(|error| error.to_string())?;
            self.output.line(&Message::note(format!("genfens {}", opening.game.fen())));
            made += 1;
            if made < request.count && !meanwhile.goes_on(&mut self.host, &mut self.output) {
                break;
            }
        }
        self.host.unread(meanwhile.later.into_iter());
        if made < request.count {
            return Err(format!("genfens ended after {made} of {} positions", request.count));
        }
        Ok(())
    }
}
