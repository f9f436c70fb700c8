//! What `herald mend` needs of a program beyond a game: analysis, and settings at any time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use game::{Clock, Game, Move, Phase, PlayedVariant, TimeControl};
use messages::cecp::OptionDefinition;

use crate::{CecpPlayer, Log, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Spec, Turn, UciPlayer};

/// Time for a program to announce features of CECP, and then for its first move if it has announced none.
const FIRST_TRY: Duration = Duration::from_secs(2);
const FIRST_MOVE: Duration = Duration::from_secs(4);

/// Time for a program to answer `uci` before another process of it is asked in CECP, too, which takes memory from it.
const HEAD_START: Duration = Duration::from_secs(1);

/// Time for a program to answer `uci`. GUIs wait for ten seconds.
const SLOWEST: Duration = Duration::from_secs(8);

/// A program that can be mended.
pub trait MendedPlayer: Player + Send {
    /// What it can do, by what it told when it was started.
    fn abilities(&self) -> Abilities;

    /// Begins to search a position until the game is called off or another one begins. `roots` are the only moves to be searched, if
    /// there are any and the program can restrict itself.
    ///
    /// # Errors
    /// The program ended, didn't answer in time, or cannot play this game.
    fn analyse(&mut self, game: &NewGame, roots: &[Move]) -> Result<(), PlayerFault>;

    /// Sets until when it may get ready, at most. Otherwise the patience of its specification is the limit.
    fn wait_no_longer_than(&mut self, until: Option<Instant>);

    /// Whether whatever is asked next needs a new process.
    fn is_spent(&self) -> bool {
        false
    }

    /// Whether it has analysed in a way after which old programs do not play on rightly: GNU Chess loses its clock, Fairy-Max moves.
    fn has_analysed(&self) -> bool {
        false
    }

    /// Changes a setting.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: the program has no such option, or the value is invalid. Otherwise it can't be reached.
    fn set(&mut self, setting: &Setting) -> Result<(), PlayerFault>;
}

/// What a program can do.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "features of protocols are switches")]
pub struct Abilities {
    /// It can search without end.
    pub analyses: bool,
    /// It takes draw offers.
    pub agrees: bool,
    /// It is told a time for each move in whole seconds, rounded up, and when that is over.
    pub rounds_up: bool,
    /// It can be limited to a number of nodes.
    pub counts_nodes: bool,
    /// It can restrict an analysis to some moves.
    pub restricts: bool,
    /// Its memory can be limited.
    pub memory: bool,
    /// Its threads can be limited.
    pub threads: bool,
    /// What it plays.
    pub variants: Vec<PlayedVariant>,
    /// Kinds of endgame tables that it reads.
    pub tables: Vec<String>,
    /// Its options, with their present or default values.
    pub options: Vec<OptionDefinition>,
}

/// A setting of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// One of its options.
    Option {
        /// Its name.
        name: String,
        /// Its value; `None` presses a button.
        value: Option<String>,
    },
    /// Memory, in MiB.
    Memory(u64),
    /// Number of search threads.
    Threads(u64),
    /// Folder of endgame tables.
    Tables {
        /// Their kind.
        flavor: String,
        /// The folder.
        path: String,
    },
}

/// Starts a program from its specification.
pub(super) type Starter = Arc<dyn Fn(&Spec) -> Result<Box<dyn MendedPlayer>, PlayerFault> + Send + Sync>;

/// Returns what starts a program. The first time it is tried which protocol it speaks, unless that is `known`, and that it speaks it:
/// UCI is answered by `uciok`, CECP by features, or by a move.
pub(super) fn starter(known: bool, log: Option<Arc<dyn Log>>) -> Starter {
    let spoken = OnceLock::new();
    Arc::new(move |spec| {
        if let Some(&protocol) = spoken.get() {
            return start(&Spec { protocol, ..spec.clone() }, log.clone());
        }
        let protocols = if known { vec![spec.protocol] } else { vec![Protocol::Uci, Protocol::Cecp] };
        let (protocol, player) = first_start(spec, &protocols, log.as_ref())?;
        // Two starts at a time find out the same.
        let _ = spoken.set(protocol);
        Ok(player)
    })
}

fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Box<dyn MendedPlayer>, PlayerFault> {
    Ok(match spec.protocol {
        Protocol::Cecp => Box::new(CecpPlayer::start(spec, log)?),
        Protocol::Uci => Box::new(UciPlayer::start(spec, log)?),
        Protocol::Cego | Protocol::Autoplayer => {
            return Err(PlayerFault::Start("only programs that speak CECP or UCI can be mended".into()));
        }
    })
}

/// Asks a process in each protocol, the first one a moment before the others. The first one that answers is the program.
fn first_start(
    spec: &Spec,
    protocols: &[Protocol],
    log: Option<&Arc<dyn Log>>,
) -> Result<Found, PlayerFault> {
    let is_decided = Arc::new(AtomicBool::new(false));
    let (sender, answers) = mpsc::channel();
    let mut faults = Vec::new();
    for (n, &protocol) in protocols.iter().enumerate() {
        if n > 0
            && let Ok(trial) = answers.recv_timeout(HEAD_START)
            && let Some(found) = found_by(trial, &mut faults)
        {
            return found;
        }
        let (answer, log, is_decided) = (sender.clone(), log.cloned(), Arc::clone(&is_decided));
        let trial = Spec { protocol, ..spec.clone() };
        let ask = move || {
            let started = match protocol {
                Protocol::Cecp => prove_cecp(&trial, log.as_ref(), &is_decided),
                _ => start(&Spec { patience: trial.patience.min(SLOWEST), ..trial }, log),
            };
            // The other process may have answered, and nobody listens any more.
            let _ = answer.send((protocol, started));
        };
        let thread = thread::Builder::new().name("trial".into()).spawn(ask);
        thread.map_err(|error| PlayerFault::Start(error.to_string()))?;
    }
    drop(sender);
    for trial in answers {
        if let Some(found) = found_by(trial, &mut faults) {
            is_decided.store(true, Ordering::Relaxed);
            return found;
        }
    }
    // That it ends says more than that it is silent.
    let is_end = |fault: &PlayerFault| !matches!(fault, PlayerFault::Silence(_));
    let end = faults.iter().find(|fault| is_end(fault)).cloned();
    let only = faults.pop().filter(|_| protocols.len() == 1);
    Err(end.or(only).unwrap_or(PlayerFault::Silence("uci, protover or go")))
}

/// A program that was started in this protocol.
type Found = (Protocol, Box<dyn MendedPlayer>);

/// Returns the program if it was found, or why it can't be started. Other faults are kept, also what is wrong in CECP only.
fn found_by(
    (protocol, started): (Protocol, Result<Box<dyn MendedPlayer>, PlayerFault>),
    faults: &mut Vec<PlayerFault>,
) -> Option<Result<Found, PlayerFault>> {
    match started {
        Ok(player) => Some(Ok((protocol, player))),
        Err(fault @ PlayerFault::Start(_)) if protocol == Protocol::Uci => Some(Err(fault)),
        Err(fault) => {
            faults.push(fault);
            None
        }
    }
}

/// Starts a program of CECP. One that announces nothing has to make a move, as programs of version 1 do, unless another process
/// `is_decided` to be the right one meanwhile.
fn prove_cecp(
    spec: &Spec,
    log: Option<&Arc<dyn Log>>,
    is_decided: &AtomicBool,
) -> Result<Box<dyn MendedPlayer>, PlayerFault> {
    let hasty = Spec { patience: spec.patience.min(FIRST_TRY), ..spec.clone() };
    let mut player = CecpPlayer::start(&hasty, log.cloned())?;
    if player.has_all_features() {
        return Ok(Box::new(player));
    }
    let may_be_mute = !player.has_features();
    if may_be_mute
        && (is_decided.load(Ordering::Relaxed)
            || !makes_a_move(&mut player, Instant::now() + FIRST_MOVE.min(spec.patience))?)
    {
        return Err(PlayerFault::Silence("protover or go"));
    }
    // Features that come late are waited for this time.
    if player.has_features() { start(spec, log.cloned()) } else { Ok(Box::new(player)) }
}

/// Lets a program move in a game of ten seconds. Returns whether it does.
fn makes_a_move(player: &mut CecpPlayer, until: Instant) -> Result<bool, PlayerFault> {
    let phase = Phase { moves: None, time: Duration::from_secs(10), increment: Duration::ZERO };
    let control = TimeControl::of_phase(phase).unwrap_or(TimeControl::Unlimited);
    let new = NewGame::new(Game::default(), &control);
    player.new_game(&new)?;
    player.think(&Turn { game: &new.game, clock: &Clock::new(control), at: Instant::now() })?;
    while Instant::now() < until {
        match player.take().map(|arrival| arrival.event) {
            Some(PlayerEvent::Move(_)) => return Ok(true),
            Some(PlayerEvent::Fault(fault)) => return Err(fault),
            Some(_) => {}
            None => {
                let sources: Vec<_> = player.source().into_iter().collect();
                platform::wait(&sources, until);
            }
        }
    }
    Ok(false)
}
