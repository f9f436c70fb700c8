//! The least that a referee can do: it carries moves and keeps clocks, and knows nothing of chess, of faults and of stores.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::{INCREMENT, MOVES, TIME};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A game: White's side first.
struct Table {
    number: usize,
    players: [Option<OwnedWriteHalf>; 2],
    left: [Duration; 2],
    since: Instant,
    plies: usize,
}

/// Lets so many games be played. Who was called so much before whom is paired as in the first round of a Swiss tournament.
pub(crate) fn relay(address: &str, games: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    let tables: Vec<_> = (0..games).map(|number| Arc::new(Mutex::new(Table::new(number)))).collect();
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.expect("an address");
        let mut guests = Vec::new();
        for _ in 0..2 * games {
            let (stream, _) = listener.accept().await.expect("a connection");
            guests.push(tokio::spawn(serve(stream, tables.clone())));
        }
        for guest in guests {
            guest.await.expect("no panic");
        }
    });
}

async fn serve(stream: TcpStream, tables: Vec<Arc<Mutex<Table>>>) {
    stream.set_nodelay(true).expect("a socket");
    let (input, output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    let number = sign_on(&mut lines).await;
    let (table, side) = (&tables[number % tables.len()], number / tables.len());
    lock(table).seat(side, output);
    while let Ok(Some(line)) = lines.next_line().await {
        lock(table).carry(side, &line, Instant::now());
    }
}

/// The number in the name of the client.
async fn sign_on(lines: &mut Lines<BufReader<OwnedReadHalf>>) -> usize {
    let line = lines.next_line().await.expect("a line").expect("a sign-on");
    let digits = line.rsplit("\"P").next().and_then(|rest| rest.strip_suffix("\";")).expect("a name");
    digits.parse().expect("a number")
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    fn new(number: usize) -> Table {
        let left = [Duration::from_secs(TIME); 2];
        Table { number: number + 1, players: [None, None], left, since: Instant::now(), plies: 0 }
    }

    fn seat(&mut self, side: usize, player: OwnedWriteHalf) {
        self.players[side] = Some(player);
        if self.players.iter().all(Option::is_some) {
            let prepare = format!(
                "{START} refcom reset;\n{START} ptp TimeControl \"{TIME}+{INCREMENT}\"; refcom inform;\n"
            );
            (0..2).for_each(|side| self.tell(side, &prepare));
            self.ask(0, START, "refcom respond;");
        }
    }

    /// Carries a reply to the opponent.
    fn carry(&mut self, side: usize, line: &str, at: Instant) {
        let used = at.saturating_duration_since(self.since);
        self.left[side] = self.left[side].saturating_sub(used) + Duration::from_secs(INCREMENT);
        self.plies += 1;
        if self.plies == 2 * MOVES || !line.contains(" sm ") {
            let leave = format!("{START} refcom disconnect;\n");
            return (0..2).for_each(|side| self.tell(side, &leave));
        }
        // A position is four words.
        let end = line.match_indices(' ').nth(3).map_or(line.len(), |(place, _)| place);
        let (position, said) = line.split_at(end);
        self.ask(1 - side, position, &said.trim_start().replace("refreq reply", "refcom respond"));
    }

    fn ask(&mut self, side: usize, position: &str, said: &str) {
        let mut record = format!("{position} Clock");
        for left in self.left {
            let _ = write!(record, " {} {} -", left.as_millis(), INCREMENT * 1000);
        }
        let _ = writeln!(record, "; {said} tcgs {};", self.number);
        self.tell(side, &record);
        self.since = Instant::now();
    }

    /// Writes something short to somebody who reads.
    fn tell(&self, side: usize, text: &str) {
        if let Some(player) = &self.players[side] {
            let written = player.try_write(text.as_bytes()).expect("who plays is there");
            assert_eq!(written, text.len(), "a client does not read");
        }
    }
}
