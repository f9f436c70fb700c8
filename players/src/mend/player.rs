//! What `herald mend` needs of a program beyond a game: analysis, and settings at any time.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use game::{Move, PlayedVariant};
use messages::cecp::OptionDefinition;

use crate::{CecpPlayer, Log, NewGame, Player, PlayerFault, Protocol, Spec, UciPlayer};

/// Time for a program to say that it speaks UCI. Usually it does so at once; one that does not gets another chance later.
const FIRST_TRY: Duration = Duration::from_secs(2);

/// A program that can be mended.
pub trait MendedPlayer: Player {
    /// What it can do, by what it told when it was started.
    fn abilities(&self) -> Abilities;

    /// Begins to search a position until the game is called off or another one begins. `roots` are the only moves to be searched, if
    /// there are any and the program can restrict itself.
    ///
    /// # Errors
    /// The program ended, didn't answer in time, or cannot play this game.
    fn analyse(&mut self, game: &NewGame, roots: &[Move]) -> Result<(), PlayerFault>;

    /// Sets the time limit for it to get ready.
    fn be_patient(&mut self, patience: Duration);

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

/// Starts a program. With `is_guess` it is tried which protocol it speaks: UCI is answered by `uciok`, CECP by features; a program that
/// is silent is one of version 1 of CECP.
///
/// # Errors
/// The program cannot be started, ends, or speaks neither.
pub(super) fn start(
    spec: &mut Spec,
    is_guess: bool,
    log: Option<Arc<dyn Log>>,
) -> Result<Box<dyn MendedPlayer>, PlayerFault> {
    if is_guess {
        spec.protocol = recognise(spec, log.as_ref())?;
    }
    Ok(match spec.protocol {
        Protocol::Cecp => Box::new(CecpPlayer::start(spec, log)?),
        Protocol::Uci => Box::new(UciPlayer::start(spec, log)?),
        Protocol::Cego | Protocol::Autoplayer => {
            return Err(PlayerFault::Start("only programs that speak CECP or UCI can be mended".into()));
        }
    })
}

/// Finds out which protocol a program speaks: two processes are asked in one protocol each. One that answers neither gets its whole
/// patience.
fn recognise(spec: &Spec, log: Option<&Arc<dyn Log>>) -> Result<Protocol, PlayerFault> {
    let try_one = |protocol, patience| {
        let trial = Spec { protocol, patience, ..spec.clone() };
        let log = log.cloned();
        move || match protocol {
            Protocol::Uci => UciPlayer::start(&trial, log).map(|_| true),
            _ => CecpPlayer::start(&trial, log).map(|player| player.has_features()),
        }
    };
    let patience = spec.patience.min(FIRST_TRY);
    let (sender, answers) = mpsc::channel();
    for protocol in [Protocol::Uci, Protocol::Cecp] {
        let (answer, ask) = (sender.clone(), try_one(protocol, patience));
        // Without a thread nothing is found out in this way. The other program may have answered, and nobody listens any more.
        let _ = thread::Builder::new().name("trial".into()).spawn(move || {
            let _ = answer.send((protocol, ask()));
        });
    }
    drop(sender);
    for (protocol, answer) in answers {
        match answer {
            Ok(true) => return Ok(protocol),
            Err(fault @ PlayerFault::Start(_)) => return Err(fault),
            Ok(false) | Err(_) => {}
        }
    }
    let speaks_uci = try_one(Protocol::Uci, spec.patience)().is_ok();
    Ok(if speaks_uci { Protocol::Uci } else { Protocol::Cecp })
}
